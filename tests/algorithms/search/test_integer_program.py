"""Integer programs agree with matchings where these apply, and with brute force."""

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.search.integer_program import Constraint, best_alignment, best_derivation
from structbench.algorithms.structures.assignment import best_matching
from tests.algorithms.hypergraphs import drawn, totals

few = settings(max_examples=15, deadline=None, derandomize=True)
seeds = st.integers(0, 2**32 - 1).map(np.random.default_rng)


@settings(few, max_examples=60)
@given(seeds, st.integers(1, 9), st.booleans())
def test_the_best_derivation_that_keeps_constraints(rng, nodes, constrained):
    """None, or at most one edge of some and at least one of others, beside all derivations."""
    graph = drawn(nodes, rng)
    assume(graph.size > 0)
    theta = rng.normal(size=graph.size)
    theta[rng.random(graph.size) < 0.1] = -np.inf
    some, others = (rng.random((2, graph.size)) < 0.5).astype(float)
    limits = [Constraint(some, 0, 1), Constraint(others, 1, np.inf)] if constrained else []
    kept = graph.outputs
    if constrained:
        kept = kept[(kept @ some <= 1) & (kept @ others >= 1)]
    scores = totals(kept, theta)
    value, y = best_derivation(graph.first, graph.tails, theta, limits)
    assert value == pytest.approx(scores.max(initial=-np.inf))
    np.testing.assert_array_equal(y, kept[scores.argmax()] if value > -np.inf else 0)


@few
@given(seeds, st.integers(1, 7), st.integers(1, 7))
def test_alignments_of_fertility_one_are_the_best_matchings(rng, J, K):
    gains, partners = rng.normal(size=(J, K)), np.empty(J, np.int64)
    best_matching(gains, np.zeros(J, bool), partners)
    value, links = best_alignment(gains)
    np.testing.assert_array_equal(links, partners[:, None] == np.arange(K))
    assert value == pytest.approx((links * gains).sum())


@few
@given(seeds, st.integers(1, 3), st.integers(1, 4), st.integers(0, 2), st.integers(0, 2))
def test_alignments_of_any_fertility_against_all_of_them(rng, J, K, of_source, of_target):
    gains = rng.normal(size=(J, K))
    every = np.array(list(product([0, 1], repeat=J * K))).reshape(-1, J, K)
    kept = every[(every.sum(axis=2) <= of_source).all(axis=1) & (every.sum(axis=1) <= of_target).all(axis=1)]
    value, links = best_alignment(gains, of_source, of_target)
    worth = (kept * gains).sum(axis=(1, 2))
    assert value == pytest.approx(worth.max())
    np.testing.assert_array_equal(links, kept[worth.argmax()])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: best_alignment(np.full((2, 2), np.nan)), "finite scores, or minus infinity, not nan"),
        (lambda: best_alignment(np.full((2, 2), np.inf)), "finite scores, or minus infinity, not inf"),
        (lambda: best_alignment(np.zeros((2, 2)), -1), "source_fertility must be 0 or more, not -1"),
        (
            lambda: best_alignment(np.zeros((2, 2)), constraints=[Constraint(np.ones(3), 0, 1)]),
            "the constraints do not fit 4 parts",
        ),
    ],
)
def test_what_is_no_program_is_refused(call, message):
    with pytest.raises(UserError, match=message):
        call()
