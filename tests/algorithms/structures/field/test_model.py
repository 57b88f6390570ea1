"""Markov fields at sizes that no oracle can write out, and graphs that are too wide or too large."""

import tracemalloc

import numpy as np
import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.field import model as field
from structbench.bench.checks.operations import operations

K = 3


@pytest.mark.parametrize("scale", [1.0, 30.0])
def test_a_loop_through_its_transfer_matrix(scale):
    """Z of a ring is the trace of a power of one matrix."""
    n, tied = 40, scale * np.random.default_rng(1).normal(size=(K, K))
    ends = np.array([(v, (v + 1) % n) for v in range(n)])
    one = field.build(ft.dense(np.ones((n, 1))), np.array([n]), np.zeros(n, int), K, ends, np.array([n]))
    s = np.concatenate([np.zeros(n * K), tied.ravel()])
    got = operations(one, 0, np.zeros(parts.num_weights(one)), s, s)
    A = np.exp(tied - tied.max())
    around = np.linalg.matrix_power(A, n - 1)
    trace = np.trace(around @ A)
    assert got.log_z == pytest.approx(np.log(trace) + n * tied.max(), rel=1e-12)
    nodes, pairs = got.mu[: n * K].reshape(n, K), got.mu[n * K :].reshape(K, K)
    np.testing.assert_allclose(nodes, np.tile(np.diag(around @ A) / trace, (n, 1)), atol=1e-12)
    np.testing.assert_allclose(pairs, n * A * around.T / trace, atol=1e-10)
    assert got.gold.tolist() == [1, 0, 0] * n + [n, *[0] * (K * K - 1)]


def test_a_width_over_the_limit_is_refused_with_the_number():
    ends, three = np.array([(0, 1), (1, 2), (2, 0)]), np.array([3])
    triangle = ft.dense(np.ones((3, 1))), three, np.zeros(3, int), 2, ends, three
    assert field.build(*triangle, max_width=2).cliques.separators.tolist()
    with pytest.raises(UserError, match="graph 0, of 3 nodes, has width 2: expected at most 1"):
        field.build(*triangle, max_width=1)


def test_labellings_of_cliques_and_a_graph_with_too_many(monkeypatch):
    """A path of three nodes of 2, 3 and 1 labels, whose last is eliminated with nobody left, and a node alone."""
    rows, counts = ft.dense(np.ones((4, 1))), np.array([2, 3, 1, 3])
    given = rows, np.array([3, 1]), np.zeros(4, int), 3, np.array([(0, 1), (1, 2)]), np.array([2, 0])
    one = field.build(*given, counts=counts)
    np.testing.assert_allclose(field.labellings(one), [2 * 3 + 3 * 1 + 1, 3])
    assert "width 1: exact inference goes through 3 labellings of cliques a node, 13 in all" in one.cost()
    monkeypatch.setattr(field, "MOST", 9)
    with pytest.raises(
        UserError, match="graph 0, of 3 nodes, has 0 million labellings of cliques: expected at most"
    ):
        field.build(*given, counts=counts)


def test_a_graph_that_is_too_large_is_refused_before_anything_takes_memory(monkeypatch):
    """The inner products of the nodes of 100 paths of 100 nodes are 8 megabytes."""
    monkeypatch.setattr(field, "MOST", 100)
    n, nodes = 100, 100
    ends = np.tile([(t, t + 1) for t in range(nodes - 1)], (n, 1))
    x, edges, y = ft.dense(np.ones((n * nodes, 1))), ft.dense(np.ones((len(ends), 50))), np.zeros(n * nodes, int)
    tracemalloc.start()
    with pytest.raises(UserError, match="graph 0, of 100 nodes, has 0 million labellings"):
        field.build(x, np.full(n, nodes), y, 2, ends, np.full(n, nodes - 1), edges)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 2**21
