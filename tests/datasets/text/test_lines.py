"""Files that are no UTF-8 text with usual line ends: one sentence says what they are."""

import gzip

import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.datasets.text import lines

NO_TEXT = {
    "a gzip file: unpack it": gzip.compress(b"a D\n"),
    "UTF-16: save it as UTF-8": "a D\n".encode("utf-16"),
    "byte 0x8b": b"\x8b\n",
    "CR alone": b"a D\rb N\r",
    "a byte order mark within the file": "a D\n\ufeffb N\n".encode(),
}


@pytest.mark.parametrize("said", NO_TEXT)
def test_what_a_file_is_instead_is_said_with_its_line(said, tmp_path):
    file = tmp_path / "train.txt"
    file.write_bytes(NO_TEXT[said])
    for read in (lambda: lines.decode(NO_TEXT[said], str(file)), lambda: list(lines.numbered_lines(str(file)))):
        with pytest.raises(UserError, match=said) as error:
            read()
        assert str(error.value).startswith(f"{file}, line {2 if 'order mark' in said else 1}: ")


@pytest.mark.parametrize(
    "text", ["a D\nb N\n", "a D\r\nb N\r\n", "\ufeffa D\nb N\n", "a D\nb N", "a\ufeffb D\nb N\n"]
)
def test_a_mark_at_the_beginning_and_all_usual_line_ends_are_read(text, tmp_path):
    file = tmp_path / "train.txt"
    file.write_bytes(text.encode())
    assert [line for _, line in lines.numbered_lines(str(file))][1] == "b N"
    assert lines.decode(text.encode(), "x").split()[-1] == "N"
