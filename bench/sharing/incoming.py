"""Runs of strangers: copied file by file, then checked as a copy that nobody else can change.

Nothing in them is run or unpickled, no link is followed, and no file may grow beyond its limit.
"""

import os
import stat
import zipfile
from datetime import datetime
from math import prod
from pathlib import Path
from typing import Any

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.runs import store
from structbench.bench.runs.spec import parse
from structbench.bench.sharing.columns import flat_spec
from structbench.datasets.fetching.archives import BROKEN

MEGABYTE = 1 << 20
MOST_BYTES = {
    "spec.json": MEGABYTE,
    "summary.json": MEGABYTE,
    "curve.parquet": 256 * MEGABYTE,
    "weights.npz": 4096 * MEGABYTE,
}
MOST_CHECKPOINTS, MOST_COLUMNS = 1_000_000, 200
CHUNK = MEGABYTE
CHUNKS = "chunks.npy"
TELLING = 300  # characters of another's message

STATUSES = ("converged", "passes", "timeout", "finished", "stalled", "diverged", "interrupted")
LAST = ("primal", "dual", "gap", "relative_gap", "passes", "visits", "wall_seconds", "cpu_seconds")
TEXT = {"type": "string", "maxLength": 10_000}
NUMBER = {"type": ["number", "null"]}
COUNT = {"type": "integer", "minimum": 0}
HASH = {"type": "string", "pattern": "^[0-9a-f]+$", "minLength": 64, "maxLength": 64}
SUMMARY = {
    "type": "object",
    "required": ["key", "status", "message", *LAST, "num_weights", "num_examples", "notes", "provenance"],
    "properties": {
        "key": TEXT,
        "status": {"enum": [*STATUSES]},
        "message": TEXT,
        **dict.fromkeys(LAST, NUMBER),
        **dict.fromkeys(("C", "setup_seconds", "total_seconds", "test_error", "train_error"), NUMBER),
        **dict.fromkeys(("num_weights", "num_examples"), COUNT),
        "notes": {"type": "object"},
        "provenance": {
            "type": "object",
            "required": ["host", "git_commit", "code_sha256", "data_sha256", "started", "threads"],
            "properties": {
                "host": {"type": "string", "minLength": 1, "maxLength": 255},
                "git_commit": TEXT,
                "cpu": TEXT,
                "code_sha256": HASH,
                "data_sha256": HASH,
                "started": {"type": "string", "maxLength": 50},
                "threads": COUNT,
            },
        },
    },
}


def checked_copy(folder: Path, copy: Path) -> store.Run:
    """Copy a run to ``copy``, a folder that is not there yet, check all of the copy, and read it.

    Raises:
        UserError: It is not a finished, sound run of the name of its folder; says why.
        OSError: The copy cannot be written.
    """
    _copy(folder, copy)
    try:
        run = store.read(copy)
    except UserError as error:
        raise UserError(str(error).replace(str(copy), folder.name).partition(": delete")[0]) from None
    _check_summary(run)
    _check_spec(run, folder.name)
    checkpoints = _check_curve(run)
    _check_weights(copy / "weights.npz", run.summary["num_weights"], checkpoints)
    if altered := store.altered(run):
        raise UserError(f"its {' and '.join(altered)} are not what the run wrote: their SHA-256 differ")
    return run


def _copy(folder: Path, copy: Path) -> None:
    """Copy a run's files, and nothing else in its folder."""
    copy.mkdir()
    try:
        place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError as error:
        raise UserError(f"it is a symbolic link, or cannot be read ({error.strerror})") from None
    try:
        if missing := set(store.FILES) - set(os.listdir(place)):
            raise UserError(f"it is no finished run: it has no {', '.join(sorted(missing))}")
        for name in store.FILES:
            _copy_file(place, name, copy / name)
    finally:
        os.close(place)


def _copy_file(place: int, name: str, target: Path) -> None:
    """Copy one regular file of the folder that is open as ``place``."""
    most = MOST_BYTES[name]
    try:  # without waiting: a named pipe may have no writer
        source = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=place)
    except OSError as error:
        raise UserError(f"its {name} is a symbolic link, or cannot be read ({error.strerror})") from None
    with open(source, "rb") as file, target.open("wb") as out:
        if not stat.S_ISREG(os.fstat(source).st_mode):
            raise UserError(f"its {name} is not a file")
        copied = 0
        while chunk := _chunk(file, name):
            copied += len(chunk)
            if copied > most:
                raise UserError(f"its {name} is larger than {most // MEGABYTE} MB")
            out.write(chunk)


def _chunk(file: Any, name: str) -> bytes:
    try:
        return file.read(CHUNK)
    except OSError as error:
        raise UserError(f"its {name} cannot be read ({error.strerror})") from None


