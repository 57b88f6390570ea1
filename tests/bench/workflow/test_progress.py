"""The time left while a workflow goes on, from made-up journals, kernels, jobs and clocks."""

import json
import os
import time
from types import SimpleNamespace

import pytest

from structbench.algorithms.runtime import kernel_folder
from structbench.bench.runs import kernels, yardstick
from structbench.bench.runs.spec import make
from structbench.bench.workflow import batches, journal, plan, watch
from structbench.bench.workflow.jobs import Job, Jobs, words
from structbench.bench.workflow.progress import RISE, Progress
from tests.bench.workflow.conftest import a_plan

pytestmark = pytest.mark.usefixtures("folder")
START = 1e9  # of the clock
COMPILING, KERNELS = 20.0, ("one.kernel", "another.kernel")


class World:
    """What happens to a plan, second by second."""

    def __init__(self, planned: plan.Plan) -> None:
        self.now, self.plan, self.jobs = START, planned, Jobs()
        self.followed = Progress(planned, self.jobs, lambda: self.now)
        for batch in planned.batches:
            journal.Journal(self.journal(batch)).begin()

    def journal(self, batch: batches.Batch):
        return self.plan.manifests[batch.name].with_suffix(".journal")

    def note(self, what: str, batch: batches.Batch, run: int, said: str = "", left: float | None = None) -> None:
        file = self.journal(batch)
        line = [what, batch.specs[run].key, self.now, said, *([] if left is None else [left])]
        with file.open("a") as opened:
            opened.write(json.dumps(line) + "\n")
        os.utime(file, (self.now, self.now))

    def after(self, seconds: float) -> "World":
        self.now += seconds
        return self

    def see(self) -> tuple[list[str], float]:
        said = self.followed.look()
        return said, self.followed.said()[0]

    @property
    def line(self) -> str:
        left, more = self.followed.said()
        return "; ".join(watch.lines(self.followed, watch.labels(self.plan.specs), left, more))


@pytest.fixture
def two_kernels(monkeypatch) -> set[str]:
    """Each run needs two kernels of ten seconds each; returns those that are compiled."""
    there: set[str] = set()
    monkeypatch.undo()
    monkeypatch.setattr(kernel_folder, "compiled", lambda: set(there))
    monkeypatch.setattr(kernels, "of_run", lambda spec: frozenset(KERNELS))
    monkeypatch.setattr(kernels, "seconds", lambda names: COMPILING / 2 * len(names))
    return there


def test_the_time_left_follows_what_runs_take():
    world = World(a_plan(timed=0, others=4, cores=1))
    (batch,) = world.plan.batches
    first = world.see()[1]
    assert first == world.plan.wall >= 20
    world.note(journal.BEGUN, batch, 0)
    world.after(100).note(journal.ENDED, batch, 0, "converged")
    world.note(journal.BEGUN, batch, 1)
    world.after(100).note(journal.FAILED, batch, 1, "it broke")
    world.note(journal.BEGUN, batch, 2)
    world.note(journal.NEWS, batch, 2, "pass 3 of 100")
    said, left = world.see()
    assert said == [f"FAILED {batch.specs[1].key}: it broke"]
    assert first / 2 < left <= RISE * first  # ten times slower than expected
    assert world.line.startswith("2/4 runs, over ") and "L-BFGS, C = 3, mnist: pass 3 of 100" in world.line
    world.note(journal.ENDED, batch, 2, "converged")
    world.note(journal.ENDED, batch, 3, "converged")
    assert world.see()[0] == [] and world.line.startswith("4/4 runs, about ")


def test_it_never_rises_by_more_than_a_third_and_says_when_it_is_more():
    world = World(a_plan(timed=0, others=6, cores=1))
    (batch,) = world.plan.batches
    shown = [world.see()[1]]
    for run in range(6):
        world.note(journal.BEGUN, batch, run)
        for _ in range(20):
            shown.append(world.after(10).see()[1])
        world.note(journal.ENDED, batch, run)
    assert all(later <= RISE * min(shown[: at + 1]) + 1e-9 for at, later in enumerate(shown))
    assert "over" in world.line


def test_a_run_that_takes_longer_is_not_about_to_end():
    world = World(a_plan(timed=0, others=1, cores=1))
    (batch,) = world.plan.batches
    world.note(journal.BEGUN, batch, 0)
    world.see()
    world.after(1000)
    rest = sum(world.plan.jobs.values()) + sum(world.plan.last.values())
    assert world.followed.seconds_left > 200 + rest
    world.note(journal.NEWS, batch, 0, "pass 99 of 100", 3.0)  # it says so itself
    world.see()
    assert world.followed.seconds_left == pytest.approx(3 + rest)


