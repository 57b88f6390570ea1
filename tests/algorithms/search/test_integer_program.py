"""Integer programs agree with dynamic programming and with matchings where these apply, and with brute force."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.search.integer_program import Constraint, best_alignment, best_derivation
from structbench.algorithms.structures.assignment import best_matching
from structbench.algorithms.structures.dependency import cliques
from structbench.algorithms.structures.dependency.decoding import best_tree
from tests.algorithms.hypergraphs import best, chain, drawn, segments

few = settings(max_examples=15, deadline=None, derandomize=True)
seeds = st.integers(0, 2**32 - 1).map(np.random.default_rng)


@few
@given(seeds, st.integers(1, 12))
def test_the_best_derivation_of_any_hypergraph(rng, nodes):
    graph = drawn(nodes, rng)
    theta = rng.normal(size=graph.size)
    theta[rng.random(graph.size) < 0.1] = -np.inf
    top, y = best(graph, theta)
    value, found = best_derivation(graph.first, graph.tails, theta)
    assert value == pytest.approx(top)
    np.testing.assert_array_equal(found, y)


@few
@given(seeds, st.integers(1, 7), st.sampled_from([0, 1]))
def test_the_best_projective_tree(rng, length, single_root):
    s, heads = rng.normal(size=length * length), np.zeros(length + 1, np.int32)
    top = best_tree(length, s, single_root, heads)
    first, tails = cliques.hypergraph_of(length, single_root)
    arcs = cliques.arcs_of(length, single_root)
    value, y = best_derivation(first, tails, cliques.scores(arcs, s))
    assert value == pytest.approx(top)
    chosen = np.zeros(length * length)
    cliques.sum_over_arcs(arcs, y, chosen)
    assert chosen @ s == pytest.approx(top)


@few
@given(seeds, st.integers(1, 4), st.booleans())
def test_sequences_with_a_constraint_against_all_outputs(rng, length, whole):
    """At most one token, or segment, may have the label 0, and one must have the label 1: no chain can say so."""
    K = 3
    listed = segments(length, K, 2, -1) if whole else chain(length, K, observed=False)
    s = rng.normal(size=listed.parts.shape[1])
    theta, units = listed.parts @ s, listed.parts.shape[1] - K * K
    ones = [listed.parts[:, k:units:K].sum(axis=1) for k in range(2)]
    limits = [Constraint(ones[0], 0, 1), Constraint(ones[1], 1, np.inf)]
    outputs = listed.graph.outputs
    kept = outputs[(outputs @ ones[0] <= 1) & (outputs @ ones[1] >= 1)]
    value, y = best_derivation(listed.graph.first, listed.graph.tails, theta, limits)
    assert value == pytest.approx((kept @ theta).max(initial=-np.inf))
    assert (kept == y).all(axis=1).sum() == (len(kept) > 0)


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


def test_what_cannot_be_kept_has_no_output():
    graph = chain(2, 2, observed=False).graph
    theta = np.zeros(graph.size)
    value, y = best_derivation(graph.first, graph.tails, theta, [Constraint(np.ones(graph.size), 100, np.inf)])
    assert value == -np.inf and not y.any()


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
