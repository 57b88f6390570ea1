"""The figures of a grid of the user's: panels, names of lines, the performance profile."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bench.drawing import comparison, curves
from bench.drawing import draw as drawing
from bench.drawing.draw import draw
from bench.runs.finished import Runs, machines
from bench.runs.spec import make
from tests.bench import synthetic_curves

DATA = "mnist:train=100"


def grid():
    eg = [make(DATA, "log", C, "eg", {"order": o}, passes=40.0) for C in (1, 10) for o in ("random", "cyclic")]
    return eg + [make(DATA, "log", C, "sgd", passes=40.0) for C in (1, 10)]


def test_every_figure_of_a_grid_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "UNDATED", {"svg": {"Date": None}})  # one kind of file, for speed
    for spec in grid()[:-1]:
        synthetic_curves.write(tmp_path / "runs", spec)
    figures = comparison.figures("mine", grid())
    stem = "mnist-train=100-log"
    kinds = [f"{stem}-{kind}" for kind in ("gap-passes", "gap-seconds", "primal-seconds", "error-passes")]
    assert list(figures) == [*kinds, "profile"]
    for sidecar in draw("mine", figures, Runs(tmp_path / "runs"), tmp_path / "figures"):
        said = json.loads(sidecar.read_text())
        assert len(said["runs"]) == 5, sidecar
        assert said["missing"] == [grid()[-1].key]
        assert sidecar.with_suffix(".svg").stat().st_size > 5000


def test_problems_are_sorted_by_falling_C() -> None:
    assert [problem[-1] for problem, _ in comparison.problems(grid())] == [10, 1]


def test_lines_are_named_by_what_differs() -> None:
    names = comparison.labels(grid())
    assert sorted(set(names.values())) == ["EG, order cyclic", "EG, order random", "SGD"]
    one = comparison.labels([make(DATA, "log", 1, "lbfgs"), make(DATA, "log", 1, "lbfgs", threads=2)])
    assert list(one.values()) == ["L-BFGS, 1 threads", "L-BFGS, 2 threads"]


def test_profile_compares_seconds_to_a_gap(tmp_path: Path) -> None:
    specs = [make(DATA, "log", 10, "eg", passes=40.0), make(DATA, "log", 10, "sgd", passes=40.0)]
    specs += [make(DATA, "log", 10, "lbfgs", passes=40.0)]
    for spec, second_per_pass, rate in zip(specs, (1.0, 3.0, 1.0), (1.0, 1.0, 0.01), strict=True):
        synthetic_curves.write(tmp_path, spec, second_per_pass=second_per_pass, rate=rate)
    runs, names = Runs(tmp_path), comparison.labels(specs)
    (seconds,) = comparison.profile_seconds(comparison.problems(specs), names, 1e-4, runs)
    assert seconds["SGD"] == pytest.approx(3 * seconds["EG"])
    assert seconds["L-BFGS"] == np.inf
    assert [comparison._ratios([seconds], name) for name in ("EG", "SGD", "L-BFGS")] == [
        [1.0],
        [pytest.approx(3.0)],
        [np.inf],
    ]


def test_profile_judges_a_primal_by_the_best_dual_of_all(tmp_path: Path) -> None:
    specs = [make(DATA, "log", 10, "eg", passes=40.0), make(DATA, "log", 10, "sgd", passes=40.0)]
    synthetic_curves.write(tmp_path, specs[0])
    run = synthetic_curves.write(tmp_path, specs[1], dual=0.0, second_per_pass=0.2)
    assert run.curve["relative_gap"].min() == pytest.approx(1.0)
    groups, names = comparison.problems(specs), comparison.labels(specs)
    (seconds,) = comparison.profile_seconds(groups, names, 1e-4, Runs(tmp_path))
    assert seconds["SGD"] == pytest.approx(2 * seconds["EG"])


def test_profile_leaves_out_a_problem_of_several_machines(tmp_path: Path) -> None:
    specs = [make(DATA, "log", C, name, passes=40.0) for C in (10, 1) for name in ("eg", "sgd")]
    for spec, host in zip(specs, ("a", "a", "a", "b"), strict=True):
        synthetic_curves.write(tmp_path, spec, host=host)
    groups, names = comparison.problems(specs), comparison.labels(specs)
    runs = Runs(tmp_path)
    assert len(comparison.profile_seconds(groups, names, 1e-4, runs)) == 2
    first, *_ = machines(runs.used)
    assert len(comparison.profile_seconds(groups, names, 1e-4, runs.timed_on(first))) == 1
    comparison.draw_profile(specs, runs.timed_on(None))  # without any seconds, too


def test_a_pass_is_timed_without_the_set_up() -> None:
    curve = pd.DataFrame({"passes": [0.0, 1.0, 4.0], "wall_seconds": [2.0, 3.0, 10.0], "cpu_seconds": [1.0, 2, 3]})
    assert curves.seconds_per_pass(curve, "wall_seconds") == 2.0
    assert curves.seconds_per_pass(curve) == 0.5
    assert np.isnan(curves.seconds_per_pass(curve[:1]))


def test_suboptimality_leaves_rounding_out(tmp_path: Path) -> None:
    run = synthetic_curves.write(tmp_path, grid()[0], rate=2.0, floor=0.0)
    above = comparison.suboptimality(run.curve, curves.optimum([run]).primal)
    assert np.isnan(above[-1])
    assert above[0] == pytest.approx(5.0)
