"""Parse and check options of data sets and parameters of algorithms, the keyword-only arguments of a function."""

import inspect
import operator
import re
import sys
from collections.abc import Callable, Hashable, Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.names import meant

BOUNDS = {
    ">": (operator.gt, "above"),
    ">=": (operator.ge, "at least"),
    "<": (operator.lt, "below"),
    "<=": (operator.le, "at most"),
}
READ = "int, float, bool, str, Literal[...], or Annotated with bounds"  # the types of options
NO_YAML = re.compile(r"[-+]?[0-9][0-9.]*[eE][-+]?[0-9]+")  # a number in Python, a text in YAML
IN_A_NAME = "letters, digits and . + - _, without __ and no _ at the end"


Given = dict[str, Any]  # values by the names of options


class Word(str):
    """The type of a text that stands in the names of runs as it is."""


def is_word(text: str) -> bool:
    """Whether a text is ``IN_A_NAME``."""
    return re.fullmatch(r"[\w.+-]+", text) is not None and "__" not in text and not text.endswith("_")


def defaults(function: Callable) -> Given:
    """Keyword-only arguments with a default, and those defaults."""
    return dict(_defaults(function))


@cache
def _defaults(function: Callable) -> Given:
    arguments = _arguments(function).values()
    return {a.name: a.default for a in arguments if a.kind is a.KEYWORD_ONLY and a.default is not a.empty}


@cache
def _arguments(function: Callable) -> Mapping[str, inspect.Parameter]:
    """The function's arguments by name, kept because plans of thousands of runs ask again and again."""
    found = inspect.signature(function).parameters
    return {name: each.replace(annotation=_type(each.annotation, function)) for name, each in found.items()}


def _type(annotation: Any, function: Callable) -> Any:
    """The type that an annotation names; it is a text under ``from __future__ import annotations``."""
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, inspect.unwrap(function).__globals__)
    except Exception:  # of any kind: a name that only a type checker imports, and no option has
        return Any


def split_options(text: str) -> dict[str, str]:
    """``a=1,b=x`` as a dictionary of texts.

    Raises:
        UserError: a piece has no ``=``, or a name occurs twice.
    """
    found: dict[str, str] = {}
    for piece in filter(None, text.split(",")):
        name, equals, value = piece.partition("=")
        if not equals:
            raise UserError(f"{piece!r} is not of the form name=value")
        if name in found:
            raise UserError(f"{name!r} is given twice")
        found[name] = value
    return found


def typed_options(function: Callable, given: Given, owner: str) -> Given:
    """The given options, converted to the types that the function's annotations name.

    Raises:
        UserError: an option is unknown or its value does not fit. The sentence names ``owner``.
    """
    known = defaults(function)
    arguments = _arguments(function)
    typed = {}
    for name, value in given.items():
        if name not in known:
            hint = meant(str(name), known)
            raise UserError(f"{owner} has no option {name!r}: {hint}it has {', '.join(known) or 'none'}")
        if inspect.isfunction(function):
            _check_value(value, f"{owner}: {name}")
            _check_type(arguments[name], f"{owner}: {name}")
        typed[name] = _typed(value, arguments[name].annotation, f"{owner}: {name}")
    return typed


def check_types(function: Callable, owner: str) -> None:
    """Raise a UserError if an option has no type, or one that is not ``READ``: a text would be taken as it is."""
    for name in defaults(function):
        if name == "test":  # a test file is named by itself
            continue
        _check_type(_arguments(function)[name], f"{owner}: {name}")


def _check_type(argument: inspect.Parameter, what: str) -> None:
    wanted, usual = argument.annotation, argument.default
    if wanted is argument.empty:
        kind = "str | None" if usual is None else type(usual).__name__
        raise UserError(f"{what} has no type, such as {argument.name}: {kind} = {usual!r}")
    if not _is_read(wanted):
        raise UserError(f"{what} has the type {getattr(wanted, '__name__', wanted)}, and an option has {READ}")


def _is_read(wanted: Any) -> bool:
    """Whether ``_typed`` reads values of this type from a text."""
    if get_origin(wanted) is Annotated:
        return _is_read(get_args(wanted)[0])
    if get_origin(wanted) in (Union, UnionType):
        return all(_is_read(each) for each in get_args(wanted) if each is not NoneType)
    return get_origin(wanted) is Literal or wanted in (int, float, bool, str, Word)


def _check_value(value: Any, what: str) -> None:
    """Raise a UserError for a value that no command could give: names of runs hold it."""
    if value is None:
        raise UserError(f"{what} is None, which is no value: give one, such as 0 or '' for 'choose it'")
    if isinstance(value, tuple) or not isinstance(value, Hashable):
        kind = type(value).__name__
        raise UserError(f"{what} is a {kind}, and a parameter is a number, a text or a truth")


def _typed(value: Any, wanted: Any, what: str) -> Any:
    """``value`` as the type ``wanted``, maybe with bounds: ``Annotated[float, "> 0", "< 2"]``."""
    text = str(value)
    if wanted is Any or get_origin(wanted) in (dict, list):
        return _container(value, get_origin(wanted), what)
    if get_origin(wanted) in (Union, UnionType):  # a number, or one of some words
        wanted, *others = (each for each in get_args(wanted) if each is not NoneType)
        words = {str(word): word for each in others for word in get_args(each)}
        if text in words:
            return words[text]
        return _typed(value, wanted, f"{what} (or {', '.join(words)})" if words else what)
    if get_origin(wanted) is Annotated:
        wanted, *bounds = get_args(wanted)
        number = _typed(value, wanted, what)
        for sign, end in (bound.split() for bound in bounds):
            fits, said = BOUNDS[sign]
            if not fits(number, float(end)):
                raise UserError(f"{what} must be {said} {end}, not {text!r}")
        return number
    if get_origin(wanted) is Literal:
        values = {str(each): each for each in get_args(wanted)}
        if text not in values:
            raise UserError(f"{what} must be one of {', '.join(filter(None, values))}, not {text!r}")
        return values[text]
    if wanted is Word and not is_word(text):
        raise UserError(f"{what} must be {IN_A_NAME}, not {text!r}")
    if wanted is bool:
        if text.lower() not in ("true", "false"):
            raise UserError(f"{what} must be true or false, not {text!r}")
        return text.lower() == "true"
    if wanted in (int, float):
        try:
            number = wanted(text)
        except ValueError:
            kind = "a whole number" if wanted is int else "a number"
            raise UserError(f"{what} must be {kind}, not {text!r}") from None
        if not abs(number) <= sys.float_info.max:  # nor NaN
            raise UserError(f"{what} must be finite, not {text!r}")
        return number + 0  # -0.0 is 0
    return text


def _container(value: Any, wanted: type | None, what: str) -> Any:
    """``value`` itself, a list, a dictionary or, if ``wanted`` is None, anything."""
    if wanted is not None and not isinstance(value, wanted):
        form = "a list" if wanted is list else "of the form {name: value}"
        raise UserError(f"{what} must be {form}, not {value!r}")
    for name, inner in value.items() if wanted is dict else ():
        if isinstance(inner, str) and NO_YAML.fullmatch(inner):
            raise UserError(f"{what}: YAML reads {name} = {inner} as a text: write a dot and a sign, as in 1.0e-4")
    return value
