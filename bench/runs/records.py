"""Records of JSON files: a dataclass or a named tuple says what a file holds, and readers of the file get it."""

import math
from collections.abc import Mapping
from dataclasses import is_dataclass
from functools import cache
from inspect import Parameter, signature
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.runs import documents

Record = TypeVar("Record")
NUMBER = (int, float, str, NoneType)  # JSON has neither NaN, which is null, nor infinity, which is a word


def read(kind: type[Record], file: Path, remedy: str) -> Record:
    """Return what a JSON file holds. Names that the record does not have are left out.

    Args:
        kind: The record. Fields with a default may be missing.
        remedy: What to do if the file is broken.

    Raises:
        UserError: It cannot be read, or has another shape; says where.
    """
    value = documents.read(file, _shape(kind), remedy)
    try:
        return made(kind, value)
    except ValueError as error:
        raise UserError(f"{file} is broken ({error}): {remedy}") from error


def made(kind: Any, value: Any) -> Any:
    """Return what a value of JSON stands for: a record, a number, or a list or dictionary of such.

    Raises:
        ValueError: A word stands for no number.
    """
    kind = _chosen(kind)
    if value is None:
        return math.nan if kind is float else None
    if _is_record(kind):
        return kind(**{name: made(each, value[name]) for name, each in _hints(kind).items() if name in value})
    if kind is float:
        return float(value)
    inner = get_args(kind)
    if isinstance(value, list) and inner:
        return (list if get_origin(kind) is list else tuple)(made(inner[0], each) for each in value)
    if isinstance(value, dict) and inner:
        return {name: made(inner[-1], each) for name, each in value.items()}
    return value


def plain(record: Any) -> Any:
    """Return a record, or a list or dictionary of some, as JSON has it; ``made`` gives it back."""
    if isinstance(record, float) and not math.isfinite(record):
        return None if math.isnan(record) else str(record)
    if _is_record(type(record)):
        return {name: plain(getattr(record, name)) for name in _hints(type(record))}
    if isinstance(record, dict):
        return {name: plain(each) for name, each in record.items()}
    return [plain(each) for each in record] if isinstance(record, list | tuple) else record


def _is_record(kind: Any) -> bool:
    return is_dataclass(kind) or hasattr(kind, "_fields")


_hints = cache(get_type_hints)


def _chosen(kind: Any) -> Any:
    """What is a list, a dictionary or a record among several types, such as that beside None; else all of them."""
    if get_origin(kind) not in (Union, UnionType):
        return kind
    return next((each for each in get_args(kind) if get_args(each) or _is_record(each)), kind)


@cache
def _shape(kind: Any) -> Any:
    """The shape of a record, or of a field's type, as ``documents.read`` takes it."""
    kind = _chosen(kind)
    if _is_record(kind):
        given = signature(kind).parameters
        hints = _hints(kind).items()
        return {name + "?" * (given[name].default is not Parameter.empty): _shape(each) for name, each in hints}
    if get_origin(kind) in (list, tuple):
        return [_shape(get_args(kind)[0])]
    if get_origin(kind) in (dict, Mapping):
        return {str: _shape(get_args(kind)[1])}
    if get_origin(kind) is not None:
        return tuple(one for each in get_args(kind) for one in (NUMBER if each is float else (each,)))
    return NUMBER if kind is float else kind
