"""Every method on every data set: certified distance to the optimum, and a performance profile. Ours.

The distance of a run is (primal - bound) / primal. The bound is the greatest dual value of all runs of that
problem (data set, loss, C). So a method with a poor dual value, or none, is compared fairly.
"""

from functools import partial

from structbench.bench.drawing import profiles
from structbench.bench.drawing.draw import Figure
from structbench.bench.papers.judging import Claim
from structbench.bench.papers.methods import bridge
from structbench.bench.papers.methods.figures import draw_task
from structbench.bench.papers.methods.runs import LOSSES, Task, tasks
from structbench.bench.runs.spec import Spec

__all__ = ["claims_of", "figures_of", "runs_of", "timed_of"]

NAME = "all methods"
CORPORA = ("conll2000",)
BRIDGED = ("mnist", "ocr")


def bridged(scale: str, without: frozenset[str] = frozenset()) -> list[Task]:
    """Return the tasks whose losses are compared at several temperatures."""
    return [task for task in tasks(scale, without) if task.stem in BRIDGED]


def runs_of(scale: str, without: frozenset[str] = frozenset()) -> dict[str, list[Spec]]:
    """Return the runs of each task and loss by MLflow experiment."""
    found = {f"methods/{task.stem}-{loss}": task.all(loss) for task in tasks(scale, without) for loss in LOSSES}
    listed = {spec for specs in found.values() for spec in specs}
    for task in bridged(scale, without):
        specs = [spec for C in task.Cs for spec in bridge.specs(task, C)]
        found[f"methods/{task.stem}-bridge"] = [spec for spec in specs if spec not in listed]
    return found


def timed_of(scale: str, without: frozenset[str] = frozenset()) -> list[Spec]:
    """Return all runs that figures draw against seconds."""
    return [spec for task in tasks(scale, without) for loss in LOSSES for spec in task.all(loss)]


def figures_of(scale: str, without: frozenset[str] = frozenset()) -> dict[str, Figure]:
    """Return one figure a data set, and one profile a loss, by file stem."""
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
    drawn["bridge"] = Figure(
        "From the max-margin Markov network to the softmax-margin CRF",
        bridge.CAPTION,
        partial(bridge.draw, bridged(scale, without)),
    )
    for loss in LOSSES:
        specs = [spec for task in tasks(scale, without) for spec in task.all(loss)]
        drawn[f"profile-{loss}"] = Figure(
            f"Performance profile, {loss} loss", profiles.caption(specs), partial(profiles.draw, specs)
        )
    return drawn


def claims_of(scale: str, without: frozenset[str] = frozenset()) -> list[Claim]:
    """Return no claims: these figures are ours."""
    return []
