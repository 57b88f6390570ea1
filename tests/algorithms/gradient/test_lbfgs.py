"""L-BFGS: what it counts, where it ends, and what it leaves behind."""

import threading
from itertools import islice

import numpy as np
import pytest

from structbench.algorithms.gradient.lbfgs import CURVATURE, SUFFICIENT, TRIALS, wolfe
from structbench.algorithms.learning.objective import Objective
from tests.algorithms.oracle import case, every_structure
from tests.algorithms.solvers import points, solved, start

ENOUGH = 60  # iterations


@every_structure
def test_it_reaches_the_optimum_to_rounding_and_stays_there(name):
    run = list(islice(points("lbfgs", case(name).split, "log", 1.0), ENOUGH))
    assert run[-1].relative_gap < 1e-11
    assert np.isfinite([point.weights for point in run]).all()


def test_every_evaluation_of_the_line_search_is_a_visit_to_all_examples(monkeypatch):
    split, made = case("chain-binary").split, []
    original = Objective.value_and_gradient

    def counted(self, w, *rest):
        made.append(w.copy())
        return original(self, w, *rest)

    monkeypatch.setattr(Objective, "value_and_gradient", counted)
    _, solver = start("lbfgs", split, "log", 1e-3)
    assert next(solver).visits == 0
    assert not made
    for iterate in islice(solver, ENOUGH):
        assert iterate.visits == 6 * len(made)
        assert iterate.notes["evaluations"] == len(made)
        assert any(np.array_equal(iterate.vector * iterate.scale, w) for w in made)
    assert len(made) > 3


@pytest.mark.parametrize("steps", [0, 1, 3])
def test_it_can_be_left_at_any_time(steps):
    threads = threading.active_count()
    _, solver = start("lbfgs", case("multiclass-dense").split, "log", 1.0)
    for _ in range(steps):
        next(solver)
    solver.close()
    assert threading.active_count() == threads


def test_an_error_in_the_objective_is_raised(monkeypatch):
    _, solver = start("lbfgs", case("multiclass-dense").split, "log", 1.0)
    next(solver)

    def fail(*given):
        raise MemoryError("no room")

    monkeypatch.setattr(Objective, "value_and_gradient", fail)
    with pytest.raises(MemoryError, match="no room"):
        next(solver)


def test_memory_limits_the_pairs():
    split = case("chain-sparse-edges").split
    visits = {m: solved("lbfgs", split, "log", 0.01, gap=1e-8, memory=m).visits for m in (1, 10)}
    assert visits[1] > visits[10]


@pytest.mark.parametrize("step", [1e-4, 0.05, 1.0, 1.9999, 30.0, 1e4])
@pytest.mark.parametrize(
    ("f", "slope"),
    [
        (lambda t: t**2 / 2 - t, lambda t: t - 1),
        (lambda t: np.exp(min(t, 700.0)) - 3 * t, lambda t: np.exp(min(t, 700.0)) - 3),
        (lambda t: np.sqrt(1 + (t - 5) ** 2), lambda t: (t - 5) / np.sqrt(1 + (t - 5) ** 2)),
    ],
)
def test_the_line_search_ends_at_the_first_step_that_meets_wolfe_s_conditions(f, slope, step):
    tried = []

    def trial(t):
        tried.append(t)
        return f(t), slope(t)

    found, trials = wolfe(trial, f(0), slope(0), step)
    falls = [f(t) <= f(0) + SUFFICIENT * t * slope(0) for t in tried]
    flatter = [slope(t) >= CURVATURE * slope(0) for t in tried]
    assert [*zip(falls, flatter, strict=True)].index((True, True)) == trials - 1 == len(tried) - 1
    assert found == f(tried[-1])
    assert tried[0] == step and trials < 20


def test_wolfe_s_conditions_may_hold_nowhere_and_forgive_rounding():
    assert wolfe(lambda t: (-t, -1.0), 0.0, -1.0, 1.0) == (None, TRIALS)
    rise = 1e6 * (1 + 5e-15)
    assert wolfe(lambda t: (rise, 0.0), 1e6, -1e-12, 1.0) == (rise, 1)
    assert wolfe(lambda t: (1e6 * (1 + 5e-14), 0.0), 1e6, -1e-12, 1.0) == (None, TRIALS)
