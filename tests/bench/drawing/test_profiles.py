"""Names of methods, their problems, and the performance profile."""

from pathlib import Path

import numpy as np
import pytest

from structbench.bench.drawing import profiles
from structbench.bench.drawing.problems import labels, problems
from structbench.bench.runs.finished import Runs, machines
from structbench.bench.runs.spec import make
from tests.bench import synthetic_curves

DATA = "mnist:train=100"


def grid():
    eg = [make(DATA, "log", C, "eg", {"order": o}, passes=40.0) for C in (1, 10) for o in ("random", "cyclic")]
    return eg + [make(DATA, "log", C, "sgd", passes=40.0) for C in (1, 10)]


def test_problems_are_sorted_by_falling_C() -> None:
    assert [problem[-1] for problem, _ in problems(grid())] == [10, 1]


def test_lines_are_named_by_what_differs() -> None:
    names = labels(grid())
    assert sorted(set(names.values())) == ["EG, order cyclic", "EG, order random", "SGD"]
    one = labels([make(DATA, "log", 1, "lbfgs"), make(DATA, "log", 1, "lbfgs", threads=2)])
    assert list(one.values()) == ["L-BFGS, 1 thread", "L-BFGS, 2 threads"]


def test_profile_compares_seconds_to_a_gap(tmp_path: Path) -> None:
    specs = [make(DATA, "log", 10, "eg", passes=40.0), make(DATA, "log", 10, "sgd", passes=40.0)]
    specs += [make(DATA, "log", 10, "lbfgs", passes=40.0)]
    for spec, second_per_pass, rate in zip(specs, (1.0, 3.0, 1.0), (1.0, 1.0, 0.01), strict=True):
        synthetic_curves.write(tmp_path, spec, second_per_pass=second_per_pass, rate=rate)
    runs, names = Runs(tmp_path), labels(specs)
    (seconds,) = profiles.seconds_by_problem(problems(specs), names, 1e-4, runs)
    assert seconds["SGD"] == pytest.approx(3 * seconds["EG"])
    assert seconds["L-BFGS"] == np.inf
    assert [profiles._ratios([seconds], name) for name in ("EG", "SGD", "L-BFGS")] == [
        [1.0],
        [pytest.approx(3.0)],
        [np.inf],
    ]


def test_profile_judges_a_primal_by_the_best_dual_of_all(tmp_path: Path) -> None:
    specs = [make(DATA, "log", 10, "eg", passes=40.0), make(DATA, "log", 10, "sgd", passes=40.0)]
    synthetic_curves.write(tmp_path, specs[0])
    run = synthetic_curves.write(tmp_path, specs[1], dual=0.0, second_per_pass=0.2)
    assert run.curve["relative_gap"].min() == pytest.approx(1.0)
    groups, names = problems(specs), labels(specs)
    (seconds,) = profiles.seconds_by_problem(groups, names, 1e-4, Runs(tmp_path))
    assert seconds["SGD"] == pytest.approx(2 * seconds["EG"])


def test_profile_leaves_out_a_problem_of_several_machines(tmp_path: Path) -> None:
    specs = [make(DATA, "log", C, name, passes=40.0) for C in (10, 1) for name in ("eg", "sgd")]
    for spec, host in zip(specs, ("a", "a", "a", "b"), strict=True):
        synthetic_curves.write(tmp_path, spec, host=host)
    groups, names = problems(specs), labels(specs)
    runs = Runs(tmp_path)
    assert len(profiles.seconds_by_problem(groups, names, 1e-4, runs)) == 2
    first, *_ = machines(runs.used)
    assert len(profiles.seconds_by_problem(groups, names, 1e-4, runs.timed_on(first))) == 1
    profiles.draw(specs, runs.timed_on(None))  # without any seconds, too
