"""Check the arguments of Python API calls against the type annotations of the function that is called."""

import inspect
import os
from collections.abc import Callable
from functools import wraps
from numbers import Integral, Real
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, TypeVar, cast, get_args, get_origin

from structbench.algorithms.runtime.errors import UserError

LONGEST = 60  # characters of a wrong value that are shown
KINDS = {  # annotation -> what may be given, in words
    str: (str, "a text"),
    int: (Integral, "a whole number"),
    float: (Real, "a number"),
    Path: (os.PathLike, "a path"),
    dict: (dict, "a dict"),
    NoneType: (NoneType, "None"),
}
F = TypeVar("F", bound=Callable)


def well_typed(function: F) -> F:
    """Have a function raise a UserError for an argument that is not of its declared type.

    It checks types that are classes, or in ``KINDS``, or unions of these, and no others.
    """
    signature = inspect.signature(function)

    @wraps(function)
    def call(*given: Any, **named: Any) -> Any:
        for name, value in signature.bind(*given, **named).arguments.items():
            annotation = signature.parameters[name].annotation
            union = get_args(annotation) if isinstance(annotation, UnionType) else (annotation,)
            kinds = [KINDS.get(get_origin(each) or each) or _class(each) for each in union]
            known = [kind for kind in kinds if kind]
            is_number = isinstance(value, bool) and bool not in union  # to Python True is 1
            fits = isinstance(value, tuple(kind[0] for kind in known)) and not is_number
            if len(known) == len(kinds) and not fits:
                said = value if isinstance(value, type) else repr(value)
                words = " or ".join(word for _, word in known)
                raise UserError(f"{name} must be {words}, not {str(said)[:LONGEST]}")
            if isinstance(value, str) and "\0" in value:
                raise UserError(f"{name} must be without NUL characters, not {value!r}")
        return function(*given, **named)

    return cast(F, call)


def _class(annotation: Any) -> tuple[type, str] | None:
    is_class = isinstance(annotation, type) and annotation not in (Any, inspect.Parameter.empty)
    return (annotation, f"of the class {annotation.__name__}") if is_class else None
