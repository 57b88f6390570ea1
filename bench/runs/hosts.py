"""The runs of this machine, and those merged from others.

``runs/KEY`` was made here, ``hosts/HOST/runs/KEY`` elsewhere. ``merged`` says when figures and claims read the
second. Programs that can tell machines apart read all.
"""

import difflib
import hashlib
import os
from pathlib import Path
from urllib.parse import quote

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.runs import results, store, unfinished
from structbench.bench.runs.spec import fields_of

LONGEST = 100  # bytes of a folder's name
SHOWN = 5  # names in a message


def host_names() -> list[str]:
    """The names of the folders of other machines."""
    root = results.hosts()
    found = root.iterdir() if root.is_dir() else ()
    return sorted(folder.name for folder in found if folder.is_dir() and not folder.name.startswith("."))


def runs(host: str) -> Path:
    """The folder of the runs of a machine, by the name of its folder."""
    return results.hosts() / host / "runs"


def folder_name(host: str) -> str:
    """The name of a host as a folder's name: readable, unique, and never one that leads elsewhere."""
    name = quote(host, safe="") or "%"
    if name.startswith("."):
        name = "%2E" + name[1:]
    if len(name) > LONGEST:
        name = f"{name[: LONGEST - 17]}-{hashlib.sha256(host.encode()).hexdigest()[:16]}"
    return name


def find_run(name: str) -> store.Run:
    """The run, finished or not, that a user names: its folder, its key, or ``HOST:KEY`` of another machine.

    The beginning of a key will do, if no other run's key begins so.

    Raises:
        UserError: There is none, or several; or it cannot be read.
    """
    host, _, key = name.partition(":")
    folders = [Path(name), results.runs() / name, *([runs(host) / key] if host in host_names() else [])]
    for folder in folders:
        # a name may be too long for a folder's
        if os.path.isdir(folder) or unfinished.there(folder):
            return unfinished.find_unfinished(folder)
    root, begun = (runs(host), key) if host in host_names() else (results.runs(), name)
    own = sorted(folder.name for folder in root.iterdir()) if root.is_dir() else []
    whole = len(fields_of(begun)) > 3 if begun.count("__") > 1 else False  # it names a run that is not there
    meant = [each for each in own if begun and not whole and each.startswith(begun)]
    if len(meant) == 1:
        return unfinished.find_unfinished(root / meant[0])
    if meant:
        more = f" and {len(meant) - SHOWN} more" if len(meant) > SHOWN else ""
        raise UserError(f"{name!r} begins the keys of {len(meant)} runs: {', '.join(meant[:SHOWN])}{more}")
    near = [each for each in own if begun and begun in each][:SHOWN]
    near = near or difflib.get_close_matches(begun, own, SHOWN, cutoff=0.4)
    hint = f"; near it are {', '.join(near)}" if near else ""
    others = f", or HOST:KEY with a host of {', '.join(host_names())}" if host_names() else ""
    where = f"its folder, its key in {results.runs()}, or how that begins{others}"
    raise UserError(f"there is no run {name!r}: give {where}{hint}")
