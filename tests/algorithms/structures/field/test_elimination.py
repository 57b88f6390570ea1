"""Orders of elimination beside the definition: the node next that joins the fewest pairs, of equals the first."""

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from structbench.algorithms.structures.field.elimination import min_fill


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
