"""Sparse sums against dense ones."""

import numpy as np
import pytest

from structbench.algorithms.runtime import sparse_sum
from structbench.algorithms.runtime.sparse_sum import ROUNDING, add, combine, empty_sum, make_room


def read(total) -> tuple[np.ndarray, np.ndarray]:
    combine(total, ROUNDING)
    count = total.terms[0]
    total.terms[0] = 0
    assert not total.dense.any()
    return total.keys[:count], total.values[:count]


@pytest.mark.parametrize("terms", [0, 1, 7, 200])
def test_it_has_each_weight_once_in_the_order_of_first_terms(terms):
    rng = np.random.default_rng(terms)
    total = empty_sum(50)
    for _ in range(2):  # nothing is left of the first sum
        keys, values = rng.integers(0, 50, size=terms), rng.normal(size=terms)
        for key, value in zip(keys, values, strict=True):
            add(total, key, value)
        found, sums = read(total)
        assert found.tolist() == list(dict.fromkeys(keys.tolist()))
        np.testing.assert_allclose(sums, np.bincount(keys, values, minlength=50)[found], rtol=1e-12)


def test_what_cancels_is_left_out_and_nan_is_not():
    total = empty_sum(4)
    for key, value in ((3, 0.1), (2, np.nan), (3, 0.2), (0, 1.0), (3, -0.3)):
        add(total, key, value)
    found, sums = read(total)
    assert found.tolist() == [2, 0]
    np.testing.assert_array_equal(sums, [np.nan, 1.0])


def test_there_is_room_for_any_number_of_terms(monkeypatch):
    """Rows of as many features as there are weights, again and again."""
    monkeypatch.setattr(sparse_sum, "ROOM", 1)
    total = empty_sum(5)
    assert len(total.keys) == 10
    for _ in range(1000):
        make_room(total, 5)
        for key in range(5):
            add(total, key, 1.0)
    assert read(total)[1].tolist() == [1000.0] * 5
