"""Whether a command would find nothing to do, without Snakemake, which takes seconds to say so.

When a workflow has made all that its config asks for, it notes what it was asked, and a fingerprint of the files
that it reads and makes. If the next command asks the same and no file has changed since, nothing is to be done. If
in doubt, Snakemake looks.
"""

import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from structbench.algorithms.runtime import own_folders
from structbench.algorithms.runtime.files import write_atomically
from structbench.algorithms.runtime.own_folders import ROOT
from structbench.bench.runs.fingerprint import fingerprint

if TYPE_CHECKING:
    from structbench.bench.workflow.config import Config

FILE = Path(".snakemake/structbench.unchanged.json")
NOTHING = "Nothing to be done: everything is there."
OPTIONS = {  # of a command that asks for all of a config -> how many words follow
    "--cores": 1, "--configfile": 9, "--config": 99, "--workflow-profile": 1, "--keep-going": 0,
    "--rerun-incomplete": 0, "--quiet": 1, "--scheduler": 1, "--logger": 1,
}  # fmt: skip
VARIABLES = ("STRUCTBENCH_", "NUMBA_", "MLFLOW_TRACKING_URI")  # how those begin that decide what is made
PROGRAMS = ("Snakefile", "workflow", "algorithms", "datasets", "bench", "config")


def question(words: Iterable[str]) -> str | None:
    """What a command line asks, under which settings; None if it may ask for anything but all of a config."""
    values = 0
    for word in words:
        if word.startswith("-"):
            if word not in OPTIONS:
                return None
            values = OPTIONS[word]
        elif values == 0:
            return None
        else:
            values -= 1
    settings = {name: value for name, value in sorted(os.environ.items()) if name.startswith(VARIABLES)}
    return json.dumps([sys.prefix, sys.version, [*words], settings])


def is_so(words: Iterable[str]) -> bool:
    """Whether nothing has changed since a workflow that was asked the same made everything."""
    try:
        noted = json.loads(FILE.read_text(encoding="utf-8"))[question(words) or ""]
        return all(map(os.path.exists, noted["there"])) and all(
            fingerprint(noted[each]) == noted["as"][each] for each in ("read", "made")
        )
    except (OSError, ValueError, TypeError, KeyError):
        return False


class Watched:
    """The files that a workflow reads, as they are when it begins, and the places of those that it makes.

    Args:
        asked: The ``question`` of its command.
        read: Files and folders besides the programs.
        made: Files and folders.
        there: Files that others change, too: they need only be there.
    """

    def __init__(self, asked: str, read: Iterable[Any], made: Iterable[Any], there: Iterable[Any]) -> None:
        self.asked = asked
        places = {"read": [*(ROOT / name for name in PROGRAMS), *own_folders.folders(), *read]}
        places |= {"made": made, "there": there}
        self.places = {name: [os.path.abspath(place) for place in some] for name, some in places.items()}
        self.read = fingerprint(self.places["read"])

    def note(self) -> None:
        """Note that all is made."""
        try:
            noted = dict(json.loads(FILE.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            noted = {}
        sha = {"read": self.read, "made": fingerprint(self.places["made"])}
        write_atomically(FILE, json.dumps(noted | {self.asked: self.places | {"as": sha}}))


_watched: list[Watched] = []  # by this process


def begin(asked: str | None, config: "Config", files: Iterable[str], database: Path | None) -> None:
    """Watch a workflow from its start, unless it lacks a corpus or a program, which may be there the next time.

    Args:
        asked: The ``question`` of its command.
        files: The config's.
        database: Where its runs are logged, if that is a file.
    """
    from structbench.bench.runs import problems, results

    if asked is None or config.without or config.left_out:
        return
    given = {(spec.data, spec.test) for spec in config.specs}
    read = [*files, *sorted({file for each in given for file in problems.user_files(*each)})]
    made = [results.runs(), results.batches(), results.problems(), results.breakdown()]
    made += [results.root() / "stamps", results.root() / config.name]
    _watched.append(Watched(asked, map(os.path.expanduser, read), made, [database] if database else []))


def note() -> None:
    """Note that all is made, if this process watches a workflow."""
    for each in _watched:
        each.note()
