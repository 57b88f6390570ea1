"""Structures behind pointers: each operation is compiled once per structure, each algorithm once for all.

When a kernel is first called with a structure, the operations that it may call are compiled.

A structure is a ``NamedTuple`` of arrays that describes a whole data split. It has operations. The structure's own
kernels find them at compile time, by the type of their first argument. Algorithms know no structure: their kernels
find operations through the table of a ``StructureHandle`` (``runtime.indirect_calls``).
"""

import inspect
import re
import threading
from collections.abc import Callable, Iterator
from functools import cache
from types import FunctionType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.handle import Handle
from structbench.algorithms.runtime.kernel import COMPILED, Kernel, type_in_kernels
from structbench.algorithms.runtime.own_folders import shown
from structbench.algorithms.structures.layouts import LAYOUTS, declared, lineage, record

SLOTS = 128  # operations that a table has room for

_filling = threading.Lock()


class Operation:
    """A function dispatched on the type of its first argument; ``implements`` adds a type.

    Kernels call a compiled operation; its annotations give its types. Python calls the others, which work on a
    whole split. For ``default`` and ``counts`` see ``operation``.
    """

    def __init__(self, declared: Callable, capability: str, compiled: bool, default: bool, counts: bool) -> None:
        self.__name__ = self.__qualname__ = declared.__name__
        self.__doc__, self.__module__ = declared.__doc__, declared.__module__
        self.capability, self.compiled, self.counts = capability, compiled, counts
        self.default = declared if default else None
        self.slot = sum(each.width for each in COUNTS[1:]) if counts else len(OPERATIONS)
        self.takes = [*inspect.signature(declared).parameters]
        self.implementations: dict[type, Callable] = {}
        self._kernels: dict[Callable, Kernel] = {}
        self._hints = get_type_hints(declared, include_extras=True)
        self._type: Any = None

    @property
    def contract(self) -> str:
        """The properties that kernels rely on."""
        return f"{self.__name__} {self.slot} {self._hints}"

    def of(self, kind: type) -> Callable | None:
        """The implementation for a structure: its own, that of one of its layouts, or the default."""
        if owner := self.owner(kind):
            return self.implementations[owner]
        return self.default if self.default and all(each.owner(kind) for each in self.calls) else None

    def owner(self, kind: type) -> type | None:
        """The structure, or its layout, that implements the operation; None if none does."""
        return next((each for each in lineage(kind) if each in self.implementations), None)

    def __call__(self, first: Any, *rest: Any) -> Any:
        """What the implementation for the structure gives."""
        structure = first.structure if isinstance(first, StructureHandle) else first
        implementation = self.of(type(structure))
        if implementation is None:
            raise TypeError(f"{type(structure).__name__} does not implement {self.__name__}")
        result = implementation(structure, *rest)
        return compiled(result) if isinstance(first, StructureHandle) and type(result) is first.kind else result

    @property
    def calls(self) -> list["Operation"]:
        """The operations that the default calls."""
        named = self.default.__code__.co_names if self.default else ()
        return [OPERATIONS[name] for name in named if name in OPERATIONS]

    @property
    def width(self) -> int:
        """How many numbers it gives."""
        return len(getattr(self._hints["return"], "_fields", "1"))

    @property
    def reaches(self) -> list[Callable]:
        """What kernels may call in its place."""
        return [self.default] if self.default else []

    def kernel(self, implementation: Callable) -> Kernel:
        """A compiled implementation, which only tables use."""
        if implementation not in self._kernels:
            self._kernels[implementation] = Kernel(implementation, (), cached=False)
        return self._kernels[implementation]

    @property
    def entry(self) -> Any:
        """Its place and its types in tables."""
        from structbench.algorithms.runtime.indirect_calls import Entry, numba_type

        takes = [numba_type(kind) for name, kind in self._hints.items() if name != "return"]
        return Entry(self.slot, self.__name__, tuple(takes), numba_type(self._hints["return"]))

    @property
    def _numba_type_(self) -> Any:
        """Tells numba the operation's type in kernels."""
        if self._type is None:
            self._type = self._typed()
        return self._type

    def _typed(self) -> Any:
        from numba import types
        from numba.extending import overload

        from structbench.algorithms.runtime.indirect_calls import HANDLE, caller, counter, is_there

        def call(first, *rest):
            """Stands for the operation in numba's tables."""

        through_table = (counter if self.counts else caller)(self.entry)

        def by_handle(first, *rest):
            return through_table(first, *rest)

        there = is_there(self.slot)
        default = Kernel(self.default or call, (), cached=False)

        def by_handle_or_default(first, *rest):
            return through_table(first, *rest) if there(first) else default(first, *rest)

        def resolve(first, *rest):
            if first is HANDLE or first == HANDLE:
                return by_handle_or_default if self.default else by_handle
            if isinstance(first, types.NamedTuple | types.NamedUniTuple):
                return self.of(first.instance_class)
            return None

        for each in (call, by_handle, by_handle_or_default):
            each.__name__ = each.__qualname__ = self.__name__
        overload(call, strict=False, jit_options={"error_model": "numpy"})(resolve)
        return type_in_kernels(call)


OPERATIONS: dict[str, Operation] = {}
COUNTS: list[Operation] = []  # operations that count; how many examples there are comes first


