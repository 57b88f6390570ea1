"""Run directories: the record of what was run, from which MLflow, figures, claims and report are views.

``spec.json`` (the complete specification), ``curve.parquet`` (a row per checkpoint), ``weights.npz`` and
``summary.json`` appear together under the run's name, or not at all: a run is finished if and only if its
folder holds ``summary.json``.
"""

import errno
import json
import math
import os
import secrets
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from datasets.base.errors import UserError

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import pyarrow as pa

RUNS = Path("results/runs")


@dataclass(frozen=True)
class Run:
    """A finished run; ``curve`` is read from its file when it is first used."""

    key: str
    folder: Path
    spec: dict[str, Any]
    summary: dict[str, Any]

    @cached_property
    def curve(self) -> "pd.DataFrame":
        """One row per checkpoint, float64 columns, NaN where a column does not apply.

        Raises:
            UserError: the file is missing or broken.
        """
        import pandas as pd

        file = self.folder / "curve.parquet"
        try:
            return pd.read_parquet(file)
        except (OSError, ValueError) as error:
            raise UserError(
                f"{file} cannot be read ({_line(error)}): delete {self.folder} and run it again"
            ) from error

    @property
    def command(self) -> str:
        """The command line that makes this run again, in the same folder."""
        from bench.spec import Spec

        spec = Spec(**self.spec | {"params": tuple(sorted(self.spec["params"].items()))})
        return spec.command().replace("--out DIR", f"--out {self.folder}")

    @property
    def started(self) -> float:
        """When the run began, in seconds since 1970."""
        started = self.summary["provenance"]["started"]
        return datetime.fromisoformat(started).timestamp() if isinstance(started, str) else started


def write(
    folder: Path,
    spec: dict[str, Any],
    curve: Mapping[str, Sequence[float]],
    summary: dict[str, Any],
    weights: "np.ndarray",
) -> None:
    """Write a finished run to ``folder``, in place of what was there; ``curve`` is column -> values.

    Everything is written beside ``folder`` first and takes its name when complete, so that a crash or a full
    disk leaves no half run. Non-finite numbers become null in the JSON files.

    Raises:
        UserError: the disk is full, or the folder cannot be written.
    """
    import numpy as np
    import pyarrow.parquet as pq

    folder = Path(folder)
    partial, former = (folder.with_name(f".{secrets.token_hex(6)}.{kind}") for kind in ("partial", "former"))
    try:
        partial.mkdir(parents=True)
        (partial / "spec.json").write_text(_to_json(spec))
        pq.write_table(_arrow(curve), partial / "curve.parquet")
        np.savez(partial / "weights.npz", weights=weights)
        (partial / "summary.json").write_text(_to_json(summary))
        if folder.exists():
            os.replace(folder, former)
        os.replace(partial, folder)
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        remedy = "free some space" if full else "make its parent folder writable"
        raise UserError(f"cannot write the run to {folder} ({_line(error)}): {remedy} and run it again") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
        shutil.rmtree(former, ignore_errors=True)


def _arrow(curve: Mapping[str, Sequence[float]]) -> "pa.Table":
    """The curve as an Arrow table, made from buffers: any other way imports pandas, a third of a run's start."""
    import numpy as np
    import pyarrow as pa

    columns = {name: np.ascontiguousarray(curve[name], np.float64) for name in curve}
    arrays = [
        pa.Array.from_buffers(pa.float64(), len(column), [None, pa.py_buffer(column)])
        for column in columns.values()
    ]
    return pa.Table.from_arrays(arrays, names=[*columns])


def finished(folder: Path) -> bool:
    """Whether the folder holds a complete run."""
    return (Path(folder) / "summary.json").is_file()


def read(folder: Path) -> Run:
    """Read a finished run.

    Raises:
        UserError: the run is not finished, or one of its JSON files is broken.
    """
    folder = Path(folder)
    if not finished(folder):
        raise UserError(f"{folder} holds no finished run (no summary.json)")
    spec, summary = (_from_json(folder / name) for name in ("spec.json", "summary.json"))
    return Run(summary.get("key", folder.name), folder, spec, summary)


def all_runs(root: Path = RUNS) -> list[Run]:
    """All finished runs under ``root``, by name; unfinished ones and folders still being written are left out.

    Raises:
        UserError: a finished run's JSON file is broken.
    """
    root = Path(root)
    if not root.is_dir():
        return []
    return [read(f) for f in sorted(root.iterdir()) if not f.name.startswith(".") and finished(f)]


def _to_json(value: dict[str, Any]) -> str:
    return json.dumps(plain(value), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def plain(value: Any) -> Any:
    """The value as JSON keeps it: plain numbers, lists for tuples, None for what is not finite."""
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if hasattr(value, "item"):  # a numpy number
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _from_json(file: Path) -> dict[str, Any]:
    try:
        value = json.loads(file.read_text())
    except (OSError, ValueError) as error:
        raise UserError(f"{file} is broken ({_line(error)}): delete {file.parent} and run it again") from error
    if not isinstance(value, dict):
        raise UserError(f"{file} is broken (not a JSON object): delete {file.parent} and run it again")
    return value


def _line(error: Exception) -> str:
    return str(error).partition("\n")[0]
