"""Layouts: fields that several structures have, so that operations on them are compiled once for all of these."""

from functools import cache
from typing import Any, NamedTuple, get_type_hints

from structbench.algorithms.runtime.errors import UserError

LAYOUTS: set[type] = set()


def layout(kind: type) -> type:
    """Decorate a NamedTuple of fields that several structures have, which name it among their ``layouts``.

    Such a structure has the operations that its layouts implement. They are compiled once for all of them.
    """
    LAYOUTS.add(kind)
    return kind


def extended(name: str, smaller: type, **fields: Any) -> type:
    """The layout of this name: the fields of a smaller one, and more."""
    made = layout(NamedTuple(name, list((declared(smaller) | fields).items())))
    made.layouts, made.__module__ = (smaller,), smaller.__module__
    return made


@cache
def lineage(kind: type) -> tuple[type, ...]:
    """A structure, its layouts, and theirs.

    Raises:
        UserError: the structure lacks a field of a layout, or it has another type. Or its layouts do not contain
            each other.
    """
    found = [kind]
    for each in getattr(kind, "layouts", ()):
        if not {*declared(each).items()} <= {*declared(kind).items()}:
            raise UserError(f"{kind.__name__} must have all fields of {each.__name__}, of the same types")
        if record(kind)[: len(each._fields)] != record(each):
            raise UserError(f"{kind.__name__}: one of its layouts must have all fields of the others, and first")
        found += lineage(each)
    return tuple(found)


@cache
def record(kind: type) -> list[str]:
    """The fields in the order in which memory holds them: those of the largest layout first."""
    first = max((record(each) for each in getattr(kind, "layouts", ())), key=len, default=[])
    return [*first, *(name for name in kind._fields if name not in first)]


@cache
def declared(kind: type) -> dict[str, Any]:
    hints = get_type_hints(kind, include_extras=True)
    return {name: hints[name] for name in kind._fields}
