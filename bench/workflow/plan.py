"""What a workflow is about to do: which runs, and for about how long."""

import itertools
import os
from typing import NamedTuple

from structbench.bench.runs.news import duration
from structbench.bench.workflow import estimate
from structbench.bench.workflow.config import Config

START, FIGURE = 3.0, 1.5  # seconds to start a job, to draw a figure
LOGGED, SHOWN = 0.15, 0.02  # seconds to log a run to MLflow, to show one in the report


class Plan(NamedTuple):
    """The runs to make.

    Attributes:
        seconds: Key -> the seconds that the run adds to the wall time, in the order of the batches.
        timed: How many runs have the machine to themselves.
        others: Seconds of all other jobs.
        where: The machines, in words.
    """

    seconds: dict[str, float]
    timed: int
    others: float
    where: str

    @property
    def wall(self) -> float:
        """Seconds of wall time."""
        return sum(self.seconds.values()) + self.others


def make_plan(config: Config, cores: int, machines: int = 1) -> Plan:
    """The plan of a config on this many cores of each machine, from what is there."""
    due, seconds = config.batches.values(), {}
    slower = max(1.0, os.getloadavg()[0] / 2 / (os.cpu_count() or 1)) if machines == 1 else 1.0
    start = START + estimate.compiling(itertools.chain(*(batch.specs for batch in due))) / max(1, len(due))
    for batch in due:
        share = slower / (machines if batch.alone else machines * cores)
        for position, spec in enumerate(batch.specs):
            seconds[spec.key] = share * (estimate.seconds(spec) * (1 + batch.memory) + start * (position == 0))
    drawn = [name for name, specs in config.runs_of.items() if any(spec.key in seconds for spec in specs)]
    figures = START * len(drawn) + FIGURE * sum(len(config.figures[name]) for name in drawn)
    others = figures / cores + 3 * START + LOGGED * len(seconds) + SHOWN * len(config.specs)
    timed = sum(len(batch.specs) for batch in due if batch.alone)
    where = f"on {cores} core{'s' if cores != 1 else ''}"
    where = where if machines == 1 else f"in up to {machines} jobs of a cluster at once"
    return Plan(seconds, timed, slower * others, where)


def describe(plan: Plan, config: Config) -> str:
    """The plan in a line, after what is left out."""
    lines = [*config.left_out, *config.skipped]
    count, there = len(plan.seconds), len(config.specs) - len(plan.seconds)
    if not count:
        return "\n".join([*lines, f"All {there} runs are there."])
    runs = f"{count} run{'' if count == 1 else 's'}{f' ({there} more are there)' if there else ''}"
    about = f"about {duration(plan.wall)} {plan.where}, of which {duration(plan.others)} for figures and report"
    return "\n".join([*lines, f"{runs}, {plan.timed} of them timed alone on the machine: {about}"])
