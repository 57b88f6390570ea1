"""Ways to learn: an algorithm with its parameters and its loss, of a paper's ``ways.toml``, with its runs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from structbench.algorithms.runtime.options import Given
from structbench.bench.papers.claim_rows import tables, tuples
from structbench.bench.runs.documents import Json
from structbench.bench.runs.spec import Spec, make
from structbench.datasets import DataRef


@dataclass(frozen=True)
class Way:
    """An algorithm as a paper uses it."""

    name: str
    algorithm: str
    params: Given = field(hash=False, default_factory=dict)
    loss: str | None = None  # that it minimises, as a run names it; None if it minimises no objective
    penalty: str | None = None  # None for the first that the algorithm takes

    def spec(
        self, data: str | DataRef, C: float | None, seed: int = 0, params: Given | None = None, **limits: float
    ) -> Spec:
        """Return a run, perhaps with other parameters."""
        given = (tuple(each.items()) for each in (self.params if params is None else params, limits))
        return _spec(data, self.loss, C, self.algorithm, *given, penalty=self.penalty, seed=seed)


@cache
def _spec(
    data: str | DataRef, loss: Any, C: Any, algorithm: str, params: tuple, limits: tuple, **more: Any
) -> Spec:
    return make(data, loss, C, algorithm, dict(params), **dict(limits), **more)


Kind = TypeVar("Kind", bound=Way)


def ways(file: Path, kind: type[Kind]) -> tuple[dict[str, Kind], dict[str, tuple[Kind, ...]]]:
    """Return the ways of a file by name, and its groups of them. A way may be ``like`` another with changes."""
    said = tuples(tables(file))

    def about(name: str) -> Json:
        own = {"name": name} | said["ways"][name]
        return (about(own.pop("like")) if "like" in own else {}) | own

    found = {name: kind(**about(name)) for name in said["ways"]}
    return found, {group: tuple(found[name] for name in listed) for group, listed in said["groups"].items()}


def named(said: Any, found: Mapping[str, object]) -> Any:
    """Return what a row gives to its measure, with what is meant in place of the names that it has."""
    if isinstance(said, Mapping):
        return {key: named(each, found) for key, each in said.items()}
    if isinstance(said, list):
        return [named(each, found) for each in said]
    return found.get(said, said) if isinstance(said, str) else said


def listed(said: Mapping[str, object]) -> list[Any]:
    """Return all that a row gives, without the lists around it."""

    def flat(each: Any) -> Iterable[Any]:
        return (one for inner in each for one in flat(inner)) if isinstance(each, list) else (each,)

    return [*flat([*said.values()])]
