"""The id of a results folder, by which MLflow's runs of several folders are told apart."""

import json
import uuid
from pathlib import Path
from typing import Any

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import locked, write_atomically
from structbench.bench.runs import results

NAME = "results-id.json"


def results_id() -> str:
    """The id of this results folder, made when it is first asked for.

    A folder that was moved keeps its id. A copy gets its own, if the folder that it was copied from is there.

    Raises:
        UserError: The file of the id is broken.
    """
    root = results.root().resolve()
    file = root / NAME
    with locked(root / "tracked" / "id.lock"):
        said = _read(file)
        if said is None or _is_copy(file, said):
            said = {"id": uuid.uuid4().hex}
        if said.get("folder") != str(root):
            write_atomically(file, json.dumps(said | {"folder": str(root)}) + "\n")
    return said["id"]


def _read(file: Path) -> dict[str, Any] | None:
    if not file.exists():
        return None
    try:
        said = json.loads(file.read_text(encoding="utf-8"))
        if uuid.UUID(said["id"]).hex == said["id"] and isinstance(said.get("folder", ""), str):
            return said
    except (ValueError, KeyError, TypeError, AttributeError):
        pass
    raise UserError(f"{file} holds no id of a results folder: delete it, and the next call makes one")


def _is_copy(file: Path, said: dict[str, Any]) -> bool:
    """Whether the folder of this id is another one, which is still there."""
    other = Path(said.get("folder", file.parent)) / NAME
    try:
        return not other.samefile(file) and (_read(other) or {}).get("id") == said["id"]
    except (OSError, ValueError, UserError):  # ValueError: no name of a folder
        return False
