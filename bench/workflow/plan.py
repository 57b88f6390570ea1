"""What a workflow is about to do: which runs, for how long, and how much they will keep."""

from dataclasses import dataclass
from pathlib import Path

from structbench.algorithms.runtime import kernel_folder
from structbench.bench.runs import kernels, problems, results, state, update_costs, yardstick
from structbench.bench.runs.news import duration
from structbench.bench.runs.spec import Spec
from structbench.bench.workflow import batches, estimate
from structbench.bench.workflow.batches import Batch
from structbench.bench.workflow.config import Config
from structbench.bench.workflow.jobs import rule_of_figures

MEGABYTE = 1e6


@dataclass(frozen=True)
class Plan:
    """The jobs to do, and the seconds that each is expected to take here.

    Attributes:
        batches: The batches to make.
        manifests: Batch -> the file that it will write.
        seconds: Run's key -> its seconds without compiling, 0 if the run is there.
        starting: Seconds to start a batch.
        jobs: ``jobs.Job.name`` -> seconds, for what else is done while cores are free.
        last: The same for what is done at the end, one after another.
        figures: Paper, or ``grid-NAME`` -> the files of its figures.
        bytes: What the runs are expected to keep.
        cores: Cores of a machine.
        machines: How many work at once.
    """

    batches: tuple[Batch, ...]
    manifests: dict[str, Path]
    seconds: dict[str, float]
    starting: float
    jobs: dict[str, float]
    last: dict[str, float]
    figures: dict[str, list[Path]]
    bytes: float
    cores: int
    machines: int = 1

    @property
    def specs(self) -> list[Spec]:
        """The runs to make, in the order of the batches."""
        return [spec for batch in self.batches for spec in batch.specs if self.seconds[spec.key]]

    @property
    def wall(self) -> float:
        """Seconds of wall time."""
        compiling = to_compile(self.specs, kernel_folder.compiled())
        slow = yardstick.slowness()
        runs = {key: seconds + slow * compiling.get(key, 0.0) for key, seconds in self.seconds.items()}
        batches = {b.name: self.starting + sum(runs[spec.key] for spec in b.specs) for b in self.batches}
        return time_left(self, batches, self.jobs, self.last)


def to_compile(specs: list[Spec], there: set[str]) -> dict[str, float]:
    """Run's key -> reference seconds to compile what it needs, is not there, and no earlier run compiles."""
    missing = kernels.missing(specs, there)
    return {spec.key: kernels.seconds(names) for spec, names in missing.items() if names}


def time_left(plan: Plan, batches: dict[str, float], jobs: dict[str, float], last: dict[str, float]) -> float:
    """Seconds of wall time: timed runs one after another, other runs and jobs on all cores.

    Args:
        batches: Batch -> seconds that are left of it; for the others see ``Plan``.
    """
    alone, others = (
        [batches.get(batch.name, 0.0) for batch in plan.batches if batch.alone == timed] for timed in (True, False)
    )
    side = _shared([*others, *jobs.values()], plan.cores * plan.machines)
    return _shared(alone, plan.machines) + side + sum(last.values())


def _shared(pieces: list[float], places: int) -> float:
    """Seconds until all of these are done, each in one of the places."""
    return max(sum(pieces) / places, max(pieces, default=0.0))


def make_plan(config: Config, cores: int, machines: int = 1) -> Plan:
    """The plan of a config on this many cores a machine, from what is there and the measured rates."""
    again = batches.is_again()
    due = tuple(batch for name, batch in config.batches.items() if again or not config.manifests[name].exists())
    seconds, kept = {}, 0.0
    for spec, alone in ((spec, batch.alone) for batch in due for spec in batch.specs):
        rate = estimate.of(spec)
        there = not again and state.of(spec, results.runs() / spec.key, alone).is_finished
        seconds[spec.key] = 0.0 if there else rate.seconds
        kept += 0 if there else rate.bytes
    figures = {
        name: [results.figures(config.name) / name / f"{stem}.png" for stem in members]
        for name, members in config.figures.items()
    }
    making = {key for key, left in seconds.items() if left}
    jobs, last = _other_jobs(config, due, making, figures, cores)
    starting = estimate.overhead("batch") if due else 0.0
    return Plan(due, config.manifests, seconds, starting, jobs, last, figures, kept, cores, machines)


def _other_jobs(
    config: Config, due: tuple[Batch, ...], making: set[str], figures: dict[str, list[Path]], cores: int
) -> tuple[dict[str, float], dict[str, float]]:
    """The jobs that are not batches, as ``Plan`` has them: while cores are free, and at the end."""
    if not due:
        return {}, {}
    drawn = [name for name, specs in config.runs_of.items() if making.intersection(spec.key for spec in specs)]
    start = estimate.overhead("job")
    first = {(batch.specs[0].data, batch.specs[0].test) for batch in due}
    jobs = {}
    for data, test in first:
        note = problems.note(data, test)
        if not note.exists():
            jobs[f"problem {note.stem}"] = start + estimate.overhead("problem", estimate.without_draw(data))
    for data in dict.fromkeys(data for name in drawn for data in config.costs_of.get(name, ())):
        if not update_costs.file(data).exists():
            jobs[f"breakdown {update_costs.file(data).stem}"] = cores * (start + estimate.overhead("breakdown"))
    for name in drawn:
        one = estimate.overhead("grid-figure" if name.startswith("grid-") else "figure")
        jobs[rule_of_figures(name)] = start + one * len(figures[name])
        if name in config.papers:
            jobs[rule_of_figures(name)] += estimate.overhead("claims")
    tracking = start + estimate.overhead("track")
    database = results.root() / "mlflow.db"
    new = 0.0 if database.exists() else estimate.overhead("database")
    tracked = results.root() / config.name / "runs-tracked"  # the workflow touches it when it has logged the runs
    since = tracked.stat().st_mtime if database.exists() and tracked.exists() else 0.0
    logging = sum(spec.key in making or _is_newer(results.runs() / spec.key, since) for spec in config.specs)
    jobs["track_runs"] = tracking + new + estimate.overhead("tracked") * logging
    report = start + estimate.overhead("report") + estimate.overhead("reported") * sum(map(len, figures.values()))
    return jobs, {"track": tracking, "report": report, "outcome": start}


def _is_newer(folder: Path, since: float) -> bool:
    return folder.exists() and folder.stat().st_mtime > since


def describe(plan: Plan, config: Config) -> str:
    """The plan in a few lines, after what is left out."""
    gone = [*config.left_out, *config.skipped]
    if not plan.batches:
        return "\n".join([*gone, f"All {len(config.specs)} runs are there."])
    making = len(plan.specs)
    alone = sum(plan.seconds[spec.key] > 0 for batch in plan.batches if batch.alone for spec in batch.specs)
    there = len(config.specs) - making
    where = f"on {plan.cores} core{'s' if plan.cores != 1 else ''}"
    if plan.machines > 1:
        where = f"in up to {plan.machines} jobs of a cluster at once"
    lines = [
        *gone,
        f"{making} run{'' if making == 1 else 's'}{f' ({there} more are there)' if there else ''}, "
        f"{alone} of them timed alone on the "
        f"machine: about {duration(plan.wall)} and {max(1, plan.bytes / MEGABYTE):.0f} MB {where}",
    ]
    compiling = yardstick.slowness() * sum(to_compile(plan.specs, kernel_folder.compiled()).values())
    if compiling > 1:
        lines.append(f"compiling kernels, once: about {duration(compiling)} of that")
    if config.places:
        lines.append("data: " + ", ".join(f"{name} ({place})" for name, place in sorted(config.places.items())))
    return "\n".join(lines)
