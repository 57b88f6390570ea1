"""Print the progress of a workflow: how many runs are done, the time left, and what each current run does.

    0/5 runs, about 50 s left
    eg:order=gap, C=10, mnist: compiling for multiclass, once: 12 kernels so far

A thread of its own follows the workflow.
"""

import threading
import time
from pathlib import Path
from urllib.parse import unquote

from structbench.algorithms.runtime.names import plural
from structbench.bench.runs.news import duration
from structbench.bench.runs.spec import fields_of
from structbench.bench.workflow import journal, messages
from structbench.bench.workflow.plan import Plan
from structbench.bench.workflow.screen import SCREEN
from structbench.datasets import stored

TICK = 0.3  # seconds between two looks
PRIOR = 30.0  # seconds of work after which its own pace counts as much as the plan


class Watch:
    """Follows a plan, by Snakemake's jobs and the journals of its batches, which any node writes."""

    def __init__(self) -> None:
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._follow, daemon=True)

    def begin(self, plan: Plan) -> None:
        """Show the lines from now on."""
        self.plan = plan
        self.begun = self.ended = time.time()  # when a run ended last
        self.left = dict(plan.seconds)  # of the runs that have not ended
        self.found = 0.0  # of those that were there already, such as runs whose problem had to be made again
        self.failed = 0  # of those that have
        self.since: dict[str, float] = {}  # when they began
        self.running: dict[str, str] = {}  # what they said last
        self._files: set[Path] = set()
        self._thread.start()

    def end(self) -> None:
        """Take the lines away."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5)
        SCREEN.close()

    def _follow(self) -> None:
        while not self._over.wait(TICK):
            self.look()
            SCREEN.show(self.lines())

    def look(self) -> None:
        """Read the journals of the batches that run, or have just ended; say which runs failed."""
        jobs, self.running = tuple(messages.RUNNING.values()), {}
        files = {job.output for job in jobs if job.rule == "batch"}
        for file in files | self._files:
            for line in journal.Journal(file).lines():
                if line.key not in self.left or line.at < self.begun - 1:  # of an attempt before
                    continue
                self.since.setdefault(line.key, line.at)
                self.running[line.key] = line.said
                if line.is_end:
                    self.ended = line.at
                    seconds = self.left.pop(line.key)
                    self.found += seconds * (line.what == journal.FOUND)
                    del self.running[line.key]
                if line.what == journal.FAILED:
                    self.failed += 1
                    SCREEN.say(f"FAILED {line.key}: {line.said}")
        self._files = files

    def seconds_left(self) -> float:
        """What the plan says of the rest, longer if what was done took longer than planned.

        What takes longer than planned itself is given a quarter of its seconds more. These are no planned ones, so
        the pace so far does not multiply them: else the time left would grow with the square of the time.
        """
        now = time.time()
        parts = [(whole, now - self.since.get(key, now)) for key, whole in self.left.items()]
        parts.append((self.plan.others, 0.0 if self.left else now - self.ended))
        left = sum(max(whole - took, 0.0) for whole, took in parts)
        pace = (now - self.begun + PRIOR) / (max(0.0, self.plan.wall - self.found - left) + PRIOR)
        return sum(max(pace * (whole - took), took / 4) for whole, took in parts)

    def lines(self) -> list[str]:
        """How far it is, and what runs."""
        total = len(self.plan.seconds)
        about = f"about {duration(self.seconds_left())}"
        head = f"{total - len(self.left)}/{total} runs, {about} left"
        if not self.left:
            head = f"{self._ended(total)}; figures, MLflow and the report take {about} more"
        runs = [f"{_name(key)}{': ' * bool(said)}{said}" for key, said in self.running.items()]
        others = dict.fromkeys(job.words for job in tuple(messages.RUNNING.values()) if job.words)
        return [*([head] if total else []), *runs, *others]

    def _ended(self, total: int) -> str:
        """What has come of all runs, each of which has ended."""
        which = "the run" if total == 1 else f"all {plural(total, 'run')}"
        if self.failed:
            return f"{which} {'has' if total == 1 else 'have'} ended ({self.failed} failed)"
        return f"{which} {'is' if total == 1 else 'are'} made"


def _name(key: str) -> str:
    """A run's algorithm, its C and its data set."""
    data, _, C, algorithm, *_ = fields_of(key)
    return ", ".join(filter(None, [algorithm, C, stored(unquote(str(data))).name]))
