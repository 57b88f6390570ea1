"""The registry of structures by id: the modules of this folder, and any others that have been imported."""

import pkgutil
from functools import cache

from structbench.algorithms.runtime import modules
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.own_folders import rooms
from structbench.algorithms.structures.compiled import OPERATIONS
from structbench.algorithms.structures.layouts import LAYOUTS

ROOM = "structbench.algorithms.structures"


@cache
def structure_type(name: str) -> type:
    """The structure of this id. Of this room's structures, only its module is imported.

    Raises:
        KeyError: there is no structure of this id.
        UserError: its file cannot be imported.
    """
    module = name.replace("-", "_")
    if module in _modules():
        modules.imported(f"{ROOM}.{module}")
    return next((each for each in _implemented() if each.id == name), None) or structure_types()[name]


def _implemented() -> list[type]:
    """All structures that are imported."""
    kinds = dict.fromkeys(kind for each in OPERATIONS.values() for kind in each.implementations)
    return [kind for kind in kinds if kind not in LAYOUTS]


@cache
def _modules() -> list[str]:
    """The modules of this room, in the order of their names."""
    return sorted(module.name for module in pkgutil.iter_modules(map(str, rooms("algorithms/structures"))))


@cache
def broken() -> dict[str, str]:
    """Name of every module of this room that cannot be imported -> a sentence with the line; imports them all."""
    found = {}
    for module in _modules():
        try:
            modules.imported(f"{ROOM}.{module}")
        except (UserError, ModuleNotFoundError) as error:
            found[module.replace("_", "-")] = str(error)
    return found


def structure_types() -> dict[str, type]:
    """Id -> type of every structure, except those whose file is ``broken``.

    Raises:
        UserError: two structures have one id.
    """
    lost = tuple(f"{ROOM}.{name.replace('-', '_')}." for name in broken())
    found: dict[str, type] = {}
    for kind in _implemented():
        if not f"{kind.__module__}.".startswith(lost) and found.setdefault(kind.id, kind) is not kind:
            raise UserError(f"two structures have the id {kind.id}: {found[kind.id]} and {kind}")
    return dict(sorted(found.items()))
