"""All structures by their ids: those in this folder, a file or a folder each, and others that are imported."""

import importlib
import pkgutil
from functools import cache
from pathlib import Path

from algorithms.structures.compiled import OPERATIONS

FOLDER = Path(__file__).parent


@cache
def _imported() -> None:
    for module in pkgutil.iter_modules([str(FOLDER)]):
        importlib.import_module(f"algorithms.structures.{module.name}")


def kinds() -> dict[str, type]:
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
