"""Long vectors: as numpy, and the same bits on any number of threads."""

import numpy as np
import pytest

from structbench.algorithms.runtime import long_vectors, parallel


@pytest.mark.parametrize("size", [0, 1, long_vectors.BLOCK, 3 * long_vectors.BLOCK + 7])
def test_sums_are_right_and_have_the_same_bits_on_any_number_of_threads(size):
    a, b = np.random.default_rng(0).normal(size=(2, size))
    found = []
    for threads in (1, 2, 3):
        with parallel.using(threads):
            out = np.full(size, np.nan)
            found.append((long_vectors.inner(a, b), long_vectors.scale_to(0.5, a, out)))
            np.testing.assert_array_equal(out, 0.5 * a)
            long_vectors.clear(out)
            assert not out.any()
    assert found[0] == pytest.approx((a @ b, a @ a), rel=1e-12, abs=1e-9)
    assert found[1] == found[2] == found[0]
