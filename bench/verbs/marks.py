"""What programs write into a page of the docs, between two marks."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import write_atomically


def of(name: str) -> tuple[str, str]:
    """The two lines between which this part of a page stands."""
    return f"<!-- bench {name}: begin -->", f"<!-- bench {name}: end -->"


def write(file: Path, name: str, text: str) -> None:
    """Put the text in place of what stands between the marks of a page.

    Raises:
        UserError: The page cannot be read, or has not both marks, once each.
    """
    try:
        page = file.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"cannot read {file} ({error.strerror}): call this in the project's folder") from error
    begin, end = of(name)
    before, found, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed or begin in rest or end in after:
        raise UserError(f"{file} must have the lines {begin} and {end}, once each, in this order")
    write_atomically(file, f"{before}{begin}\n{text}\n{end}{after}")


def table(heading: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[str]:
    """A table in Markdown, line by line."""
    texts = [["" if cell is None else str(cell).replace("|", "&#124;") for cell in row] for row in rows]
    return [f"| {' | '.join(row)} |" for row in (heading, ["---"] * len(heading), *texts)]
