"""Random hypergraphs against all their derivations, written out in plain Python.

``test_interface`` and ``test_cliques`` try them as forests, too.
"""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structbench.algorithms.structures import hypergraph
from structbench.algorithms.structures.forest import model as forest
from tests.algorithms.cases import Case, Example, Shape
from tests.algorithms.drawn_features import rows_of, sparse
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


def forest_case(shape: Shape, rng: np.random.Generator) -> Case:
    """Any hypergraphs that have a derivation, whose edges decide nothing."""
    graphs = []
    while len(graphs) < len(shape.lengths):
        graph = drawn(2 * shape.lengths[len(graphs)], rng)
        graphs += [graph] if len(graph.outputs) else []
    sizes, none = [graph.size for graph in graphs], np.zeros(3, int)
    x = sparse((sum(sizes), shape.columns), shape.density, rng)
    derivations, examples = [], []
    for graph, features in zip(graphs, np.split(rows_of(x), np.cumsum(sizes)[:-1]), strict=True):
        m, y = graph.size, graph.outputs
        losses, gold, labels = rng.normal(size=m), y[rng.integers(len(y))], np.zeros((len(y), 3), int)
        fields = graph.first, graph.tails, losses, gold, np.full(m, -1), np.zeros(m, int), none
        derivations.append(forest.Derivations(*fields))
        examples.append(Example(features, y, y, labels, y @ losses, gold, none))
    return Case(forest.build(x, derivations), examples, 0, first=False)


def two_distributions(graph: Hypergraph, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The probabilities of edges under two of them."""
    one, other = (distribution(graph, rng.normal(size=graph.size)) @ graph.outputs for _ in range(2))
    return one, other


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
        mean = (b * np.where(b > 0, theta, 0.0)).sum()
        assert entropy(graph, b) == pytest.approx(value - mean, abs=1e-11 * (1 + scale))
    alpha = np.full(len(graph.first) - 1, np.nan)  # the same of each node
    room = np.empty(len(alpha)), np.empty(len(theta))
    assert hypergraph.inside(graph.first, graph.tails, theta, alpha, *room) == alpha[-1]
    want = [log_z(totals(graph.vectors(v), theta)) for v in range(len(alpha))]
    np.testing.assert_allclose(alpha, want, rtol=1e-12, atol=1e-12)


@many
@given(useful, seeds, st.floats(0.2, 0.8))
def test_the_entropy_of_a_mixture_and_its_slopes(graph, rng, share):
    b, c = two_distributions(graph, rng)
    mixed, d = share * b + (1 - share) * c, b - c
    # p_y is the product of b_e / b_head(e): its logarithm has the derivatives g and h along d
    p = distribution(graph, log_conditionals(graph, mixed))
    used = mixed > 0
    node, moved = (np.where(used, graph.of_head(each), 1.0) for each in (mixed, d))
    edge = np.where(used, mixed, 1.0)
    g = graph.outputs @ np.where(used, d / edge - moved / node, 0.0)
    h = graph.outputs @ np.where(used, (moved / node) ** 2 - (d / edge) ** 2, 0.0)
    assert entropy(graph, mixed) == pytest.approx(-p @ np.log(p), abs=1e-10)  # of independent choices
    first = -(p * g) @ np.log(p)
    second = -(p * (g**2 + h)) @ np.log(p) - p @ g**2
    assert entropy_slopes(graph, mixed, d) == pytest.approx((first, second), rel=1e-9, abs=1e-9)
    # and infinite where a probability of 0 would grow
    y, z = (graph.outputs[rng.integers(len(graph.outputs))] for _ in range(2))
    inside = np.mean([y, z], axis=0)
    assert entropy_slopes(graph, y, z - y) == ((np.inf, -np.inf) if (y != z).any() else (0, 0))
    assert np.isfinite(entropy_slopes(graph, inside, z - y)).all()
    assert entropy_slopes(graph, inside, np.zeros(graph.size)) == (0, 0)


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
    theta, small = np.array([0.0, -far, 0.0, 0.0, -far]), np.exp(-far)
    np.testing.assert_allclose(marginals(TWO, theta)[1], [1, small, 1, 1, small], rtol=1e-12, atol=1e-307)
    for shifted in (theta + 1e4, theta - 1e4):  # the derivations have three edges or two
        value, b = marginals(TWO, shifted)
        every = totals(TWO.outputs, shifted)
        assert value == pytest.approx(log_z(every), rel=1e-12)
        np.testing.assert_allclose(b, distribution(TWO, shifted) @ TWO.outputs, atol=1e-150)
        assert best(TWO, shifted)[0] == every.max()


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
