"""Time, memory and gap against the number of examples, for methods that store each example's state or do not."""

from functools import partial

from structbench.bench.drawing.draw import Figure
from structbench.bench.papers.judging import Claim
from structbench.bench.papers.scaling.figures import draw_scaling
from structbench.bench.papers.scaling.runs import PASSES, SEEDS, C, memory_of, runs_of, timed_of

__all__ = ["claims_of", "figures_of", "memory_of", "runs_of", "timed_of"]

NAME = "scaling"


def figures_of(scale: str) -> dict[str, Figure]:
    """Return the one figure by file stem."""
    return {
        "scaling": Figure(
            "Time, memory and certified gap against the number of sentences",
            f"Seconds of a pass (the mean of the first {PASSES:g}, set-up apart; one thread), the largest "
            "resident memory of a process that makes the run, measured in a run of its own, and the relative "
            f"duality gap after {PASSES:g} passes, against the number of "
            "generated sentences (toy-english, chunking). Memory includes the interpreter, the compiled kernels, "
            "and the features as far as they were read. Solid: methods that "
            "keep numbers for the parts of every example, O(parts of the data). Dashed: methods that keep weights "
            f"only, O(features). C = {C:g}.{_repeated(scale)}",
            partial(draw_scaling, scale),
        )
    }


def claims_of(scale: str) -> list[Claim]:
    """Return no claims: the figure is ours."""
    return []


def _repeated(scale: str) -> str:
    seeds = len(SEEDS[scale])
    return f" Lines are means over {seeds} seeds, bands their range." if seeds > 1 else ""
