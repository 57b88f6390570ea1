"""Commands that people are told work when they are pasted."""

import shlex
import sys
from pathlib import Path

import pytest

from structbench.algorithms.runtime import commands
from structbench.bench.__main__ import main
from structbench.bench.runs.spec import make
from structbench.bench.verbs.saying import say

FOLDER = "it's a ré, 100%/results"


def test_words_are_quoted_where_a_shell_needs_it():
    assert commands.command("show", Path("runs/mine")) == "python -m bench show runs/mine"
    told = commands.command("predict", FOLDER, "FILE")
    assert shlex.split(told) == ["python", "-m", "bench", "predict", FOLDER, "FILE"]
    words = shlex.split(make("toy-points", "log", 1.0, "eg").command(Path(FOLDER)))
    assert words[:6] == ["python", "-m", "bench", "run", "--data", "toy-points"] and words[-2:] == [
        "--out",
        FOLDER,
    ]


@pytest.mark.parametrize(
    ("argv", "typed", "begins"),
    [
        ("bench/__main__.py", ".venv/bin/python -m bench show x", ".venv/bin/python -m bench"),
        ("bench/__main__.py", "python3 -m structbench.bench show x", "python3 -m structbench.bench"),
        ("/there/bin/structbench", "/there/bin/python /there/bin/structbench show x", "structbench"),
        (".venv/bin/structbench", "python .venv/bin/structbench show x", ".venv/bin/structbench"),
        ("bench/__main__.py", "/usr/bin/python -m bench batch x", "python -m bench"),  # a job's
        ("pytest", "python -m pytest", "python -m bench"),
    ],
)
def test_commands_begin_as_the_program_was_called(monkeypatch, capsys, argv, typed, begins):
    monkeypatch.setattr(sys, "argv", [argv, "show", "x"])
    monkeypatch.setattr(sys, "orig_argv", typed.split())
    monkeypatch.setattr(commands.shutil, "which", lambda name: f"/there/bin/{name}")
    say(commands.as_called("see `python -m bench show x`, `make run`"))
    assert capsys.readouterr().err == f"see `{begins} show x`, `make run`\n"
    assert main(["show", "--jsn"]) == 2
    assert f"see `{begins} show --help`" in capsys.readouterr().err
