"""Figures 2 to 6 and Table 1 of l1m3n2009: primal-sparse max-margin Markov networks on sparse and on OCR data.

Six models, three ways to learn the l1-M3N, and more of ours: a fourth way, the features selected along the path,
the certified gap of all. ``docs/l1m3n2009.md`` says what the paper leaves open and what we decided.
"""

from functools import partial

from bench.drawing.draw import Figure
from bench.papers.judging import Claim
from bench.papers.l1m3n2009 import claims, figures, figures_ours, tables
from bench.papers.l1m3n2009.runs import about, runs_of, task, timed_of

__all__ = ["claims_of", "figures_of", "runs_of", "timed_of"]

OWN_DATA = ("synthetic", "ocr")  # the first is a recipe of the paper


def figures_of(scale: str) -> dict[str, Figure]:
    """All figures and tables, by file stem."""
    chosen = task(scale)
    drawn = figures.DRAWN | figures_ours.DRAWN
    found = {
        stem: Figure(f"l1m3n2009, {title}", f"{caption} {about(chosen, data)}", partial(draw, chosen))
        for stem, (title, caption, data, draw) in drawn.items()
    }
    if chosen.iid:
        title, caption, data, draw = figures.DRAWN["fig02"]
        found["fig02-iid"] = Figure(
            f"l1m3n2009, {title}, iid inputs",
            f"{caption} A twin, of which the paper says that its conclusions are the same. {about(chosen, data)}",
            partial(draw, chosen, variant="iid"),
        )
    return found | tables.tables(chosen)


def claims_of(scale: str) -> list[Claim]:
    """The claims of its experiments."""
    return claims.claims(task(scale))
