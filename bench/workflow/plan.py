"""What a workflow is about to do: which runs, for how long, and how much they will keep."""

import os
import re
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bench.runs import execute, provenance, results, store
from bench.runs.execute import duration
from bench.runs.spec import Spec
from bench.workflow import estimate
from bench.workflow.batches import Batch
from bench.workflow.config import Config

MEGABYTE = 1e6
KERNELS = 400  # that a whole default workflow compiles


@dataclass(frozen=True)
class Plan:
    """The batches to make.

    Attributes:
        manifests: batch -> the file that it will write.
        seconds: run's key -> the seconds that it is expected to take here, 0 if it is there.
        rest: seconds of all that is not runs: starting processes, compiling, drawing, judging, tracking.
        bytes: that the runs are expected to keep.
        cores: of a machine.
        machines: that work at once.
    """

    batches: tuple[Batch, ...]
    manifests: dict[str, Path]
    seconds: dict[str, float]
    rest: float
    bytes: float
    cores: int
    machines: int = 1

    @property
    def wall(self) -> float:
        """Seconds of wall time: runs that are timed one after another, the others on all cores."""
        return time_left(self, self.seconds) + self.rest / (self.cores * self.machines)


def time_left(plan: Plan, seconds: dict[str, float]) -> float:
    """Seconds of wall time for the runs of a plan, given those that each of them still takes."""
    alone, others = (
        [sum(seconds[spec.key] for spec in batch.specs) for batch in plan.batches if batch.alone == timed]
        for timed in (True, False)
    )
    return _shared(alone, plan.machines) + _shared(others, plan.cores * plan.machines)


def _shared(batches: list[float], places: int) -> float:
    """Seconds until all of these batches are done, each in one of the places."""
    return max(sum(batches) / places, max(batches, default=0.0))


def of(config: Config, cores: int, machines: int = 1) -> Plan:
    """The plan of a config on so many cores a machine, from what is there and the rates that were measured."""
    due = tuple(batch for name, batch in config.batches.items() if not config.manifests[name].exists())
    seconds, kept = {}, 0.0
    for spec, alone in ((spec, batch.alone) for batch in due for spec in batch.specs):
        rate = estimate.of(spec)
        there = _current(spec, alone)
        seconds[spec.key] = 0.0 if there else rate.seconds
        kept += 0 if there else rate.bytes
    figures = sum(map(len, config.figures.values())) if due else 0
    rest = len(due) * estimate.overhead("batch") + figures * estimate.overhead("figure")
    rest += (estimate.overhead("rest") + estimate.overhead("compiling") * _cold()) if due else 0
    return Plan(due, config.manifests, seconds, rest, kept, cores, machines)


def said(plan: Plan, config: Config) -> str:
    """The plan in a few lines, after what is left out."""
    gone = [*config.left_out, *config.skipped]
    if not plan.batches:
        return "\n".join([*gone, f"All {len(config.specs)} runs are there."])
    making = sum(seconds > 0 for seconds in plan.seconds.values())
    alone = sum(plan.seconds[spec.key] > 0 for batch in plan.batches if batch.alone for spec in batch.specs)
    there = len(config.specs) - making
    where = f"on {plan.cores} core{'s' if plan.cores != 1 else ''}"
    if plan.machines > 1:
        where = f"in up to {plan.machines} jobs of a cluster at once"
    lines = [
        *gone,
        f"{making} runs{f' ({there} more are there)' if there else ''}, {alone} of them timed alone on the "
        f"machine: about {duration(plan.wall)} and {max(1, plan.bytes / MEGABYTE):.0f} MB {where}",
    ]
    if config.places:
        lines.append("data: " + ", ".join(f"{name} ({place})" for name, place in sorted(config.places.items())))
    return "\n".join(lines)


def dry(words: list[str]) -> bool:
    """Whether a command line asks for the plan only: Snakemake does not say so while it reads the Snakefile."""
    return any(word in ("--dry-run", "--dryrun") or re.fullmatch("-[a-z]*n[a-z]*", word) for word in words)


def use_this_python() -> None:
    """Have jobs, which call ``python``, run with the one that runs this, its environment activated or not."""
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def _current(spec: Spec, alone: bool) -> bool:
    """Whether the run is there, made with today's code, and alone where that is asked for."""
    folder = results.runs() / spec.key
    if not store.sound(folder):
        return False
    made = store.read(folder)
    return made.spec == store.plain(spec.as_dict()) and execute.is_current(
        made, _code(spec), made.summary["provenance"]["data_sha256"], alone
    )


@cache
def _code(spec: Spec) -> str:
    return provenance.sha256(provenance.files_of_run(spec))


def _cold() -> float:
    """The share of the kernels that are not compiled yet, roughly."""
    folder = Path(os.environ.get("STRUCTBENCH_KERNELS") or provenance.ROOT / "results" / "kernels")
    compiled = sum(1 for _ in folder.rglob("*.nbi")) if folder.is_dir() else 0
    return max(0.0, 1 - compiled / KERNELS)