def test_compiling_has_a_pace_of_its_own(two_kernels, monkeypatch, folder):
    monkeypatch.setenv("STRUCTBENCH_RESULTS", str(folder))
    monkeypatch.setattr(yardstick, "slowness", lambda: 1.0)
    world = World(a_plan(timed=0, others=2, cores=1))
    (batch,) = world.plan.batches
    without = world.followed.seconds_left - COMPILING
    assert without > 0
    world.note(journal.BEGUN, batch, 0)
    world.note(journal.COMPILING, batch, 0, "compiling kernels for multiclass, once: 0 of about 2")
    world.see()
    expected = world.followed.left[batch.specs[0].key]
    world.after(30).note(journal.COMPILING, batch, 0, "compiling kernels for multiclass, once: 1 of about 2")
    two_kernels.add(KERNELS[0])
    world.see()
    assert "compiling kernels for multiclass, once: 1 of about 2" in world.line
    pace = (30 + 30) / (10 + 30)  # 30 seconds in place of 10, and the prior
    assert world.followed.pace_of_compiling.now() == pytest.approx(pace)
    assert world.followed.seconds_left == pytest.approx(pace * (without + 10), rel=0.06), "a slow machine"
    world.after(30).note(journal.NEWS, batch, 0, "compiled 2 kernels in 60 s")
    world.after(expected).note(journal.ENDED, batch, 0)  # a kernel that is still not there was not needed
    world.see()
    assert world.followed.pace_of_runs.now() == pytest.approx(1)
    pace = (60 + 30) / (20 + 30)
    assert world.followed.seconds_left == pytest.approx(pace * (without - expected), rel=0.3)


def test_drawing_counts_figure_by_figure(folder):
    world = World(a_plan(timed=0, others=1, cores=1, figures=4))
    (batch,) = world.plan.batches
    world.note(journal.ENDED, batch, 0)
    world.jobs.begin(7, Job("figures_grid_mine", since=world.now))
    world.see()
    before = world.followed.seconds_left
    for file in world.plan.figures["grid-mine"][:2]:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("")
        os.utime(file, (world.now, world.now))
    assert world.line.endswith("drawing grid mine, figure 3 of 4")
    share = world.plan.jobs["figures_grid_mine"] / 2
    assert world.followed.seconds_left <= before - share / 2
    world.jobs.end(7)
    world.jobs.done["figures_grid_mine"] = 50.0  # ten times as long as expected
    assert world.see() and world.followed.pace_of_jobs.now() > 1.5


@pytest.mark.parametrize(
    ("rule", "of", "said"),
    [
        ("problem", "mnist:test=100,train=300", "preparing mnist"),
        ("problem", "svmlight:%2Fhome%2Fme%2Fa.txt", "preparing svmlight"),
        ("breakdown", "ocr", "timing an update on ocr"),
        ("figures_laso2005", "", "drawing Daumé and Marcu 2005 (LaSO), figure 1 of 10"),
        ("track_runs", "", "logging the runs to MLflow"),
        ("batch", "mnist-eg-0123", ""),
        ("outcome", "", ""),
    ],
)
def test_what_a_job_does_is_said_in_words(rule, of, said, folder):
    assert words(Job(rule, of), {"laso2005": [folder / f"{k}.png" for k in range(10)]}) == said


def test_runs_are_named_as_in_legends():
    specs = [make("mnist", "log", C, "eg", {"order": order}) for order in ("gap", "random") for C in (1.0, 10.0)]
    assert sorted(set(watch.labels(specs).values())) == ["EG, order gap", "EG, order random"]
    assert set(watch.labels(specs[:2]).values()) == {"EG"}
    ways = [{}, {"start": 2.0}, {"order": "gap", "start": 2.0}, {"adaptive": False}, {"mode": "batch", "eta": 0.1}]
    several = watch.labels([make("mnist", "log", 1.0, "eg", way) for way in ways])
    assert "EG, start 2" in several.values() and "EG, adaptive False" in several.values()


def test_the_course_of_the_estimate_is_kept(folder, monkeypatch):
    monkeypatch.setattr(watch, "TICK", 0.01)

    seen: list[str] = []
    silent = SimpleNamespace(say=lambda sentence: None, show=seen.append, close=lambda: None)
    watched = watch.Watch(silent)
    watched.begin(a_plan())
    while len(seen) < 3:
        time.sleep(0.01)
    watched.end()
    head, first, *rest = (folder / "logs" / "estimate.csv").read_text().splitlines()
    assert head == "seconds,left" and first.startswith("0,") and len(rest) >= 3
