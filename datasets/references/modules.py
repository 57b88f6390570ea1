"""The modules of data sets: one each, found by its name, with hyphens for underscores."""

import ast
import inspect
import os
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import ModuleType

from structbench.algorithms.runtime import modules, own_folders
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.names import meant
from structbench.algorithms.runtime.options import check_types
from structbench.datasets.fetching.download import File

OFFERED = {
    "LICENCE": "one line",
    "STRUCTURE": "the id of the structure that load returns",
    "load": "a function that returns a Problem",
}
GONE = {"toy-loops": "toy-grid: its fields have loops, too"}  # -> what to use now


def names() -> list[str]:
    """The names of all data sets."""
    return [name.replace("_", "-") for name in stems("datasets")]


def stems(room: str) -> list[str]:
    """The names of the modules of a room."""
    return [file.stem for file in own_folders.files(room, "*.py") if file.stem != "__init__"]


def file_of(name: str) -> Path:
    """The file of a data set.

    Raises:
        UserError: There is none of that name.
    """
    known = names()
    if name not in known:
        raise UserError(_unknown(name, known))
    return own_folders.place(Path("datasets", f"{name.replace('-', '_')}.py"))


def describe(name: str) -> str:
    """The first line of the data set's docstring, read without importing it.

    Raises:
        UserError: There is none of that name, or its file holds no Python.
    """
    return (ast.get_docstring(modules.parsed(file_of(name))) or "").partition("\n")[0]


@cache
def module(name: str) -> ModuleType:
    """The data set's module, with ``LICENCE``, its structure and ``load``.

    Raises:
        UserError: There is none of that name, or it cannot be imported or lacks one of these. Or an option of
            ``load`` has no type that can be read.
    """
    file = file_of(name)
    found = modules.imported(f"structbench.datasets.{file.stem}")
    for what, about in OFFERED.items():
        if not hasattr(found, what) and not (what == "STRUCTURE" and hasattr(found, "structure")):
            raise UserError(f"{modules.shown(file)} has no {what}, {about}: see docs/how-to/add-data.md")
    check_types(found.load, modules.shown(file))
    return found


def reads_a_file(name: str) -> bool:
    """Whether the data set reads a file of the user's.

    Raises:
        UserError: As ``module``.
    """
    return "path" in inspect.signature(module(name).load).parameters


def sources(name: str) -> tuple[File, ...]:
    """The files that are fetched for the data set, which its module may name in ``SOURCES``.

    Raises:
        UserError: As ``module``.
    """
    return getattr(module(name), "SOURCES", ())


def is_generated(name: str) -> bool:
    """Whether the data set is made here, from no file at all.

    Raises:
        UserError: As ``module``.
    """
    return not sources(name) and not reads_a_file(name)


def names_of(chosen: Callable[[str], bool]) -> list[str]:
    """The names of the data sets that are chosen, of those whose modules can be imported."""
    found = []
    for name in names():
        with suppress(UserError, ModuleNotFoundError):
            if chosen(name):
                found.append(name)
    return found


def _unknown(name: str, known: list[str]) -> str:
    """What to say of a name that no data set has. It may be a file's name."""
    hint = f"use {GONE[name]}; " if name in GONE else meant(name, known)
    if os.path.exists(name) or os.sep in name or ("." in name and not hint):
        return (
            f"{name!r} is a file, not a data set: write FORMAT:{name}, where FORMAT is one of "
            f"{', '.join(names_of(reads_a_file))} (docs/how-to/your-data.md)"
        )
    listed = f"`python -m bench list datasets` names all {len(known)}{own_folders.hint(name)}"
    return f"unknown data set {name!r}: {hint}{listed}"
