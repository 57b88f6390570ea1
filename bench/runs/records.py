"""Read JSON files into dataclasses or named tuples, whose field types they must match, and convert back."""

import math
from collections.abc import Mapping
from dataclasses import is_dataclass
from functools import cache
from inspect import Parameter, signature
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.runs import documents

Record = TypeVar("Record")
NUMBER = (int, float, str)  # JSON has no infinity, which is a word, and no NaN, which is null

_hints = cache(get_type_hints)


def read_record(kind: type[Record], file: Path, remedy: str) -> Record:
    """Return what a JSON file holds. Names that the record does not have are left out.

    Args:
        kind: The record. Fields with a default may be missing.
        remedy: What to do if the file is broken.

    Raises:
        UserError: It cannot be read, or holds something else; says where.
    """
    value = documents.content(file, dict, remedy)
    try:
        return made(kind, value)
    except ValueError as error:
        raise UserError(f"{file} is broken ({error}): {remedy}") from error


def made(kind: Any, value: Any, where: str = "it") -> Any:
    """Return the record, number, list or dictionary that JSON stands for; raises a ValueError if it is none."""
    if value is None:
        if kind is not float and kind is not Any and NoneType not in get_args(kind):
            raise ValueError(f"{where} is null")
        return math.nan if kind is float else None
    if get_origin(kind) is UnionType:
        kind = next((each for each in get_args(kind) if get_origin(each) or _is_record(each)), kind)
    if _is_record(kind):
        _check(value, dict, where)
        fields = signature(kind).parameters.items()
        if lacking := [name for name, each in fields if name not in value and each.default is Parameter.empty]:
            raise ValueError(f"{where} has no {lacking[0]!r}")
        hints = _hints(kind).items()
        return kind(**{name: made(of, value[name], f"{where}.{name}") for name, of in hints if name in value})
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (list, tuple):
        _check(value, list, where)
        return origin(made(inner[0], each, f"{where}[{k}]") for k, each in enumerate(value))
    if origin in (dict, Mapping):
        _check(value, dict, where)
        return {name: made(inner[1], each, f"{where}.{name}") for name, each in value.items()}
    if kind is float:
        _check(value, NUMBER, where)
        return float(value)
    if kind is not Any:
        _check(value, (*inner, int) if float in inner else inner or kind, where)
    return value


def plain(record: Any, words: bool = True) -> Any:
    """Return a record, or a list or dictionary of some, as JSON has it; ``made`` gives it back.

    words: Whether numbers that are not finite become words, or nothing for NaN; else they stay.
    """
    if isinstance(record, float) and words and not math.isfinite(record):
        return None if math.isnan(record) else str(record)
    if _is_record(type(record)):
        return {name: plain(getattr(record, name), words) for name in _hints(type(record))}
    if isinstance(record, dict):
        return {name: plain(each, words) for name, each in record.items()}
    return [plain(each, words) for each in record] if isinstance(record, list | tuple) else record


def _check(value: Any, kinds: Any, where: str) -> None:
    if wrong := documents.differs(value, kinds, where):
        raise ValueError(wrong)


def _is_record(kind: Any) -> bool:
    return is_dataclass(kind) or hasattr(kind, "_fields")
