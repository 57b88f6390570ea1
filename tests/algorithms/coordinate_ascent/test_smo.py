"""SMO against the same transfers on all outputs written out, and what rests."""

from itertools import islice

import numpy as np
import pytest

from structbench.algorithms.coordinate_ascent import smo
from structbench.algorithms.learning.objective import Objective
from structbench.algorithms.learning.sampling import one_pass
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import multiclass
from tests.algorithms.coordinate_ascent.explicit import Explicit, first_of_ties
from tests.algorithms.oracle import case
from tests.algorithms.solvers import first, recomputed_dual
from tests.narrowing import not_none

C = 0.5


def visits(split, order="cyclic", transfers=1, rest=False, relaxation=1.0, C=C, seed=0):
    """The state, and its visits one by one: six examples, one a yield."""
    split = parts.compiled(split)
    state, objective = smo.at_gold(split), Objective(split, "hinge", C)
    rng = np.random.default_rng(seed)
    return state, smo.passes(state, objective, rng, order, transfers, rest, relaxation)


def dual(state, C=C) -> float:
    return state.losses.sum() - state.w @ state.w / (2 * C)


def own(state, i: int) -> np.ndarray:
    """A copy of the clique marginals of example i."""
    return state.b[state.starts[i] : state.starts[i + 1]].copy()


@first_of_ties
@pytest.mark.parametrize(
    ("order", "transfers", "relaxation", "C"),
    [("cyclic", 1, 1.0, 0.5), ("random", 1, 1.5, 0.05), ("permuted", 2, 0.5, 4.0), ("permuted", 3, 1.9, 2.0)],
)
def test_transfers_are_the_papers(name, order, transfers, relaxation, C):
    """Several in a visit see the weights that the last one made."""
    small = case(name, seed=2, density=1.0)
    state, run = visits(small.split, order, transfers, relaxation=relaxation, C=C, seed=7)
    explicit, rng, clipped = Explicit(small, C), np.random.default_rng(7), []
    for i in np.concatenate([one_pass(rng, 6, order) for _ in range(8)]):
        for _ in range(transfers):
            explicit.visits += 2
            gradient = explicit.gradient(i)
            y = int(np.argmax(gradient))
            z = explicit.worst(i, gradient, smo.FLOOR)
            violation, d = gradient[y] - gradient[z], small.examples[i].outputs[[y, z]]
            if violation <= 1e-12 * (1 + abs(gradient[y])):
                break
            best = relaxation * violation / max(explicit.curvature(i, d[0] - d[1]), 1e-300)
            clipped.append(best > explicit.mass(i, y, z))
            explicit.move(i, y, z, min(best, explicit.mass(i, y, z)))
        before = dual(state, C)
        point = next(run)
        assert (point.visits, point.scale) == (explicit.visits, 1 / C)
        conjugate, w = recomputed_dual(point)
        for each in (point.vector, w):
            np.testing.assert_allclose(each, explicit.w(), rtol=1e-9, atol=1e-9)
        assert conjugate == pytest.approx(not_none(point.dual).conjugate, rel=1e-9, abs=1e-9)
        np.testing.assert_allclose(own(state, i), explicit.b[i], atol=1e-9)
        np.testing.assert_allclose(state.losses, explicit.losses, atol=1e-9)
        assert dual(state, C) >= before - 1e-11 * (1 + abs(before))
    assert len(clipped) > 6 and not all(clipped)


def test_settled_examples_rest_and_at_the_optimum_it_ends():
    """Two outer points hold the optimum: all others meet the conditions and are looked at ever more rarely."""
    x = np.concatenate([[[1.0], [-1.0]], np.linspace(5, 9, 20)[:, None], -np.linspace(5, 9, 20)[:, None]])
    split = multiclass.build(ft.dense(x), (x[:, 0] < 0).astype(int), 2)
    made = {}
    for rest in (False, True):
        state, run = visits(split, rest=rest)
        points = [*islice(run, 4000)]  # 400 passes
        assert len(points) < 4000 if rest else len(points) == 4000
        made[rest] = points[-1].visits
        value = Objective(split, "hinge", C).evaluate(state.w / C, state.losses.sum())
        assert value.primal - value.dual <= 1e-9
    assert made[False] == 400 * 42 * 2
    assert made[True] < 0.05 * made[False]
    state, run = visits(split, rest=True)
    state.resting[:] = 5  # as if none had violated the conditions: all are looked at before the end
    assert len([*run]) > 10
    value = Objective(split, "hinge", C).evaluate(state.w / C, state.losses.sum())
    assert value.primal - value.dual <= 1e-9


def test_a_rest_is_twice_as_long_as_the_last_and_one_more_up_to_a_limit():
    resting, visited = np.zeros((2, 1), np.int64), []
    for sweep in range(200):
        if not smo.rests.python(resting, 0):
            visited.append(sweep)
            smo.update_shrinking.python(resting, 0, False, 50)
    assert (np.diff(visited) - 1).tolist() == [0, 1, 3, 7, 15, 31, 50, 50]
    smo.update_shrinking.python(resting, 0, True, 50)
    assert resting[1, 0] == 0


def test_the_average_keeps_the_dual_point():
    split = case("multiclass-dense").split
    plain, averaged = (first(120, "smo", split, "hinge", C, average=each) for each in (False, True))
    assert not plain[0].weights.any()
    expected = np.zeros_like(plain[0].weights)
    for k, (a, b) in enumerate(zip(plain[1:], averaged[1:], strict=True)):
        share = max(6 / (k + 6), 0.03)
        expected += share * (a.weights - expected)
        np.testing.assert_allclose(b.weights, expected, atol=1e-12)
        assert b.value.dual == a.value.dual
        assert (b.visits, b.conjugate) == (a.visits, a.conjugate)
    assert averaged[-1].value.primal != plain[-1].value.primal
