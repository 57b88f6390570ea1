"""Lines of a text file that the user names by path."""

from collections.abc import Iterator
from pathlib import Path

from algorithms.runtime.errors import UserError


def numbered_lines(path: str) -> Iterator[tuple[int, str]]:
    """(line number, line without its end) of a UTF-8 file; a byte order mark and CRLF are understood.

    Raises:
        UserError: there is no such file, it cannot be read, or it is not UTF-8 text; names file and line.
    """
    try:
        with open(Path(path).expanduser(), "rb") as file:
            for number, raw in enumerate(file, 1):
                if number == 1:
                    raw = raw.removeprefix(b"\xef\xbb\xbf")
                try:
                    yield number, raw.decode().rstrip("\r\n")
                except UnicodeDecodeError as error:
                    byte = raw[error.start]
                    raise UserError(
                        f"{path}, line {number}: expected UTF-8 text, found byte 0x{byte:02x}"
                    ) from None
    except FileNotFoundError:
        raise UserError(f"{path}: there is no such file") from None
    except OSError as error:
        raise UserError(f"{path}: expected a readable text file, but: {error.strerror}") from None
