"""Kernels: functions that numba compiles at their first call, and keeps for the next process.

numba is imported at the first call, so that listings cost nothing. Kernels release the interpreter lock and never
raise. A division by 0 follows IEEE arithmetic.
"""

import os
import sys
import threading
from collections.abc import Callable, Iterable
from functools import cache, update_wrapper
from typing import Any, cast

from structbench.algorithms.runtime import compiling
from structbench.algorithms.runtime.handle import Handle

COMPILED = not os.environ.get("NUMBA_DISABLE_JIT", "0").strip("0")  # else all kernels are plain Python

_building = threading.RLock()


class Kernel:
    """A compiled function; ``python`` is the Python function that it was made from."""

    __name__: str
    __qualname__: str

    def __init__(self, function: Callable, fastmath: Iterable[str], cached: bool, inline: bool = False) -> None:
        update_wrapper(self, function)
        self.python = function
        if fastmath or inline:
            function.compiled_with = f"fastmath {sorted(fastmath)}{' inline' * inline}"
        self._fastmath, self._cached, self._inline = set(fastmath), cached, inline
        self._dispatcher: Any = None
        self._inner: Any = None
        self._allowed: set[type] = set()

    @property
    def dispatcher(self) -> Any:
        """The numba object that Python calls."""
        if self._dispatcher is None:
            with _building:
                if self._dispatcher is None:
                    self._dispatcher = self._built(inner=False)
        return self._dispatcher

    @property
    def inner(self) -> Any:
        """The numba object that other kernels call: see ``inner_code``."""
        if self._inner is None:
            with _building:
                if self._inner is None:
                    self._inner = self._built(inner=True)
        return self._inner

    @property
    def overloads(self) -> list[Any]:
        """The types of arguments for which machine code exists."""
        return [types for each in (self._dispatcher, self._inner) if each is not None for types in each.overloads]

    def forget(self) -> None:
        """Have it compiled again, or loaded from its files."""
        self._dispatcher = self._inner = None

    def _built(self, inner: bool) -> Any:
        from numba import njit

        _imported()
        from structbench.algorithms.runtime import indirect_calls  # noqa: F401 - numba's type of a Handle

        options = {
            "nogil": True,
            "error_model": "numpy",
            "fastmath": self._fastmath or False,
            "no_cfunc_wrapper": True,
            "no_cpython_wrapper": inner,
        }
        if self._inline:  # without numba's counting of references, which it leaves in where a function branches
            options |= {"forceinline": True, "_nrt": False}
        dispatcher = njit(**options)(self.python)
        if inner:
            _without_literals(dispatcher)
        if self._cached and (not inner or hasattr(self.python, "outermost")):
            from structbench.algorithms.runtime.kernel_cache import KernelCache

            dispatcher._cache = KernelCache(self.python)  # pyright: ignore[reportAttributeAccessIssue] - numba's field
        return dispatcher

    @property
    def _numba_type_(self) -> Any:
        """Tells numba the function's type where another kernel calls this one."""
        return self.inner._numba_type_

    def __call__(self, *arguments: Any) -> Any:
        """Run it, compiled; operations that it asks of a structure are compiled first."""
        if not COMPILED:
            return self.python(*arguments)
        try:
            for argument in arguments:
                if isinstance(argument, Handle) and argument.kind not in self._allowed:
                    argument.require(self)
                    self._allowed.add(argument.kind)
            return (self._dispatcher or self.dispatcher)(*arguments)
        except BaseException:
            if self._cached and self._dispatcher:  # none if Ctrl-C came while numba was imported
                self._dispatcher._cache.give_up()
            raise


def type_in_kernels(function: Any) -> Any:
    """numba's type of a function that ``numba.extending`` made for kernels."""
    from numba.core.registry import cpu_target
    from numba.core.typing.context import Context

    context = cast(Context, cpu_target.typing_context)
    context.refresh()
    return context.resolve_value_type(function)


@cache
def _imported() -> None:
    """Set up numba once, when it has just been imported."""
    _without_blas()
    from structbench.algorithms.runtime import inner_code

    compiling.attach()
    inner_code.attach()


def _without_literals(dispatcher: Any) -> None:
    """Compile a kernel once for all numbers. numba alone compiles it again for each literal number in a call."""
    from numba.core import types

    typed = dispatcher.get_call_template
    dispatcher.get_call_template = lambda given, named: typed(tuple(map(types.unliteral, given)), named)


def _without_blas() -> None:
    """Have numba do without ``np.dot`` in kernels. It would import all of scipy.linalg: 0.4 s of each start."""
    name = "scipy.linalg.cython_blas"
    if name in sys.modules:
        return
    sys.modules[name] = None  # type: ignore[assignment] - what cannot be imported
    try:
        import numba.np.arraymath  # noqa: F401 - asks for it once
    finally:
        del sys.modules[name]


def kernel(function: Callable | None = None, *, fastmath: Iterable[str] = (), inline: bool = False) -> Any:
    """Decorate a function that numba compiles.

    Args:
        fastmath: what LLVM may do beyond IEEE arithmetic, such as ``reassoc``: sum up in another order.
        inline: become part of each kernel that calls it. Use it for functions of some hundred nanoseconds: a call
            with arrays can be half of that. It must make no array.
    """
    if function is None:
        return lambda function: Kernel(function, fastmath, True, inline)
    return Kernel(function, fastmath, True, inline)
