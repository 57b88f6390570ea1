"""Import an algorithm's module and return its ``solve`` function, its declaration and default parameters."""

from collections.abc import Callable
from functools import cache
from types import ModuleType, SimpleNamespace

from structbench.algorithms.learning.declaration import Declaration
from structbench.algorithms.runtime import modules, own_folders
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.options import Given
from structbench.bench.runs.algorithm_files import YAML, by_family, file_of, shown

BLACK_BOXES = "structbench.algorithms.black_boxes.declared"  # imported by its name: other runs do not depend on it


@cache
def algorithm(name: str) -> ModuleType | SimpleNamespace:
    """The module of an algorithm, or what the file of a black box declares.

    Raises:
        UserError: There is no algorithm of that name, it cannot be imported, or what it declares is wrong.
    """
    file = file_of(name)
    if file.suffix == YAML:
        return modules.imported(BLACK_BOXES).module(own_folders.place(file))
    return modules.imported(".".join(("structbench", *file.with_suffix("").parts)))


@cache
def declaration(name: str) -> Declaration:
    """What an algorithm declares; raises as ``algorithm`` does, or if ``@algorithm`` is not above ``solve``."""
    found = getattr(getattr(algorithm(name), "solve", None), "declaration", None)
    if found is None:
        raise UserError(f"{shown(name)} has no function solve under @algorithm(...)")
    return found


def algorithms() -> dict[str, str]:
    """Name -> description of every algorithm, except those that are ``broken``."""
    return {name: text for name, (_, text) in by_family().items() if name not in broken()}


@cache
def broken() -> dict[str, str]:
    """Name of every algorithm that cannot be imported or declares something wrong -> a sentence with the line."""
    found = {}
    for name in by_family():
        try:
            declaration(name)
        except (UserError, ModuleNotFoundError) as error:
            found[name] = str(error)
    return found


def parameters(name: str) -> Given:
    """The parameters of an algorithm with their defaults; raises as ``declaration``."""
    return declaration(name).parameters


def solver(name: str) -> Callable:
    """The ``solve`` of an algorithm; raises as ``declaration`` does."""
    declaration(name)
    return algorithm(name).solve
