"""News of compiling, for which a first run waits longest: which kernels numba compiles, as it does.

A kernel that is loaded from its files is no news.
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
    """Have a function called as the compilation of each kernel begins and ends, for as long as the block."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def name_of(function: Callable) -> str:
    """A kernel's name, as its files begin: ``dual_variables.step``."""
    return f"{Path(inspect.getfile(function)).stem}.{function.__qualname__}"


def attach() -> None:
    """Follow numba, which is imported by now."""
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
