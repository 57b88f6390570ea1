"""How long the rest of a workflow takes: the plan, corrected by what happens.

It reads the batches' journals, which any node of a cluster writes, the folder of kernels, Snakemake's jobs and the
drawn figures. Compiling, runs and other jobs each have their own pace. While little is known of a pace, the pace
of jobs and compiling counts, which says how fast this machine is.
"""

import math
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from structbench.algorithms.runtime import kernel_folder
from structbench.bench.runs import kernels, yardstick
from structbench.bench.workflow import estimate, jobs, journal
from structbench.bench.workflow.plan import Plan, time_left

PRIOR = 30.0  # seconds of work after which its own pace counts as much as the estimate
LONGER = 0.25  # what is not done yet is expected to take at least this share of its time again
RISE = 1.3  # the shown time left is at most this many times the least one before


@dataclass
class Pace:
    """How much longer work takes than it was expected to."""

    took: float = 0.0
    expected: float = 0.0

    def add(self, took: float, expected: float) -> None:
        self.took += took
        self.expected += expected

    def now(self, prior: float = 1.0) -> float:
        """The pace; ``prior`` as long as little is known."""
        return (self.took + PRIOR * prior) / (self.expected + PRIOR)


@dataclass
class Run:
    """A run that has begun: what it said last, and the seconds until then that it compiled."""

    begun: float
    last: journal.Line
    compiled: float = 0.0

    def hear(self, line: journal.Line) -> None:
        if self.is_compiling:
            self.compiled += line.at - self.last.at
        self.last = line

    @property
    def is_compiling(self) -> bool:
        return self.last.what == journal.COMPILING

    def took(self, now: float) -> float:
        """Its own seconds, without compiling."""
        return (self.last.at if self.is_compiling else now) - self.begun - self.compiled


