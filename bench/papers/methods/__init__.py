"""Every method on every data set: certified distance to the optimum, and a performance profile. Ours.

The distance of a run is (primal - bound) / primal with the greatest dual value of all runs of that problem (data
set, loss, C) as bound, so that a method without a good dual of its own, or without any, counts like the others.
"""

from functools import partial

from structbench.bench.drawing import profiles
from structbench.bench.drawing.draw import Figure
from structbench.bench.papers.judging import Claim
from structbench.bench.papers.methods.figures import draw_task
from structbench.bench.papers.methods.runs import LOSSES, runs_of, tasks, timed_of

__all__ = ["claims_of", "figures_of", "runs_of", "timed_of"]

NAME = "all methods"
CORPORA = ("conll2000",)


def figures_of(scale: str, without: frozenset[str] = frozenset()) -> dict[str, Figure]:
    """One figure a data set, and one profile a loss, by file stem."""
    drawn = {
        f"all-{task.stem}": Figure(
            f"All methods, {task.name}",
            "Certified distance to the optimum, (primal - bound) / primal with the greatest dual value of all "
            "runs of the panel's problem as bound, against effective passes and against wall seconds of one "
            "thread (evaluation and compilation not counted); at most "
            f"{task.passes:g} passes and {task.seconds:g} s a run. Of third-party solvers, passes are what they "
            "call iterations, and each point is a run of its own.",
            partial(draw_task, task),
        )
        for task in tasks(scale, without)
    }
    for loss in LOSSES:
        specs = [spec for task in tasks(scale, without) for spec in task.all(loss)]
        drawn[f"profile-{loss}"] = Figure(
            f"Performance profile, {loss} loss", profiles.caption(specs), partial(profiles.draw, specs)
        )
    return drawn


def claims_of(scale: str, without: frozenset[str] = frozenset()) -> list[Claim]:
    """None: these figures are ours."""
    return []
