"""Data sets: one module each, found by its name, with hyphens for underscores.

A data set is written as its name, maybe with options (``conll2000:sentences=500``), or, for one that reads
the user's own file, as its name and the file's path (``svmlight:PATH``), maybe with options behind it
(``conll2003:PATH,sentences=500``).
"""

import ast
import importlib
import inspect
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from algorithms.runtime.errors import UserError, did_you_mean
from algorithms.runtime.options import defaults, split_options, typed_options
from datasets.fetching.download import Fetcher

if TYPE_CHECKING:  # importing it takes half a second that a listing need not wait for
    from datasets.problems.problem import Problem

FOLDER = Path(__file__).parent


class DataRef(NamedTuple):
    """A data set, the options given in their types, and, for one that reads a file, the path."""

    name: str
    options: dict[str, Any]
    path: str | None


def names() -> list[str]:
    """The names of all data sets."""
    return sorted(file.stem.replace("_", "-") for file in FOLDER.glob("*.py") if file.stem != "__init__")


def describe(name: str) -> str:
    """The first line of the data set's docstring, read without importing it."""
    tree = ast.parse(_file(name).read_text(encoding="utf-8"))
    return (ast.get_docstring(tree) or "").partition("\n")[0]


def module(name: str) -> ModuleType:
    """The data set's module, with ``SOURCES``, ``LICENCE`` and ``load``.

    Raises:
        UserError: there is none of that name.
    """
    return importlib.import_module(f"datasets.{_file(name).stem}")


def generated(name: str) -> bool:
    """Whether the data set is made here, from no file at all.

    Raises:
        UserError: there is none of that name.
    """
    found = module(name)
    return not found.SOURCES and not _reads_a_file(found.load)


@cache
def parse(text: str) -> DataRef:
    """Read ``name``, ``name:option=value,...``, ``name:PATH`` or ``name:PATH,option=value,...``.

    Raises:
        UserError: the data set, an option or a value is wrong, or the path is missing; says what is right.
    """
    name, _, rest = text.partition(":")
    load = module(name).load
    path, given = _path_and_options(rest, load) if _reads_a_file(load) else (None, rest)
    if path == "":
        raise UserError(f"data set {name} reads a file of yours: write {name}:PATH")
    return DataRef(name, typed_options(load, split_options(given), f"data set {name}"), path)


@cache
def canonical(text: str) -> str:
    """The one way to write this data set: options sorted, those at their defaults left out.

    Raises:
        UserError: as ``parse``.
    """
    name, options, path = parse(text)
    default = defaults(module(name).load)
    given = [f"{key}={value}" for key, value in sorted(options.items()) if value != default[key]]
    written = ",".join(given if path is None else [path, *given])
    return f"{name}:{written}" if written else name


def structure(text: str) -> str | None:
    """The id of the structure that a data set is of, without building it; None if its module does not say.

    The module says it in ``STRUCTURE``, or in a function ``structure`` of its options.

    Raises:
        UserError: as ``parse``.
    """
    name, options, _ = parse(text)
    said = module(name)
    if hasattr(said, "structure"):
        return said.structure(**(defaults(said.load) | options))
    return getattr(said, "STRUCTURE", None)


def check_test(text: str, test: str | None) -> None:
    """See that a data set takes the user's test file, if there is one.

    Raises:
        UserError: it has its own test split; or as ``parse``.
    """
    name, _, path = parse(text)
    if test is not None and path is None:
        raise UserError(f"data set {name} has its own test split: it takes no test file {test!r}")


def build(text: str, test: str | None = None) -> "Problem":
    """The problem of a data set; ``test`` is the user's test file, for one that reads a file.

    Raises:
        UserError: as ``parse``; also a test file where the data set has its own test split, a source that
            cannot be reached, a malformed file.
    """
    name, options, path = parse(text)
    check_test(text, test)
    chosen = module(name)
    with Fetcher(f"licence of {name}: {chosen.LICENCE}") as files:
        if path is not None:
            return chosen.load(files, path=path, test=test, **options)
        return chosen.load(files, **options)


def _reads_a_file(load: Callable) -> bool:
    return "path" in inspect.signature(load).parameters


def _path_and_options(text: str, load: Callable) -> tuple[str, str]:
    """The path, and the ``option=value`` pieces behind it: a path may have commas and equals signs of its own."""
    names = "|".join(name for name in defaults(load) if name != "test")
    found = re.fullmatch(rf"(.*?)((?:,(?:{names})=[^,]*)*)", text) if names else None
    return (found[1], found[2]) if found else (text, "")


def _file(name: str) -> Path:
    known = names()
    if name not in known:
        raise UserError(f"unknown data set {name!r}: {did_you_mean(name, known)}there are {', '.join(known)}")
    return FOLDER / f"{name.replace('-', '_')}.py"
