"""A structure as kernels receive it: pointers to its fields and to a table of its compiled operations.

When a kernel is first called with a structure, the operations that it may call are compiled. It finds them through
the table of a ``StructureHandle`` (``runtime.indirect_calls``).
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from types import FunctionType
from typing import Annotated, Any, get_args, get_origin

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.handle import Handle
from structbench.algorithms.runtime.kernel import COMPILED, Kernel
from structbench.algorithms.structures.compiled import COUNTS, OPERATIONS, Operation
from structbench.algorithms.structures.layouts import declared, record

SLOTS = 128  # operations that a table has room for

_filling = threading.Lock()


class StructureHandle(Handle):
    """A structure as kernels of algorithms take it: its fields and the table of its operations in memory.

    It owns the record and, through ``structure``, the arrays.
    """

    __slots__ = ("_counts", "_record", "structure")

    def __init__(self, structure: Any) -> None:
        self.structure, self.kind = structure, type(structure)
        self._counts = _counts(structure)
        counts = [self._counts.ctypes.data, self._counts.shape[1]]
        words = [_table(self.kind).ctypes.data, *counts, *_words(structure)]
        self._record = np.array(words, np.int64)
        self.address = self._record.ctypes.data

    def require(self, kernel: Kernel) -> None:
        """Compile what a kernel may ask of the structure and what is not compiled yet.

        Raises:
            TypeError: the structure does not implement an operation that the kernel needs.
        """
        wanted = asked(kernel, self.kind)
        missing = [each.__name__ for each in wanted if each.of(self.kind) is None]
        if missing:
            raise TypeError(
                f"{self.kind.__name__} does not implement {', '.join(missing)}, which {kernel.__name__} needs"
            )
        prepare(self.kind, wanted)


def compiled(structure: Any) -> Any:
    """The structure as kernels take it: behind a handle, or itself where nothing is compiled."""
    return structure if isinstance(structure, StructureHandle) or not COMPILED else StructureHandle(structure)


def unwrap(split: Any) -> Any:
    """The structure behind a ``StructureHandle``."""
    return split.structure if isinstance(split, StructureHandle) else split


def prepare(kind: type, operations: Iterable[Operation]) -> None:
    """Compile those of the operations that the structure implements itself, and put them into its table."""
    from structbench.algorithms.runtime.indirect_calls import address_of

    table = _table(kind)
    with _filling:
        for each in operations:
            if not (table[each.slot] or each.counts) and (made := _behind(kind, each)):
                table[each.slot] = address_of(made.inner)


def is_kept(kind: type, asked: Operation) -> bool:
    """Whether the folder of kernels has a structure's own operation, or there is none."""
    made = _behind(kind, asked)
    return made is None or made.inner._cache.is_kept


def _behind(kind: type, asked: Operation) -> Kernel | None:
    owner, implementation = asked.owner(kind), asked.of(kind)
    return _entrance(owner, implementation) if owner and implementation and asked.compiled else None


def asked(kernel: Kernel, kind: type) -> list[Operation]:
    """The operations that a kernel can reach on a structure, which replaces defaults by its own."""
    from structbench.algorithms.runtime.kernel_cache import reached

    def is_own(thing: Any) -> bool:
        return isinstance(thing, Operation) and thing.owner(kind) is not None

    return [thing for thing in reached(kernel, is_own) if isinstance(thing, Operation)]


def _counts(structure: Any) -> np.ndarray:
    """What the operations in ``COUNTS`` say of each example, (counts, examples)."""
    num_examples, *others = [each.of(type(structure)) for each in COUNTS]
    count = num_examples(structure) if num_examples else 0
    found = np.zeros((sum(each.width for each in COUNTS[1:]), count), np.int64)
    for each, implementation in zip(COUNTS[1:], others, strict=True):
        if implementation:
            numbers = implementation(structure, np.arange(count))
            for k, row in enumerate(found[each.slot : each.slot + each.width]):
                row[:] = numbers[k] if each.width > 1 else numbers
    return found


def _words(structure: Any) -> Iterator[int]:
    """The fields in the order of ``record``, as ``runtime.indirect_calls`` lays them out.

    Raises:
        UserError: an array is not of the type that the structure declares.
    """
    for name, array, is_float in _fields(type(structure)):
        value = getattr(structure, name)
        if array:
            dtype, dimensions = array
            if not isinstance(value, np.ndarray):
                raise UserError(f"{type(structure).__name__}.{name} must be an array, not {type(value).__name__}")
            if value.dtype != dtype or value.ndim != dimensions or not value.flags.c_contiguous:
                raise UserError(
                    f"{type(structure).__name__}.{name} must be a contiguous {dtype} array of {dimensions} "
                    f"dimensions, not {value.dtype} of {value.ndim}"
                )
            yield value.ctypes.data
            yield from value.shape
        elif isinstance(value, tuple):
            yield from _words(value)
        elif is_float:
            yield int(np.float64(value).view(np.int64))
        else:
            yield int(value)


@cache
def _fields(kind: type) -> list[tuple[str, tuple[np.dtype[Any], int] | None, bool]]:
    """Each field in the order of ``record``: the type and dimensions of an array, and whether it is a number."""
    types = declared(kind)
    return [
        (name, get_args(types[name])[1:] if get_origin(types[name]) is Annotated else None, types[name] is float)
        for name in record(kind)
    ]


def in_memory(kind: type) -> str:
    """Which fields a handle has, in their order: machine code finds them by their places."""
    types = declared(kind)
    return str({name: types[name] for name in record(kind)})


@cache
def _table(kind: type) -> np.ndarray:
    """Pointers to the machine code of a structure's operations. Operations that no kernel needed so far have 0."""
    if len(OPERATIONS) > SLOTS:
        raise ValueError(f"there are {len(OPERATIONS)} operations, and room for {SLOTS}: raise SLOTS")
    return np.zeros(SLOTS, np.int64)


@cache
def _entrance(kind: type, implementation: Callable) -> Kernel:
    """The kernel behind a table's pointer. Each is cached on its own, so that runs share them."""
    from structbench.algorithms.runtime import indirect_calls

    asked = OPERATIONS[implementation.__name__]
    entrance = indirect_calls.entrance(kind, record(kind), asked.entry, asked.kernel(implementation).inner)
    entrance.reaches = [kind, *_called(kind, asked, implementation)]
    entrance.contract = in_memory(kind)
    name = f"{asked.__name__}_of_{kind.__name__}"
    function = FunctionType(_within.__code__, {"entrance": entrance}, name)
    function.__module__, function.__qualname__ = kind.__module__, name
    function.outermost = True
    return Kernel(function, (), cached=True)


def _called(kind: type, asked: Operation, implementation: Callable) -> list[Any]:
    """An operation, those that its implementation calls, and all their implementations."""
    from structbench.algorithms.runtime.kernel_cache import reached

    found, waiting = {}, [(asked, implementation)]
    while waiting:
        each, its = waiting.pop()
        if each not in found and its is not None:
            found[each] = its
            waiting += [(thing, thing.of(kind)) for thing in reached(its) if isinstance(thing, Operation)]
    return [*found, *found.values()]


entrance: Callable  # of the next function: ``_entrance`` gives it, since numba keeps no function with a closure


def _within():
    entrance()  # noqa: F821
