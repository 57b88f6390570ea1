"""The plan before the start: which runs, and about how long they will take."""

import pytest

from structbench.bench.workflow import batches, estimate, plan
from tests.bench.workflow.conftest import a_config, a_plan

pytestmark = pytest.mark.usefixtures("folder")


def test_timed_runs_go_one_after_another_and_the_others_on_all_cores():
    config = a_config(timed=2, others=4)
    start = plan.START
    for cores, machines, wall in (
        (1, 1, start + 10 + start + 20),
        (2, 1, start + 10 + (start + 20) / 2),
        (1, 2, (start + 10) / 2 + (start + 20) / 2),
        (4, 2, (start + 10) / 2 + (start + 20) / 8),
    ):
        found = plan.make_plan(config, cores, machines)
        assert sum(found.seconds.values()) == pytest.approx(wall), (cores, machines)


def test_compiling_figures_and_logging_count(monkeypatch):
    few, many = (a_plan(figures=figures) for figures in (0, 10))
    assert many.others - few.others == pytest.approx(10 * plan.FIGURE / 2)
    warm = a_plan(timed=4, others=0).wall
    monkeypatch.setattr(estimate, "compiling", lambda specs: 5.0 * len([*specs]))
    assert a_plan(timed=4, others=0).wall == pytest.approx(20 + warm)
    assert a_plan(others=100).others > few.others, "runs that are logged"


def test_other_work_on_this_machine_makes_all_longer_but_not_on_a_cluster(monkeypatch):
    quiet = a_plan()
    monkeypatch.setattr(plan.os, "getloadavg", lambda: (12.0, 0.0, 0.0))
    monkeypatch.setattr(plan.os, "cpu_count", lambda: 2)
    busy, cluster = a_plan(), plan.make_plan(a_config(), 2, machines=3)
    assert busy.wall == pytest.approx(3 * quiet.wall)
    assert cluster.wall < quiet.wall


def test_it_is_said_in_a_line():
    config = a_config(timed=2, others=4)
    others = 3 / 2 + 3 * 3 + 6 * 0.17
    wall = 3 + 10 + (3 + 20) / 2 + others
    assert plan.describe(plan.make_plan(config, 2), config).splitlines() == [
        "sklearn is not installed",
        f"6 runs, 2 of them timed alone on the machine: about {wall:.0f} s on 2 cores, "
        f"of which {others:.0f} s for figures and report",
    ]
    one = a_config(timed=0, others=1)
    assert "1 run, 0 of them" in plan.describe(plan.make_plan(one, 1), one)
    assert "in up to 7 jobs of a cluster at once" in plan.describe(plan.make_plan(one, 1, 7), one)


def test_what_is_there_takes_no_time():
    config = a_config()
    config.batches = batches.cut(config.specs[5:], frozenset(), frozenset())
    assert plan.make_plan(config, 2).seconds.keys() == {config.specs[5].key}
    assert "1 run (5 more are there)" in plan.describe(plan.make_plan(config, 2), config)
    config.batches = {}
    assert plan.describe(plan.make_plan(config, 2), config).endswith("All 6 runs are there.")
