"""Figures 1 to 7 and Table 1 of l1m3n2009: primal-sparse max-margin Markov networks, on sparse data and on OCR.

They compare six models and three ways to train the l1-M3N. We add a fourth way, the features selected along the
path, and the certified gap of all. Figure 7 uses substitute data for the paper's web data, and related real data.
``docs/reference/l1m3n2009.md`` says what the paper leaves open and what we decided.
"""

from functools import partial

from structbench.bench.papers import figure_rows
from structbench.bench.papers.grid_runs import once
from structbench.bench.papers.l1m3n2009 import claims, figures
from structbench.bench.papers.l1m3n2009.extraction import RELATIONS, sources_of
from structbench.bench.papers.l1m3n2009.runs import task
from structbench.bench.papers.terms import Claim, Figure, Spec

NAME = "Zhu et al. 2009 (l1-M3N)"
CORPORA = (RELATIONS,)
OWN_DATA = ("synthetic", "ocr")  # the paper gives a recipe for the first


def runs_of(scale: str, without: frozenset[str] = frozenset()) -> dict[str, list[Spec]]:
    found = task(scale).runs_of()
    found |= {f"l1m3n2009/fig07-{source.stem}": source.runs() for source in sources_of(scale, without)}
    found["l1m3n2009/weights"] = [spec for claim in claims_of(scale, without) for spec in claim.runs]
    return once(found)


def timed_of(scale: str, without: frozenset[str] = frozenset()) -> list[Spec]:
    """Return the runs whose seconds are read (``Task.timed``)."""
    return task(scale).timed()


def figures_of(scale: str, without: frozenset[str] = frozenset()) -> dict[str, Figure]:
    chosen = task(scale)
    drawn = figures.draws | ({"fig02-iid": partial(figures.fig02, variant="iid")} if chosen.iid else {})
    found = figure_rows.figures(__file__, drawn, chosen, **chosen.said())
    for source in sources_of(scale, without):
        words = chosen.said() | {"source": source}
        found |= figure_rows.figures(__file__, figures.draws_source, source, suffix=f"-{source.stem}", **words)
    return found


def claims_of(scale: str, without: frozenset[str] = frozenset()) -> list[Claim]:
    return claims.l1m3n2009_claims(task(scale), sources_of(scale, without))
