"""Tables 1 to 3 of laso2005 and its comparisons: learning as search optimization, chunking and joint tagging.

Every setting has two runs. One trains on nine tenths of the training sentences; the last tenth chooses the
number of passes (or C), as in section 4.1. The other trains on all of them and is tested.
"""

from structbench.bench.papers import figure_rows
from structbench.bench.papers.laso2005 import figures, rules
from structbench.bench.papers.laso2005.runs import OWN_DATA, runs_of, task, timed_of
from structbench.bench.papers.terms import Claim, Figure

__all__ = ["OWN_DATA", "claims_of", "figures_of", "runs_of", "timed_of"]

NAME = "Daumé and Marcu 2005 (LaSO)"
CORPORA = ("conll2000",)


def figures_of(scale: str, without: frozenset[str] = frozenset()) -> dict[str, Figure]:
    chosen = task(scale, without)
    if chosen is None:
        return {}
    more = f" ({len(chosen.seeds + chosen.more)} of LaSOa in the joint task)" if chosen.more else ""
    many = f", means over {len(chosen.seeds)} seeds{more}" if len(chosen.seeds) > 1 else ""
    words = {"task": chosen, "corpus": chosen.data[0], "many": many, "separable": ", ".join(chosen.separable)}
    return figure_rows.figures(__file__, figures.draws, chosen, **words)


def claims_of(scale: str, without: frozenset[str] = frozenset()) -> list[Claim]:
    chosen = task(scale, without)
    return rules.laso2005_claims(chosen) if chosen else []
