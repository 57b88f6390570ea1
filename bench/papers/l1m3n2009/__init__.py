"""Figures 2 to 7 and Table 1 of l1m3n2009: primal-sparse max-margin Markov networks, on sparse data and on OCR.

They compare six models and three ways to train the l1-M3N. We add a fourth way, the features selected along the
path, and the certified gap of all. Figure 7 uses substitute data for the paper's web data, and related real data.
``docs/reference/l1m3n2009.md`` says what the paper leaves open and what we decided.
"""

from pathlib import Path

from structbench.bench.drawing.draw import Figure
from structbench.bench.papers import figure_rows
from structbench.bench.papers.judging import Claim
from structbench.bench.papers.l1m3n2009 import claims, figures, tables
from structbench.bench.papers.l1m3n2009.extraction import RELATIONS, extraction_of
from structbench.bench.papers.l1m3n2009.runs import task
from structbench.bench.runs.spec import Spec

NAME = "Zhu et al. 2009 (l1-M3N)"
CORPORA = (RELATIONS,)
OWN_DATA = ("synthetic", "ocr")  # the paper gives a recipe for the first
FIGURES = Path(__file__).with_name("figures.toml")


def runs_of(scale: str, without: frozenset[str] = frozenset()) -> dict[str, list[Spec]]:
    """Return the runs, each once, by MLflow experiment."""
    return task(scale).runs_of() | extraction_of(scale, without).runs_of()


def timed_of(scale: str, without: frozenset[str] = frozenset()) -> list[Spec]:
    """Return the runs whose seconds Figures 5 and 6 and Table 1 read."""
    return task(scale).timed()


def figures_of(scale: str, without: frozenset[str] = frozenset()) -> dict[str, Figure]:
    """Return all figures and tables by file stem."""
    chosen, shown = task(scale), extraction_of(scale, without)
    drawn = figures.DRAWN | ({"fig02-iid": figures.fig02_iid} if chosen.iid else {}) | tables.DRAWN
    found = figure_rows.figures(FIGURES, drawn, chosen, **chosen.said())
    for source in shown.sources:
        words = chosen.said() | {"source": source, "draws": shown.draws_of(source), "about": source.about}
        seventh = {"fig07": figures.fig07}
        found |= figure_rows.figures(FIGURES, seventh, shown, source, suffix=f"-{source.stem}", **words)
    return found


def claims_of(scale: str, without: frozenset[str] = frozenset()) -> list[Claim]:
    """Return the claims of its experiments."""
    return claims.claims(task(scale), extraction_of(scale, without))
