"""Remove, when a workflow starts, what earlier workflows left and nobody needs, if it is ours and old.

This is the curve so far and the traceback of a run that was finished since, or that nobody went on with for a
month. It is also the journals and logs of batches that are a month old. And it is what is not of today's programs
and data: notes of problems, and measurements of an update. Snakemake has these made again.
"""

import itertools
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from structbench.algorithms.runtime.files import is_locked
from structbench.bench.runs import problems, results, store, unfinished, update_costs
from structbench.bench.workflow.config import Config

OLD = 30 * 24 * 3600.0  # seconds
RECENT = 3600.0  # seconds in which somebody may still be at work with what belongs to a finished run
TRACEBACK = ".traceback"
OF_BATCH = re.compile(r".+-[0-9a-f]{8}\.\d+\.(json|journal|log)")


def sweep(config: Config) -> None:
    """Remove it, before a config is made."""
    store.sweep(results.runs())
    for left in [*_of_runs(), *_of_batches(), *_stale(config)]:
        with suppress(OSError):  # somebody else has removed it, or may not be disturbed
            if left.is_dir():
                shutil.rmtree(left)
            else:
                left.unlink()


def _of_runs() -> Iterator[Path]:
    for left in results.runs().glob("[!.]*.*"):
        if left.suffix not in (unfinished.SUFFIX, TRACEBACK) or left.is_symlink():
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


def _of_batches() -> Iterator[Path]:
    for folder in (results.batches(), results.root() / "logs" / "batches"):
        yield from (file for file in folder.glob("*") if OF_BATCH.fullmatch(file.name) and _age(file) > OLD)


def _stale(config: Config) -> Iterator[Path]:
    yield from (problems.note(*each) for each, today in config.problems.items() if today is None)
    measured = dict.fromkeys(itertools.chain(*config.costs_of.values()))
    yield from (update_costs.file(data) for data in measured if update_costs.is_stale(data))


def _age(file: Path) -> float:
    """Seconds since it was written; 0 if it is gone."""
    try:
        return time.time() - file.lstat().st_mtime
    except OSError:
        return 0.0
