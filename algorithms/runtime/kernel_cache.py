"""Where compiled kernels are kept, so that no process ever runs another kernel than the sources say.

numba's own cache has three holes. It notices an edit only in the file of the kernel that it caches, not in those
of the kernels which that one calls: so its folder is named after the sources of all kernels, numba's version
and the processor. And two processes that compile a kernel for two types at once may both write the first
file, whereupon the index gives one type the machine code of the other: so a lock guards it. And it tells kernels
of one name and one signature apart by a number that each process counts anew: so every kernel of a structure has
the name of its operation (``parts.implements``).
"""

import fcntl
import hashlib
import os
import pickle
import platform
import sys
from collections.abc import Callable
from functools import wraps
from importlib.metadata import version
from pathlib import Path
from typing import Any

DAMAGED = (ValueError, EOFError, KeyError, IndexError, AttributeError, TypeError, pickle.UnpicklingError)
ROOT = Path(__file__).resolve().parents[2]


def kernel_hash(folder: Path = ROOT / "algorithms") -> str:
    """Hash of everything that decides what a cached kernel computes."""
    digest = hashlib.sha256(f"{version('numba')} {platform.machine()} {_processor()}".encode())
    for source in sorted(folder.rglob("*.py")):
        digest.update(source.relative_to(folder).as_posix().encode() + source.read_bytes())
    return digest.hexdigest()[:16]


def _processor() -> str:
    """The processor's model and features, for machines that share a file system."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return "".join(sorted({line for line in lines if line.startswith(("model name", "flags"))}))


def use() -> None:
    """Make numba keep its kernels in the folder of these sources, one process at a time."""
    cache = Path(os.environ.get("STRUCTBENCH_KERNELS", ROOT / "results" / "kernels")) / kernel_hash()
    os.environ["NUMBA_CACHE_DIR"] = str(cache)
    from numba import config
    from numba.core.caching import IndexDataCacheFile

    config.CACHE_DIR = str(cache)  # if numba was imported before, it has read its environment already
    IndexDataCacheFile.save = _alone(IndexDataCacheFile.save)
    IndexDataCacheFile.load = _alone(IndexDataCacheFile.load)


def _alone(method: Callable) -> Callable:
    """The method of a kernel's cache files, under a lock on their folder; damaged files count as none."""

    @wraps(method)
    def locked(files: Any, *arguments: Any) -> Any:
        folder = Path(files._cache_path)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with (folder / ".lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                try:
                    return method(files, *arguments)
                except DAMAGED:
                    Path(files._index_path).unlink(missing_ok=True)
                    return method(files, *arguments)
        except OSError as error:
            print(f"cannot keep compiled kernels in {folder}: {error.strerror or error}", file=sys.stderr)
            return None

    return locked
