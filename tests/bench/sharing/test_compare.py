"""Two runs side by side: what differs, from which checkpoint on, and whether they are equal bit for bit."""

import json
import math
import re

import numpy as np
import pandas as pd
import pytest

from structbench.bench.__main__ import main
from structbench.bench.runs import hosts, results, store, writing
from structbench.bench.sharing.compare import compare
from tests.bench import fake_runs
from tests.narrowing import not_none


def rewritten(run, folder, curve=None, weights=None, **summary):
    """The same run in another folder, with some of it changed."""
    made = run.curve if curve is None else curve
    weights = store.weights_of(run) if weights is None else weights
    writing.write_run(folder, run.spec.as_dict(), made, run.summary | summary, weights)
    return store.read_run(folder)


@pytest.fixture
def run(tmp_path):
    return fake_runs.write(tmp_path / "runs")


def test_runs_that_differ_in_times_alone_are_equal_bit_for_bit(run, tmp_path):
    slower = run.curve.assign(wall_seconds=3 * run.curve.wall_seconds, cpu_seconds=0.0)
    found = compare(run, rewritten(run, tmp_path / "slower", slower, wall_seconds=3 * run.summary["wall_seconds"]))
    assert found.equal and not found.spec and not found.provenance
    assert found.outcome["wall_seconds"].ratio == pytest.approx(3)
    assert found.outcome["primal"].ratio == 1
    apart = {"key", "message", "calibration_passes", "notes", "provenance", "sha256", "train_f1", "test_f1"}
    assert found.outcome.keys() == run.summary.keys() - apart
    assert found.curve.first_difference is None
    assert [level.ratios[1] for level in found.to_gap] == pytest.approx([3.0] * len(found.to_gap))


def test_one_bit_of_a_weight_or_of_a_checkpoint_is_seen(run, tmp_path):
    weights = store.weights_of(run)
    weights[7] = np.nextafter(np.float32(weights[7]), np.float32(np.inf))  # they are kept in float32
    assert not compare(run, rewritten(run, tmp_path / "one", weights=weights)).equal
    curve = run.curve.copy()
    curve.loc[30, "primal"] = math.nextafter(curve.loc[30, "primal"], math.inf)
    found = compare(run, rewritten(run, tmp_path / "two", curve))
    assert not found.equal and found.curve.first_difference is None
    assert 0 < found.curve.largest["primal"].relative < 1e-15
    assert found.curve.largest["primal"].passes == curve.loc[30, "passes"]


def test_the_first_difference_beyond_rounding_and_the_largest_are_found(run, tmp_path):
    curve = run.curve.copy()
    curve.loc[10, ["gap", "relative_gap"]] *= 1.1  # rounding of primal and dual can make that of a small gap
    curve.loc[20, "dual"] *= 1 + 1e-6
    curve.loc[40, "dual"] *= 1.5
    found = compare(run, rewritten(run, tmp_path / "other", curve)).curve
    first = not_none(found.first_difference)
    assert (first.passes, first.column) == (curve.loc[20, "passes"], "dual")
    assert first.values == [run.curve.loc[20, "dual"], curve.loc[20, "dual"]]
    assert found.largest["dual"] == (pytest.approx(1 / 3), curve.loc[40, "passes"])
    assert found.largest["primal"].relative == 0
    curve.loc[10, "primal"] = math.nan  # that one run alone has
    found = compare(run, rewritten(run, tmp_path / "other", curve)).curve
    first = not_none(found.first_difference)
    assert (first.passes, first.column) == (curve.loc[10, "passes"], "primal")
    assert found.largest["primal"] == (math.inf, curve.loc[10, "passes"])


def test_checkpoints_are_compared_after_the_same_visits(run, tmp_path):
    some = run.curve.iloc[::3].reset_index(drop=True)
    fewer = rewritten(run, tmp_path / "fewer", some)
    found = compare(run, fewer)
    assert found.curve.checkpoints == [60, 20] and found.curve.common == 20
    assert compare(fewer, run).curve.common == 20
    assert found.curve.first_difference is None and not found.equal


