"""Random hypergraphs against all their derivations, written out in plain Python."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from structbench.algorithms.structures import hypergraph
from tests.algorithms.hypergraphs import (
    Hypergraph,
    argmin_in_support,
    best,
    drawn,
    entropy,
    entropy_slopes,
    k_best,
    log_conditionals,
    log_z,
    marginals,
    results,
    totals,
)

many = settings(max_examples=100, deadline=None, derandomize=True)
seeds = st.integers(0, 2**32 - 1).map(np.random.default_rng)
graphs = st.builds(drawn, st.integers(1, 8), seeds, st.sampled_from([0.1, 0.3, 0.5]))
useful = graphs.filter(lambda graph: len(graph.outputs) > 0)
scales = st.sampled_from([0.0, 0.1, 1.0, 100.0, 1e4])
blocked = st.sampled_from([0.0, 0.0, 0.2])  # share of the edges that score minus infinity


def scores(graph: Hypergraph, rng: np.random.Generator, scale: float, share: float = 0.0) -> np.ndarray:
    return np.where(rng.random(graph.size) < share, -np.inf, scale * rng.normal(size=graph.size))


def distribution(graph: Hypergraph, theta: np.ndarray) -> np.ndarray:
    """p_y(theta) of all derivations."""
    scores = totals(graph.outputs, theta)
    return np.exp(scores - log_z(scores))


def two_distributions(graph: Hypergraph, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The probabilities of edges under two of them."""
    return tuple(distribution(graph, rng.normal(size=graph.size)) @ graph.outputs for _ in range(2))


@many
@given(graphs, seeds, scales, blocked)
def test_sums_and_marginals_are_those_of_all_derivations(graph, rng, scale, share):
    theta = scores(graph, rng, scale, share)
    value, b = marginals(graph, theta)
    want = log_z(totals(graph.outputs, theta))
    assert value == pytest.approx(want, rel=1e-12, abs=1e-12)
    if want == -np.inf:
        np.testing.assert_array_equal(b, 0)
    else:
        np.testing.assert_allclose(b, distribution(graph, theta) @ graph.outputs, rtol=1e-9, atol=1e-300)
    alpha = np.full(len(graph.first) - 1, np.nan)  # the same of each node
    assert hypergraph.inside(graph.first, graph.tails, theta, alpha) == alpha[-1]
    want = [log_z(totals(graph.vectors(v), theta)) for v in range(len(alpha))]
    np.testing.assert_allclose(alpha, want, rtol=1e-12, atol=1e-12)


