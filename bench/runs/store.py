"""Run directories: the record of what was run. MLflow, figures, claims and report are views of it.

``spec.json`` is the complete specification, ``curve.parquet`` a row per checkpoint. ``weights.npz`` has the last
weights and, for chunks, their counts in each test sentence at each checkpoint. These and ``summary.json`` appear
together under the run's name, or not at all. A run is finished if and only if its folder has ``summary.json``. It
holds the SHA-256 of all four, its own without the hashes, so changes by a copy or a disk show.
"""

import errno
import shutil
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import write_atomically
from structbench.bench.runs import documents, results, seals
from structbench.bench.runs.spec import Spec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy as np
    import pandas as pd
    import pyarrow as pa

FILES = ("spec.json", "curve.parquet", "summary.json", "weights.npz")
COLUMNS = (  # of every curve
    *("C", "passes", "visits", "wall_seconds", "cpu_seconds"),
    *("primal", "dual", "gap", "relative_gap", "test_error"),
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

    def columns(self, names: "Iterable[str]") -> "dict[str, np.ndarray]":
        """Columns of the curve, as far as it has them, read from its file; much faster than the whole curve.

        Raises:
            UserError: The file is missing or broken.
        """
        table = self._table([*names])
        return {name: table[name].to_numpy() for name in table.column_names}

    def _table(self, names: list[str] | None = None) -> "pa.Table":
        from pyarrow import parquet  # pandas' own reader takes three times as long

        file = self.folder / "curve.parquet"
        try:
            with parquet.ParquetFile(file) as opened:
                found = opened.read(names, use_threads=False)
            there = found.column_names
            if odd := [
                name
                for name in (*there, *(() if names else COLUMNS))
                if name not in there or str(found[name].type) != "double"
            ]:
                raise ValueError(f"{odd[0]} has no numbers")
            return found
        except (OSError, ValueError) as error:
            raise UserError(
                f"{file} cannot be read ({first_line(error)}): delete {self.folder} and run it again"
            ) from error

    @cached_property
    def chunks(self) -> "np.ndarray | None":
        """For each test sentence, its correct, predicted and gold chunks; int (checkpoints, sentences, 3).

        None if the run has none. Rows are as in ``curve``.
        """
        import numpy as np

        with _archive(self.folder) as file:
            return file["chunks"].astype(np.int64) if "chunks" in file else None

    @property
    def clock(self) -> str:
        """The column of the seconds that compare: CPU seconds of one thread, else wall seconds."""
        return "cpu_seconds" if self.spec.threads == 1 else "wall_seconds"

    @property
    def command(self) -> str:
        """The command line that makes this run again, in the same folder."""
        return self.spec.command(self.folder)

    @property
    def started(self) -> float:
        """When the run began, in seconds since 1970.

        Raises:
            UserError: The summary says no time.
        """
        started = self.summary["provenance"]["started"]
        try:
            return datetime.fromisoformat(started).timestamp() if isinstance(started, str) else started
        except (ValueError, OverflowError) as error:
            raise UserError(f"{self.folder} says that it was made at {started!r}, which is no time") from error


def weights_of(run: Run) -> "np.ndarray":
    """The last weights of a run, float64 (num_weights,), each with the seven digits that are kept."""
    return weights_in(run.folder)


def weights_in(folder: Path) -> "np.ndarray":
    """The same, of the folder of a run or a model."""
    import numpy as np

    with _archive(folder) as file:
        if "weights" in file:
            return file["weights"].astype(np.float64)
        full = np.zeros(int(file["size"]))
        full[file["places"]] = file["values"]
        return full


@contextmanager
def _archive(folder: Path) -> "Iterator[np.lib.npyio.NpzFile]":
    """The open ``weights.npz`` of a folder.

    Raises:
        UserError: It is broken.
    """
    import zipfile
    import zlib

    import numpy as np

    try:
        with np.load(folder / "weights.npz") as file:
            yield file
    except (OSError, ValueError, EOFError, LookupError, TypeError, zipfile.BadZipFile, zlib.error) as error:
        raise UserError(f"{folder / 'weights.npz'} is broken ({first_line(error)})") from error


def sweep(root: Path) -> None:
    """Remove what processes left in ``root`` that were killed while they wrote a run, an hour ago or earlier.

    Younger files may belong to a job that goes on elsewhere. They are not in the way, and a later sweep removes
    them.
    """
    for left in root.glob(".*.partial"):
        with suppress(FileNotFoundError):  # it has just been finished
            if time.time() - left.stat().st_mtime > ABANDONED:
                shutil.rmtree(left, ignore_errors=True)


def amend(run: Run, facts: documents.Json) -> Run:
    """The run, once its summary has these facts, too.

    Raises:
        UserError: The summary cannot be written.
    """
    try:
        summary = seals.sealed(run.folder, run.summary | facts)
        write_atomically(run.folder / "summary.json", documents.to_json(summary))
    except OSError as error:
        raise unwritable(run.folder, error) from error
    return replace(run, summary=summary)


def unwritable(folder: Path, error: OSError) -> UserError:
    """What is said when a run's folder cannot be written."""
    full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    remedy = "free some space" if full else "mend that"
    return UserError(f"cannot write the run to {folder} ({first_line(error)}): {remedy} and run it again")


def writable(folder: Path) -> Path:
    """The folder's absolute path, once it is sure that a run may be written there.

    Raises:
        UserError: It holds something that is not a run's, or its parent cannot be written.
    """
    folder = Path(folder).absolute()
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder.parent):
            found = names(folder) if folder.is_dir() else set()
            is_ours = not found or (found <= set(FILES) and "spec.json" in found)
            if is_ours and not folder.is_file():
                return folder
    except OSError as error:
        raise UserError(
            f"cannot write to {folder.parent} ({first_line(error)}): make it a writable folder"
        ) from error
    raise UserError(f"{folder} holds something other than a run: choose another folder for --out")


def is_run(folder: Path) -> bool:
    """Whether a folder, or a link to one, holds files of a run, and nothing else; not one that is being made."""
    is_made = folder.name.startswith(".") or folder.name.endswith(".partial")
    found = names(folder) if folder.is_dir() and not is_made else set()
    return bool(found) and found <= set(FILES)


def names(folder: Path) -> set[str]:
    """The names of the files in a folder, without what a killed process was writing."""
    with suppress(FileNotFoundError):  # another process is just replacing it
        return {file.name for file in folder.iterdir() if not file.name.endswith(".partial")}
    return set()


def finished(folder: Path) -> bool:
    """Whether the folder holds a complete run."""
    return all((Path(folder) / name).is_file() for name in FILES)


def sound(folder: Path) -> bool:
    """Whether the folder holds a complete run whose JSON files can be read."""
    try:
        read_run(folder)
    except UserError:
        return False
    return True


def read_run(folder: Path) -> Run:
    """Read a finished run.

    Raises:
        UserError: The run is not finished, or one of its JSON files is broken.
    """
    folder = Path(folder)
    if not finished(folder):
        missing = ", ".join(name for name in FILES if not (folder / name).is_file())
        raise UserError(f"{folder} holds no finished run (no {missing})")
    spec, summary = spec_in(folder), from_json(folder / "summary.json", documents.SUMMARY)
    if seals.FORMER in summary:
        summary.setdefault("num_weights", summary[seals.FORMER])
    return Run(summary["key"], folder, spec, summary)


def all_runs(root: Path | None = None) -> list[Run]:
    """All finished runs under ``root``, by name; a broken one is named on stderr and left out.

    Args:
        root: By default this machine's runs.
    """
    root = Path(root or results.runs())
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