class Progress:
    """Follows a plan. ``clock`` gives seconds since 1970, as journals have them."""

    def __init__(
        self, plan: Plan, followed: jobs.Jobs = jobs.JOBS, clock: Callable[[], float] = time.time
    ) -> None:
        self.plan, self.jobs, self.clock = plan, followed, clock
        self.keys = {batch.name: [spec.key for spec in batch.specs] for batch in plan.batches}
        self.specs = {spec.key: spec for batch in plan.batches for spec in batch.specs}
        self.data = {key: estimate.without_draw(spec.data) for key, spec in self.specs.items()}
        self.kernels = {spec.key: kernels.of_run(spec) for spec in plan.specs}
        self.left = dict(plan.seconds)  # of runs that have not ended: the seconds that were expected of them
        self.running: dict[str, Run] = {}
        self.pace_of_runs, self.pace_of_jobs, self.pace_of_compiling = Pace(), Pace(), Pace()
        self.pace_of_data: dict[str, Pace] = defaultdict(Pace)
        self.there = kernel_folder.compiled()
        self.begun = self.looked = clock()
        self.waited = 0.0  # seconds of compiling since the last kernel was there
        self.least = plan.wall
        self._places: dict[Path, int] = {}
        self._counted: set[str] = set()  # jobs that are done, and count in their pace

    # ---- what happens --------------------------------------------------------------------------------

    def look(self) -> list[str]:
        """See what is new; returns a sentence on each run that failed."""
        said = []
        for batch in self.plan.batches:
            file = self.plan.manifests[batch.name].with_suffix(".journal")
            with suppress(OSError):
                if file.stat().st_mtime < self.begun - 1:  # of an attempt before
                    continue
            lines, self._places[file] = journal.read(file, self._places.get(file, 0))
            for line in lines:
                said += self._take(line)
        self._look_at_kernels()
        for name, took in self.jobs.done.items():
            expected = self.plan.jobs.get(name) or self.plan.last.get(name)
            if expected and name not in self._counted:
                self.pace_of_jobs.add(took, expected)
            self._counted.add(name)
        return said

    def _take(self, line: journal.Line) -> list[str]:
        key = line.key
        if key not in self.specs:
            return []
        run = self.running.setdefault(key, Run(line.at, line))
        run.hear(line)
        if line.what not in (journal.ENDED, journal.FAILED):
            return []
        del self.running[key]
        if expected := self.left.pop(key, 0.0):
            self.pace_of_runs.add(run.took(line.at), expected)
            self.pace_of_data[self.data[key]].add(run.took(line.at), expected)
        self.there |= self.kernels.pop(key, frozenset())  # a kernel that is still missing was not needed
        return [f"FAILED {key}: {line.said}"] if line.what == journal.FAILED else []

    def _look_at_kernels(self) -> None:
        now = self.clock()
        self.waited += (now - self.looked) * sum(run.is_compiling for run in self.running.values())
        self.looked = now
        if new := kernel_folder.compiled() - self.there:
            self.pace_of_compiling.add(self.waited, yardstick.slowness() * kernels.seconds(new))
            self.there |= new
            self.waited = 0.0

    # ---- what is left --------------------------------------------------------------------------------

    @property
    def seconds_left(self) -> float:
        """Of wall time, as well as can be told."""
        compiling, paces, batches = self._compiling(), {}, {}
        overall, starting = self._now(self.pace_of_runs), self.plan.starting * self._now(self.pace_of_jobs)
        for batch, keys in self.keys.items():
            waiting = [key for key in keys if key in self.left]
            left = starting if len(waiting) == len(keys) and keys[0] not in self.running else 0.0
            for key in waiting:
                data = self.data[key]
                if data not in paces:
                    paces[data] = self.pace_of_data[data].now(overall)
                left += self._of_run(key, paces[data] * self.left[key]) + compiling.get(key, 0.0)
            batches[batch] = left
        total = time_left(self.plan, batches, self._of_jobs(self.plan.jobs), self._of_jobs(self.plan.last))
        return max(0.0, total - min(self.waited, 0.9 * max(compiling.values(), default=0.0)))

    def _now(self, own: Pace) -> float:
        """The pace of one kind of work. While little is known of it, the pace of jobs and compiling counts."""
        others = [one for one in (self.pace_of_jobs, self.pace_of_compiling) if one is not own]
        return own.now(Pace(sum(one.took for one in others), sum(one.expected for one in others)).now())

    def _compiling(self) -> dict[str, float]:
        """Run's key -> the seconds that it is yet to compile."""
        pace = yardstick.slowness() * self._now(self.pace_of_compiling)
        there, found = self.there, {}
        for key, needed in self.kernels.items() if set().union(*set(self.kernels.values())) - there else ():
            if missing := needed - there:
                found[key] = pace * kernels.seconds(missing)
                there = there | missing
        return found

    def _of_run(self, key: str, expected: float) -> float:
        run = self.running.get(key)
        if run is None or not expected:
            return expected
        now = self.clock()
        most = math.inf if math.isnan(run.last.left) else max(0.0, run.last.left - (now - run.last.at))
        if most < math.inf and not estimate.is_measured(self.specs[key]):
            return most
        return min(most, _left(expected, run.took(now)))

    def _of_jobs(self, expected: dict[str, float]) -> dict[str, float]:
        """Job -> the seconds that are left of it."""
        pace, now = self._now(self.pace_of_jobs), self.clock()
        left = {name: pace * seconds for name, seconds in expected.items() if name not in self.jobs.done}
        for job in tuple(self.jobs.running.values()):
            if job.name in left:
                share = jobs.share_left(job, self.plan.figures)
                left[job.name] = left[job.name] * share if share < 1 else _left(left[job.name], now - job.since)
        return left

    def said(self) -> tuple[float, bool]:
        """The seconds left that are shown, and whether it is more: they rise by a third at most."""
        found = self.seconds_left
        shown = min(found, RISE * self.least)
        self.least = min(self.least, shown)
        return shown, found > shown


def _left(expected: float, took: float) -> float:
    return max(expected - took, LONGER * took)
