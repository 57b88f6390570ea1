"""Compiled loops over examples or features on several threads.

A kernel takes (first, last, ...) and writes only data of the items first .. last - 1. So the result has the same
bits for any number of threads. The threads are Python's, and the kernels release the interpreter lock. numba's
``prange`` cannot pass nested tuples of arrays, compiles far more slowly, and needs a threading layer.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

BLOCKS_PER_THREAD = 8  # for an even load if the items differ in cost

_pool: ThreadPoolExecutor | None = None
_threads = 1


def set_threads(count: int) -> None:
    """Use this many threads in all loops that follow."""
    global _pool, _threads
    if _pool is not None:
        _pool.shutdown()
    _threads = count
    _pool = ThreadPoolExecutor(count - 1) if count > 1 else None  # the caller's own thread works, too


def threads() -> int:
    """How many threads loops use."""
    return _threads


def blocks(items: int, count: int) -> list[tuple[int, int]]:
    """The blocks, (first, last), of a loop over these items on ``count`` threads."""
    number = min(items, BLOCKS_PER_THREAD * count)
    return [(items * b // number, items * (b + 1) // number) for b in range(number)]


def for_each(kernel: Callable[..., None], items: int, *arguments: Any) -> None:
    """Call kernel(first, last, *arguments) on blocks that cover 0 .. items - 1."""
    if _pool is None or items <= 1:
        kernel(0, items, *arguments)
        return
    left = iter(blocks(items, _threads))  # all threads take their next from it: a block more costs microseconds

    def work() -> None:
        for first, last in left:
            kernel(first, last, *arguments)

    jobs = [_pool.submit(work) for _ in range(min(_threads, items) - 1)]
    work()
    for job in jobs:
        job.result()
