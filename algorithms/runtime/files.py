"""Files and folders that appear whole or not at all, and locks between processes.

Incomplete files lie in a hidden folder next to their final place. After an exception, a full disk or a killed
process, the former file or folder is still there. Only a killed process may leave a folder ``.*.partial`` behind.
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
    """Write or replace a file; text in UTF-8. Its folder is created if necessary.

    Raises:
        OSError: it cannot be written.
    """
    with atomic_file(file) as partial:
        partial.write_bytes(content.encode() if isinstance(content, str) else content)


def write_if_changed(file: Path, text: str) -> bool:
    """Write a file as ``write_atomically``, unless it holds this text; return whether it was written."""
    with suppress(OSError, ValueError):
        if file.read_text(encoding="utf-8") == text:
            return False
    write_atomically(file, text)
    return True


@contextmanager
def atomic_file(file: Path) -> Iterator[Path]:
    """A path to write to. If the block ends without an exception, the file there takes the name ``file``.

    It is on the disk before it takes that name, so that a power cut does not leave half of it.

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

    A folder of that name, or a link to one, is replaced, even if another process just put it there. It is moved
    away first: for a moment no folder has the name. All files are on the disk by then: a power cut leaves no part.

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
    """Hold a lock, which only one thread of one process can hold at a time; ``file`` remains afterwards.

    The system releases the lock of a process that ends, however it ends.

    Args:
        file: the lock file, used for nothing else. Its folder is created if necessary.
        patience: seconds to wait for another process; None: as long as it takes.

    Raises:
        BlockingIOError: another process has held it for that long.
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
    """Whether a process holds the lock of this file. A missing file is not created.

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
    """Flush a file or a folder to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _beside(place: Path) -> Iterator[Path]:
    """A temporary folder next to ``place``, and so on the same disk, for the length of the block."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(
        prefix=".", suffix=".partial", dir=place.parent, ignore_cleanup_errors=True
    ) as scratch:
        yield Path(scratch)


def _replace_folder(complete: Path, folder: Path, scratch: Path) -> None:
    """Rename ``complete`` to ``folder``. A folder of that name goes to ``scratch``, and back if that fails."""
    formers = (scratch / f"former{attempt}" for attempt in itertools.count())
    former = next(formers)
    try:
        while True:
            try:
                os.replace(complete, folder)
                return
            except OSError as error:
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST) and not folder.is_symlink():
                    raise
            former = next(formers)
            with suppress(FileNotFoundError):  # another process may have moved it
                os.replace(folder, former)
    except BaseException:
        with suppress(OSError):  # no such folder, or another process has put one there
            os.replace(former, folder)
        raise
