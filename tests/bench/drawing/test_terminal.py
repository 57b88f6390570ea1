"""Texts of others do not control the terminal; files and pipes get their bytes."""

import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from structbench.bench.drawing.terminal import print_table

LABEL = "NN\x1b[2J\x9b0m"
PROGRAM = """
import sys
from structbench.bench import __main__ as program
from structbench.bench.drawing.terminal import print_table
from structbench.bench.verbs.saying import say
from structbench.bench.workflow.screen import Screen
from structbench.algorithms.runtime.errors import UserError
label = {label!r}

class Given:
    def do(self, _):
        sys.stdout.write(f"one {{label}}\\n")
        print_table(["label"], [[label]])
        say(label)
        Screen().say(label)
        raise UserError(label)

program.parse_words = lambda words: Given()
sys.exit(program.main([]))
"""


@pytest.mark.parametrize("terminal", [True, False])
def test_control_characters_are_shown_on_a_terminal(tmp_path: Path, terminal: bool):
    above, below = os.openpty() if terminal else os.pipe()
    command = [sys.executable, "-c", PROGRAM.format(label=LABEL)]
    ended = subprocess.run(command, stdout=below, stderr=below, env=os.environ | {"TERM": "xterm"}, check=False)
    os.close(below)
    said = os.read(above, 100_000).decode()
    os.close(above)
    assert ended.returncode == 2
    shown = r"NN\x1b[2J\x9b0m" if terminal else LABEL
    assert said.count(shown) == 5 and f"error: {shown}" in said
    assert ("\x1b[2J" in said) == ("\x9b" in said) == (not terminal)
    assert ("\x1b[1m" in said) == terminal  # the header's looks are ours


class Terminal(io.StringIO):
    """A standard output on which people read."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("columns", [60, 80, 110])
def test_narrow_tables_leave_columns_out_before_they_break_a_number(columns: int, monkeypatch: pytest.MonkeyPatch):
    row = {"method": "EG, order gap", "validation error %": "3.12 (3.01 to 3.25)", "test error %": "4.52"}
    row |= {"test F1 %": "88.01", "nonzero weights": "123,456", "gap": "4.1e-03", "distance": "4.3e-03"}
    row |= {"CPU s": "1.32", "passes": "1.2e+02"}
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stdout", terminal := Terminal())
    print_table([*row], [[*row.values()]], ["test F1 %", "distance"])
    said = re.sub(r"\x1b\[[\d;]*m", "", terminal.getvalue())
    left_out = re.findall("Not shown: (.*);", said)
    names = left_out[0].split(", ") if left_out else []
    words = said.split("Not shown")[0].split()
    shown = " ".join(f"{name} {cell}" for name, cell in row.items() if name not in names)
    assert {*shown.split()} <= {*words}
    assert max(map(len, said.split("Not shown")[0].splitlines())) <= columns
    assert names[:2] == {60: ["test F1 %", "distance"], 80: ["test F1 %"], 110: []}[columns]


def test_headers_are_no_markup_and_a_pipe_has_all_columns_in_colour_too(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "20")
    names = ["[x]", "[/b]", "a long heading", "another long one"]
    print_table(names, [["1", "2", "3", "4"]])
    said = capsys.readouterr().out
    assert all(name in said for name in names) and "Not shown" not in said


def test_no_line_of_a_table_ends_in_blanks(monkeypatch, capsys):
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    print_table(["a", "long"], [["1", "x" * 300], ["2", "y"], ["3", ""]])
    rows = capsys.readouterr().out.splitlines()
    assert [line.rstrip() for line in rows] == rows and rows[-2:] == ["3", ""], rows
