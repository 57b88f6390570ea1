"""Names of methods, their problems, and the performance profile."""

import numpy as np
import pytest

from structbench.bench.drawing import profiles
from structbench.bench.drawing.method_looks import labels, problems
from structbench.bench.runs.finished import machines
from structbench.bench.runs.spec import make
from tests.bench import synthetic_curves

DATA = "mnist:train=100"


def test_problems_are_sorted_by_rising_C_and_lines_named_by_what_differs() -> None:
    orders = ("random", "cyclic")
    grid = [make(DATA, "log", C, "eg", {"order": order}, passes=40.0) for C in (1, 10) for order in orders]
    grid += [make(DATA, "log", C, "sgd", passes=40.0) for C in (1, 10)]
    assert [problem[-1] for problem, _ in problems(grid)] == [1, 10]
    names = labels(grid)
    assert sorted(set(names.values())) == ["EG, order cyclic", "EG, order random", "SGD"]
    one = labels([make(DATA, "log", 1, "lbfgs"), make(DATA, "log", 1, "lbfgs", threads=2)])
    assert list(one.values()) == ["L-BFGS, 1 thread", "L-BFGS, 2 threads"]


def test_profile_compares_seconds_to_a_distance_from_the_best_dual_of_all() -> None:
    specs = [make(DATA, "log", 10, name, passes=40.0) for name in ("eg", "sgd", "lbfgs")]
    runs, names = synthetic_curves.of(), labels(specs)
    synthetic_curves.write(runs, specs[0], second_per_pass=1.0)
    run = synthetic_curves.write(runs, specs[1], second_per_pass=3.0, dual=0.0)
    assert run.curve["relative_gap"].to_numpy().min() == pytest.approx(1.0)
    synthetic_curves.write(runs, specs[2], second_per_pass=1.0, rate=0.01)
    (seconds,) = profiles.seconds_by_problem(problems(specs), names, 1e-4, runs)
    assert seconds["SGD"] == pytest.approx(3 * seconds["EG"])
    assert seconds["L-BFGS"] == np.inf
    ratios = [profiles._ratios([seconds], name) for name in ("EG", "SGD", "L-BFGS")]
    assert ratios == [[1.0], [pytest.approx(3.0)], [np.inf]]


def test_profile_leaves_out_a_problem_of_several_machines() -> None:
    specs = [make(DATA, "log", C, name, passes=40.0) for C in (10, 1) for name in ("eg", "sgd")]
    runs = synthetic_curves.of()
    for spec, host in zip(specs, ("a", "a", "a", "b"), strict=True):
        synthetic_curves.write(runs, spec, host=host)
    groups, names = problems(specs), labels(specs)
    assert len(profiles.seconds_by_problem(groups, names, 1e-4, runs)) == 2
    first, *_ = machines(runs.used)
    assert len(profiles.seconds_by_problem(groups, names, 1e-4, runs.timed_on(first))) == 1
    profiles.draw_profiles(specs, runs.timed_on(None))  # without any seconds, too
