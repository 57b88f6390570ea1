"""Shares of a training split."""

from itertools import pairwise

import numpy as np
import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.datasets import data_ref
from structbench.datasets.problems.sampling import drawn


def test_smaller_shares_are_parts_of_larger_ones():
    draws = [drawn(200, share, 3) for share in (1, 5, 10, 50, 100)]
    assert [len(each) for each in draws] == [2, 10, 20, 100, 200]
    for small, large in pairwise(draws):
        assert set(small) <= set(large)
        assert (np.diff(small) > 0).all()
    assert not np.array_equal(drawn(200, 50, 3), drawn(200, 50, 4))
    np.testing.assert_array_equal(drawn(200, 50, 3), drawn(200, 50, 3))
    assert len(drawn(3, 1, 0)) == 1
    for option, message in (("share=0", "at least 1"), ("share=101", "at most 100"), ("draw=-1", "at least 0")):
        for name in ("web-records", "conll2007-relations"):
            with pytest.raises(UserError, match=f"{option[:4]}.* must be {message}, not"):
                data_ref(f"{name}:{option}")
