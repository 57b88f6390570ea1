"""Text in UTF-8: the bytes of a file, or the lines of one that the user names by path."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from structbench.algorithms.runtime.errors import UserError
from structbench.datasets.fetching import archives


def decode(data: bytes, source: str, line: int = 1) -> str:
    """Text from UTF-8, with or without a byte order mark; ``line``: the number of its first line.

    Raises:
        UserError: The bytes are not in that encoding; names ``source`` and the line.
    """
    try:
        return data.decode("utf-8-sig" if line == 1 else "utf-8")
    except UnicodeDecodeError as error:
        line += error.object.count(b"\n", 0, error.start)
        raise UserError(
            f"{source}, line {line}: expected UTF-8 text, found byte 0x{error.object[error.start]:02x}"
        ) from None


def of_member(archive: Path, member: str, max_bytes: int) -> tuple[str, str]:
    """The text of a member of an archive, and what messages call it; raises as ``decode`` and ``read_member``."""
    source = f"{archive}:{member}"
    return decode(archives.read_member(archive, member, max_bytes), source), source


def numbered_lines(path: str) -> Iterator[tuple[int, str]]:
    """(line number, line without its end) of a UTF-8 file; a byte order mark and CRLF are understood.

    Raises:
        UserError: There is no such file, it cannot be read, or it is not UTF-8 text; names file and line.
    """
    with opened(path) as file:
        for number, raw in enumerate(file, 1):
            yield number, decode(raw, path, number).rstrip("\r\n")


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """A file of the user's, to read bytes from.

    Raises:
        UserError: There is no such file, or it cannot be read.
    """
    try:
        with open(Path(path).expanduser(), "rb") as file:
            yield file
    except FileNotFoundError:
        raise UserError(f"{path}: there is no such file") from None
    except OSError as error:
        raise UserError(f"{path}: expected a readable text file, but: {error.strerror}") from None
