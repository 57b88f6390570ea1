"""Report which kernels numba compiles, while it does so: a first run waits for that longest.

A kernel that is loaded from its files is not reported.
"""

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

Listener = Callable[[str, bool], None]  # a kernel's name, and whether it is compiled now or only begun

_listeners: list[Listener] = []


@contextmanager
def heard(listener: Listener) -> Iterator[None]:
    """Within the block, call a function when the compilation of a kernel begins and when it ends."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def forget_listeners() -> None:
    """Tell nobody any more, in a forked process."""
    _listeners.clear()


def name_of(function: Callable) -> str:
    """A kernel's name, as its files begin: ``dual_variables.step``."""
    return f"{Path(inspect.getfile(function)).stem}.{function.__qualname__}"


def attach() -> None:
    """Have numba report to this module; it must be imported by now."""
    from numba.core import event

    class Follower(event.Listener):
        def on_start(self, event: Any) -> None:
            _tell(event.data["dispatcher"], False)

        def on_end(self, event: Any) -> None:
            _tell(event.data["dispatcher"], True)

    event.register("numba:compile", Follower())


def _tell(dispatcher: Any, done: bool) -> None:
    for listener in tuple(_listeners):
        listener(name_of(dispatcher.py_func), done)