def operation(
    capability: str,
    *,
    compiled: bool = True,
    default: bool = False,
    counts: bool = False,
) -> Callable[[Callable], Operation]:
    """Turn a documented, empty function into an operation, which counts towards one of the ``capabilities``.

    Args:
        default: the function is not empty: it implements itself by other operations, for every structure without a
            faster way. So it counts towards no capability.
        counts: it is the same whenever it is asked, so that a ``StructureHandle`` holds it for all examples.
            Implementations are Python, and take the number of an example or an array of them.
    """

    def declare(declared: Callable) -> Operation:
        made = Operation(declared, capability, compiled, default, counts)
        OPERATIONS[made.__name__] = made
        COUNTS.extend([made] if counts else [])
        return made

    return declare


def implements(kind: type, *others: str) -> Callable[[Callable], Callable]:
    """Decorate the implementation, for the structure or layout ``kind``, of the operation of the same name.

    Args:
        others: names of operations that do the same on these structures.

    Raises:
        UserError: there is no operation of that name, or it takes other arguments, or the structure has no id, or
            another id than its file.
    """
    if kind not in LAYOUTS:
        _check_id(kind)

    def register(implementation: Callable) -> Callable:
        for name in (implementation.__name__, *others):
            _check(kind, name, implementation)
            OPERATIONS[name].implementations[kind] = implementation
        return implementation

    return register


def _check_id(kind: type) -> None:
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", str(getattr(kind, "id", ""))):
        raise UserError(
            f"{kind.__module__}: {kind.__name__} must have an id of small letters and hyphens, such as "
            f'id = "my-structure", not {getattr(kind, "id", None)!r}'
        )

    own = kind.__module__.removeprefix(f"{__package__}.").partition(".")[0].replace("_", "-")
    if kind.__module__.startswith(f"{__package__}.") and kind.id != own:
        raise UserError(
            f"{shown(inspect.getfile(kind))}: {kind.__name__} must have the id of its file, {own!r}, not "
            f"{kind.id!r}"
        )


def _check(kind: type, name: str, implementation: Callable) -> None:
    if name not in OPERATIONS:
        raise UserError(
            f"{kind.__name__}: {name} is the name of no operation that is imported: see "
            "structures/interface.py, and search/problem.py, which a search problem imports"
        )
    wanted, takes = OPERATIONS[name], [*inspect.signature(implementation).parameters]
    if len(takes) != len(wanted.takes):
        raise UserError(
            f"{kind.__name__}: {wanted.__name__} must take {len(wanted.takes)} arguments "
            f"({', '.join(wanted.takes)}), not ({', '.join(takes)})"
        )


def has(structure: Any, wanted: Operation) -> bool:
    """Whether the structure implements the operation."""
    return wanted.of(kind_of(structure)) is not None


def kind_of(structure: Any) -> type:
    """The type of a structure, behind a ``StructureHandle`` or not."""
    return structure.kind if isinstance(structure, StructureHandle) else type(structure)


@cache
def capabilities(kind: type) -> frozenset[str]:
    """The capabilities of a structure: those all of whose operations it implements."""
    names = {each.capability for each in OPERATIONS.values()}
    asked = [each for each in OPERATIONS.values() if each.default is None]
    lacking = {each.capability for each in asked if not each.owner(kind)}
    return frozenset(names - lacking)


def missing_operations(kind: type, capability: str) -> list[str]:
    """The operations of a capability that a structure does not implement, where it implements some of them."""
    asked = [each for each in OPERATIONS.values() if each.capability == capability and each.default is None]
    missing = [each.__name__ for each in asked if not each.owner(kind)]
    return missing if len(missing) < len(asked) else []


# ---- splits ----------------------------------------------------------------------------------------


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
        asked = _asked(kernel)
        missing = [each.__name__ for each in asked if each.of(self.kind) is None]
        if missing:
            raise TypeError(
                f"{self.kind.__name__} does not implement {', '.join(missing)}, which {kernel.__name__} needs"
            )
        from structbench.algorithms.runtime.indirect_calls import address_of

        table = _table(self.kind)
        with _filling:
            for each in asked:
                if not (table[each.slot] or each.counts) and each.owner(self.kind):
                    made = _entrance(each.owner(self.kind), each.of(self.kind))
                    table[each.slot] = address_of(made.inner)


def compiled(structure: Any) -> Any:
    """The structure as kernels take it: behind a handle, or itself where nothing is compiled."""
    return structure if isinstance(structure, StructureHandle) or not COMPILED else StructureHandle(structure)


def unwrap(split: Any) -> Any:
    """The structure behind a ``StructureHandle``."""
    return split.structure if isinstance(split, StructureHandle) else split


def _asked(kernel: Kernel) -> list[Operation]:
    """The operations that a kernel can reach."""
    from structbench.algorithms.runtime.kernel_cache import reached

    return [thing for thing in reached(kernel) if isinstance(thing, Operation)]


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
    types = declared(type(structure))
    for name in record(type(structure)):
        kind, value = types[name], getattr(structure, name)
        if get_origin(kind) is Annotated:
            _, dtype, dimensions = get_args(kind)
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
        else:
            yield int(value)


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
    entrance.contract = str(declared(kind))
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
