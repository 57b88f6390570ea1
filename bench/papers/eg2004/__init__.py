"""Figure 4 of eg2004, EG against SMO for max-margin models, with its hybrid, Theorem 2, and EG on a grammar.

The paper uses the first 1,000 sentences of CoNLL-2003 English. Ours are those of CoNLL-2002 Spanish, which has the
same nine tags, or any other data. The grammar is that of a treebank; the paper has no experiments on grammars.
``docs/eg2004.md`` says what the paper leaves open and what we decided.
"""

from functools import partial

from structbench.bench.drawing.draw import Figure
from structbench.bench.papers.eg2004 import claims, figures, grammar_figures, runs
from structbench.bench.papers.eg2004.grammar import DATA as TREEBANK
from structbench.bench.papers.eg2004.grammar import grammars
from structbench.bench.papers.eg2004.runs import Task, task
from structbench.bench.papers.judging import Claim
from structbench.bench.runs.spec import Spec

CORPORA = ("conll2002", TREEBANK)
OWN_DATA = ("conll2003",)

__all__ = ["claims_of", "figures_of", "runs_of", "timed_of"]

NAME = "Bartlett et al. 2004"


def runs_of(scale: str, data: str | None = None, without: frozenset[str] = frozenset()) -> dict[str, list[Spec]]:
    """Return all runs by MLflow experiment; ``data`` replaces the sentences, not the trees."""
    trees = grammars(scale, without)
    return runs.runs_of(scale, data, without) | (trees.runs_of() if trees else {})


def timed_of(scale: str, data: str | None = None, without: frozenset[str] = frozenset()) -> list[Spec]:
    """Return the runs whose seconds the figure and the table of grammars show."""
    trees = grammars(scale, without)
    return trees.timed() if trees else []


def figures_of(scale: str, data: str | None = None, without: frozenset[str] = frozenset()) -> dict[str, Figure]:
    """Return all figures by file stem."""
    chosen, trees = task(scale, data), grammars(scale, without)
    found = {
        stem: Figure(
            f"eg2004, {title}", f"{caption}{_ours(chosen) if 'fig04' in stem else ''}", partial(draw, chosen)
        )
        for stem, (title, caption, draw) in figures.DRAWN.items()
        if stem == "fig-bound" or not chosen.is_of(without)
    }
    return found | (grammar_figures.figures(trees) if trees else {})


def claims_of(scale: str, data: str | None = None, without: frozenset[str] = frozenset()) -> list[Claim]:
    """Return the claims on its experiments."""
    chosen = task(scale, data)
    return claims.claims(None if chosen.is_of(without) else chosen, grammars(scale, without))


def _ours(chosen: Task) -> str:
    repeated = (
        f" Lines are means over {len(chosen.seeds)} seeds, bands their range." if len(chosen.seeds) > 1 else ""
    )
    return (
        f" {chosen.setting} The paper gives neither C' nor the scale of its features: ours are C' = 1 and "
        "features divided by sqrt(C), which is our objective at C. EG visits the sentences one by one, in a "
        "new order each sweep, after a pass that computes w of the first theta. An update of a sentence takes EG "
        f"one visit with a fixed step, SMO two searches.{repeated}"
    )
