"""Figure 4 of eg2004, EG against SMO for max-margin models, with its hybrid, Theorem 2, and EG on a grammar.

The paper's sentences are of CoNLL-2003 English, ours of CoNLL-2002 Spanish, which has the same nine tags, or of
other data. ``docs/reference/eg2004.md`` says what the paper leaves open and what we decided.
"""

from structbench.bench.papers import figure_rows
from structbench.bench.papers.eg2004 import figures, rules
from structbench.bench.papers.eg2004.runs import TREEBANK, grammars, task
from structbench.bench.papers.terms import Claim, Figure, Spec

NAME = "Bartlett et al. 2004 (EG)"
CORPORA = ("conll2002", TREEBANK)
OWN_DATA = ("conll2003",)

NONE: frozenset[str] = frozenset()


def runs_of(scale: str, data: str | None = None, without: frozenset[str] = NONE) -> dict[str, list[Spec]]:
    """Return all runs by MLflow experiment; ``data`` replaces the sentences, not the trees."""
    trees = grammars(scale, without)
    return task(scale, data).runs_of(without) | (trees.runs_of() if trees else {})


def timed_of(scale: str, data: str | None = None, without: frozenset[str] = NONE) -> list[Spec]:
    """Return the runs whose seconds the figure and the table of grammars show."""
    return trees.timed() if (trees := grammars(scale, without)) else []


def figures_of(scale: str, data: str | None = None, without: frozenset[str] = NONE) -> dict[str, Figure]:
    found: dict[str, Figure] = {}
    for chosen, drawn in ((task(scale, data), figures.ON_SENTENCES), (grammars(scale, without), figures.ON_TREES)):
        if chosen:
            means = " Means over seeds." if len(chosen.seeds) > 1 else ""
            words = {"task": chosen, "means": means}
            found |= figure_rows.figures(__file__, drawn, chosen, **words)
    lost = task(scale, data).data.name in without
    return {stem: figure for stem, figure in found.items() if not (lost and stem.startswith("fig04"))}


def claims_of(scale: str, data: str | None = None, without: frozenset[str] = NONE) -> list[Claim]:
    chosen = task(scale, data)
    return rules.eg2004_claims(None if chosen.data.name in without else chosen, grammars(scale, without))
