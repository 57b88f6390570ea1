"""Files and folders that appear whole or not at all, and locks between processes.

What is being written lies in a hidden folder beside its place until it is complete. An exception, a full disk or a
killed process leaves what was there before; only the last may leave a folder ``.*.partial`` behind.
"""

import errno
import itertools
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

POLL_SECONDS = 0.02


def write_atomically(file: Path, content: str | bytes) -> None:
    """Write a file, text in UTF-8, in place of what was there; its folder is made if need be.

    Raises:
        OSError: it cannot be written.
    """
    with atomic_file(file) as partial:
        partial.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def atomic_file(file: Path) -> Iterator[Path]:
    """A path to write to; what is there when the block ends without an exception takes the name ``file``.

    It is on the disk before it takes that name, so that not even a power cut leaves half of it.

    Raises:
        OSError: it cannot be written.
    """
    with _beside(file) as scratch:
        partial = scratch / file.name
        yield partial
        _sync(partial)
        os.replace(partial, file)
        _sync(file.parent)


@contextmanager
def atomic_folder(folder: Path) -> Iterator[Path]:
    """An empty folder, which takes the name ``folder`` when the block ends without an exception.

    A folder of that name is replaced, even if another process just put it there. It is moved out of the way first:
    for a moment there is none of the name. All files are on the disk before: not even a power cut leaves a part.

    Raises:
        OSError: it cannot be written, or ``folder`` is a file.
    """
    with _beside(folder) as scratch:
        partial = scratch / "complete"
        partial.mkdir()
        yield partial
        for path in (*partial.rglob("*"), partial):
            _sync(path)
        _replace_folder(partial, folder, scratch)
        _sync(folder.parent)


@contextmanager
def locked(file: Path, patience: float | None = None) -> Iterator[None]:
    """Hold a lock that one process, and one thread of it, can hold at a time; ``file`` stays when it is released.

    The system releases the lock of a process that ends, however it ends.

    Args:
        file: the lock, which serves for nothing else; its folder is made if need be.
        patience: seconds to wait for another process; None: as long as it takes.

    Raises:
        BlockingIOError: another process has held it for so long.
        OSError: the file cannot be made.
        RuntimeError: this thread holds it already.
    """
    from filelock import FileLock, Timeout  # a tenth of a second that only those who lock wait for

    file.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(file, poll_interval=POLL_SECONDS, fallback_to_soft=False)
    try:
        lock.acquire(timeout=-1 if patience is None else patience)
    except Timeout as error:
        raise BlockingIOError(errno.EAGAIN, "locked by another process", str(file)) from error
    try:
        yield
    finally:
        lock.release()


def is_locked(file: Path) -> bool:
    """Whether a process holds the lock of this file; it is not made if there is none.

    Raises:
        OSError: the file cannot be opened.
    """
    if not file.exists():
        return False
    try:
        with locked(file, patience=0):
            return False
    except BlockingIOError:
        return True


def _sync(path: Path) -> None:
    """Have what a file or a folder holds on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _beside(place: Path) -> Iterator[Path]:
    """A folder in the folder of ``place``, and so on the same disk, for as long as the block."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(
        prefix=".", suffix=".partial", dir=place.parent, ignore_cleanup_errors=True
    ) as scratch:
        yield Path(scratch)


def _replace_folder(complete: Path, folder: Path, scratch: Path) -> None:
    """Give ``complete`` the name ``folder``; a folder of that name goes to ``scratch``, and back if that fails."""
    formers = (scratch / f"former{attempt}" for attempt in itertools.count())
    former = next(formers)
    try:
        while True:
            try:
                os.replace(complete, folder)
                return
            except OSError as error:
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                    raise
            former = next(formers)
            with suppress(FileNotFoundError):  # another process may have moved it
                os.replace(folder, former)
    except BaseException:
        with suppress(OSError):  # there is none, or another process has put one there
            os.replace(former, folder)
        raise
