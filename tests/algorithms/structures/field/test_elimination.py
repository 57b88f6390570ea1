"""Orders of elimination: widths of graphs whose tree-width is known, and separators that separate."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structbench.algorithms.structures.field.elimination import min_fill


def cycle(n):
    return [(v, (v + 1) % n) for v in range(n)]


def grid(rows, columns):
    across = [(r * columns + c, r * columns + c + 1) for r in range(rows) for c in range(columns - 1)]
    return across + [(r * columns + c, (r + 1) * columns + c) for r in range(rows - 1) for c in range(columns)]


def complete(n):
    return [(u, v) for v in range(n) for u in range(v)]


GRAPHS = {
    "no edges": (4, [], 0),
    "one node": (1, [], 0),
    "chain": (9, [(v, v + 1) for v in range(8)], 1),
    "star": (6, [(0, v) for v in range(1, 6)], 1),
    "loop of 3": (3, cycle(3), 2),
    "loop of 6": (6, cycle(6), 2),
    "skip chain": (8, [*((v, v + 1) for v in range(7)), (1, 5)], 2),
    "complete": (5, complete(5), 4),
    "grid 3 x 3": (9, grid(3, 3), 3),
    "two parts": (6, [(0, 1), (1, 2), (2, 0), (3, 4)], 2),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_the_width_is_the_tree_width(name):
    nodes, pairs, width = GRAPHS[name]
    assert min_fill(nodes, np.array(pairs, int).reshape(-1, 2)).width == width


@settings(max_examples=60, derandomize=True, deadline=None)
@given(st.integers(1, 7), st.integers(0, 2**21 - 1))
def test_every_edge_is_in_a_clique_and_separators_are_of_later_nodes(nodes, chosen):
    pairs = [pair for bit, pair in enumerate(complete(nodes)) if chosen >> bit & 1]
    order, separators = min_fill(nodes, np.array(pairs, int).reshape(-1, 2))
    assert sorted(order) == list(range(nodes))
    rank = {v: p for p, v in enumerate(order)}
    cliques = [{v, *near} for v, near in zip(order, separators, strict=True)]
    for p, near in enumerate(separators):
        assert all(rank[u] > p for u in near)
        assert [rank[u] for u in near] == sorted(rank[u] for u in near)
        if near:  # what is left of a clique is in that of the next one of its nodes: running intersection
            assert set(near) <= cliques[rank[near[0]]]
    assert all(any({u, v} <= clique for clique in cliques) for u, v in pairs)
