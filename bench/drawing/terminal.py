"""Tables for people, on the terminal."""


def print_table(header: list[str], rows: list[list[str]]) -> None:
    """Print a table for people."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name in header:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console = Console()
    if not console.is_terminal:
        console = Console(width=200)
    console.print(table)
    console.print()
