"""Coordinate descent and naive SMO: both margins' optima, the slides' updates written plainly, and projections."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structbench.algorithms.coordinate_ascent.coordinate_descent import project
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import multiclass
from structbench.bench.runs import algorithm_module, catalogue
from tests.algorithms.linear import hard_margin
from tests.algorithms.optima import optimum
from tests.algorithms.oracle import COVERING, able, case
from tests.algorithms.solvers import first, general, solved
from tests.narrowing import number

LISTABLE = [name for name in COVERING if able(name, "k-best")]
FEW = (2, 1, 3, 2)  # lengths
SOLVERS = [name for name in (*general(), "naive-smo", "coordinate-descent") if "hinge" in catalogue.losses(name)]


@pytest.mark.parametrize("name", ["multiclass-dense", "chain-dense", "candidates-dense"])
def test_without_a_sum_it_meets_the_hard_margin(name):
    small = case(name, lengths=FEW, columns=30, density=1.0)  # more columns than outputs to tell apart
    w, value = hard_margin(small)
    point = solved("coordinate-descent", small.split, "hinge", 1e-3, gap=1e-6)
    assert point.relative_gap <= 1e-6
    np.testing.assert_allclose(point.weights, w, atol=1e-3 * np.abs(w).max())
    assert point.weights @ point.weights / 2 == pytest.approx(value, rel=1e-5)
    assert max(small.losses(point.weights, "hinge")) < 1e-6


@cache
def separable() -> tuple[Any, np.ndarray, float]:
    """Classes, their hard margin's w, and the largest C that has it: 1 / (the largest sum of dual variables)."""
    small = case("multiclass-dense", lengths=(1,) * 5, columns=8, density=1.0)
    free = solved("coordinate-descent", small.split, "hinge", 1e-6, gap=1e-9)
    return small.split, hard_margin(small)[0], 1 / number(free.notes, "largest_sum")


@pytest.mark.parametrize("name", SOLVERS)
def test_at_small_C_it_meets_the_hard_margin(name):
    split, w, C = separable()
    declared = algorithm_module.declaration(name)
    gap = 1e-6 if declared.promises.linear is True else 2e-3
    point = solved(name, split, "hinge", C / 2, gap=gap, **declared.settings.every_test)
    assert point.value.primal == pytest.approx(C / 2 * (w @ w) / 2, rel=2 * gap)
    # P is C-strongly convex: C ||v - w||^2 / 2 <= gap P
    assert (point.weights - w) @ (point.weights - w) <= 2 * gap * (w @ w)


def test_it_ends_where_a_pass_changes_nothing_whatever_the_size_of_the_features():
    x, lengths = np.random.default_rng(0).normal(size=(5, 8)), set()
    for size in (2.0**-14, 1.0, 2.0**14):
        split = multiclass.build(ft.dense(size * x), np.array([0, 1, 2, 0, 1]), 3)
        lengths.add(len(first(2000, "coordinate-descent", split, "hinge", 1e-3)))
    assert len(lengths) == 1 and max(lengths) < 2000


