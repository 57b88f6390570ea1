"""Remove, when a workflow starts, what earlier workflows left and nobody needs, if it is ours and old.

This is what is a month old: curves so far and tracebacks of runs, journals and logs of batches. It is also what is
not of today's programs and data: notes of problems, and measurements of an update. Snakemake has these made again.
"""

import itertools
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from structbench.algorithms.runtime.files import is_locked
from structbench.bench.runs import problem_store, results, store, unfinished, update_costs
from structbench.bench.workflow.config import Config

OLD = 30 * 24 * 3600.0  # seconds
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
    yield from (file for file in results.runs().glob("[!.]*.traceback") if file.is_file() and _age(file) > OLD)
    for folder in results.runs().glob(f"[!.]*{unfinished.SUFFIX}"):
        if not folder.is_symlink() and _is_abandoned(folder):
            yield folder


def _is_abandoned(folder: Path) -> bool:
    """Whether a folder holds an old curve so far, and nothing else, and no process makes that run."""
    ours = folder.is_dir() and store.names(folder) <= set(unfinished.FILES)
    return ours and not is_locked(folder / "lock") and min(map(_age, [folder, *folder.iterdir()])) > OLD


def _of_batches() -> Iterator[Path]:
    for folder in (results.batches(), results.root() / "logs" / "batches"):
        yield from (file for file in folder.glob("*") if OF_BATCH.fullmatch(file.name) and _age(file) > OLD)


def _stale(config: Config) -> Iterator[Path]:
    yield from (problem_store.note(*each) for each, today in config.problems.items() if today is None)
    measured = dict.fromkeys(itertools.chain(*config.costs_of.values()))
    yield from (update_costs.file(data) for data in measured if update_costs.is_stale(data))


def _age(file: Path) -> float:
    """Seconds since it was written; 0 if it is gone."""
    try:
        return time.time() - file.lstat().st_mtime
    except OSError:
        return 0.0
