"""Run directories: the record of what was run. MLflow, figures, claims and report are views of it.

``spec.json`` is the complete specification, ``curve.parquet`` a row per checkpoint. ``weights.npz`` has the last
weights and predictions and, for chunks, their counts in each test sentence at each checkpoint. These and
``summary.json`` appear together under the run's name, or not at all. A run is finished if and only if its folder
has ``summary.json``. It holds the SHA-256 of all four, its own without the hashes, so changes by a copy or a disk
show.
"""

import errno
import itertools
import shutil
import sys
import tempfile
import time
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from structbench.algorithms.runtime import own_folders
from structbench.algorithms.runtime.errors import UserError, write_or_explain
from structbench.algorithms.runtime.files import write_atomically
from structbench.bench.runs import documents, seals
from structbench.bench.runs.spec import Spec

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

FILES = ("spec.json", "curve.parquet", "summary.json", "weights.npz")
OF_A_FILE_MANAGER = ".DS_Store"  # which macOS writes to folders that somebody looked at
SHOWN = 3  # names of files that are no run's
COLUMNS = (  # of every curve
    *("C", "passes", "visits", "wall_seconds", "cpu_seconds"),
    *("primal", "dual", "gap", "relative_gap", "test_error"),
)
SHORTEST_TIMED = 0.3  # seconds: the clocks tell nothing of a shorter run
MAX_CLOCK_RATIO = 1.1  # wall seconds over CPU seconds of one thread, or the other way
MAX_OTHERS = 0.5  # processes of others that ran meanwhile, in the mean
BROKEN = (  # what reading an archive of arrays raises, if it is broken
    *(OSError, ValueError, EOFError, LookupError, TypeError),
    *(zipfile.BadZipFile, zlib.error),
)
ABANDONED = 3600.0  # seconds after which nobody is writing a run any more


@dataclass(frozen=True)
class Run:
    """A finished run; ``curve`` is read from its file when it is first used."""

    key: str
    folder: Path
    spec: Spec
    summary: documents.Json

    @cached_property
    def curve(self) -> "pd.DataFrame":
        """One row per checkpoint, float64 columns, NaN where a column does not apply.

        Raises:
            UserError: The file is missing or broken.
        """
        return self._table().to_pandas(use_threads=False)

    def columns(self, names: Iterable[str]) -> dict[str, np.ndarray]:
        """Columns of the curve, as far as it has them; faster than the whole curve. Raises as ``curve``."""
        table = self._table([*names])
        return {name: table[name].to_numpy() for name in table.column_names}

    def _table(self, names: list[str] | None = None) -> "pa.Table":
        from pyarrow import parquet  # pandas' own reader takes three times as long

        file = self.folder / "curve.parquet"
        try:
            with parquet.ParquetFile(file) as opened:
                found = opened.read(names, use_threads=False)
            numbers = {name for name in found.column_names if str(found[name].type) == "double"}
            if odd := [name for name in (*found.column_names, *(() if names else COLUMNS)) if name not in numbers]:
                raise ValueError(f"{odd[0]} has no numbers")
            return found
        except (OSError, ValueError) as error:
            raise UserError(
                f"{file} cannot be read ({first_line(error)}): delete {self.folder} and run it again"
            ) from error

    @cached_property
    def chunks(self) -> np.ndarray | None:
        """For each test sentence, its correct, predicted and gold chunks; int (checkpoints, sentences, 3).

        None if the run has none. Rows are as in ``curve``.
        """
        with archive(self.folder) as file:
            return file["chunks"].astype(np.int64) if "chunks" in file else None

    @property
    def clock(self) -> str:
        """The column of the seconds that compare: CPU seconds of one thread, else wall seconds."""
        return "cpu_seconds" if self.spec.threads == 1 else "wall_seconds"

    @property
    def came_to_its_C(self) -> bool:
        """Whether its last values are of its own C: it did not diverge, nor did a path end at another C."""
        return self.summary["status"] != "diverged" and self.summary.get("C") in (None, self.spec.C)

    @property
    def disturbance(self) -> str:
        """Why its seconds mean little: it was not timed alone, or something disturbed it; empty if they do."""
        wall, cpu = (self.summary.get(f"{name}_seconds") or 0.0 for name in ("wall", "cpu"))
        made = self.summary["provenance"]
        others = float(made.get("others") or 0.0)  # a published one is text
        if made.get("alone") is not True:
            return "it was not timed alone"
        if left := made.get("threads_left"):
            return f"{left} threads of an earlier run were left in its process"
        if wall < SHORTEST_TIMED:
            return ""
        if self.spec.threads == 1 and wall > MAX_CLOCK_RATIO * cpu:
            return f"it took {wall:.2g} s, of which it computed {cpu:.2g}"
        if self.spec.threads == 1 and cpu > MAX_CLOCK_RATIO * wall:
            return f"it took {wall:.2g} s, and its process computed {cpu:.2g}: other threads ran in it"
        return f"{others:.1f} other processes ran beside it" if others > MAX_OTHERS else ""

    @property
    def command(self) -> str:
        """The command line that makes this run again, in the same folder."""
        return self.spec.command(self.folder)

    @property
    def started(self) -> float:
        """When the run began, in seconds since 1970; raises a UserError if the summary says no time."""
        started = self.summary["provenance"]["started"]
        try:
            return datetime.fromisoformat(started).timestamp() if isinstance(started, str) else started
        except (ValueError, OverflowError) as error:
            raise UserError(f"{self.folder} says that it was made at {started!r}, which is no time") from error


