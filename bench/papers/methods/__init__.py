"""All algorithms for log and hinge loss, on digits, handwriting and chunks: our own comparison, no paper's.

The distance of a run is (primal - bound) / primal. The bound is the greatest dual value of all runs of that
problem (data set, loss, C). So a method with a poor dual value, or none, is compared fairly.
"""

from functools import partial

from structbench.bench.drawing import profiles
from structbench.bench.papers import figure_rows
from structbench.bench.papers.grid_runs import once
from structbench.bench.papers.methods.figures import bridge_specs, draw_bridge, draw_task
from structbench.bench.papers.methods.runs import LOSSES, Task, tasks
from structbench.bench.papers.terms import Claim, Figure, Spec

NAME = "all methods"
REFERENCES = ()
CORPORA = ("conll2000",)
BRIDGED = ("mnist", "ocr")


def bridged(scale: str, without: frozenset[str] = frozenset()) -> list[Task]:
    """Return the tasks whose losses are compared at several temperatures."""
    return [task for task in tasks(scale, without) if task.stem in BRIDGED]


def runs_of(scale: str, without: frozenset[str] = frozenset()) -> dict[str, list[Spec]]:
    found = {f"methods/{task.stem}-{loss}": task.all(loss) for task in tasks(scale, without) for loss in LOSSES}
    for task in bridged(scale, without):
        found[f"methods/{task.stem}-bridge"] = [spec for C in task.Cs for spec in bridge_specs(task, C)]
    return once(found)


def timed_of(scale: str, without: frozenset[str] = frozenset()) -> list[Spec]:
    """Return all runs that figures draw against seconds."""
    return [spec for task in tasks(scale, without) for loss in LOSSES for spec in task.all(loss)]


def figures_of(scale: str, without: frozenset[str] = frozenset()) -> dict[str, Figure]:
    """Return one figure a data set, and one profile a loss, by file stem."""
    drawn: dict[str, Figure] = {}
    for task in tasks(scale, without):
        drawn |= figure_rows.figures(__file__, {"all": draw_task}, task, suffix=f"-{task.stem}", task=task)
    drawn |= figure_rows.figures(__file__, {"bridge": draw_bridge}, bridged(scale, without))
    for loss in LOSSES:
        specs = [spec for task in tasks(scale, without) for spec in task.all(loss)]
        title = f"Performance profile, {loss} loss"
        drawn[f"profile-{loss}"] = Figure(title, profiles.caption(specs), partial(profiles.draw_profiles, specs))
    return drawn


def claims_of(scale: str, without: frozenset[str] = frozenset()) -> list[Claim]:
    """Return no claims: these figures are ours."""
    return []
