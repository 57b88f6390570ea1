"""Draw published runs, and say how those that were made again here differ from what was published."""

import random
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.report import published
from structbench.bench.runs.spec import Spec, parse
from structbench.bench.runs.store import Run

OBJECTIVE = 1e-6  # of it: how far it may be off on a CPU of another type
ERROR = 1e-3  # a tenth of a point: the same of a test error
COMPARED = {"primal": "objective", "test_error": "test error"}


class Drawn(NamedTuple):
    """Published runs to make again, with their rows of the table, and how many there were to draw from.

    older: Those of older code. timed: Those of a limit in seconds, whose passes depend on the machine.
    """

    rows: list[tuple[Spec, dict[str, str]]]
    of: int
    older: int
    timed: int


def draw_published(folder: Path, sample: int, seed: int, with_older: bool) -> Drawn:
    """Draw runs of a published paper: of today's code, or ``with_older`` of any that can be made.

    Raises:
        UserError: The paper's table of runs is not there, or broken.
    """
    older, timed = {*published.of_older_code(folder)}, 0
    there: list[tuple[Spec, dict[str, str]]] = []
    for row in published.published_rows(folder):
        if row["run"] in older and not with_older:
            continue
        try:
            spec = parse(row["run"])
        except UserError:  # of an algorithm or data set that is gone
            continue
        if spec.seconds is None:
            there.append((spec, row))
        else:
            timed += 1
    return Drawn(random.Random(seed).sample(there, min(sample, len(there))), len(there), len(older), timed)


def run_differences(row: Mapping[str, str], run: Run) -> list[str]:
    """What differs between a published run and this one, as sentences.

    On a CPU of the same type all digits that are published are equal. On another one, the objective is within
    ``OBJECTIVE`` and the test error within ``ERROR``. The passes are named there only if one of these differs.
    """
    here = {name: str(value) for name, value in published.published_row(run).items()}
    same_cpu = row.get("cpu") == here["cpu"]
    found = []
    for name, said in COMPARED.items():
        most = ERROR if name == "test_error" else OBJECTIVE * abs(float(row[name] or 0))
        found.append(_differs(said, row[name], here[name], None if same_cpu else most))
    if same_cpu or any(found):
        found.append(_differs("passes", row["passes"], here["passes"], None))
    return [each for each in found if each]


def _differs(name: str, theirs: str, ours: str, most: float | None) -> str:
    if theirs == ours or (most is not None and theirs and ours and abs(float(theirs) - float(ours)) <= most):
        return ""
    return f"{name} {ours or 'none'}, published {theirs or 'none'}"
