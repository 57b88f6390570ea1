"""Figure 4 of eg2004, the hybrid that it proposes, and Theorem 2 measured: EG and SMO for max-margin models.

The paper's are on the first 1,000 sentences of CoNLL-2003 English; ours on those of CoNLL-2002 Spanish, which has
the same nine tags, or on any other data. ``docs/eg2004.md`` says what the paper leaves open and what we decided.
"""

from functools import partial

from bench.drawing.draw import Figure
from bench.papers.eg2004 import claims, figures
from bench.papers.eg2004.runs import Task, runs_of, task
from bench.papers.judging import Claim

CORPORA = ("conll2002",)
OWN_DATA = ("conll2003",)

__all__ = ["claims_of", "figures_of", "runs_of"]


def figures_of(scale: str, data: str | None = None, without: frozenset[str] = frozenset()) -> dict[str, Figure]:
    """All figures, by file stem."""
    chosen = task(scale, data)
    return {
        stem: Figure(
            f"eg2004, {title}", f"{caption}{_ours(chosen) if 'fig04' in stem else ''}", partial(draw, chosen)
        )
        for stem, (title, caption, draw) in figures.DRAWN.items()
        if stem == "fig-bound" or not chosen.is_of(without)
    }


def claims_of(scale: str, data: str | None = None, without: frozenset[str] = frozenset()) -> list[Claim]:
    """The claims of its experiments and theorems."""
    chosen = task(scale, data)
    gone = chosen.is_of(without)
    return ([] if gone else claims.on_sequences(chosen)) + claims.on_programs(chosen)


def _ours(chosen: Task) -> str:
    repeated = (
        f" Lines are means over {len(chosen.seeds)} seeds, bands their range." if len(chosen.seeds) > 1 else ""
    )
    return (
        f" {chosen.setting} The paper gives neither C' nor the scale of its features: ours are C' = 1 and "
        "features divided by sqrt(C), which is our objective at C. EG visits the sentences one by one, in a "
        f"new order each pass; the two searches of a step of SMO count as two visits.{repeated}"
    )