def test_specs_and_provenance_that_differ_are_named(run, tmp_path):
    other = fake_runs.write(tmp_path / "runs", seed=1, order="cyclic")
    other.summary["provenance"] |= {"host": "far", "others": 1.5, "started": "2027-01-01T00:00:00+00:00"}
    found = compare(run, other)
    assert found.spec == {"seed": [0, 1], "param_order": ["random", "cyclic"]}
    assert found.provenance == {"host": ["bench-host", "far"], "other_processes": [None, 1.5]}


def test_levels_go_down_as_far_as_one_of_them_gets(run, tmp_path):
    never = fake_runs.write(tmp_path / "runs", algorithm="sgd")
    slow = fake_runs.write(tmp_path / "runs", algorithm="lbfgs")
    levels = compare(run, slow).to_gap
    assert [level.relative_gap for level in levels[:3]] == [0.1, 0.01, 0.001]
    assert levels[-1].passes[0] < math.inf and levels[-1].passes[1] == math.inf
    assert levels[0].ratios[0] == levels[0].passes[1] / levels[0].passes[0] > 1
    assert {level.passes[1] for level in compare(run, never).to_gap} == {math.inf}
    assert compare(never, never).to_gap == []
    none = rewritten(run, tmp_path / "none", run.curve.assign(relative_gap=0.0))
    assert [level.relative_gap for level in compare(none, none).to_gap][-2:] == [1e-14, 1e-15]
    path = pd.concat([run.curve.assign(C=1000.0, relative_gap=1e-9), run.curve.assign(C=10.0)])
    found = compare(run, rewritten(run, tmp_path / "path", path.reset_index(drop=True)))
    assert all(level.ratios[0] == 1 for level in found.to_gap), "a path counts at its own C alone"


def test_the_verb_in_words_and_as_json(ours, capsys):
    two = fake_runs.write(hosts.runs("far"), algorithm="lbfgs", code="c0de")
    one = fake_runs.write(results.runs(), code="c0de")
    assert main(["compare", one.key, f"far:{two.key}"]) == 0
    said = capsys.readouterr().out
    assert "second / first" in said and "algorithm" in said and "the same provenance" in said
    assert "differ beyond rounding from pass" in said
    head = "relative gap  passes, first  passes, second  ratio  wall s, first  wall s, second  ratio"
    assert re.search(" +".join(re.split("  ", head)), said)
    assert main(["compare", one.key, str(one.folder)]) == 0
    assert "equal bit for bit" in capsys.readouterr().out
    assert main(["compare", one.key, f"far:{two.key}", "--json"]) == 0
    found = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert found["runs"] == [one.key, two.key] and found["spec"]["algorithm"] == ["eg", "lbfgs"]
    assert main(["compare", one.key, "none"]) == 2
    assert "there is no run 'none'" in capsys.readouterr().err


def test_seconds_of_runs_that_were_not_timed_alone_are_said(ours, capsys, tmp_path):
    runs = [fake_runs.write(results.runs(), algorithm=name) for name in ("eg", "lbfgs")]
    made = runs[0].summary["provenance"]
    store.amend(runs[0], {"provenance": made | {"alone": None}})
    store.amend(runs[1], {"provenance": made | {"alone": True}, "wall_seconds": 1.0, "cpu_seconds": 1.0})
    told = "1 of 2 runs was not timed alone, or was disturbed: seconds mean little there\n"
    words = [run.key for run in runs]
    assert main(["compare", *words]) == 0 and told in capsys.readouterr().err
    for x, is_said in (("seconds", True), ("passes", False)):
        main(["plot", *words, "--y", "gap", "--x", x, "--out", str(tmp_path / "a.svg")])
        assert (told in capsys.readouterr().err) is is_said
