"""Remove, when a workflow starts, what earlier workflows left and nobody needs, if it is ours and old.

This is the curve so far and the traceback of a run that was finished since, or that nobody went on with for a
month. It is also the manifests, journals and logs of batches that no config has any more.
"""

import re
import shutil
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

from structbench.algorithms.runtime.files import is_locked
from structbench.bench.runs import results, store, unfinished
from structbench.bench.workflow import batches

OLD = 30 * 24 * 3600.0  # seconds
RECENT = 3600.0  # seconds in which somebody may still be at work with what belongs to a finished run
TRACEBACK = ".traceback"
OF_BATCH = re.compile(r"(?P<batch>.+-[0-9a-f]{8})\.\d+\.(json|journal|log)")


def sweep(current: Collection[str]) -> None:
    """Remove it; ``current``: the batches of the config that starts."""
    store.sweep(results.runs())
    for left in [*_of_runs(), *_of_batches(current)]:
        with suppress(OSError):  # somebody else has removed it, or may not be disturbed
            if left.is_dir():
                shutil.rmtree(left)
            else:
                left.unlink()


def _of_runs() -> Iterator[Path]:
    for left in results.runs().glob("*"):
        if left.name.startswith(".") or left.suffix not in (unfinished.SUFFIX, TRACEBACK) or left.is_symlink():
            continue
        finished = store.finished(left.with_suffix(""))
        if _age(left) > (RECENT if finished else OLD) and (left.suffix == TRACEBACK or _is_abandoned(left)):
            yield left


def _is_abandoned(folder: Path) -> bool:
    """Whether a folder holds the curve so far of a run, and nothing else, and no process makes that run."""
    return (
        folder.is_dir()
        and store.names(folder) <= set(unfinished.FILES)
        and not is_locked(folder / "lock")
        and min(map(_age, folder.iterdir()), default=OLD) > RECENT
    )


def _of_batches(current: Collection[str]) -> Iterator[Path]:
    known = {*current}
    for file in results.root().glob("*/batches.json"):
        known |= batches.cut_before(file.parent.name).keys()
    for folder in (results.batches(), results.root() / "logs" / "batches"):
        for file in folder.glob("*"):
            found = OF_BATCH.fullmatch(file.name)
            if found and found["batch"] not in known and _age(file) > OLD:
                yield file


def _age(file: Path) -> float:
    """Seconds since it was written; 0 if it is gone."""
    try:
        return time.time() - file.lstat().st_mtime
    except OSError:
        return 0.0