def _check_summary(run: store.Run) -> None:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    error = best_match(Draft202012Validator(SUMMARY).iter_errors(run.summary))
    if error is not None:
        where = ".".join(str(step) for step in error.absolute_path)
        raise UserError(f"its summary.json is malformed{f', {where}' if where else ''}: {error.message[:TELLING]}")
    if store.to_jsonable(run.summary) != run.summary:
        raise UserError("its summary.json holds numbers that are not finite")
    started = run.summary["provenance"]["started"]
    try:
        known = datetime.fromisoformat(started).tzinfo is not None
    except ValueError:
        known = False
    if not known:
        raise UserError(f"its summary.json says that it started at {started!r}, which is no time with a zone")


def _check_spec(run: store.Run, name: str) -> None:
    spec = parse(name, run.spec.paths)
    if spec.key != name or run.key != name:
        other = run.key if run.key != name else spec.key
        raise UserError(f"its folder's name is not its key, {other!r}")
    said, meant = (store.to_jsonable(flat_spec(each)) for each in (run.spec, spec))
    if differing := [field for field in {**meant, **said} if said.get(field, ...) != meant.get(field, ...)]:
        pairs = [f"{field} is {_shown(said, field)}, not {_shown(meant, field)}" for field in differing[:3]]
        raise UserError(
            f"its spec.json is not the spec of its key ({'; '.join(pairs)}): code with other defaults made it"
        )


def _shown(spec: dict[str, object], field: str) -> str:
    return repr(spec[field])[:TELLING] if field in spec else "absent"


def _check_curve(run: store.Run) -> int:
    """See that the curve has numbers and ends with the summary's. Return its number of rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(run.folder / "curve.parquet") as file:
            rows, columns = file.metadata.num_rows, file.schema_arrow.names
            if not 1 <= rows <= MOST_CHECKPOINTS or len(columns) > MOST_COLUMNS:
                raise UserError(f"its curve has {rows:,} rows and {len(columns)} columns")
            if len(set(columns)) < len(columns) or any(kind != pa.float64() for kind in file.schema_arrow.types):
                raise UserError("its curve has columns that are not numbers, or two of one name")
            table = file.read(use_threads=False)
    except (OSError, pa.ArrowException) as error:
        raise UserError(f"its curve.parquet is damaged ({store.first_line(error)[:TELLING]})") from None
    for name in LAST:
        if name not in columns:
            raise UserError(f"its curve has no column {name}")
        last = store.to_jsonable(table[name][-1].as_py())
        if last != run.summary[name]:
            raise UserError(f"its curve ends with {name} {last}, its summary.json says {run.summary[name]}")
    return rows


def _check_weights(file: Path, count: int, checkpoints: int) -> None:
    """See that the archive holds ``count`` numbers, all or those that are not 0, before any memory is taken.

    It may also hold three counts of chunks for each checkpoint and sentence.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > MOST_BYTES["weights.npz"]:
                raise UserError("its weights.npz grows too large when it is unpacked")
            shapes = {entry.filename: _shape(archive, entry) for entry in archive.infolist()}
            if archive.testzip() is not None:
                raise ValueError("a checksum differs")
    except (OSError, ValueError, *BROKEN) as error:
        raise UserError(f"its weights.npz is damaged ({store.first_line(error)[:TELLING]})") from None
    chunks = shapes.pop(CHUNKS, None)
    if chunks is not None and (len(chunks), chunks[0], chunks[-1]) != (3, checkpoints, 3):
        raise UserError(f"its chunks have the shape {chunks}, not ({checkpoints}, sentences, 3)")
    full = shapes == {"weights.npy": (count,)}
    sparse = shapes.keys() == {"size.npy", "places.npy", "values.npy"}
    if not full and not (sparse and _places_fit(file, count)):
        raise UserError(f"its weights.npz does not hold {count:,} weights")


def _shape(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> tuple[int, ...]:
    """The shape of an array of numbers in the archive, which has just as many bytes as it needs.

    Raises:
        ValueError: It is no such array, or counts of chunks that are no whole numbers.
    """
    from numpy.lib import format as npy

    with archive.open(entry) as member:
        version = npy.read_magic(member)
        if version != (1, 0):
            raise ValueError(f"{entry.filename} has the format {version}")
        shape, _, dtype = npy.read_array_header_1_0(member)
        kinds = "u" if entry.filename == CHUNKS else "iuf"
        if dtype.kind not in kinds or prod(shape) * dtype.itemsize != entry.file_size - member.tell():
            raise ValueError(f"{entry.filename} is no array of {'counts' if kinds == 'u' else 'numbers'}")
    return shape


def _places_fit(file: Path, count: int) -> bool:
    """Whether the weights that are not 0 have places below ``count``, each its own."""
    import numpy as np

    with np.load(file, allow_pickle=False) as packed:
        places, values = packed["places"], packed["values"]
        if places.dtype.kind not in "iu" or places.ndim != 1 or places.shape != values.shape:
            return False
        # of a type with a sign: so differences may
        bounded = np.concatenate([[-1], places.astype(np.int64), [count]])
        return packed["size"].tolist() == count and bool((np.diff(bounded) > 0).all())
