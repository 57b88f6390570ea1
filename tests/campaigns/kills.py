"""A workflow, a batch and the collector, ended at random moments: does the same command go on from there?

    .venv/bin/python -m tests.campaigns.kills --rounds 200 --seed 0

A round starts one of them and ends it by SIGKILL, SIGTERM or SIGINT, once or twice. Then it calls the same
command. All numbers except seconds must be those of an undisturbed run, bit for bit. No process, partial file or
lock may be left. SIGKILL may leave a file that was being written: a workflow that starts an hour later removes it.
"""

import importlib
import json
import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import product
from pathlib import Path

import pytest

import structbench
from structbench.bench.__main__ import main
from structbench.bench.runs import results
from structbench.bench.tracking.track import track
from structbench.bench.workflow import config, view_inputs
from tests.campaigns import rounds, small_work
from tests.campaigns.guarded import TRACEBACK, Forked
from tests.campaigns.rounds import Outcome
from tests.campaigns.small_work import GRID, SNAKEMAKE, Work, logged, wait_until

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
KINDS = {"batch": 8, "tracking": 4, "new database": 4, "workflow": 2}  # how often each is drawn
SMALLEST = {
    "scale": "tiny",
    "figures": [],
    "grids": [GRID | {"data": ["toy-points"], "C": [1], "figures": ["gap-passes"], "timed": False}],
}
AN_HOUR_AGO = 3700.0


class Warm(Work):
    """Verbs are forked from this process, in which imports and kernels are there."""

    def start(self, *words: str, said: Path | None = None) -> subprocess.Popen | Forked:
        if words[0] != "bench":
            return super().start(*words, said=said)

        def verb() -> int:
            os.chdir(self.folder)
            os.environ.clear()
            os.environ.update(self.env)
            return main([*words[1:]])

        process = Forked(verb, said or self.said)
        self.sessions.add(process.pid)
        return process


class Undisturbed:
    """What each command gives when nothing disturbs it, and how long it takes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.made = Warm(folder / "made")
        _must(*self.made.make("--until", "batch"))  # compiles kernels
        _warm_up(folder)
        self.keys = sorted(self.made.numbers())
        self.tables = folder / "tables.db"  # MLflow's, without runs

        def make_tables() -> int:
            track([], f"sqlite:///{self.tables}")
            return 0

        _must(Forked(make_tables, folder / "said").wait(), "no tables")
        self.seconds: dict[str, float] = {}
        self.given: dict[str, tuple] = {}

    def of(self, kind: str) -> tuple[float, tuple]:
        """How many seconds a kind of work takes, and what it gives."""
        if kind not in self.given:
            work, command = self.begin(kind, self.folder / kind)
            started = time.monotonic()
            _must(*work.run(*command))
            self.seconds[kind], self.given[kind] = time.monotonic() - started, _given(work)
        return self.seconds[kind], self.given[kind]

    def begin(self, kind: str, folder: Path) -> tuple[Work, tuple[str, ...]]:
        """A folder in which a kind of work can begin, and its command."""
        if kind == "batch":
            return Warm(folder), ("bench", "batch", "--out", "results/batches/b.1.journal", *self.keys)
        if kind == "workflow":
            return Warm(folder, SMALLEST), (*SNAKEMAKE, "--configfile", "mine.yaml")
        work = small_work.copied(self.made, folder)
        if kind == "tracking":
            shutil.copy(self.tables, work.results / "mlflow.db")
        return work, ("bench", "track", "--config", "mine.yaml")


def _given(work: Work) -> tuple:
    """All numbers except seconds, and what MLflow shows."""
    database = work.results / "mlflow.db"
    return work.numbers(), logged(database) if database.exists() else None


def _warm_up(folder: Path) -> None:
    """Have what verbs need in this process, by runs on other data."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(results.VARIABLE, str(folder / "warm"))
        patch.setenv("OMP_NUM_THREADS", "1")  # a process with other threads cannot be forked
        for data, name in product(("synthetic:sequences=20", "toy-points:kind=overlapping"), GRID["algorithms"]):
            structbench.run(data, name, loss="log", C=1, passes=2)
    importlib.import_module("structbench.bench.tracking.collector")
    importlib.import_module("structbench.bench.verbs.views")


def _must(code: int, said: str) -> None:
    if code:
        raise RuntimeError(said)


def _end(work: Work, words: tuple[str, ...], number: signal.Signals, after: float, group: bool) -> str:
    """Start a command and end it by a signal. Return what was wrong."""
    process = work.start(*words)
    over = wait_until(lambda: process.poll() is not None, after)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number) if group else process.send_signal(number)
    if not wait_until(lambda: process.poll() is not None):
        return f"it lived on for {small_work.WAIT:g} s"
    said = work.said.read_text(errors="replace")
    if TRACEBACK in said:
        return f"a traceback: {' | '.join(said.partition(TRACEBACK)[2].splitlines()[-12:])}"
    orphans = number != signal.SIGKILL or words[0] == "bench"  # of a killed workflow the next one ends them
    if not over and orphans and not wait_until(lambda: not work.processes()):
        return f"left running: {[' '.join(each.cmdline()[:6]) for each in work.processes()]}"
    return ""


def _swept(work: Work) -> None:
    """Do what the start of a workflow does, an hour after files were being written."""
    for left in [each for each in work.results.rglob(".*.partial") if each.is_dir()]:
        then = time.time() - AN_HOUR_AGO
        os.utime(left, (then, then))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(results.VARIABLE, str(work.results))
        view_inputs.sweep(config.config_of(json.loads((work.folder / "mine.yaml").read_text())))


def _play(whole: Undisturbed, rng: random.Random) -> Outcome:
    kind = rng.choices([*KINDS], [*KINDS.values()])[0]
    folder, (seconds, given) = whole.folder / "round", whole.of(kind)
    shutil.rmtree(folder, ignore_errors=True)
    work, words = whole.begin(kind, folder)
    tried, wrong = kind, ""
    try:
        for _ in range(rng.choice([1, 1, 2])):
            number, group = rng.choice(SIGNALS), rng.random() < 0.5
            tried += f", {number.name}{' to all' if group else ''}"
            wrong = wrong or _end(work, words, number, rng.random() * seconds, group)
        return Outcome(tried, wrong or _compared(work, words, given))
    finally:
        work.kill()


def _compared(work: Work, words: tuple[str, ...], given: tuple) -> str:
    """Go on to the end, and compare."""
    code, said = work.run(*words)
    if code:
        return f"the same command ended with {code}: {' | '.join(said.splitlines()[-4:])}"
    _swept(work)
    if left := work.left():
        return f"left: {', '.join(left)}"
    numbers, log = _given(work)
    if differ := [key for key in {*numbers, *given[0]} if numbers.get(key) != given[0].get(key)]:
        return f"other numbers of {', '.join(differ)}"
    return "" if log == given[1] else "MLflow shows something else"


@contextmanager
def prepared(folder: Path) -> Iterator[Callable[[random.Random], Outcome]]:
    """The undisturbed commands, made once."""
    whole = Undisturbed(folder)
    yield lambda rng: _play(whole, rng)


if __name__ == "__main__":
    rounds.main(__doc__, prepared, 200)