def weights_of(run: Run) -> np.ndarray:
    """The last weights of a run, float64 (num_weights,), each with the seven digits that are kept."""
    with archive(run.folder) as file:
        return unpacked(file)


def unpacked(file: np.lib.npyio.NpzFile) -> np.ndarray:
    """The weights in an archive, as ``writing.packed`` has them: all of them, or those that are not 0."""
    if "weights" in file:
        return file["weights"].astype(np.float64)
    full = np.zeros(int(file["size"]))
    full[file["places"]] = file["values"]
    return full


@contextmanager
def archive(folder: Path) -> Iterator[np.lib.npyio.NpzFile]:
    """The open ``weights.npz`` of a folder; raises a UserError if it is broken."""
    try:
        with np.load(folder / "weights.npz") as file:
            yield file
    except BROKEN as error:
        raise UserError(f"{folder / 'weights.npz'} is broken ({first_line(error)})") from error


def sweep(root: Path) -> None:
    """Remove what killed processes left in the folder of results, if it is an hour old or older.

    It may lie beside a run or a problem, or in one. Younger files may belong to a job that goes on elsewhere. They
    are not in the way, and a later sweep removes them.
    """
    for left in itertools.chain.from_iterable(root.glob(f"{depth}.*.partial") for depth in ("", "*/", "*/*/")):
        with suppress(FileNotFoundError):  # it has just been finished
            if time.time() - left.stat().st_mtime > ABANDONED:
                shutil.rmtree(left, ignore_errors=True)


def amend(run: Run, facts: documents.Json) -> Run:
    """The run, once its summary has these facts, too; raises a UserError if that cannot be written."""
    with run_written(run.folder):
        summary = seals.sealed(run.folder, run.summary | facts)
        write_atomically(run.folder / "summary.json", documents.to_json(summary))
    return replace(run, summary=summary)


@contextmanager
def run_written(folder: Path) -> Iterator[None]:
    """Say in a UserError what would help, if the block cannot write a run to its folder."""
    try:
        yield
    except OSError as error:
        remedy = "free some space" if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) else "mend that"
        said = f"cannot write the run to {folder} ({first_line(error)}): {remedy} and run it again"
        raise UserError(said) from error


def writable(folder: Path) -> Path:
    """The folder's absolute path, once it is sure that a run may be written there.

    Raises:
        UserError: It holds something that is not a run's, or its parent cannot be written.
    """
    folder = Path(folder).absolute()
    with write_or_explain(folder.parent, "make it a writable folder"):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder.parent):
            if any(_is_free(folder) for _ in range(3)):  # while another process replaces it, it may look otherwise
                return folder
    odd = sorted(names(folder) - {*FILES}) if folder.is_dir() else []
    of = f" ({', '.join(odd[:SHOWN])})" if odd else ""
    raise UserError(
        f"{folder} holds something other than a run{of}: take that away, or choose another folder for --out"
    )


def _is_free(folder: Path) -> bool:
    """Whether there is nothing, an empty folder, or a run."""
    found = names(folder) if folder.is_dir() else set()
    return not folder.is_file() and (not found or (found <= set(FILES) and "spec.json" in found))


def is_run(folder: Path) -> bool:
    """Whether a folder, or a link to one, holds a run, or some files of one alone; not one that is being made."""
    is_made = folder.name.startswith(".") or folder.name.endswith(".partial")
    found = names(folder) if folder.is_dir() and not is_made else set()
    return bool(found) and (found <= {*FILES} or found >= {*FILES})


def names(folder: Path) -> set[str]:
    """The names of the files in a folder, without what a killed process was writing, or a file manager wrote."""
    with suppress(FileNotFoundError):  # another process is just replacing it
        return {
            file.name
            for file in folder.iterdir()
            if not file.name.endswith(".partial") and file.name != OF_A_FILE_MANAGER
        }
    return set()


def finished(folder: Path) -> bool:
    """Whether the folder holds a complete run."""
    return all((Path(folder) / name).is_file() for name in FILES)


def read_run(folder: Path) -> Run:
    """Read a finished run; raises a UserError if it is none, or if one of its JSON files is broken."""
    folder = Path(folder)
    if not finished(folder):
        missing = ", ".join(name for name in FILES if not (folder / name).is_file())
        raise UserError(f"{folder} holds no finished run (no {missing})")
    spec, summary = spec_in(folder), from_json(folder / "summary.json", documents.SUMMARY)
    own_folders.note(summary["provenance"].get("own_files", {}))
    return Run(summary["key"], folder, spec, summary)


def all_runs(root: Path) -> list[Run]:
    """All finished runs under ``root``, by name; a broken one is named on stderr and left out."""
    runs = []
    for folder in sorted(root.iterdir()) if root.is_dir() else ():
        if not folder.name.startswith(".") and finished(folder):
            try:
                runs.append(read_run(folder))
            except UserError as error:
                print(f"left out: {error}", file=sys.stderr)
    return runs


def spec_in(folder: Path) -> Spec:
    """The spec in the folder of a run; raises as ``from_json``."""
    file = folder / "spec.json"
    said = from_json(file, documents.SPEC)
    try:
        return Spec.from_dict(said)
    except ValueError as error:
        raise UserError(f"{file} is broken ({error}): delete {folder} and run it again") from None


def from_json(file: Path, shape: Any) -> documents.Json:
    """What a JSON file of a run holds; raises as ``documents.content``."""
    return documents.content(file, shape, f"delete {file.parent} and run it again")


def first_line(error: Exception) -> str:
    """The first line of an error's text."""
    return str(error).partition("\n")[0]
