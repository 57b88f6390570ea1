"""Remember which runs and problems passed their integrity check, so that each version is checked once.

``seen.json`` among the results keeps what was found. A file that has changed since has another version.
"""

import atexit
import json
import os
import time
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path

from structbench.algorithms.runtime.files import write_atomically
from structbench.bench.runs import results

SETTLED = 2.0  # seconds after which another change gives a file another time, on any file system

_new: dict[Path, dict[str, str]] = {}


def version(files: Iterable[Path]) -> tuple[str, float]:
    """What changes with what files hold, and when it changed last, in seconds since 1970."""
    found = [(file.name, file.stat()) for file in files]
    versions = [(name, each.st_mtime_ns, each.st_ctime_ns, each.st_size, each.st_ino) for name, each in found]
    return json.dumps(versions), max((each.st_ctime for _, each in found), default=0.0)


def is_sound(folder: Path, version: str) -> bool:
    """Whether this version of the files of a run or a problem was found to be as written."""
    file, name = _file(folder), _name(folder)
    return file is not None and version in (_new.get(file, {}).get(name), _kept(file).get(name))


def note(folder: Path, version: str, changed: float) -> None:
    """Note that this version is as written; ``changed``: when it was, in seconds since 1970."""
    file = _file(folder)
    if file is not None and time.time() - changed > SETTLED:
        if not _new:
            atexit.register(write_seen)
        _new.setdefault(file, {})[_name(folder)] = version


def write_seen() -> None:
    """Keep what is new for other processes."""
    for file, found in _new.items():
        _kept.cache_clear()  # others have written meanwhile
        kept = {name: each for name, each in _kept(file).items() if (file.parent / name).is_dir()}
        with suppress(OSError):  # it can be found again
            write_atomically(file, json.dumps(kept | found))
    _kept.cache_clear()
    _new.clear()


def forget() -> None:
    """Keep nothing of what is new: this process only shows what another would do."""
    _new.clear()


def _file(folder: Path) -> Path | None:
    """The file that knows of a folder; None if it is neither of a run nor of a problem of this machine's."""
    above, root = os.path.abspath(folder.parent), os.path.abspath(results.root())
    return Path(root, "seen.json") if above in (f"{root}/runs", f"{root}/problems") else None


def _name(folder: Path) -> str:
    return f"{folder.parent.name}/{folder.name}"


@cache
def _kept(file: Path) -> dict[str, str]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        return {str(name): str(version) for name, version in found.items()}
    except (OSError, ValueError, AttributeError):
        return {}