@many
@given(graphs, seeds, scales, blocked, st.booleans(), st.sampled_from([1, 2, 7, 1000]))
def test_the_k_best_are_those_of_a_sorted_list_and_the_best_is_the_first(graph, rng, scale, share, ties, k):
    theta = scores(graph, rng, scale, share)
    if ties:
        theta = np.where(np.isfinite(theta), rng.integers(-1, 2, size=graph.size), theta)
    count, Y, values = k_best(graph, theta, k)
    every = totals(graph.outputs, theta)
    want = np.sort(every[every > -np.inf])[::-1][:k]
    assert count == len(want)
    np.testing.assert_allclose(values[:count], want, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(totals(Y[:count], theta), values[:count], rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(values[count:], -np.inf)
    np.testing.assert_array_equal(Y[count:], 0)
    found = {tuple(y) for y in Y[:count]}
    assert found <= {tuple(y) for y in graph.outputs}
    if graph.outputs.size:
        assert len(found) == count  # no derivation twice
    top, y = best(graph, theta)
    assert top == pytest.approx(every.max(initial=-np.inf), rel=1e-12)
    np.testing.assert_array_equal(y, graph.outputs[every.argmax()] if count else 0)
    np.testing.assert_array_equal(Y[0], y)


@many
@given(useful, seeds, st.floats(0.1, 0.9))
def test_entropy_is_that_of_independent_choices(graph, rng, share):
    theta = rng.normal(size=graph.size)
    p = distribution(graph, theta)
    assert entropy(graph, p @ graph.outputs) == pytest.approx(-p @ np.log(p), abs=1e-10)
    q = distribution(graph, rng.normal(size=graph.size))
    mixture = share * p + (1 - share) * q
    mixed = mixture @ graph.outputs
    value = entropy(graph, mixed)
    assert value >= -mixture @ np.log(mixture) - 1e-10  # of all with these marginals it is the largest
    u = distribution(graph, log_conditionals(graph, mixed))
    assert value == pytest.approx(-u @ np.log(u), abs=1e-10)


@many
@given(useful, seeds, scales, blocked)
def test_entropy_of_far_scores_is_log_z_less_the_mean_score(graph, rng, scale, share):
    theta = scores(graph, rng, scale, share)
    value, b = marginals(graph, theta)
    assume(value > -np.inf)
    mean = np.where(b > 0, b * np.where(b > 0, theta, 0.0), 0.0).sum()
    assert entropy(graph, b) == pytest.approx(value - mean, abs=1e-11 * (1 + scale))


@many
@given(useful, seeds, st.floats(0.2, 0.8))
def test_slopes_of_the_entropy(graph, rng, share):
    b, c = two_distributions(graph, rng)
    mixed, d, step = share * b + (1 - share) * c, b - c, 1e-4
    got = entropy_slopes(graph, mixed, d)
    low, here, high = (entropy(graph, mixed + t * d) for t in (-step, 0.0, step))
    differences = (high - low) / (2 * step), (high + low - 2 * here) / step**2
    assert got == pytest.approx(differences, rel=1e-4, abs=1e-4)
    # p_y is the product of b_e / b_head(e): its logarithm has the derivatives g and h along d
    p = distribution(graph, log_conditionals(graph, mixed))
    used = mixed > 0
    node, moved = (np.where(used, graph.of_head(each), 1.0) for each in (mixed, d))
    edge = np.where(used, mixed, 1.0)
    g = graph.outputs @ np.where(used, d / edge - moved / node, 0.0)
    h = graph.outputs @ np.where(used, (moved / node) ** 2 - (d / edge) ** 2, 0.0)
    first = -(p * g) @ np.log(p)
    second = -(p * (g**2 + h)) @ np.log(p) - p @ g**2
    assert got == pytest.approx((first, second), rel=1e-9, abs=1e-9)


@many
@given(useful, seeds)
def test_slopes_are_infinite_where_a_probability_of_0_would_grow(graph, rng):
    y, z = (graph.outputs[rng.integers(len(graph.outputs))] for _ in range(2))
    inside = np.mean([y, z], axis=0)
    assert entropy_slopes(graph, y, z - y) == ((np.inf, -np.inf) if (y != z).any() else (0, 0))
    assert np.isfinite(entropy_slopes(graph, inside, z - y)).all()
    assert entropy_slopes(graph, inside, np.zeros(graph.size)) == (0, 0)


@many
@given(useful, seeds, st.sampled_from([0.0, 0.1, 0.4, 0.8]), st.booleans())
def test_the_least_derivation_within_the_support(graph, rng, quantile, ties):
    theta = rng.integers(-1, 2, size=graph.size).astype(float) if ties else rng.normal(size=graph.size)
    b = two_distributions(graph, rng)[0]
    floor = float(np.quantile(b, quantile))
    value, y = argmin_in_support(graph, theta, b, floor)
    inside = graph.outputs[(graph.outputs * b + (1 - graph.outputs) * (floor + 1) > floor).all(axis=1)]
    if len(inside):
        assert value == pytest.approx((inside @ theta).min(), abs=1e-12)
        np.testing.assert_array_equal(y, inside[(inside @ theta).argmin()])
    else:
        assert value == np.inf
        np.testing.assert_array_equal(y, 0)


@many
@given(useful, seeds)
def test_the_smallest_edge_that_another_derivation_lacks(graph, rng):
    b = two_distributions(graph, rng)[0]
    y, z = (graph.outputs[rng.integers(len(graph.outputs))] for _ in range(2))
    own = b[(y > 0) & (z == 0)]
    assert hypergraph.smallest(b, y, z) == own.min(initial=np.inf)


@many
@given(useful, seeds, st.floats(0.1, 0.9))
def test_log_conditionals_give_the_marginals_back(graph, rng, share):
    b, c = two_distributions(graph, rng)
    mixed = share * b + (1 - share) * c
    value, back = marginals(graph, log_conditionals(graph, mixed))
    assert value == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(back, mixed, rtol=1e-11)
    y = graph.outputs[rng.integers(len(graph.outputs))]  # edges without probability never come back
    value, back = marginals(graph, log_conditionals(graph, y))
    assert value == 0
    np.testing.assert_array_equal(back, y)


# ---- degenerate hypergraphs and scores -------------------------------------------------------------

NONE = {
    "no edge": Hypergraph([[]]),
    "no leaf": Hypergraph([[], [(0, -1)]]),
    "half": Hypergraph([[(-1, -1)], [], [(0, 1)]]),
}
TWO = Hypergraph(
    [[(-1, -1), (-1, -1)], [(-1, -1)], [(0, 1), (1, -1)]]
)  # derivations: {0, 2, 3}, {1, 2, 3}, {2, 4}


@pytest.mark.parametrize("name", NONE)
def test_no_derivation(name):
    graph = NONE[name]
    theta, none = np.ones(graph.size), np.zeros(graph.size)
    for value, y in (marginals(graph, theta), best(graph, theta)):
        assert value == -np.inf
        np.testing.assert_array_equal(y, none)
    count, Y, values = k_best(graph, theta, 2)
    assert (count, Y.any(), list(values)) == (0, False, [-np.inf, -np.inf])
    value, y = argmin_in_support(graph, theta, theta, 0.0)
    assert (value, y.any()) == (np.inf, False)
    assert entropy(graph, none) == 0
    assert entropy_slopes(graph, none, none) == (0, 0)
    np.testing.assert_array_equal(log_conditionals(graph, none), -np.inf)


@pytest.mark.parametrize("far", [353.0, 355.0, 700.0, 745.0, 1e4, 1e300])
def test_scores_that_lie_far_apart(far):
    theta = np.array([0.0, -far, 0.0, 0.0, -far])
    value, b = marginals(TWO, theta)
    small = np.exp(-far)
    assert value == pytest.approx(2 * small, abs=1e-15)
    np.testing.assert_allclose(b, [1, small, 1, 1, small], rtol=1e-12, atol=1e-307)
    for shifted in (theta + 1e4, theta - 1e4):  # the derivations have three edges or two
        value, b = marginals(TWO, shifted)
        every = totals(TWO.outputs, shifted)
        assert value == pytest.approx(log_z(every), rel=1e-12)
        np.testing.assert_allclose(b, distribution(TWO, shifted) @ TWO.outputs, atol=1e-150)
        assert best(TWO, shifted)[0] == every.max()


@pytest.mark.parametrize("edge", range(5))
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_no_number_leaves_none(bad, edge):
    theta = np.zeros(5)
    theta[edge] = bad
    value, b = marginals(TWO, theta)
    assert not np.isfinite(value)
    assert np.isnan(b).any()
    alpha = np.empty(3)
    assert not np.isfinite(hypergraph.inside(TWO.first, TWO.tails, theta, alpha))
    theta[[e for e in range(5) if e != edge]] = -np.inf
    value, b = marginals(TWO, theta)
    assert np.isnan(value) or value == (-np.inf if edge != 4 else np.inf)
    assert np.isnan(entropy(TWO, np.full(5, np.nan)))
    assert np.isnan(entropy_slopes(TWO, np.full(5, np.nan), theta)).all()
    for got in (best(TWO, theta)[1], k_best(TWO, theta, 2)[1]):
        assert set(np.ravel(got)) <= {0.0, 1.0}


@pytest.mark.parametrize("score", [0.0, 1e4, -1e4])
def test_binary_trees_over_forty_leaves(score):
    """All have 79 nodes; a Catalan number says how many there are."""
    n, number, edges = 40, {}, []
    for i, j in ((i, i + width) for width in range(1, n + 1) for i in range(n - width + 1)):
        number[i, j] = len(edges)
        halves = [(number[i, m], number[m, j]) for m in range(i + 1, j)]
        edges.append(halves or [(-1, -1)])
    trees = Hypergraph(edges)
    theta = np.full(trees.size, score)
    count = math.comb(2 * n - 2, n - 1) // n
    value, b = marginals(trees, theta)
    assert value == pytest.approx((2 * n - 1) * score + math.log(count), rel=1e-14)
    assert entropy(trees, b) == pytest.approx(math.log(count), rel=1e-10)
    split = np.flatnonzero((trees.tails == [number[0, 1], number[1, n]]).all(axis=1))
    others = math.comb(2 * n - 4, n - 2) // (n - 1)  # with the first leaf on its own
    np.testing.assert_allclose(b[split], others / count, rtol=1e-10)
    theta += np.random.default_rng(0).normal(size=trees.size)
    found, Y, values = k_best(trees, theta, 200)
    assert found == len({tuple(np.flatnonzero(y)) for y in Y}) == 200
    np.testing.assert_array_equal(Y.sum(axis=1), 2 * n - 1)
    np.testing.assert_allclose(Y @ theta, values, rtol=1e-12)
    assert (np.diff(values) <= 0).all()
    top, y = best(trees, theta)
    assert values[0] == top
    np.testing.assert_array_equal(Y[0], y)


def test_without_compilation(plain):
    np.testing.assert_allclose(results(), plain["hypergraphs"], rtol=1e-10, atol=1e-10)
