"""What is shown while a workflow goes on, from made-up journals, jobs and clocks."""

import itertools
import json

import pytest

from structbench.bench.workflow import journal, messages, plan, watch
from structbench.bench.workflow.batches import Batch
from tests.bench.workflow.conftest import a_config
from tests.narrowing import fake


class World:
    """What happens to a plan, second by second."""

    def __init__(self, monkeypatch, cores=1, **given) -> None:
        self.now, self.said = 1e9, []
        config = a_config(**given)
        self.batches: list[Batch] = [*config.batches.values()]
        monkeypatch.setattr(messages, "RUNNING", {})
        monkeypatch.setattr(watch, "time", fake(time=lambda: self.now))
        monkeypatch.setattr(watch, "SCREEN", fake(say=self.said.append))
        self.watch = watch.Watch()
        self.watch._thread = fake(start=lambda: None)
        self.watch.begin(plan.make_plan(config, cores))

    def start(self, batch: Batch) -> None:
        messages.RUNNING[1] = messages.Job("batch", "", batch.journal)
        journal.Journal(batch.journal).begin()

    def note(self, what: str, run: int, said: str = "", batch: int = 0) -> None:
        made = self.batches[batch]
        with made.journal.open("a") as opened:
            opened.write(json.dumps([what, made.specs[run].key, self.now, said]) + "\n")

    def after(self, seconds: float) -> list[str]:
        self.now += seconds
        self.watch.look()
        return self.watch.lines()


@pytest.fixture
def world(folder, monkeypatch):
    made = World(monkeypatch, timed=0, others=4)
    made.start(made.batches[0])
    return made


def test_finished_runs_are_counted_and_what_runs_has_a_line(world):
    assert world.after(0) == ["0/4 runs, about 36 s left"]
    world.note(journal.BEGUN, 0)
    assert world.after(0)[1:] == ["lbfgs, C=1, mnist"]
    world.note(journal.NEWS, 0, "compiling for multiclass, once: 12 kernels so far")
    assert world.after(0)[1:] == ["lbfgs, C=1, mnist: compiling for multiclass, once: 12 kernels so far"]
    world.note(journal.ENDED, 0, "converged")
    world.note(journal.BEGUN, 1)
    world.note(journal.FAILED, 1, "it broke")
    world.note(journal.BEGUN, 2)
    head, running = world.after(5)
    assert head.startswith("2/4 runs, about ") and running == "lbfgs, C=3, mnist"
    world.after(1)
    assert world.said == [f"FAILED {world.batches[0].specs[1].key}: it broke"], "once"


def test_the_last_lines_of_a_batch_that_ended_are_read(world):
    world.note(journal.BEGUN, 0)
    world.after(1)
    world.note(journal.FAILED, 0, "killed by SIGKILL")
    world.note(journal.BEGUN, 1)
    messages.RUNNING.clear()
    assert world.after(1)[0].startswith("1/4 runs") and len(world.said) == 1
    assert len(world.after(1)) == 1, "nothing runs"


def test_the_journal_of_an_attempt_before_tells_nothing(folder, monkeypatch):
    world = World(monkeypatch, timed=0, others=4)
    world.start(world.batches[0])
    world.now -= 100
    world.note(journal.FAILED, 0, "it broke")
    world.note(journal.BEGUN, 1)
    assert world.after(100) == ["0/4 runs, about 36 s left"] and world.said == []


def test_the_time_left_follows_the_plan_and_what_was_done_so_far(world):
    first = world.watch.seconds_left()
    assert first == world.watch.plan.wall
    world.note(journal.BEGUN, 0)
    for second in range(5):
        world.after(1)
        assert world.watch.seconds_left() == pytest.approx(first - second - 1, rel=0.05), "as planned"
    slow = [world.after(100) and world.watch.seconds_left() for _ in range(3)]
    assert first < slow[0] < slow[1] < slow[2], "a run that takes longer is not about to end"
    for run in range(4):
        world.note(journal.ENDED, run)
    assert world.after(0)[0].startswith("all 4 runs are made; figures, MLflow and the report take about ")
    before = world.watch.seconds_left()
    world.after(2)
    assert 0 < world.watch.seconds_left() < before, "the other jobs"


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ((journal.ENDED, journal.FAILED, journal.ENDED, journal.FAILED), "all 4 runs have ended (2 failed)"),
        ((journal.ENDED,), "the run is made"),
        ((journal.FAILED,), "the run has ended (1 failed)"),
    ],
)
def test_once_all_runs_have_ended_it_says_how_many_failed(folder, monkeypatch, ends, said):
    world = World(monkeypatch, timed=0, others=len(ends))
    world.start(world.batches[0])
    for run, what in enumerate(ends):
        world.note(journal.BEGUN, run)
        world.note(what, run)
    assert world.after(0)[0].startswith(f"{said}; figures, MLflow and the report take about ")


def test_runs_that_were_there_already_say_nothing_of_the_pace(world):
    for run in range(3):
        world.note(journal.BEGUN, run)
        world.note(journal.FOUND, run, "converged")
    assert world.after(0)[0].startswith("3/4 runs")
    plan = world.watch.plan
    assert world.watch.seconds_left() == pytest.approx([*plan.seconds.values()][3] + plan.others)


def test_the_last_run_is_not_about_to_end_if_it_takes_long(folder, monkeypatch):
    world = World(monkeypatch, timed=0, others=1)
    world.start(world.batches[0])
    world.note(journal.BEGUN, 0)
    left = []
    for _ in range(4):
        world.after(300)
        left.append(world.watch.seconds_left())
    assert left[0] > 300 / 4
    more = [later - before for before, later in itertools.pairwise(left)]
    assert more == pytest.approx(more[:1] * 3), "it grows with the time, not with its square"


def test_the_report_takes_no_hour_more_because_it_took_minutes(folder, monkeypatch):
    world = World(monkeypatch, timed=0, others=1)
    world.start(world.batches[0])
    world.note(journal.BEGUN, 0)
    world.note(journal.ENDED, 0)
    world.after(1200)
    assert world.watch.seconds_left() == pytest.approx(300)


def test_other_jobs_have_their_rules_message(world):
    messages.RUNNING[2] = messages.Job("figures_grid_mine", "drawing grid mine", world.batches[0].journal)
    messages.RUNNING[3] = messages.Job("outcome", "", world.batches[0].journal)
    assert world.after(0)[1:] == ["drawing grid mine"]


def test_the_lines_are_shown_until_the_end(folder, monkeypatch):
    monkeypatch.setattr(watch, "TICK", 0.01)
    shown: list[list[str]] = []
    closed: list[bool] = []
    monkeypatch.setattr(watch, "SCREEN", fake(show=shown.append, close=lambda: closed.append(True)))
    watched = watch.Watch()
    watched.begin(plan.make_plan(a_config(), 2))
    while len(shown) < 3:
        watched._over.wait(0.01)
    watched.end()
    assert shown[0][0].startswith("0/6 runs, about") and closed == [True]
    never = watch.Watch()
    never.end()  # interrupted before jobs run
    assert len(closed) == 2
