"""Texts of others do not control the terminal; files and pipes get their bytes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

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
