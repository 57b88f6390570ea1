"""An algorithm's module, imported: its ``solve``, and what else a run asks of it."""

from collections.abc import Callable, Iterator
from functools import cache, wraps
from types import ModuleType
from typing import Any

from structbench.algorithms.runtime import modules
from structbench.algorithms.runtime.errors import Fault
from structbench.bench.runs.algorithm_files import declared, file_of


@cache
def algorithm(name: str) -> ModuleType:
    """The module of an algorithm; importing it takes longer than reading what it ``declared``.

    Raises:
        UserError: there is none of that name, or it cannot be imported.
    """
    return modules.imported(".".join(("structbench", *file_of(name).with_suffix("").parts)))


def solver(name: str) -> Callable:
    """The ``solve`` of an algorithm, which sees that it yields what it must; raises as ``algorithm`` does."""
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
    """Whether an algorithm is a third-party solver: its module says what it ``REQUIRES``."""
    return declared(name, "REQUIRES") is not None


def predictions(name: str) -> Callable | None:
    """How an algorithm predicts, if not by exact inference: from split, weights and its parameters."""
    return getattr(algorithm(name), "predictions", None)


def rehearsal(name: str) -> Callable[[Any], None]:
    """What calls the kernels that an algorithm needs late in a run, given an objective."""
    return getattr(algorithm(name), "rehearse", lambda objective: None)
