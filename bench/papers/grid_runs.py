"""Read a paper's runs from ``runs.yaml``, and its methods, algorithms with parameters, from ``ways.toml``."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from structbench.algorithms.runtime.options import Given
from structbench.bench.papers.claim_rows import tables, tuples
from structbench.bench.runs.documents import Json
from structbench.bench.runs.grids import expand
from structbench.bench.runs.spec import Spec, make
from structbench.datasets import DataRef


def grids(beside: str | Path, scale: str, kind: str = "", **changes: Any) -> dict[str, list[Spec]]:
    """Return the runs of each grid of a scale by its name, which begins with ``kind``; all get ``changes``.

    ``beside``: A file beside ``runs.yaml``, such as ``__file__``.
    """
    said = [grid for grid in _read(Path(beside).with_name("runs.yaml"))[scale] if grid["name"].startswith(kind)]
    return {grid["name"]: list(expand(grid | changes).specs) for grid in said}


@cache
def _read(file: Path) -> Json:
    import yaml

    return yaml.safe_load(file.read_text(encoding="utf-8"))


def where(specs: Iterable[Spec], params: Given | None = None, **fields: Any) -> list[Spec]:
    """Return those of these runs that have these fields and parameters."""
    return [
        spec
        for spec in specs
        if all(getattr(spec, name) == value for name, value in fields.items())
        and (params or {}).items() <= dict(spec.params).items()
    ]


def once(found: dict[str, list[Spec]]) -> dict[str, list[Spec]]:
    """Return runs by MLflow experiment, each in the first that has it."""
    listed: set[Spec] = set()
    for name, specs in found.items():
        found[name] = [spec for spec in dict.fromkeys(specs) if spec not in listed]
        listed.update(specs)
    return found


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
