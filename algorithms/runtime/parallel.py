"""Compiled loops over examples or features on several threads.

A kernel takes (first, last, ...) and writes only data of the items first .. last - 1. So the result has the same
bits for any number of threads. The threads are Python's, and the kernels release the interpreter lock. numba's
``prange`` cannot pass nested tuples of arrays, compiles far more slowly, and needs a threading layer.
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

BLOCKS_PER_THREAD = 8  # for an even load if the items differ in cost


class _Threads:
    """The threads of one block: the caller's own, and a pool of the others, which start when they are needed."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._pool: ThreadPoolExecutor | None = None
        self._process = 0  # that has the pool's threads

    def pool(self) -> ThreadPoolExecutor:
        """The pool, a new one in a forked process: the threads of its parent are not there."""
        if self._pool is None or self._process != os.getpid():
            self._pool, self._process = ThreadPoolExecutor(self.count - 1, "structbench"), os.getpid()
        return self._pool

    def end(self) -> None:
        """Wait for the threads of this process, and end them."""
        if self._pool is not None and self._process == os.getpid():
            self._pool.shutdown()


# each thread of a program has its own: two fits at once neither share a pool nor change each other's number
_current: ContextVar[_Threads | None] = ContextVar("threads", default=None)


@contextmanager
def using(count: int) -> Iterator[None]:
    """Use this many threads in all loops of the block."""
    found = _Threads(count)
    before = _current.set(found)
    try:
        yield
    finally:
        _current.reset(before)
        found.end()


def threads() -> int:
    """How many threads loops use here."""
    found = _current.get()
    return found.count if found else 1


def blocks(items: int, count: int) -> list[tuple[int, int]]:
    """The blocks, (first, last), of a loop over these items on ``count`` threads."""
    number = min(items, BLOCKS_PER_THREAD * count)
    return [(items * b // number, items * (b + 1) // number) for b in range(number)]


def for_each(kernel: Callable[..., None], items: int, *arguments: Any) -> None:
    """Call kernel(first, last, *arguments) on blocks that cover 0 .. items - 1."""
    found = _current.get()
    if found is None or found.count == 1 or items <= 1:
        kernel(0, items, *arguments)
        return
    left = iter(blocks(items, found.count))  # all threads take their next from it: a block more costs microseconds

    def work() -> None:
        for first, last in left:
            kernel(first, last, *arguments)

    pool = found.pool()
    jobs = [pool.submit(work) for _ in range(min(found.count, items) - 1)]
    work()
    for job in jobs:
        job.result()
