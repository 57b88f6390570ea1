"""L-BFGS: what it counts, where it ends, and what it leaves behind."""

import threading
from itertools import islice

import numpy as np
import pytest

from algorithms.learning.objective import Objective
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
