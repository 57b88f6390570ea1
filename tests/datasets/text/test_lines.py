"""Text in UTF-8, as a whole or line by line."""

import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.datasets.text import lines

BOM = b"\xef\xbb\xbf"
TEXT = "the\ncaf\u00e9\n\nsleeps\n"


@pytest.mark.parametrize("mark", [b"", BOM])
def test_a_byte_order_mark_is_no_text(written, mark):
    assert lines.decode(mark + TEXT.encode(), "x") == TEXT
    assert list(lines.numbered_lines(written(mark + TEXT.encode()))) == [*enumerate(TEXT.splitlines(), 1)]


def test_line_ends(written):
    assert list(lines.numbered_lines(written("a\r\n\r\nb"))) == [(1, "a"), (2, ""), (3, "b")]


@pytest.mark.parametrize("mark", [b"", BOM])
@pytest.mark.parametrize(("before", "line"), [("", 1), ("the\n", 2)])
def test_latin_1_is_refused_with_its_line(written, mark, before, line):
    data = mark + (before + "caf\u00e9\n").encode("latin-1")
    path = written(data)
    message = f"line {line}: expected UTF-8 text, found byte 0xe9"
    with pytest.raises(UserError, match=f"file, {message}"):
        lines.decode(data, "file")
    with pytest.raises(UserError, match=f"{path}, {message}"):
        list(lines.numbered_lines(path))


def test_a_file_that_cannot_be_read(tmp_path):
    with pytest.raises(UserError, match="there is no such file"):
        list(lines.numbered_lines(str(tmp_path / "none")))
    with pytest.raises(UserError, match="expected a readable text file, but: Is a directory"):
        list(lines.numbered_lines(str(tmp_path)))
