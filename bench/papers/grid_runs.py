"""The runs of a paper: as grids, in the format of a config, in its ``runs.yaml``; and by MLflow experiment."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from structbench.algorithms.runtime.options import Given
from structbench.bench.runs.documents import Json
from structbench.bench.runs.grids import expand
from structbench.bench.runs.spec import Spec


def grids(file: Path, scale: str, kind: str = "", **changes: Any) -> dict[str, list[Spec]]:
    """Return the runs of each grid of a scale by its name.

    Args:
        kind: What the names of the grids begin with.
        changes: Keys that all of them get.
    """
    said = [grid for grid in _read(file)[scale] if grid["name"].startswith(kind)]
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
