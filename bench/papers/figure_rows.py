"""Figures as rows: what a paper's ``figures.toml`` says of each, and the functions that draw them."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from structbench.bench.drawing.draw import Figure
from structbench.bench.drawing.tables import table_figure
from structbench.bench.papers.claim_rows import filled, tables
from structbench.bench.papers.registry import check_name


def figures(
    file: Path, drawn: Mapping[str, Callable], *given: object, suffix: str = "", **words: object
) -> dict[str, Figure]:
    """Return the figures that these functions draw, by their stem in the file with ``suffix`` behind it.

    A stem that begins with ``table`` is a table, whose function returns rows. Titles and captions name ``words``
    in braces, as in ``{task.name}``, and texts of the file's table ``words``. Their line breaks are spaces.

    Args:
        drawn: Stem -> function; it gets ``given`` and the runs.

    Raises:
        UserError: The file does not have a stem.
    """
    said = tables(file)
    for stem in drawn:
        check_name(f"{file.parent.name}/{file.name}", "figure", stem, said)
    known = _Words(words, said.get("words", {}))
    return {
        f"{stem}{suffix}": (table_figure if stem.startswith("table") else Figure)(
            filled(said[stem]["title"], known), filled(said[stem]["caption"], known), partial(draw, *given)
        )
        for stem, draw in drawn.items()
    }


class _Words(dict[str, object]):
    """What a caption may name: words that are given, else texts of the file."""

    def __init__(self, given: Mapping[str, object], texts: dict[str, str]) -> None:
        super().__init__(given)
        self._texts = texts

    def __missing__(self, name: str) -> str:
        return filled(self._texts[name], self)


def repeated(seeds: Sequence[int]) -> str:
    """Return what a caption says of lines with several seeds; empty with one."""
    return f" Lines are means over {len(seeds)} seeds, bands their range." if len(seeds) > 1 else ""
