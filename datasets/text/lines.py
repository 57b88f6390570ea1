"""Read UTF-8 text from bytes, archive members or the user's files; errors name the source and the line."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from structbench.algorithms.runtime.errors import UserError
from structbench.datasets.fetching import archives

NO_TEXT = {  # how other files begin
    b"\x1f\x8b": "a gzip file: unpack it",
    b"\xff\xfe": "UTF-16: save it as UTF-8",
    b"\xfe\xff": "UTF-16: save it as UTF-8",
    b"PK\x03\x04": "a zip file, as .xlsx is one: unpack it, or save it as text",
    **dict.fromkeys([b"BZh%d1AY&SY" % level for level in range(1, 10)], "a bzip2 file: unpack it"),
    b"\xfd7zXZ": "an xz file: unpack it",
    b"\x28\xb5\x2f\xfd": "a zstd file: unpack it",
}
MARK = "\ufeff"  # the byte order mark


def decode(data: bytes, source: str, line: int = 1) -> str:
    """Text from UTF-8, with or without a byte order mark; ``line``: the number of its first line.

    Raises:
        UserError: The bytes are not in that encoding, or have other line ends; names ``source`` and the line.
    """
    if line == 1:
        for magic, what in NO_TEXT.items():
            if data.startswith(magic):
                raise UserError(f"{source}, line 1: expected UTF-8 text, found {what}")
    try:
        text = data.decode("utf-8-sig" if line == 1 else "utf-8")
    except UnicodeDecodeError as error:
        line += error.object.count(b"\n", 0, error.start)
        raise UserError(
            f"{source}, line {line}: expected UTF-8 text, found byte 0x{error.object[error.start]:02x}"
        ) from None
    if line == 1 and "\n" not in text and "\r" in text.rstrip():
        raise UserError(f"{source}, line 1: expected lines that end in LF or CRLF, found CR alone")
    if (at := f"\n{text}".find(f"\n{MARK}")) >= 0:
        line += text.count("\n", 0, at)
        raise UserError(f"{source}, line {line}: found a byte order mark within the file: remove it")
    return text


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
