"""Iterative scaling: its equation, the bound M, and that no iteration raises the objective."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.gradient.iterative_scaling import change
from algorithms.runtime.errors import UserError
from algorithms.structures import features as ft
from algorithms.structures import multiclass
from tests.algorithms.oracle import case
from tests.algorithms.solvers import first, solved

numbers = st.floats(1e-3, 1e3)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.one_of(st.just(0.0), numbers), st.floats(-1e3, 1e3), numbers, numbers)
def test_the_change_solves_its_equation(expected, right, C, M):
    (delta,) = change(np.array([expected]), np.array([right]), C, M)
    there = expected * np.exp(M * delta) if expected else 0.0
    assert there + C * delta == pytest.approx(right, rel=1e-6, abs=1e-9 * (1 + M * abs(right)))


def test_without_a_penalty_it_is_the_logarithm_of_observed_over_expected():
    expected, right = np.array([2.0, 0.5]), np.array([1.0, 3.0])
    np.testing.assert_allclose(change(expected, right, 1e-9, 4.0), np.log(right / expected) / 4, rtol=1e-6)


@pytest.mark.parametrize("name", ["chain-binary", "segments-binary", "forest-binary", "dependency-binary"])
def test_the_primal_falls_and_m_is_the_largest_sum(name):
    small = case(name)
    run = first(30, "iterative-scaling", small.split, "log", 0.3)
    assert (np.diff([point.value.primal for point in run]) < 0).all()
    largest = max((e.outputs @ e.features.sum(axis=1)).max() for e in small.examples)
    assert run[-1].notes["M"] == pytest.approx(largest)


def test_it_meets_the_optimum_of_counts():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, size=30)
    split = multiclass.build(ft.dense(rng.poisson(0.5 + np.eye(3)[y]).astype(float)), y, 3)
    there = solved("iterative-scaling", split, "log", 1.0, gap=1e-7).value
    assert there.primal == pytest.approx(solved("lbfgs", split, "log", 1.0, gap=1e-9).value.primal, rel=1e-7)


def test_negative_features_are_refused():
    with pytest.raises(UserError, match=r"iterative-scaling needs features of 0 or more.*is -\d"):
        first(2, "iterative-scaling", case("chain-dense").split, "log", 1.0)
    with pytest.raises(UserError, match=r"iterative-scaling needs features of 0 or more"):
        first(2, "iterative-scaling", case("multiclass-sparse").split, "log", 1.0)
