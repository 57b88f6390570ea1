"""SMO against all outputs written out, and against bi-coordinate updates of explicit dual variables."""

from itertools import islice

import numpy as np
import pytest

from structbench.algorithms.coordinate_ascent import smo
from structbench.algorithms.learning.objective import Objective
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import multiclass
from tests.algorithms.oracle import CLIQUES, case, each_of, with_cliques
from tests.algorithms.solvers import first

FLOOR = smo.FLOOR
C = 0.5


def visits(split, order="cyclic", transfers=1, rest=False, relaxation=1.0, C=C, seed=0):
    """The state, and its visits one by one: six examples, one a yield."""
    split = parts.compiled(split)
    state, objective = smo.State(split), Objective(split, "hinge", C)
    rng = np.random.default_rng(seed)
    return state, smo.passes(state, objective, rng, order, transfers, rest, relaxation)


def dual(state, C=C) -> float:
    return state.losses.sum() - state.w @ state.w / (2 * C)


def own(state, i: int) -> np.ndarray:
    """A copy of the clique marginals of example i."""
    return state.b[state.starts[i] : state.starts[i + 1]].copy()


def cliques_of(split, i: int, y: np.ndarray) -> np.ndarray:
    b = np.empty(parts.num_cliques(split, i))
    parts.cliques_of_output(split, i, y, b)
    return b


@with_cliques
def test_a_visit_moves_mass_between_the_outputs_that_violate_most(name):
    """From the worst output with mass on all its cliques to the best: by the slope of the dual along the step."""
    small = case(name)
    state, run = visits(small.split)
    outputs = [[cliques_of(small.split, i, y) for y in e.outputs] for i, e in enumerate(small.examples)]
    moves = 0
    for i, example in list(enumerate(small.examples)) * 8:
        b, w, losses = own(state, i), state.w.copy(), state.losses[i]
        gradient = example.losses + example.outputs @ (example.features @ w) / C
        with_mass = [g for g, c in zip(gradient, outputs[i], strict=True) if b[c > 0].min() > FLOOR]
        violation = gradient.max() - min(with_mass)
        next(run)
        change = own(state, i) - b
        t = abs(change).max()
        slope = state.losses[i] - losses - (state.w - w) @ w / C
        assert slope == pytest.approx(t * violation, rel=1e-9, abs=1e-12)
        assert t > 0 or violation < 1e-9
        moves += t > 0
    assert moves > 6


@with_cliques
def test_no_other_step_along_the_line_is_better(name):
    small = case(name)
    state, run = visits(small.split)
    clipped = free = 0
    for i in list(range(len(small.examples))) * 10:
        b, w, losses = own(state, i), state.w.copy(), state.losses.copy()
        next(run)
        change = own(state, i) - b
        if not change.any():
            continue
        most = (b[change < 0] / -change[change < 0]).min()  # of the step made, until a clique has no mass
        assert most >= 1 - 1e-12
        for g in np.linspace(0, most, 41):
            between = w + g * (state.w - w)
            value = (losses + g * (state.losses - losses)).sum() - between @ between / (2 * C)
            assert value <= dual(state) + 1e-10
        clipped += most < 1 + 1e-9
        free += most > 1 + 1e-9
    assert clipped > 0
    assert free > 0


@with_cliques
def test_marginals_stay_those_of_a_distribution(name):
    """After many transfers: not below 0, a weighted mean of outputs', with w(u) and E[e] to 1e-9.

    The weights of that mean may be negative: such clique marginals are consistent wherever cliques meet.
    """
    split = case(name).split
    state, run = visits(split, "random", transfers=3, relaxation=1.3, C=0.05)
    for _ in islice(run, 2000):
        pass
    w, losses = np.zeros_like(state.w), []
    for i, example in enumerate(case(name).examples):
        b = own(state, i)
        assert b.min() >= -1e-12
        hull = np.vstack([example.cliques.T, np.ones(len(example.cliques))])
        of_outputs = hull @ np.linalg.lstsq(hull, np.append(b, 1))[0]
        np.testing.assert_allclose(of_outputs, np.append(b, 1), atol=1e-9)
        mu, e = np.empty(len(example.gold)), np.zeros(len(example.gold))
        parts.parts_of_cliques(split, i, b, mu)
        parts.add_costs(split, i, 1.0, e)
        w += (example.gold - mu) @ example.features
        losses.append(e @ mu)
    np.testing.assert_allclose(state.w, w, atol=1e-9)
    np.testing.assert_allclose(state.losses, losses, atol=1e-9)


@with_cliques
@pytest.mark.parametrize("C", [0.05, 2.0])
@pytest.mark.parametrize(("transfers", "relaxation"), [(1, 0.5), (1, 1.5), (4, 1.99)])
def test_the_dual_never_falls(name, C, transfers, relaxation):
    """From 0, where w = 0, with any relaxation below 2."""
    state, run = visits(case(name).split, "random", transfers, True, relaxation, C)
    duals = [dual(state, C)] + [dual(state, C) for _ in islice(run, 300)]
    assert duals[0] == 0
    assert (np.diff(duals) >= -1e-11 * (1 + np.abs(duals[1:]))).all()
    assert duals[-1] > 0.1


@each_of(name for name in CLIQUES if not name.startswith("candidates"))  # of which few settle at once
@pytest.mark.parametrize(("transfers", "relaxation"), [(2, 0.5), (3, 1.9)])
def test_relaxed_transfers_see_the_weights_that_the_last_one_made(name, transfers, relaxation):
    """A visit of several transfers is as many visits of one: scores are those of w(u) as it then is."""
    split = parts.take(case(name, density=1.0).split, np.array([0]))
    together, apart = (visits(split, "cyclic", count, True, relaxation, C=4.0) for count in (transfers, 1))
    for _ in range(2):
        next(together[1])
        for _ in range(transfers):
            next(apart[1])
        np.testing.assert_allclose(own(together[0], 0), own(apart[0], 0), atol=1e-12)
        np.testing.assert_allclose(together[0].w, apart[0].w, atol=1e-12)
    assert together[0].losses[0] > 0


def test_settled_examples_rest_and_at_the_optimum_it_ends():
    """Two outer points hold the optimum: all others meet the conditions and are looked at ever more rarely."""
    x = np.concatenate([[[1.0], [-1.0]], np.linspace(5, 9, 20)[:, None], -np.linspace(5, 9, 20)[:, None]])
    split = multiclass.build(ft.dense(x), (x[:, 0] < 0).astype(int), 2)
    made = {}
    for rest in (False, True):
        state, run = visits(split, rest=rest)
        assert len([*islice(run, 4000)]) < 4000 if rest else len([*islice(run, 4000)]) == 4000  # 400 passes
        made[rest] = state.visits
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
