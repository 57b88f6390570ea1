"""What the user sees while a workflow runs: one line with the runs made, the time left and what is running.

It is drawn from the journals of the batches, which any node of a cluster writes; a run that failed is said at
once. Where standard error is no terminal, a line is printed now and then instead.
"""

import logging
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from bench.runs import catalogue
from bench.runs.execute import duration
from bench.runs.spec import Spec
from bench.workflow import journal
from bench.workflow.plan import Plan, time_left

if TYPE_CHECKING:
    from rich.console import Console
    from snakemake.logging import LoggerManager
    from snakemake.scheduling.job_scheduler import JobScheduler

TICK = 1.0  # seconds between two looks at the journals
NEWS = 30.0  # between two lines where there is no terminal
# Snakemake's words on what is there before its own job, as it should be: a data set that a run needed and built,
# and MLflow's database, which tracking begins to fill while figures are drawn
EARLY = "not present when the DAG was created"
PRIOR = 30.0  # seconds of runs that must have ended before their own pace counts as much as the estimates


class Progress:
    """Follows a plan's batches."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.left = dict(plan.seconds)
        self.specs = {spec.key: spec for batch in plan.batches for spec in batch.specs}
        self.begun: dict[str, float] = {}
        self.running: dict[str, str] = {}
        self.failed: dict[str, str] = {}
        self.took = self.expected = 0.0
        self._places: dict[Path, int] = {}
        self._since = time.time()

    def look(self) -> list[str]:
        """Read what is new in the journals; returns a sentence on each run that failed."""
        said = []
        for batch in self.plan.batches:
            file = self.plan.manifests[batch.name].with_suffix(".journal")
            with suppress(OSError):
                if file.stat().st_mtime < self._since - 1:  # of an attempt before
                    continue
            lines, self._places[file] = journal.read(file, self._places.get(file, 0))
            for line in lines:
                said += self._take(line)
        return said

    def _take(self, line: journal.Line) -> list[str]:
        key = line.key
        if key not in self.specs:
            return []
        if line.what == journal.BEGUN:
            self.begun[key], self.running[key] = line.at, ""
        elif line.what == journal.NEWS:
            self.running[key] = line.said
        elif key in self.left:
            expected = self.left.pop(key)
            if expected:
                self.took += line.at - self.begun.get(key, line.at)
                self.expected += expected
            self.running.pop(key, None)
            if line.what == journal.FAILED:
                self.failed[key] = line.said
                return [f"FAILED {key}: {line.said}"]
        return []

    @property
    def seconds_left(self) -> float:
        """Of wall time: the estimates of what is left, corrected by how long the others took."""
        left = {key: self.left.get(key, 0.0) for key in self.plan.seconds}
        pace = (self.took + PRIOR) / (self.expected + PRIOR)
        now = time.time()
        for key in self.running:
            left[key] = max(0.0, left[key] - (now - self.begun[key]) / pace)
        share = len(self.left) / max(1, len(self.plan.seconds))
        return pace * time_left(self.plan, left) + share * self.plan.rest / (self.plan.cores * self.plan.machines)

    @property
    def line(self) -> str:
        """``12/300 runs, about 4 min left; EG, C = 10, ocr: pass 3.1 of 100, relative gap 3e-05``."""
        total = len(self.plan.seconds)
        if not self.left:
            return f"{total}/{total} runs; drawing, judging, tracking"
        said = f"{total - len(self.left)}/{total} runs, about {duration(self.seconds_left)} left"
        now = [f"{words(self.specs[key])}{f': {far}' if far else ''}" for key, far in self.running.items()]
        return "; ".join([said, *now])


def words(spec: Spec) -> str:
    """A run in words."""
    strength = "" if spec.C is None else f", C = {spec.C:g}"
    return f"{catalogue.label(spec.algorithm)}{strength}, {spec.data.partition(':')[0]}"


class Watch:
    """Shows the progress of a plan, from a thread of its own."""

    def __init__(self) -> None:
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def begin(self, plan: Plan) -> None:
        self._thread = threading.Thread(target=self._show, args=(Progress(plan),), daemon=True)
        self._thread.start()

    def end(self) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join(timeout=5)

    def _show(self, progress: Progress) -> None:
        from rich.console import Console
        from rich.status import Status

        console = Console(stderr=True, highlight=False, soft_wrap=True)
        if not console.is_terminal:
            self._print(progress, console)
            return
        with Status("", console=console) as status:
            while not self._over.wait(TICK):
                _say(console, progress.look())
                status.update(_cut(progress.line, console.width - 4))

    def _print(self, progress: Progress, console: "Console") -> None:
        said = time.monotonic()
        while not self._over.wait(TICK):
            _say(console, progress.look())
            if time.monotonic() - said > NEWS:
                said = time.monotonic()
                _say(console, [progress.line])


def _say(console: "Console", sentences: list[str]) -> None:
    for sentence in sentences:
        console.print(sentence, markup=False)


def _cut(line: str, width: int) -> str:
    from rich.markup import escape

    return escape(line if len(line) <= width else f"{line[: width - 1]}…")


def calm(scheduler: "JobScheduler") -> None:
    """Have Snakemake choose jobs when one ends or is ready, and not all the time.

    For its limit on jobs a second it looks again after each second, and every job that ends adds one such look,
    for good: after forty jobs a quarter of a core went into that. There is no option for having no limit.
    """
    scheduler.job_rate_limiter = None


def hush(manager: "LoggerManager") -> None:
    """Have Snakemake say nothing on the terminal but warnings and errors; its log file keeps everything."""
    from snakemake.settings.enums import Quietness

    listener = manager.queue_listener
    for handler in (*manager.logger.handlers, *(listener.handlers if listener else ())):
        if isinstance(handler, logging.FileHandler):
            continue
        handler.addFilter(lambda record: record.levelno >= logging.WARNING and EARLY not in record.getMessage())
        for chosen in handler.filters:
            if hasattr(chosen, "quiet"):  # an error of a job counts as one about rules
                chosen.quiet = set(chosen.quiet) - {Quietness.RULES}
