"""The curve so far of a run that is being made, or that was stopped before its end.

It lies in ``<folder>.partial`` until the run is finished: ``spec.json``, ``begun.json`` (key and provenance), and
``curve.jsonl``. Each checkpoint adds a line to the curve at once. The process that makes the run holds ``lock``.
When the process ends, however it ends, the system releases the lock. A curve whose lock is free was
``interrupted``. Such a run never counts as finished, and starts again from the beginning. A process that is killed
just after it has finished a run leaves the curve beside it, which ``sweep_curves`` removes.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from structbench.algorithms.runtime.commands import command
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import is_locked, locked
from structbench.bench.runs import documents, store
from structbench.bench.runs.news import Say
from structbench.bench.runs.spec import Spec

if TYPE_CHECKING:
    import pandas as pd

FILES = ("spec.json", "begun.json", "curve.jsonl", "lock")
SUFFIX = ".partial"
TRACEBACK = ".traceback"  # ends the name of a file beside a run that failed
BEGUN = {"key": str, "provenance": dict}
PATIENCE = 0.5  # seconds for which a look at the lock may hold it

Row = dict[str, float]


@dataclass(frozen=True)
class Unfinished(store.Run):
    """What there is of a run; its status is ``running`` or ``interrupted``."""

    rows: list[dict[str, float | None]]

    @cached_property
    def curve(self) -> "pd.DataFrame":
        """One row per checkpoint so far, as of a finished run."""
        import pandas as pd

        return pd.DataFrame(self.rows or {name: [] for name in store.COLUMNS}, dtype=float)


def folder_of(folder: Path) -> Path:
    """Where the curve so far of the run in ``folder`` is; that place itself may be given, too."""
    return folder if folder.name.endswith(SUFFIX) else folder.parent / (folder.name + SUFFIX)


def there(folder: Path) -> bool:
    """Whether there is a curve so far, and no finished run in ``folder``."""
    return os.path.isdir(folder_of(folder)) and not store.finished(folder)  # of a name that is too long, too


@contextmanager
def keeping(folder: Path, spec: Spec, provenance: documents.Json, say: Say) -> Iterator[Callable[[Row], None]]:
    """Give a function that keeps the rows of a curve, until the block has made the run.

    The rows stay if the block ends with an exception, or if the process dies. No other process makes the same run
    meanwhile. If another process is making it already, this one waits. ``say`` is told so. If the user interrupts
    the run, ``say`` is told where the curve is.

    Raises:
        UserError: The place is taken by something else, or cannot be written.
    """
    place = folder_of(folder)
    if place.is_symlink() or place.is_file() or (place.is_dir() and not store.names(place) <= set(FILES)):
        raise UserError(f"{place} holds something other than a run's curve: choose another folder for --out")
    with ExitStack() as held:
        with store.run_written(folder):
            _lock(place / "lock", say, held)
            file = held.enter_context((place / "curve.jsonl").open("w", encoding="utf-8"))
            (place / "spec.json").write_text(documents.to_json(spec.as_dict()), encoding="utf-8")
            begun = {"key": spec.key, "provenance": provenance}
            (place / "begun.json").write_text(documents.to_json(begun), encoding="utf-8")

        def keep(row: Row) -> None:
            with store.run_written(folder):
                try:
                    file.write(json.dumps(documents.to_jsonable(row)) + "\n")
                    file.flush()
                except OSError:
                    with suppress(OSError):  # it would try to write the row once more
                        file.close()
                    raise

        try:
            yield keep
        except BaseException as error:
            if not (file.closed or file.tell()):
                shutil.rmtree(place, ignore_errors=True)
            elif isinstance(error, KeyboardInterrupt | SystemExit):
                say(f"interrupted: for its curve so far, `{command('show', place)}`")
            raise
        shutil.rmtree(place, ignore_errors=True)


def _lock(lock: Path, say: Say, held: ExitStack) -> None:
    patience: float | None = PATIENCE
    while True:
        try:
            return held.enter_context(locked(lock, patience))
        except FileNotFoundError:  # another process has just finished the run, and removed the folder
            continue
        except FileExistsError:  # the same, between mkdir's failure and its look at what is there
            if lock.parent.is_symlink() or lock.parent.is_file():
                raise
        except BlockingIOError:
            say("another process is making this run: waiting for it")
            patience = None


def read_unfinished(folder: Path) -> Unfinished:
    """The run of ``folder`` as far as it is there; no rows if it was stopped before its first checkpoint.

    Raises:
        UserError: There is nothing, or it is broken.
    """
    place = folder_of(folder)
    if not place.is_dir():
        raise UserError(f"{place} holds no unfinished run")
    spec, begun = store.spec_in(place), store.from_json(place / "begun.json", BEGUN)
    rows = _rows(place / "curve.jsonl")
    try:
        status = "running" if is_locked(place / "lock") else "interrupted"
    except OSError as error:
        raise UserError(f"cannot see whether {place} is in use ({error.strerror})") from error
    so_far = f"{rows[-1]['passes']:.4g} of {spec.passes:g} passes" if rows else "no checkpoint"
    message = f"{so_far} so far" if status == "running" else f"{so_far} made before it was stopped"
    last = rows[-1] if rows else {}
    folder = place.with_name(place.name.removesuffix(SUFFIX))
    return Unfinished(begun["key"], folder, spec, last | {"status": status, "message": message} | begun, rows)


def find_unfinished(folder: Path) -> store.Run:
    """The finished run in a folder, else the unfinished one; raises a UserError if it has neither."""
    return read_unfinished(folder) if folder.name.endswith(SUFFIX) or there(folder) else store.read_run(folder)


def sweep_curves(runs: Path) -> None:
    """Remove the curves so far whose runs were finished since: their processes were killed before they could."""
    for place in runs.glob(f"*{SUFFIX}"):
        with suppress(OSError):  # another process has just removed one of the two, or it cannot be read
            finished = place.with_name(place.name.removesuffix(SUFFIX)) / "summary.json"
            newest = max((file.stat().st_mtime_ns for file in place.iterdir()), default=0)
            if finished.stat().st_mtime_ns >= newest and not is_locked(place / "lock"):
                shutil.rmtree(place, ignore_errors=True)


def _rows(file: Path) -> list[dict[str, float | None]]:
    """The rows, up to the first line that is not whole. A killed process may leave such a last line."""
    rows = []
    with suppress(FileNotFoundError, ValueError):
        for line in file.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if documents.differs(row, {str: documents.NUMBER}) or not {*store.COLUMNS} <= row.keys():
                break
            rows.append(row)
    return rows
