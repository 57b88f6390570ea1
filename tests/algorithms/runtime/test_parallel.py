"""Blocks of items on threads."""

import pytest

from structbench.algorithms.runtime import parallel


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("items", [0, 1, 5, 16, 1000])
def test_every_item_is_done_once(threads, items):
    done = [0] * items

    def kernel(first, last, amount):
        for i in range(first, last):
            done[i] += amount

    with parallel.using(threads):
        assert parallel.threads() == threads
        parallel.for_each(kernel, items, 2)
        assert done == [2] * items


def test_an_error_in_a_thread_is_raised():
    def kernel(first, last):
        if first <= 7 < last:
            raise FloatingPointError("item 7")

    with parallel.using(2), pytest.raises(FloatingPointError, match="item 7"):
        parallel.for_each(kernel, 20)
