"""Pair a paper's drawing functions with the titles and captions of their figures in ``figures.toml``."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from structbench.bench.drawing.draw import Figure
from structbench.bench.papers.claim_rows import check_name, filled, tables


def figures(
    beside: str | Path, drawn: Mapping[str, Callable], *given: object, suffix: str = "", **words: object
) -> dict[str, Figure]:
    """Return the figures that these functions draw of ``given`` and runs, by their stem with ``suffix`` behind it.

    ``beside``: A file beside ``figures.toml``, such as ``__file__``. Titles and captions name ``words`` in braces,
    as in ``{task.name}``, and texts of the file's table ``words``. Their line breaks are spaces.
    """
    said = tables(file := Path(beside).with_name("figures.toml"))
    for stem in drawn:
        check_name(f"{file.parent.name}/{file.name}", "figure", stem, said)
    known = _Words(words, said.get("words", {}))
    return {
        stem + suffix: Figure(
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
