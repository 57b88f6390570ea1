"""All structures by their ids: those in this folder, a file or a folder each, and others that are imported."""

import pkgutil
from functools import cache
from pathlib import Path

from structbench.algorithms.runtime import modules
from structbench.algorithms.structures.compiled import OPERATIONS

FOLDER = Path(__file__).parent


@cache
def structure_type(name: str) -> type:
    """The structure of this id. Of this folder's structures, only its module is imported.

    Raises:
        KeyError: there is no structure of this id.
    """
    module = name.replace("-", "_")
    if (FOLDER / module).is_dir() or (FOLDER / f"{module}.py").is_file():
        modules.imported(f"structbench.algorithms.structures.{module}")
    for each in OPERATIONS.values():
        for found in each.implementations:
            if found.id == name:
                return found
    return structure_types()[name]


@cache
def _imported() -> None:
    for module in pkgutil.iter_modules([str(FOLDER)]):
        modules.imported(f"structbench.algorithms.structures.{module.name}")


def structure_types() -> dict[str, type]:
    """Id -> type of every structure.

    Raises:
        ValueError: two structures have one id.
    """
    _imported()
    found: dict[str, type] = {}
    for kind in dict.fromkeys(kind for each in OPERATIONS.values() for kind in each.implementations):
        if found.setdefault(kind.id, kind) is not kind:
            raise ValueError(f"two structures have the id {kind.id}: {found[kind.id]} and {kind}")
    return dict(sorted(found.items()))
