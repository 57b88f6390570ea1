"""Format the commands that messages show: quoted for a shell, and beginning as the user called the program."""

import re
import shlex
import shutil
import sys
from pathlib import Path

PROGRAM = "python -m bench"
MODULES = (["-m", "bench"], ["-m", "structbench.bench"])


def command(*words: object) -> str:
    """The program with these words, each quoted if a shell needs it."""
    return f"{PROGRAM} {shlex.join(map(str, words))}"


def as_called(text: str) -> str:
    """The text, in which commands begin as people called the program, such as .venv/bin/python -m bench."""
    return re.sub(rf"(?<![\w/]){PROGRAM}", lambda found: _program(), text)


def _program() -> str:
    typed, name = sys.argv[0], Path(sys.argv[0]).name
    if name == "structbench":
        return name if shutil.which(name) == typed else shlex.quote(typed)
    python, *words = sys.orig_argv[:3]
    is_typed = words in MODULES and not Path(python).is_absolute()  # jobs have a whole path
    return shlex.join([python, *words]) if is_typed else PROGRAM
