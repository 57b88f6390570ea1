"""Locate the runs of this machine and those merged from others, and find the run that a user names.

``runs/KEY`` was made here, ``hosts/HOST/runs/KEY`` elsewhere. ``merged`` says when figures and claims read the
second. Programs that can tell machines apart read all.
"""

import difflib
import hashlib
import os
from pathlib import Path
from urllib.parse import quote

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.names import are, listed_near
from structbench.bench.runs import results, store, unfinished

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

    The beginning of a key will do, if no other run's key begins so. Raises a UserError if none or several do.
    """
    host, _, key = name.partition(":")
    root, begun = (runs(host), key) if host in host_names() else (results.runs(), name)
    places = (Path(name), results.runs() / name, root / begun) if begun else ()
    for folder in places:  # a name may be too long for a folder's
        if os.path.isdir(folder) or unfinished.there(folder):
            return unfinished.find_unfinished(folder)
    there = [each.name for each in root.iterdir() if not each.name.startswith(".")] if root.is_dir() else []
    failed = {each for each in there if each.endswith(unfinished.TRACEBACK)}
    own = sorted(
        {each.removesuffix(unfinished.SUFFIX) for each in {*there} - failed}
    )  # maybe there, and made again
    meant = [each for each in own if begun and each.startswith(begun)]
    if len(meant) == 1:
        return unfinished.find_unfinished(root / meant[0])
    if meant:
        raise UserError(f"{name!r} begins the keys of {len(meant)} runs:{listed_near(meant, begun, SHOWN)}")
    if lost := sorted(each for each in failed if begun and each.startswith(begun)):
        raise UserError(f"the run {lost[0].removesuffix(unfinished.TRACEBACK)!r} failed: see {root / lost[0]}")
    near = [each for each in own if begun and begun in each]
    near = near or difflib.get_close_matches(begun, own, SHOWN, cutoff=0.4)
    hint = f"; near it {are(len(near))}{listed_near(near, begun, SHOWN)}" if near else ""
    others = f", or HOST:KEY with a host of {', '.join(host_names())}" if host_names() else ""
    where = f"its folder, its key in {results.runs()}, or how that begins{others}"
    raise UserError(f"there is no run {name!r}: give {where}{hint}")
