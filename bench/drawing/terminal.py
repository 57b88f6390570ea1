"""What people read on the terminal: tables, and texts of others that cannot control it."""

import io
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from typing import IO

CONTROL = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n"}


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


def _reader_is_gone() -> None:
    """Say so as Python does; rich would end the program with the code 1."""
    raise BrokenPipeError


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
        table.add_row(*(Text(visible(cell, sys.stdout)) for cell in row))
    console = Console(file=getattr(sys.stdout, "terminal", None))  # whose colours are ours
    if not console.is_terminal:
        console = Console(width=200)
    console.on_broken_pipe = _reader_is_gone
    console.print(table)
    console.print()