def test_data_that_cannot_be_separated_have_no_hard_margin():
    small = case("multiclass-sparse", lengths=(1,) * 12)
    run = first(300, "coordinate-descent", small.split, "hinge", 1.0)[1:]
    sums = [number(point.notes, "largest_sum") for point in run]
    assert sums[-1] > 1.5 * sums[len(sums) // 2] > 3 * sums[10]
    assert np.isnan(run[-1].value.dual)


@pytest.mark.parametrize("name", LISTABLE)
def test_with_the_sum_both_meet_the_soft_margin(name):
    small, best = case(name, lengths=FEW), optimum(name, "hinge", 2.0, lengths=FEW)
    for algorithm, params in (("coordinate-descent", {"constraint": "sum"}), ("naive-smo", {})):
        point = solved(algorithm, small.split, "hinge", 2.0, gap=1e-8, **params)
        assert point.relative_gap <= 1e-8, algorithm
        assert point.value.primal == pytest.approx(best, rel=1e-7), algorithm


@pytest.mark.parametrize("name", ["chain-sparse-edges", "segments-pieces"])
def test_with_the_sum_the_dual_never_falls_and_soon_the_gap_is_that_of_rounding(name):
    """The soft margin's dual is flat at its top: what rounding leaves of a rise must not end the run early."""
    run = first(800, "coordinate-descent", case(name, lengths=FEW).split, "hinge", 2.0, constraint="sum")[1:]
    duals = np.array([point.value.dual for point in run])
    assert (np.diff(duals) >= -1e-13 * duals[-1]).all()
    assert run[-1].relative_gap <= 1e-12
    assert next(point.visits for point in run if point.relative_gap <= 1e-6) <= 100 * len(FEW)


@pytest.mark.parametrize("algorithm", ["coordinate-descent", "naive-smo"])
def test_the_updates_are_the_slides(algorithm):
    """Of every output, or of every pair, of every example in file order."""
    small, C = case("multiclass-dense"), 0.8
    alphas = [np.zeros(len(e.outputs)) for e in small.examples]
    right = [int(np.flatnonzero((e.outputs == e.gold).all(axis=1))[0]) for e in small.examples]
    if algorithm == "naive-smo":
        for alpha, y in zip(alphas, right, strict=True):
            alpha[y] = 1 / C

    def weights() -> np.ndarray:
        return np.sum(
            [a @ (e.gold - e.outputs) @ e.features for a, e in zip(alphas, small.examples, strict=True)], axis=0
        )

    run = [p for p in first(30, algorithm, small.split, "hinge", C, order="cyclic") if p.visits % 6 == 0]
    for point in run[1:4]:
        for e, alpha, y in zip(small.examples, alphas, right, strict=True):
            f = e.outputs @ e.features
            for a in range(len(alpha)):
                if algorithm == "coordinate-descent" and a != y:
                    delta = f[y] - f[a]
                    alpha[a] = max(0, alpha[a] + (e.losses[a] - weights() @ delta) / (delta @ delta))
                for b in range(a + 1, len(alpha)) if algorithm == "naive-smo" else ():
                    t = (e.losses[a] - e.losses[b] - weights() @ (f[b] - f[a])) / ((f[b] - f[a]) @ (f[b] - f[a]))
                    if t < 0:
                        alpha[a], alpha[b] = max(alpha[a] + t, 0), min(alpha[b] - t, alpha[a] + alpha[b])
                    else:
                        alpha[a], alpha[b] = min(alpha[a] + t, alpha[a] + alpha[b]), max(alpha[b] - t, 0)
        np.testing.assert_allclose(point.weights, weights(), atol=1e-12)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(st.floats(-5, 5), min_size=2, max_size=6), st.floats(0.1, 5))
def test_a_projection_is_the_nearest_point(values, cap):
    """The Karush-Kuhn-Tucker conditions: what is lost is alike where something is left, and no more elsewhere."""
    v = np.array(values)
    found = v.copy()
    project(found, 1, cap)
    assert found[1] == 0 and found.min() >= 0 and found.sum() <= cap + 1e-12
    others = np.arange(len(v)) != 1
    lost = (v - found)[others]
    price = lost[found[others] > 0].max(initial=0.0)
    assert np.allclose(lost[found[others] > 0], price)
    assert (lost <= price + 1e-12).all() and price >= -1e-12
    assert price <= 1e-12 or found.sum() == pytest.approx(cap)


@pytest.mark.parametrize("algorithm", ["coordinate-descent", "naive-smo"])
def test_mistakes_get_a_sentence(algorithm):
    with pytest.raises(UserError, match=f"{algorithm} lists all outputs.*example 1 has more"):
        first(2, algorithm, case("chain-dense", lengths=(2, 8, 1)).split, "hinge", 1.0)
    with pytest.raises(UserError, match=f"{algorithm} needs a known label everywhere"):
        first(2, algorithm, case("multiclass-dense", unseen=0.5).split, "hinge", 1.0)
    with pytest.raises(UserError, match=f"{algorithm} needs k-best"):
        catalogue.check_fit(algorithm, {}, case("nonprojective-binary").split)
