"""A context manager: BLAS and OpenMP use one thread as long as any thread of the process is within it."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from threadpoolctl import threadpool_limits


class _Runs:
    """How many blocks there are now. The first one lowers the number of the process, the last one restores it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.count = 0
        self.limits: threadpool_limits | None = None


_runs = _Runs()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Have BLAS and OpenMP use one thread within the block."""
    with _runs.lock:
        _runs.count += 1
        if _runs.count == 1:
            _runs.limits = threadpool_limits(1)
    try:
        yield
    finally:
        with _runs.lock:
            _runs.count -= 1
            if _runs.count == 0 and _runs.limits is not None:
                _runs.limits.restore_original_limits()


# another thread of the parent may hold the lock at a fork, and never releases it in the child
os.register_at_fork(after_in_child=lambda: setattr(_runs, "lock", threading.Lock()))
