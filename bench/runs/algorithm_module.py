"""An algorithm's module, imported: its ``solve``, and what that declares."""

from collections.abc import Callable, Iterator
from functools import cache, wraps
from types import ModuleType
from typing import Any

from structbench.algorithms.learning.declaration import Declaration
from structbench.algorithms.runtime import modules
from structbench.algorithms.runtime.errors import Fault, UserError
from structbench.bench.runs.algorithm_files import by_family, file_of


@cache
def algorithm(name: str) -> ModuleType:
    """The module of an algorithm.

    Raises:
        UserError: There is no algorithm of that name, it cannot be imported, or what it declares is wrong.
    """
    return modules.imported(".".join(("structbench", *file_of(name).with_suffix("").parts)))


@cache
def declaration(name: str) -> Declaration:
    """What an algorithm declares; raises as ``algorithm`` does, or if ``@algorithm`` is not above ``solve``."""
    found = getattr(getattr(algorithm(name), "solve", None), "declaration", None)
    if found is None:
        raise UserError(f"{file_of(name)} has no function solve under @algorithm(...)")
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


def parameters(name: str) -> dict[str, Any]:
    """The parameters of an algorithm with their defaults; raises as ``declaration``."""
    return declaration(name).parameters


def solver(name: str) -> Callable:
    """The ``solve`` of an algorithm, which sees that it yields what it must; raises as ``declaration`` does."""
    declaration(name)
    return _yielding(algorithm(name).solve, name)


@cache
def _yielding(solve: Callable, name: str) -> Callable:
    """``solve``, whose first iterate is looked at: a newcomer may yield or return something else."""

    @wraps(solve)
    def checked(*given: Any, **params: Any) -> Iterator[Any]:
        from structbench.algorithms.learning.objective import Iterate

        made = solve(*given, **params)
        if not isinstance(made, Iterator):
            raise Fault(f"{file_of(name)}: solve must yield Iterate, not return {type(made).__name__}")
        for first in made:
            if not isinstance(first, Iterate):
                raise Fault(f"{file_of(name)}: solve must yield Iterate, not {type(first).__name__}")
            yield first
            break
        yield from made

    return checked


def is_peer(name: str) -> bool:
    """Whether an algorithm is a third-party solver: it needs ``packages``."""
    return bool(declaration(name).packages)
