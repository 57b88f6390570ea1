"""A cache of compiled kernels, by a hash of all the code that each can reach, so that none is ever stale.

numba's own cache notices an edit only in the file of the cached kernel. It misses edits in the kernels that this
one calls. Here a kernel's files are named after everything that it can reach. That is the bytecode of the kernels
that it calls, directly or not, their constants, and the operations that they ask of a structure. An edit
recompiles only the kernels that it concerns. Comments and docstrings do not count. The folder is named after
Python, numba and the processor.
"""

import dis
import hashlib
import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, ClassVar, get_type_hints

import numpy as np
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator

from structbench.algorithms.runtime import settings
from structbench.algorithms.runtime.files import locked
from structbench.algorithms.runtime.kernel_folder import ROOT, folder

PATIENCE = 300.0  # seconds to wait for another process that compiles the same kernel
FOREIGN = ("numpy", "math", "numba")  # modules whose own version says what they do
CONSTANTS = (int, float, complex, str, bytes, bool, type(None), tuple, np.generic)


def reached(start: Callable, is_last: Callable[[Any], bool] = lambda thing: False) -> Iterator[Any]:
    """All that a kernel can reach, itself included, and the Python functions behind it.

    ``is_last`` says of a thing that the kernel needs nothing of what the thing itself reaches.
    """
    waiting, seen = [start], set()
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        yield thing
        if is_last(thing):
            continue
        if isinstance(thing, FunctionType):
            waiting += _named(thing)
        elif hasattr(thing, "python"):
            waiting.append(thing.python)
        waiting += getattr(thing, "reaches", ())


@cache
def _named(function: FunctionType) -> list[Any]:
    """The values of the globals that a function reads; attributes of modules in place of modules."""
    found = [cell.cell_contents for cell in function.__closure__ or ()]
    for code in _codes(function.__code__):
        module = None
        for step in dis.get_instructions(code):
            if module is not None and step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
                if module.__name__.partition(".")[0] not in FOREIGN:
                    found.append(getattr(module, step.argval))
                module = None
            elif step.opname == "LOAD_GLOBAL" and step.argval in function.__globals__:
                value = function.__globals__[step.argval]
                module = value if isinstance(value, ModuleType) else None
                found += [] if module else [value]
    return found


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def stamp(start: Callable) -> str:
    """Hash of everything that decides what a kernel computes."""
    digest = hashlib.sha256(_calls_through_pointers().encode())
    for each in settings.given().items():
        digest.update(repr(each).encode())
    for thing in reached(start):
        digest.update(_description(thing).encode())
    return digest.hexdigest()[:16]


@cache
def _calls_through_pointers() -> str:
    """The code by which kernels call operations and each other: it is in their code, but no kernel reaches it."""
    return code_of("indirect_calls") + code_of("inner_code")


@cache
def code_of(module: str) -> str:
    """The bytecode of a module of this room that is no kernel but writes machine code into kernels."""
    file = ROOT / "algorithms" / "runtime" / f"{module}.py"
    return _code(compile(file.read_text(encoding="utf-8"), module, "exec"), None)


def _description(thing: Any) -> str:
    """What a reached thing contributes to a stamp."""
    if isinstance(thing, FunctionType):
        name = f"{thing.__module__}.{thing.__qualname__}"
        options = getattr(thing, "compiled_with", "")
        return f"{name} {_code(thing.__code__, thing.__doc__)} {thing.__defaults__} {options}"
    if isinstance(thing, np.ndarray):
        return f"{thing.dtype} {thing.shape} {hashlib.sha256(np.ascontiguousarray(thing).data).hexdigest()}"
    if isinstance(thing, CONSTANTS):
        return repr(thing)
    if isinstance(thing, type):
        return _record(thing)
    return str(getattr(thing, "contract", ""))


def _record(kind: Any) -> str:
    """The name of a type and, of a NamedTuple, the names and types of its fields, and of theirs."""
    if not isinstance(kind, type) or not hasattr(kind, "_fields"):
        return repr(kind)
    hints = get_type_hints(kind, include_extras=True)
    return f"{kind.__qualname__}({', '.join(f'{name} {_record(hints[name])}' for name in kind._fields)})"


def _code(code: CodeType, doc: str | None) -> str:
    constants = [
        _code(constant, None) if isinstance(constant, CodeType) else repr(constant)
        for place, constant in enumerate(code.co_consts)
        if not (place == 0 and isinstance(constant, str) and constant == doc)
    ]
    return f"{code.co_code.hex()} {code.co_varnames} {code.co_names} {constants}"


class _Locator(_CacheLocator):
    """numba's hook: where a kernel's files are, and after what they are named."""

    def __init__(self, function: Callable) -> None:
        self._stamp = stamp(function)
        self._py_file = inspect.getfile(function)  # numba names it where it cannot keep a kernel

    @classmethod
    def from_function(cls, py_func: Callable, py_file: str) -> "_Locator":
        return cls(py_func)

    def get_cache_path(self) -> str:
        return str(folder())

    def get_source_stamp(self) -> str:
        return self._stamp

    def get_disambiguator(self) -> str:
        return self._stamp


class _Files(CompileResultCacheImpl):
    _locator_classes = [_Locator]  # noqa: RUF012 - numba's own way to name them


class KernelCache(FunctionCache):
    """numba's cache of a kernel under our names.

    One process compiles a missing kernel, and the others wait for it. Otherwise, two processes that start together
    would compile the same kernels side by side.
    """

    _impl_class = _Files
    _compiling: ClassVar[set["KernelCache"]] = set()

    def __init__(self, function: Callable) -> None:
        super().__init__(function)
        self._turn = ExitStack()  # holds a lock from a look in vain until what was compiled is saved

    @classmethod
    def give_up(cls) -> None:
        """Let others compile the kernels that this process began and did not finish; nobody waits for it then."""
        for each in tuple(cls._compiling):
            each._end()

    @property
    def is_kept(self) -> bool:
        """Whether the folder has the kernel, for some types of arguments."""
        return Path(self._cache_file._index_path).exists()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled kernel; None if this process must compile it, which is then its turn."""
        found = self._kept(sig, target_context)
        if found is None and self not in self._compiling:
            self._compiling.add(self)
            lock = Path(self.cache_path, f".{self._impl.locator.get_source_stamp()}.lock")
            with suppress(OSError):  # it cannot be made; or the process whose turn it is hangs: compile it, too
                self._turn.enter_context(locked(lock, PATIENCE))
                found = self._kept(sig, target_context)
            if found is not None:
                self._end()
        return found

    def _kept(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except OSError:
            return None
        except Exception:  # damaged, or of a type that has moved to another module
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled kernel; the user is told of an error of the disk."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            print(f"cannot keep compiled kernels in {self.cache_path}: {error.strerror or error}", file=sys.stderr)
        self._end()

    def _end(self) -> None:
        self._turn.close()
        self._compiling.discard(self)
