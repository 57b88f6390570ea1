"""Runs whose files were found to be as they were written: each version of them is read once, by whichever process.

``seen.json`` among the results keeps what was found. A file that has changed since has another version.
"""

import atexit
import json
import os
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

from structbench.algorithms.runtime.files import write_atomically
from structbench.bench.runs import results

SETTLED = 2.0  # seconds after which another change gives a file another time, on any file system

_new: dict[Path, dict[str, str]] = {}


def is_sound(folder: Path, version: str) -> bool:
    """Whether this version of a run's files was found to be as written."""
    file = _file(folder)
    return file is not None and _kept(file).get(folder.name) == version


def note(folder: Path, version: str, changed: float) -> None:
    """Note that this version is as written; ``changed``: when it was, in seconds since 1970."""
    file = _file(folder)
    if file is not None and time.time() - changed > SETTLED:
        if not _new:
            atexit.register(write)
        _new.setdefault(file, {})[folder.name] = version


def write() -> None:
    """Keep what is new for other processes."""
    for file, found in _new.items():
        _kept.cache_clear()  # others have written meanwhile
        kept = {name: each for name, each in _kept(file).items() if (file.with_name("runs") / name).is_dir()}
        with suppress(OSError):  # it can be found again
            write_atomically(file, json.dumps(kept | found))
    _kept.cache_clear()
    _new.clear()


def forget() -> None:
    """Keep nothing of what is new: this process only shows what another would do."""
    _new.clear()


def _file(folder: Path) -> Path | None:
    """The file that knows of a run; None if the run lies elsewhere than this machine's."""
    runs = os.path.abspath(results.runs())
    return Path(runs).with_name("seen.json") if os.path.abspath(folder.parent) == runs else None


@cache
def _kept(file: Path) -> dict[str, str]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        return {str(name): str(version) for name, version in found.items()}
    except (OSError, ValueError, AttributeError):
        return {}
