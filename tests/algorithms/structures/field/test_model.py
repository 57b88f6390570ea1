"""Markov fields beside chains and trees, at sizes that no oracle can write out, and what ``build`` refuses."""

import tracemalloc

import numpy as np
import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.field import model as field
from structbench.algorithms.structures.tree import model as tree
from tests.algorithms.compiled import operations

NODES, K = 60, 3


@pytest.mark.parametrize("scale", [1.0, 30.0, 1e4])
def test_a_field_that_is_a_tree(scale):
    rng = np.random.default_rng(0)
    parents = np.array([-1, *(int(rng.integers(t)) for t in range(1, NODES))])
    x, y = ft.dense(rng.normal(size=(NODES, 2))), rng.integers(K, size=NODES)
    edge_rows = rng.normal(size=(NODES, 2))
    edge_rows[0] = 0
    one = tree.build(x, np.array([NODES]), parents, y, K, ft.dense(edge_rows))
    ends = np.stack([parents[1:], np.arange(1, NODES)], axis=1)
    other = field.build(
        x, np.array([NODES]), y, K, ends, np.array([NODES - 1]), ft.dense(edge_rows[1:]), max_width=1
    )
    place = {tuple(pair): e for e, pair in enumerate(other.ends.tolist())}
    order = [place[tuple(pair)] for pair in ends.tolist()]
    s = scale * rng.uniform(-1, 1, size=int(parts.offsets(one)[-1]))

    def moved(v):
        """A part vector of the tree as one of the field, whose edges are in another order."""
        blocks = np.empty((NODES - 1, K * K))
        blocks[order] = v[NODES * K + K * K :].reshape(-1, K * K)
        return np.concatenate([v[: NODES * K + K * K], blocks.ravel()])

    w = rng.normal(size=parts.num_weights(one))
    want, got = operations(one, 0, w, s, s), operations(other, 0, w, moved(s), moved(s))
    assert got.log_z == pytest.approx(want.log_z, rel=1e-12)
    assert got.top == pytest.approx(want.top, rel=1e-12)
    np.testing.assert_allclose(got.mu, moved(want.mu), atol=1e-8)
    np.testing.assert_allclose(got.scores, moved(want.scores), atol=1e-10)
    np.testing.assert_allclose(got.moved, want.moved, atol=1e-8 * scale)
    np.testing.assert_array_equal(got.best_labels, want.best_labels)


def test_a_loop_through_its_transfer_matrix():
    """log Z of a ring is that of the trace of a power of one matrix."""
    rng = np.random.default_rng(1)
    n, tied = 40, rng.normal(size=(K, K))
    ends = [(v, (v + 1) % n) for v in range(n)]
    one = field.build(ft.dense(np.ones((n, 1))), np.array([n]), np.zeros(n, int), K, ends, np.array([n]))
    s = np.concatenate([np.zeros(n * K), tied.ravel()])
    got = operations(one, 0, np.zeros(parts.num_weights(one)), s, s)
    values = np.linalg.eigvals(np.exp(tied))
    assert got.log_z == pytest.approx(np.log((values**n).sum().real), rel=1e-12)
    nodes = got.mu[: n * K].reshape(n, K)
    np.testing.assert_allclose(nodes, np.tile(nodes[0], (n, 1)), atol=1e-12)


def ring(**other):
    given = {
        "x": ft.dense(np.ones((3, 1))),
        "lengths": np.array([3]),
        "y": np.array([0, 1, 0]),
        "num_labels": 2,
        "ends": np.array([(0, 1), (1, 2), (2, 0)]),
        "edge_counts": np.array([3]),
    }
    return field.build(**(given | other))


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"lengths": np.array([3, 0]), "edge_counts": np.array([3, 0])}, "graph 1 has no nodes"),
        ({"y": np.array([0, 1])}, "the graphs have 3 nodes, but there are 3 rows and 2 labels"),
        ({"edge_counts": np.array([2])}, "the graphs have 2 edges, but there are 3 pairs of ends and 3 kinds"),
        ({"y": np.array([0, 2, 0])}, r"label of node 1 of graph 0 must lie in -1 \.\. 1, not 2"),
        ({"counts": np.array([1, 1, 1])}, r"label of node 1 of graph 0 must lie in -1 \.\. 0, not 1"),
        ({"kinds": np.array([0, 1, 0])}, "kind of edge 1 of graph 0 must be 0, not 1"),
        ({"ends": np.array([(0, 1), (1, 2), (2, 3)])}, r"end of edge 2 of graph 0 must lie in 0 \.\. 2, not 3"),
        (
            {"ends": np.array([(0, 1), (1, 2), (2, 2)])},
            "edge 2 of graph 0 must join two nodes, not node 2 with itself",
        ),
    ],
)
def test_build_refuses_what_does_not_fit(other, message):
    with pytest.raises(UserError, match=message):
        ring(**other)


def test_a_width_over_the_limit_is_refused_with_the_number():
    assert ring(max_width=2).cliques.separators.tolist()
    with pytest.raises(UserError, match="graph 0, of 3 nodes, has width 2: expected at most 1"):
        ring(max_width=1)


def test_labellings_of_cliques_and_a_graph_with_too_many(monkeypatch):
    """A path of three nodes of 2, 3 and 1 labels, whose last is eliminated with nobody left, and a node alone."""
    rows, counts = ft.dense(np.ones((4, 1))), np.array([2, 3, 1, 3])
    given = rows, np.array([3, 1]), np.zeros(4, int), 3, [(0, 1), (1, 2)], np.array([2, 0])
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
