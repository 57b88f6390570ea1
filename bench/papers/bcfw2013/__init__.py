"""Figure 1 of bcfw2013: block-coordinate Frank-Wolfe against stochastic subgradient, EG and batch methods.

``docs/reference/bcfw2013.md`` says what the paper leaves open and what we decided.
"""

from structbench.bench.papers import figure_rows
from structbench.bench.papers.bcfw2013 import figures, rules
from structbench.bench.papers.bcfw2013.runs import panels
from structbench.bench.papers.terms import Claim, Figure, Spec

NAME = "Lacoste-Julien et al. 2013 (BCFW)"
CORPORA = ("conll2000",)
OWN_DATA = ("ocr", "conll2000")


def runs_of(scale: str, without: frozenset[str] = frozenset()) -> dict[str, list[Spec]]:
    return {f"bcfw2013/{name}": panel.specs for name, panel in panels(scale, without).items()}


def figures_of(scale: str, without: frozenset[str] = frozenset()) -> dict[str, Figure]:
    chosen = panels(scale, without)
    data = dict.fromkeys(panel.specs[0].data.text for panel in chosen.values())
    return figure_rows.figures(__file__, figures.draws, chosen, data=", ".join(data))


def claims_of(scale: str, without: frozenset[str] = frozenset()) -> list[Claim]:
    return [*rules.bcfw2013_claims(scale, panels(scale, without))]
