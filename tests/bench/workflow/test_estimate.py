"""How long runs are expected to take: by finished runs like them, else by the kind of work."""

import pytest

from structbench import datasets
from structbench.algorithms.runtime import kernel_folder
from structbench.bench.runs import results, store
from structbench.bench.runs.spec import make
from structbench.bench.workflow import estimate
from tests.bench import synthetic_curves
from tests.workflow.conftest import ROOT


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(results.VARIABLE, str(tmp_path))
    return tmp_path


def eg(data="mnist", C=10.0, algorithm="eg", loss="log", **rest):
    return make(data, loss, C, algorithm, **rest)


def test_more_passes_examples_and_slower_work_take_longer_up_to_a_limit_of_seconds(tmp_path):
    usual = estimate.seconds(eg(passes=20))
    assert estimate.seconds(eg(passes=40)) == pytest.approx(2 * usual, rel=0.05)
    assert usual < estimate.seconds(eg(passes=20_000)) < 500 * usual, "many end at their gap"
    assert estimate.seconds(eg("mnist:train=5900", passes=20)) == pytest.approx(usual / 10, rel=0.5)
    assert estimate.seconds(eg("ocr:words=300")) > estimate.seconds(eg("mnist:train=300"))
    assert estimate.seconds(eg(algorithm="cutting-plane", loss="hinge")) > estimate.seconds(eg())
    assert estimate.seconds(eg(seconds=0.5, passes=1e6)) == 1.5
    seconds = []
    for megabytes in (8, 0.8):
        file = tmp_path / "mine.txt"
        file.write_bytes(b"1 1:1\n" * int(megabytes * 1e6 / 6))
        seconds.append(estimate.seconds(eg(f"svmlight:{file}", passes=20)))
    assert seconds[0] > 3 * seconds[1]


def test_the_table_is_of_data_sets_and_families_that_there_are():
    assert {name.partition(" ")[0] for name in estimate.WORK} <= {*datasets.names()}
    assert {*estimate.SLOWER} <= {file.name for file in (ROOT / "algorithms").iterdir()}


def finish(spec, total, wall) -> None:
    synthetic_curves.write(results.runs(), spec)
    store.amend(store.read_run(results.runs() / spec.key), {"total_seconds": total, "wall_seconds": wall})
    estimate._finished.cache_clear()
    estimate._ratio.cache_clear()


def test_finished_runs_of_the_same_data_and_algorithm_count():
    usual = estimate.seconds(eg())
    finish(eg(C=1.0), 100.0, 90.0)
    assert estimate.seconds(eg()) == pytest.approx(100)
    assert estimate.seconds(eg(passes=400)) == pytest.approx(200, rel=0.05), "a kind with another limit"
    assert estimate.seconds(eg("mnist:train=100")) < usual, "other data"
    assert estimate.seconds(eg(algorithm="sgd")) == usual, "another algorithm"


def test_compiling_is_no_part_of_a_run_and_damaged_runs_tell_nothing():
    usual = estimate.seconds(eg())
    finish(eg(C=1.0), 60.0, 1.0)
    assert estimate.seconds(eg()) == pytest.approx(4)
    for total, wall in ((float("inf"), float("inf")), (-1.0, 1.0)):
        finish(eg(C=1.0), total, wall)
        assert estimate.seconds(eg()) == usual
    (results.runs() / eg(C=1.0).key / "summary.json").write_text("{")
    (results.runs() / "rubbish").mkdir()
    estimate._finished.cache_clear()
    estimate._ratio.cache_clear()
    assert estimate.seconds(eg()) == usual


def test_compiling_takes_longer_for_more_kinds_of_work_and_less_the_more_is_there(monkeypatch):
    there = set()
    monkeypatch.setattr(kernel_folder, "compiled", lambda: there)
    one, two, other = (
        estimate.compiling(specs) for specs in ([eg()], [eg(), eg(algorithm="sgd")], [eg(), eg("ocr")])
    )
    assert 0 < one < two < other and estimate.compiling([]) == 0
    there.update("abc")
    assert 0 < estimate.compiling([eg()]) < one
    there.update(map(str, range(200)))
    assert estimate.compiling([eg()]) == 0
