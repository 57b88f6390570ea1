"""Copy runs from untrusted sources: only the expected files, whose sizes are checked before they are loaded.

Nothing in them is run or unpickled, and no link is followed.
"""

import errno
import os
import stat
import zipfile
from math import prod
from pathlib import Path

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.runs import store
from structbench.datasets.fetching.archives import BROKEN

MEGABYTE = 1 << 20
MOST_BYTES = {
    "spec.json": MEGABYTE,
    "summary.json": MEGABYTE,
    "curve.parquet": 64 * MEGABYTE,
    "weights.npz": 1024 * MEGABYTE,
}
MOST_NUMBERS = 10_000_000  # of a curve: checkpoints times columns
MOST_COLUMNS = 1000
MOST_WEIGHTS = 1 << 27  # 1 GB in float64


def copy(folder: Path, target: Path) -> None:
    """Copy the files of a run, and nothing else in its folder, to ``target``, a folder that is not there yet.

    Raises:
        UserError: One is missing, is no regular file, is too large, or cannot be copied.
    """
    if folder.is_symlink():
        raise UserError("it is a symbolic link")
    target.mkdir()
    for name, most in MOST_BYTES.items():
        try:  # without waiting: a named pipe may have no writer
            source = os.open(folder / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            with open(source, "rb") as file, (target / name).open("wb") as out:
                if not stat.S_ISREG(os.fstat(source).st_mode):
                    raise UserError(f"its {name} is not a file")
                while piece := file.read(MEGABYTE):
                    if out.tell() + len(piece) > most:
                        raise UserError(f"its {name} is larger than {most // MEGABYTE} MB")
                    out.write(piece)
        except OSError as error:
            why = "it is a symbolic link" if error.errno == errno.ELOOP else error.strerror
            raise UserError(f"its {name} cannot be copied ({why})") from None


def check_sizes(run: store.Run) -> None:
    """Raise a UserError unless curve and weights have the sizes that they say, and these are within limits."""
    rows, weights = _checkpoints(run), run.summary.get("num_weights")
    if not isinstance(weights, int) or not 0 <= weights <= MOST_WEIGHTS:
        raise UserError(f"it says that it has {weights!r} weights: expected at most {MOST_WEIGHTS:,}")
    _check_archive(run.folder / "weights.npz", weights)
    try:
        found = len(run.curve), len(store.weights_of(run))
    except UserError as error:
        raise UserError(str(error).replace(f"{run.folder}/", "its ").partition(": delete")[0]) from None
    if found != (rows, weights):
        raise UserError(f"it has {found[0]:,} checkpoints and {found[1]:,} weights, not {rows:,} and {weights:,}")


def _checkpoints(run: store.Run) -> int:
    """The number of rows that the curve says it has."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(run.folder / "curve.parquet", thrift_container_size_limit=10 * MOST_COLUMNS) as file:
            rows, columns = file.metadata.num_rows, file.metadata.num_columns
    except (OSError, pa.ArrowException) as error:
        raise UserError(f"its curve.parquet is damaged ({store.first_line(error)})") from None
    if rows < 1 or columns > MOST_COLUMNS or rows * columns > MOST_NUMBERS:
        raise UserError(f"its curve has {rows:,} rows and {columns:,} columns")
    return rows


def _check_archive(file: Path, weights: int) -> None:
    """See that each array has just as many bytes as its shape needs, and that weights with places are as many."""
    import numpy as np
    from numpy.lib import format as npy

    try:
        with zipfile.ZipFile(file) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > MOST_BYTES["weights.npz"]:
                raise ValueError("it grows too large when it is unpacked")
            for entry in archive.infolist():
                with archive.open(entry) as member:
                    if npy.read_magic(member) != (1, 0):
                        raise ValueError(f"{entry.filename} has another format")
                    shape, _, dtype = npy.read_array_header_1_0(member)
                    size = entry.file_size - member.tell()
                if entry.filename == "chunks.npy" and prod(shape) > MOST_WEIGHTS:  # 8 bytes each, once read
                    raise ValueError(f"{entry.filename} has more than {MOST_WEIGHTS:,} numbers")
                if dtype.hasobject or prod(shape) * dtype.itemsize != size:
                    raise ValueError(f"{entry.filename} is no array of {size} bytes")
            if "size.npy" in archive.namelist():  # weights that are not 0, with their places
                with np.load(file) as packed:
                    if packed["size"].tolist() != weights:
                        raise ValueError(f"it is not of {weights:,} weights")
    except (OSError, ValueError, *BROKEN) as error:
        raise UserError(f"its weights.npz is damaged ({store.first_line(error)})") from None
