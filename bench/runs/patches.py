"""Detect and undo what a user's algorithm changes in structbench, so that later runs are not affected."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import numpy as np

from structbench.algorithms.learning.loss_factors import EQUAL
from structbench.algorithms.runtime.errors import Fault
from structbench.algorithms.runtime.own_folders import ROOT, folders, owner
from structbench.bench.runs.algorithm_files import file_of

Binding = tuple[ModuleType | type, str, object]  # a module or a class, a name in it, and what that means


@contextmanager
def undone(algorithm: str, factors: np.ndarray = EQUAL) -> Iterator[None]:
    """Raise a Fault if an algorithm of the user's changes what is not its own in the block; put it back.

    That is functions of structbench, and the factors of losses, by which its values are judged.
    """
    if owner(file_of(algorithm)) is None:
        yield
        return
    before, limit, weighed = _bindings(), sys.getrecursionlimit(), factors.copy()
    try:
        with np.errstate():
            yield
    finally:
        sys.setrecursionlimit(limit)
        changed = [each for each in before if vars(each[0]).get(each[1]) is not each[2]]
        for place, name, value in changed:
            setattr(place, name, value)
        if not np.array_equal(factors, weighed):
            factors[:] = weighed
            raise Fault(f"{algorithm} changes objective.loss_factors in place: let it change a copy")
        if changed:  # whatever went wrong then
            place, name, _ = changed[0]
            raise Fault(f"{algorithm} changes {name} of {place.__name__}: let it change nothing but its own")


def _bindings() -> list[Binding]:
    """The functions and classes of structbench's modules that are loaded, and the methods of these classes."""
    found: list[Binding] = []
    for module in [*sys.modules.values()]:
        if _is_ours(module):
            named = [(module, name, value) for name, value in vars(module).items() if callable(value)]
            found += named
            for _, _, value in named:
                if isinstance(value, type) and value.__module__ == module.__name__:
                    found += [(value, name, each) for name, each in vars(value).items() if callable(each)]
    return found


def _is_ours(module: ModuleType) -> bool:
    if not getattr(module, "__name__", "").startswith("structbench.") or not getattr(module, "__file__", None):
        return False
    file = Path(str(module.__file__)).resolve()
    return file.is_relative_to(ROOT) and not any(file.is_relative_to(each.resolve()) for each in folders())
