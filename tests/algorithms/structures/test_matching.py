"""Matchings against scipy's assignment; the learners that need no sums."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import matching
from structbench.algorithms.structures.assignment import best_matching
from structbench.bench.runs import catalogue
from tests.algorithms.drawn_features import dense
from tests.algorithms.matchings import case
from tests.algorithms.optima import optimum_of
from tests.algorithms.solvers import VARIANTS, others, recomputed, solved, start
from tests.algorithms.structures.test_interface import drawn, scores, seeds

ALL = {"parts", "argmax"}
LEARNERS = [
    (own, params, "l2")
    for own, params in VARIANTS.values()
    if "hinge" in catalogue.losses(own) and set(catalogue.needs_of(own, {})) <= ALL
] + [(own, params, penalty) for own, params, _, penalty in others() if set(catalogue.needs_of(own, params)) <= ALL]


@settings(max_examples=300, deadline=None, derandomize=True)
@given(seeds, st.integers(1, 12), st.integers(1, 12), scores, st.sampled_from([0.0, 0.5]))
def test_the_matching_is_worth_as_much_as_scipy_s(rng, J, K, drawn_as, share):
    gains, must = drawn(rng, J * K, *drawn_as).reshape(J, K), rng.random(J) < share
    partners = np.empty(J, np.int64)
    best_matching(gains, must, partners)
    chosen = [(j, k) for j, k in enumerate(partners) if k >= 0]
    assert len({k for _, k in chosen}) == len(chosen)
    assert all(gains[j, k] > (-np.inf if must[j] else 0) for j, k in chosen)
    missed = 1e9  # what a row costs that must be matched and is not
    alone = np.where(must, -missed, 0.0)[:, None] * np.ones(J)
    worth = np.concatenate([np.maximum(gains, -2 * missed), alone], axis=1)
    best = worth[linear_sum_assignment(worth, maximize=True)].sum()
    found = sum(gains[j, k] for j, k in chosen) - missed * (must & (partners < 0)).sum()
    assert found == pytest.approx(best, rel=1e-12, abs=1e-5)


@pytest.mark.parametrize("wild", [np.nan, np.inf, -np.inf])
def test_gains_that_are_no_numbers_end_in_some_matching(wild):
    gains = np.array([[wild, 1.0, wild], [2.0, wild, wild], [1.0, wild, 3.0]])
    partners = np.empty(3, np.int64)
    best_matching(gains, np.zeros(3, bool), partners)
    assert len(set(partners[partners >= 0])) == (partners >= 0).sum()
    if not wild > 0:
        assert [*partners] == [1, 0, 2]


def test_of_several_links_of_a_word_a_largest_matching_is_learned():
    x = ft.dense(np.zeros((6, 1)))
    split = matching.build(x, np.array([2]), np.array([3]), np.array([[0, 0, 0], [0, 1, 0], [0, 0, 2]]))
    assert [*split.y] == [3, 1] and [*split.links] == [1, 0, 1, 1, 0, 0]


@pytest.mark.parametrize(("algorithm", "params", "penalty"), LEARNERS)
def test_learners_that_need_no_sums_bound_the_optimum_and_come_near_it(algorithm, params, penalty):
    drawn, C = case(dense, np.random.default_rng(5), ((3, 3), (2, 3), (3, 2), (2, 2))), 0.3
    best = optimum_of(drawn, "hinge", C, penalty)
    objective, solver = start(algorithm, drawn.split, "hinge", C, penalty=penalty, **params)
    for iterate in islice(solver, 40):
        value = recomputed(drawn, objective, iterate)
        assert value.primal >= best * (1 - 1e-6)
        assert not value.dual > best * (1 + 1e-6)  # there may be none at w = 0
    solver.close()
    point = solved(algorithm, drawn.split, "hinge", C, 1e-2, penalty=penalty, **params)
    assert best * (1 - 1e-6) <= point.value.primal <= best * 1.05


def test_a_learner_that_needs_sums_is_refused_with_the_reason():
    split = case(dense, np.random.default_rng(0)).split
    with pytest.raises(
        UserError, match=r"eg needs marginals, which matching problems do not have \(the sum over all"
    ):
        catalogue.check_fit("eg", {}, split)
