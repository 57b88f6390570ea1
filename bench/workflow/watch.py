"""Print the lines that say how far a workflow is, and what it does now, a line for each thing:

    0/5 runs, about 50 s left
    EG, order gap, C = 10, mnist: compiling kernels for multiclass, once: 3 of about 60

A thread of its own follows the workflow. It keeps the course of the estimate in ``logs/estimate.csv``.
"""

import threading
from contextlib import suppress
from pathlib import Path

from structbench.bench.drawing import comparison
from structbench.bench.runs import catalogue, results
from structbench.bench.runs.news import duration
from structbench.bench.runs.spec import Spec, written
from structbench.bench.workflow import jobs
from structbench.bench.workflow.plan import Plan
from structbench.bench.workflow.progress import Progress
from structbench.bench.workflow.screen import SCREEN, Screen

FEW = 2  # parameters that a name has
TICK = 1.0  # seconds between two looks
COURSE = "estimate.csv"  # in the results' logs: seconds since the start, and seconds shown as left


class Watch:
    """Shows how far a plan is."""

    def __init__(self, screen: Screen = SCREEN) -> None:
        self._screen = screen
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def begin(self, plan: Plan) -> None:
        self._thread = threading.Thread(target=self._follow, args=(plan,), daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Take the lines away."""
        self._over.set()
        if self._thread is not None:
            self._thread.join(timeout=5)
        self._screen.close()

    def _follow(self, plan: Plan) -> None:
        progress, names = Progress(plan), labels(list(plan.specs))
        course = results.root() / "logs" / COURSE
        _write(course, f"seconds,left\n0,{plan.wall:.1f}\n", "w")
        while not self._over.wait(TICK):
            for sentence in progress.look():
                self._screen.say(sentence)
            left, more = progress.said()
            _write(course, f"{progress.clock() - progress.begun:.1f},{left:.1f}\n", "a")
            self._screen.show(lines(progress, names, left, more))


def _write(file: Path, text: str, mode: str) -> None:
    with suppress(OSError):  # whoever needs the full disk reports it
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open(mode, encoding="utf-8") as opened:
            opened.write(text)


def lines(progress: Progress, names: dict[Spec, str], left: float, more: bool) -> list[str]:
    """How far a workflow is, with the seconds left; ``more``: it is more than these. Then what runs now."""
    total = len(progress.plan.seconds)
    now = []
    for key, run in progress.running.items():
        spec = progress.specs[key]
        strength = "" if spec.C is None else f", C = {spec.C:g}"
        said = f": {run.last.said}" if run.last.said else ""
        now.append(f"{names.get(spec, spec.algorithm)}{strength}, {spec.data.partition(':')[0]}{said}")
    running = sorted(progress.jobs.running.values(), key=lambda job: job.rule)  # drawing before logging
    others = [jobs.words(job, progress.plan.figures) for job in running]
    first = []
    if progress.plan.batches:
        first = [f"{total - len(progress.left)}/{total} runs, {'over' if more else 'about'} {duration(left)} left"]
    return [*first, *now, *dict.fromkeys(filter(None, others))]


def labels(specs: list[Spec]) -> dict[Spec, str]:
    """Each run's algorithm as legends name it, with the parameters in which runs of it differ.

    Where more than a few do, with those that are not at their defaults.
    """
    alike = {(spec.algorithm, spec.params, spec.threads): spec for spec in specs}
    named = comparison.labels([*alike.values()])
    found = {}
    for one, spec in alike.items():
        usual = catalogue.parameters(spec.algorithm)
        given = [f"{name} {written(value)}" for name, value in spec.params if value != usual[name]]
        brief = ", ".join([catalogue.label(spec.algorithm), *given])
        found[one] = named[spec] if named[spec].count(", ") <= FEW else brief
    return {spec: found[spec.algorithm, spec.params, spec.threads] for spec in specs}
