"""One named regular file of a zip or tar archive, read as a stream and never extracted to a path."""

import gzip
import io
import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from structbench.algorithms.runtime.errors import UserError

LARGEST = 2**28  # bytes of a tar archive once decompressed
# damaged archives; NotImplementedError: a compression that zipfile does not know
BROKEN = (
    *(zipfile.BadZipFile, tarfile.TarError, gzip.BadGzipFile, zlib.error, lzma.LZMAError),
    *(EOFError, NotImplementedError, RuntimeError),
)


class ArchiveError(UserError):
    """The archive is broken, too large, or does not hold the member as a regular file."""


@contextmanager
def open_member(archive: Path, member: str) -> Iterator[BinaryIO]:
    """A stream of the bytes of ``member``; whoever reads it caps the size.

    Raises:
        ArchiveError: Also while the stream is read.
        OSError: The archive cannot be read.
    """
    with _undamaged(archive):
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as opened, _member_of(opened, archive, member) as stream:
                yield stream
        else:
            with _tar_member(archive, member) as stream:
                yield stream


def read_member(archive: Path, member: str, max_bytes: int) -> bytes:
    """The bytes of ``member``.

    Raises:
        ArchiveError: See there; also when there are more than ``max_bytes``.
    """
    with open_member(archive, member) as stream:
        return _read(stream, archive, member, max_bytes)


def read_members(archive: Path, members: Iterable[str], max_bytes: int) -> Iterator[bytes]:
    """The bytes of each of these members of a zip archive. Its list of members is read only once.

    Raises:
        ArchiveError: See ``read_member``; also when it is no zip archive.
    """
    with _undamaged(archive), zipfile.ZipFile(archive) as opened:
        for member in members:
            with _member_of(opened, archive, member) as stream:
                yield _read(stream, archive, member, max_bytes)


@contextmanager
def _undamaged(archive: Path) -> Iterator[None]:
    try:
        yield
    except BROKEN as error:
        raise ArchiveError(f"{archive.name} is damaged: {error}") from error


def _read(stream: BinaryIO, archive: Path, member: str, max_bytes: int) -> bytes:
    data = stream.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise ArchiveError(f"{member} in {archive.name} is larger than the {max_bytes} bytes expected")
    return data


def _member_of(opened: zipfile.ZipFile, archive: Path, member: str) -> BinaryIO:
    try:
        info = opened.getinfo(member)
    except KeyError as error:
        raise ArchiveError(f"{archive.name} has no member {member}") from error
    kind = stat.S_IFMT(info.external_attr >> 16)
    if info.is_dir() or kind not in (0, stat.S_IFREG):
        raise ArchiveError(f"{member} in {archive.name} is not a regular file")
    return cast(BinaryIO, opened.open(info))


@contextmanager
def _tar_member(archive: Path, member: str) -> Iterator[BinaryIO]:
    with gzip.open(archive) as unzipped, tarfile.open(fileobj=_Capped(unzipped), mode="r|") as opened:
        for info in opened:
            if info.name == member:
                stream = opened.extractfile(info) if info.isreg() else None
                if stream is None:
                    raise ArchiveError(f"{member} in {archive.name} is not a regular file")
                yield cast(BinaryIO, stream)
                return
        raise ArchiveError(f"{archive.name} has no member {member}")


class _Capped(io.RawIOBase):
    """Reads on until ``LARGEST`` bytes, then refuses."""

    def __init__(self, stream: gzip.GzipFile) -> None:
        self.stream = stream
        self.left = LARGEST

    def read(self, size: int = -1) -> bytes:
        if size < 0 or size > self.left:
            raise ArchiveError(f"the archive holds more than {LARGEST} bytes")
        data = self.stream.read(size)
        self.left -= len(data)
        return data
