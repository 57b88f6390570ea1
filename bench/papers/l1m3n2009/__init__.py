"""Figures 2 to 7 and Table 1 of l1m3n2009: primal-sparse max-margin Markov networks, on sparse data and on OCR.

They compare six models and three ways to train the l1-M3N. We add a fourth way, the features selected along the
path, and the certified gap of all. Figure 7 uses substitute data for the paper's web data, and related real data.
``docs/l1m3n2009.md`` says what the paper leaves open and what we decided.
"""

from functools import partial

from structbench.bench.drawing.draw import Figure
from structbench.bench.papers.judging import Claim
from structbench.bench.papers.l1m3n2009 import (
    claims,
    extraction_figures,
    figures,
    figures_ours,
    runs,
    tables,
)
from structbench.bench.papers.l1m3n2009.extraction import RELATIONS, extraction
from structbench.bench.papers.l1m3n2009.runs import about, task
from structbench.bench.runs.spec import Spec

__all__ = ["claims_of", "figures_of", "runs_of", "timed_of"]

NAME = "Zhu et al. 2009"
CORPORA = (RELATIONS,)
OWN_DATA = ("synthetic", "ocr")  # the paper gives a recipe for the first


def runs_of(scale: str, without: frozenset[str] = frozenset()) -> dict[str, list[Spec]]:
    """Return the runs, each once, by MLflow experiment."""
    return runs.runs_of(scale) | extraction(scale, without).runs_of()


def timed_of(scale: str, without: frozenset[str] = frozenset()) -> list[Spec]:
    """Return the runs whose seconds Figures 5 and 6 and Table 1 read."""
    return runs.timed_of(scale)


def figures_of(scale: str, without: frozenset[str] = frozenset()) -> dict[str, Figure]:
    """Return all figures and tables by file stem."""
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
    return found | extraction_figures.figures(extraction(scale, without)) | tables.tables(chosen)


def claims_of(scale: str, without: frozenset[str] = frozenset()) -> list[Claim]:
    """Return the claims of its experiments."""
    return claims.claims(task(scale), extraction(scale, without))
