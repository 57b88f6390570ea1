"""Proximal steps that wait, against single ones."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from structbench.algorithms.gradient.lazy_steps import after_steps
from structbench.algorithms.learning.penalties import soft

NUMBERS = st.floats(-5, 5)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(NUMBERS, NUMBERS, st.floats(0.01, 4), st.lists(st.floats(1e-3, 2), max_size=30), st.integers(0, 5))
@example(-3.0, 2.0, 0.5, [0.5] * 20, 0)  # it crosses 0 without a stop
@example(-1.0, 2.0, 1.0, [0.1, 0.1, 0.25, 0.1], 1)  # and with one
@example(3.0, -2.0, 0.5, [0.5] * 20, 2)
@example(0.0, 2.0, 1.0, [0.5] * 3, 0)
@example(1.0, 0.5, 1.0, [0.5] * 10, 0)  # it stays at 0
@example(1.0, 1.0, 1.0, [0.5] * 10, 0)
def test_steps_at_once_are_single_steps_one_after_another(y, W, A, moves, first):
    sums = np.concatenate([[0.0], np.cumsum(moves)])
    first, want = min(first, len(moves)), np.array(y)
    for d in moves[first:]:
        want = soft(want + d * W, d * A)
    found = after_steps(y, W, A, sums, first, len(moves))
    assert found == pytest.approx(float(want), rel=1e-9, abs=1e-11)
    assert abs(W) > A or abs(found) <= abs(y)
