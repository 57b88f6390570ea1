"""Orders of elimination beside the definition: the node next that joins the fewest pairs, of equals the first."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structbench.algorithms.structures.field.elimination import by_layers, min_fill, narrow


@settings(max_examples=100, derandomize=True, deadline=None)
@given(st.integers(1, 9), st.integers(0, 2**36 - 1))
def test_the_node_with_the_least_fill_is_next_and_its_neighbours_are_its_separator(nodes, chosen):
    pairs = [pair for bit, pair in enumerate(combinations(range(nodes), 2)) if chosen >> bit & 1]
    found = min_fill(nodes, np.array(pairs, int).reshape(-1, 2))
    around = {v: {u for pair in pairs for u in pair if v in pair} - {v} for v in range(nodes)}
    for v, separator in zip(*found, strict=True):
        fills = {u: sum(b not in around[a] for a, b in combinations(around[u], 2)) for u in around}
        assert v == min(around, key=lambda u: (fills[u], u))
        near = around.pop(v)
        assert separator == sorted(near, key=found.order.index)
        for u in near:
            around[u] |= near
            around[u] -= {u, v}
    assert not around and found.width == max(map(len, found.separators))


@settings(max_examples=100, derandomize=True, deadline=None)
@given(st.integers(1, 9), st.integers(0, 2**36 - 1))
def test_an_order_by_layers_has_the_separators_of_the_definition_too(nodes, chosen):
    pairs = [pair for bit, pair in enumerate(combinations(range(nodes), 2)) if chosen >> bit & 1]
    found = by_layers(nodes, np.array(pairs, int).reshape(-1, 2))
    around = {v: {u for pair in pairs for u in pair if v in pair} - {v} for v in range(nodes)}
    assert sorted(found.order) == [*range(nodes)]
    for v, separator in zip(*found, strict=True):
        near = around.pop(v)
        assert separator == sorted(near, key=found.order.index)
        for u in near:
            around[u] |= near
            around[u] -= {u, v}


@pytest.mark.parametrize("height, width", [(4, 5), (8, 8), (10, 12), (12, 10), (20, 6)])
def test_a_grid_has_the_width_of_its_shorter_side(height, width):
    number = np.random.default_rng(0).permutation(height * width).reshape(height, width)
    along = np.stack([number[:, :-1].ravel(), number[:, 1:].ravel()], axis=1)
    pairs = np.concatenate([along, np.stack([number[:-1].ravel(), number[1:].ravel()], axis=1)])
    assert narrow(height * width, pairs).width == min(height, width)
