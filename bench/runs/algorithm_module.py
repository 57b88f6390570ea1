"""An algorithm's module, imported: its ``solve``, and what that declares."""

from collections.abc import Callable, Iterator
from functools import cache, wraps
from types import ModuleType, SimpleNamespace
from typing import Any

from structbench.algorithms.learning.declaration import Declaration
from structbench.algorithms.runtime import modules, own_folders
from structbench.algorithms.runtime.errors import Fault, UserError
from structbench.algorithms.runtime.options import Given
from structbench.bench.runs.algorithm_files import YAML, by_family, file_of, shown

BLACK_BOXES = "structbench.algorithms.black_boxes.declared"  # imported by its name: other runs do not depend on it
MAX_UNCHANGED = 1000  # iterates after another with the same visits


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
    """The ``solve`` of an algorithm, which sees that it yields what it must; raises as ``declaration`` does."""
    declaration(name)
    return _yielding(algorithm(name).solve, name)


@cache
def _yielding(solve: Callable, name: str) -> Callable:
    """``solve``, whose iterates are looked at: a newcomer may yield or return something else."""

    def fault(text: str) -> Fault:
        return Fault(f"{shown(name)}: {text}")

    @wraps(solve)
    def checked(*given: Any, **params: Any) -> Iterator[Any]:
        from structbench.algorithms.learning.objective import Iterate

        made = solve(*given, **params)
        if not isinstance(made, Iterator):
            raise fault(f"solve must yield Iterate, not return {type(made).__name__}")
        before, unchanged = None, 0
        for iterate in made:
            if not isinstance(iterate, Iterate):
                raise fault(f"solve must yield Iterate, not {type(iterate).__name__}")
            visits = iterate.visits
            if before is None and visits > float(iterate.notes.get("calibration_visits", 0)):
                raise fault(f"solve must yield before its first update, with 0 visits, not {visits}")
            if before is not None and not visits >= before:
                raise fault(f"visits must not fall: {before}, then {visits}")
            unchanged = unchanged + 1 if visits == before else 0
            if unchanged == MAX_UNCHANGED:
                raise fault(f"visits must grow: {MAX_UNCHANGED} iterates after another have {visits}")
            before = visits
            yield iterate
        if before is None:
            raise fault("solve ended without an Iterate: it must yield before its first update")

    return checked
