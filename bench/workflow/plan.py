"""What a workflow is about to do: which runs, and for about how long."""

import os
from typing import NamedTuple

from structbench.bench.runs import results, state
from structbench.bench.runs.news import duration
from structbench.bench.runs.spec import Spec
from structbench.bench.workflow import batches, estimate
from structbench.bench.workflow.config import Config

START, FIGURE = 3.0, 1.5  # seconds to start a job, to draw a figure
LOGGED, SHOWN = 0.15, 0.02  # seconds to log a run to MLflow, to show one in the report


class Plan(NamedTuple):
    """The runs to make.

    Attributes:
        specs: In the order of their batches.
        timed: How many have the machine to themselves.
        seconds: Key -> the seconds that the run adds to the wall time, without compiling.
        others: Seconds of all other jobs.
        slower: How many times longer all takes, as other work runs on this machine.
        where: The machines, in words.
    """

    specs: list[Spec]
    timed: int
    seconds: dict[str, float]
    others: float
    slower: float
    where: str

    def wall(self, left: dict[str, float], others: float) -> float:
        """Seconds of wall time for what is left of these runs and of the others, with compiling."""
        compiling = estimate.compiling([spec for spec in self.specs if spec.key in left])
        return self.slower * (compiling + sum(left.values()) + others)


def make_plan(config: Config, cores: int, machines: int = 1) -> Plan:
    """The plan of a config on this many cores of each machine, from what is there."""
    again, places, specs, timed, seconds = batches.is_again(), cores * machines, [], 0, {}
    for name, batch in config.batches.items():
        if not again and config.manifests[name].exists():
            continue
        for spec in batch.specs:
            if again or not state.of(spec, results.runs() / spec.key, batch.alone).is_finished:
                whole = START / len(batch.specs) + estimate.seconds(spec) * (1 + batch.memory)
                seconds[spec.key] = whole / (machines if batch.alone else places)
                timed += batch.alone
                specs.append(spec)
    drawn = [name for name, members in config.runs_of.items() if any(spec.key in seconds for spec in members)]
    figures = START * len(drawn) + FIGURE * sum(len(config.figures[name]) for name in drawn)
    others = figures / cores + 3 * START + LOGGED * len(specs) + SHOWN * len(config.specs)
    slower = max(1.0, os.getloadavg()[0] / 2 / (os.cpu_count() or 1)) if machines == 1 else 1.0
    where = f"on {cores} core{'s' if cores != 1 else ''}"
    where = where if machines == 1 else f"in up to {machines} jobs of a cluster at once"
    return Plan(specs, timed, seconds, others, slower, where)


def describe(plan: Plan, config: Config) -> str:
    """The plan in a line, after what is left out."""
    lines = [*config.left_out, *config.skipped]
    count, there = len(plan.specs), len(config.specs) - len(plan.specs)
    if not count:
        return "\n".join([*lines, f"All {there} runs are there."])
    runs = f"{count} run{'' if count == 1 else 's'}{f' ({there} more are there)' if there else ''}"
    took = duration(plan.wall(plan.seconds, plan.others))
    lines.append(f"{runs}, {plan.timed} of them timed alone on the machine: about {took} {plan.where}")
    if config.places:
        lines.append("data: " + ", ".join(f"{name} ({place})" for name, place in sorted(config.places.items())))
    return "\n".join(lines)
