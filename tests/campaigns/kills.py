"""A workflow, a batch and the collector, ended at random moments: does the same command go on from there?

    .venv/bin/python -m tests.campaigns.kills --rounds 200 --seed 0

A round starts one of them and ends it by SIGKILL, SIGTERM or SIGINT, once or twice. Then it calls the same
command. All numbers except seconds must be those of an undisturbed run, bit for bit. No process, partial file or
lock may be left. SIGKILL may leave a file that was being written: a workflow that starts an hour later removes it.
"""

import os
import random
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from structbench.bench.runs import results
from structbench.bench.workflow import sweep
from tests.campaigns import rounds, small_work
from tests.campaigns.rounds import Outcome
from tests.campaigns.small_work import SNAKEMAKE, Work, logged, wait_until

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
KINDS = {"batch": 6, "tracking": 3, "workflow": 2}  # how often each is drawn
TRACK = ("bench", "track", "--config", "mine.yaml")
AN_HOUR_AGO = 3700.0


class Undisturbed:
    """What each command gives when nothing disturbs it, and how long it takes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.made = Work(folder / "made")
        _must(self.made.make("--until", "batch"))  # compiles kernels
        self.seconds, self.keys = {}, sorted(self.made.numbers())
        self.tracked = small_work.copied(self.made, folder / "tracked")
        self.seconds["tracking"] = self._timed(lambda: self.tracked.run(*TRACK))
        self.log = logged(self.tracked.results / "mlflow.db")
        again = Work(folder / "again")
        self.seconds["batch"] = self._timed(lambda: again.run(*self.batch))
        self.numbers = self.made.numbers()
        self.seconds["workflow"] = 0.0

    @property
    def batch(self) -> tuple[str, ...]:
        return "bench", "batch", "--out", "results/batches/b.1.json", *self.keys

    def whole(self) -> None:
        """Make a whole workflow, if none was made yet."""
        if not self.seconds["workflow"]:
            self.seconds["workflow"] = self._timed(Work(self.folder / "workflow").make)

    def _timed(self, command: Callable[[], tuple[int, str]]) -> float:
        started = time.monotonic()
        _must(command())
        return time.monotonic() - started


def _must(done: tuple[int, str]) -> None:
    if done[0]:
        raise RuntimeError(done[1])


def _end(work: Work, words: tuple[str, ...], number: signal.Signals, after: float, group: bool) -> str:
    """Start a command and end it by a signal. Return what was wrong."""
    process = work.start(*words)
    over = wait_until(lambda: process.poll() is not None, after)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number) if group else process.send_signal(number)
    if not wait_until(lambda: process.poll() is not None):
        return f"it lived on for {small_work.WAIT:g} s"
    said = work.said.read_text(errors="replace")
    if "Traceback" in said:
        return f"a traceback: {' | '.join(said.splitlines()[-4:])}"
    orphans = number != signal.SIGKILL or words[0] == "bench"  # of a killed workflow the next one ends them
    if not over and orphans and not wait_until(lambda: not work.processes()):
        return f"left running: {[' '.join(each.cmdline()[:6]) for each in work.processes()]}"
    return ""


def _swept(work: Work) -> None:
    """Do what the start of a workflow does, an hour after files were being written."""
    for left in [each for each in work.results.rglob(".*.partial") if each.is_dir()]:
        os.utime(left, (time.time() - AN_HOUR_AGO,) * 2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(results.VARIABLE, str(work.results))
        sweep.sweep(())


def _play(whole: Undisturbed, rng: random.Random) -> Outcome:
    kind = rng.choices([*KINDS], [*KINDS.values()])[0]
    folder = whole.folder / "round"
    shutil.rmtree(folder, ignore_errors=True)
    if kind == "tracking":
        work = small_work.copied(whole.made, folder)
        shutil.rmtree(work.results / "tracked", ignore_errors=True)
        for file in work.results.glob("mlflow.db*"):
            file.unlink()
        words = TRACK
    else:
        work = Work(folder)
        words = (*SNAKEMAKE, "--configfile", "mine.yaml") if kind == "workflow" else whole.batch
    if kind == "workflow":
        whole.whole()
    again = work.make if kind == "workflow" else lambda: work.run(*words)
    tried, wrong = kind, ""
    try:
        for _ in range(rng.choice([1, 1, 2])):
            number, group = rng.choice(SIGNALS), rng.random() < 0.5
            tried = f"{kind}, {number.name}{' to all' if group else ''}"
            wrong = wrong or _end(work, words, number, rng.random() * whole.seconds[kind], group)
            if kind == "workflow":
                work.run("bench", "unlock")
        return Outcome(tried, wrong or _compared(whole, work, kind, again))
    finally:
        work.kill()


def _compared(whole: Undisturbed, work: Work, kind: str, again: Callable[[], tuple[int, str]]) -> str:
    """Go on to the end, and compare."""
    code, said = again()
    if code:
        return f"the same command ended with {code}: {' | '.join(said.splitlines()[-4:])}"
    _swept(work)
    if left := work.left():
        return f"left: {', '.join(left)}"
    if kind == "tracking":
        return "" if logged(work.results / "mlflow.db") == whole.log else "MLflow shows something else"
    found = work.numbers()
    differ = [key for key in whole.numbers if found.get(key) != whole.numbers[key]]
    return f"other numbers of {', '.join(differ)}" if differ or len(found) != len(whole.numbers) else ""


@contextmanager
def prepared(folder: Path) -> Iterator[Callable[[random.Random], Outcome]]:
    """The undisturbed commands, made once."""
    whole = Undisturbed(folder)
    yield lambda rng: _play(whole, rng)


if __name__ == "__main__":
    rounds.main(__doc__, prepared, 200)
