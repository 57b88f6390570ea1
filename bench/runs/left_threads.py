"""Count the threads that earlier runs of this process have left: they may take time from the run that is made."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakSet

_LEFT: WeakSet[threading.Thread] = WeakSet()


@contextmanager
def noted() -> Iterator[int]:
    """While the block makes a run, note the threads that it starts; yields how many of earlier runs still run.

    Threads of a notebook, a server or a progress bar are nobody's run, and are not counted.
    """
    before = frozenset(threading.enumerate())
    try:
        yield sum(each.is_alive() for each in _LEFT)
    finally:
        started = (each for each in threading.enumerate() if each not in before)
        # the pool and the watcher of this project wait between two runs
        _LEFT.update(each for each in started if not each.name.startswith("structbench"))
