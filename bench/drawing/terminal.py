"""Terminal output: print tables that fit the terminal, and escape control characters in all printed text."""

import io
import sys
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from typing import IO

CONTROL = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n"}
PIPE, GAP, LONGEST = (
    200,
    3,
    32,
)  # characters: a table's width in a pipe, between two columns, and of a word that stays whole


def visible(text: str, stream: IO[str]) -> str:
    r"""The text as this stream gets it: a terminal shows control characters, such as \x1b; a file has them."""
    return text.translate(CONTROL) if stream.isatty() else text


class _Escaping(io.TextIOWrapper):
    """Writes to a terminal. It shows control characters, which a terminal would obey."""

    def __init__(self, terminal: io.TextIOWrapper) -> None:
        super().__init__(terminal.buffer, terminal.encoding, terminal.errors, line_buffering=True)
        self.terminal = terminal

    def write(self, text: str, /) -> int:
        return super().write(text.translate(CONTROL))


@contextmanager
def escaped() -> Iterator[None]:
    """While the block runs, show the control characters of all that is printed to a terminal."""
    with ExitStack() as at_the_end:
        for redirect, stream in ((redirect_stdout, sys.stdout), (redirect_stderr, sys.stderr)):
            if isinstance(stream, io.TextIOWrapper) and stream.isatty():
                escaping = _Escaping(stream)
                at_the_end.callback(escaping.detach)
                at_the_end.enter_context(redirect(escaping))
        yield


def print_table(header: list[str], rows: list[list[str]], spare: Collection[str] = ()) -> None:
    """Print a table for people. No number and no word breaks, unless it is longer than ``LONGEST``.

    Args:
        spare: The columns that a narrow terminal leaves out before others, the first of them first; then the last.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(file=getattr(sys.stdout, "terminal", None))  # whose colours are ours
    narrow = sys.stdout.isatty()  # rich takes a pipe for a terminal if FORCE_COLOR is set
    shown = [*range(len(header))]
    columns = [
        [visible(text, sys.stdout) for text in (name, *(row[k] for row in rows))] for k, name in enumerate(header)
    ]
    order = [k for name in spare for k in shown if header[k] == name]
    order += [k for k in reversed(shown) if k > 1 and k not in order]
    while narrow and order and _least_width([columns[k] for k in shown]) > console.width:
        shown.remove(order.pop(0))
    room = console.width if narrow else PIPE
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for k, width in zip(shown, _widths([columns[k] for k in shown], room), strict=True):
        table.add_column(Text(columns[k][0]), overflow="fold", width=width)
    for row in zip(*(columns[k][1:] for k in shown), strict=True):
        table.add_row(*map(Text, row))
    console.width = max(room, _least_width([columns[k] for k in shown]))
    with console.capture() as drawn:
        console.print(table)
    print(*(line.rstrip(" ") for line in drawn.get().split("\n")), sep="\n", end="", file=console.file)
    if left_out := [name for k, name in enumerate(header) if k not in shown]:
        print(f"Not shown: {', '.join(left_out)}; a wider terminal shows more.")
    print()


def _least(column: list[str]) -> int:
    """The width at which a column's words are whole."""
    from rich.cells import cell_len

    return max((min(cell_len(word), LONGEST) for text in column for word in text.split()), default=1)


def _least_width(columns: list[list[str]]) -> int:
    return sum(map(_least, columns)) + GAP * (len(columns) - 1)


def _widths(columns: list[list[str]], room: int) -> list[int]:
    """Their widths in a table that fits: the widest become narrower until it does."""
    from rich.cells import cell_len

    least = [*map(_least, columns)]
    widths = [
        max((cell_len(line) for text in column for line in text.split("\n")), default=1) for column in columns
    ]
    while sum(widths) + GAP * (len(widths) - 1) > room and (
        able := [k for k, width in enumerate(widths) if width > least[k]]
    ):
        widths[max(able, key=widths.__getitem__)] -= 1
    return widths
