"""Operations, dispatched on the type of a structure, so that algorithms are compiled once for all structures.

A structure is a ``NamedTuple`` of arrays that describes a whole data split. It has operations. The structure's own
kernels find them at compile time, by the type of their first argument. Algorithms know no structure: their kernels
find operations through the table of a handle (``handles``).
"""

import inspect
import re
from collections.abc import Callable
from functools import cache, cached_property
from typing import Any, cast, get_type_hints

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.handle import Handle
from structbench.algorithms.runtime.kernel import Kernel, type_in_kernels
from structbench.algorithms.runtime.own_folders import shown
from structbench.algorithms.structures.layouts import LAYOUTS, lineage


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
        structure = cast(Any, first).structure if isinstance(first, Handle) else first
        implementation = self.of(type(structure))
        if implementation is None:
            raise TypeError(f"{type(structure).__name__} does not implement {self.__name__}")
        result = implementation(structure, *rest)
        is_behind_a_handle = isinstance(first, Handle) and type(result) is first.kind
        return cast(Any, type(first))(result) if is_behind_a_handle else result

    @property
    def calls(self) -> list["Operation"]:
        """The operations that the default calls."""
        named = self.default.__code__.co_names if self.default else ()
        return [OPERATIONS[name] for name in named if name in OPERATIONS]

    @cached_property
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
        counts: it is the same whenever it is asked, so that a handle holds it for all examples.
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


def use_default(kind: type, name: str) -> None:
    """Let a structure take the default of an operation, not what its layout does."""
    operation = OPERATIONS[name]
    assert operation.default, f"{name} has no default"
    operation.implementations[kind] = operation.default


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
    """The type of a structure, behind a handle or not."""
    return structure.kind if isinstance(structure, Handle) else type(structure)


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
