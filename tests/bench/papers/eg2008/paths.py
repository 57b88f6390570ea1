"""Made-up runs of eg2008 that follow a path over C."""

import pandas as pd

from structbench.bench.papers.eg2008.runs import THEIRS
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec
from tests.bench import synthetic_curves


def write_path(runs: Runs, spec: Spec, steps: list[tuple[float, float, float]]) -> None:
    """A run that makes these steps, each with its C, passes and error in the end, in two checkpoints."""
    rows, total = [(1000.0, 0.0, 0.9)], 0.0
    for C, passes, error in steps:
        for _ in range(2):
            total += passes / 2
            rows.append((C, total, error))
    curve = pd.DataFrame(rows, columns=["C", "passes", "test_error"])
    for column in ("visits", "primal", "dual", "gap", "relative_gap", "wall_seconds", "cpu_seconds"):
        curve[column] = 1.0
    curve["test_word_attachment"] = 0.8
    finished = any(steps[-1][0] == THEIRS[table][-1][0] for table in ("table2", "table3"))
    status = "converged" if finished else "passes"
    summary = {"key": spec.key, "status": status, "num_examples": 100, "num_weights": 784, "notes": {}}
    synthetic_curves.keep(runs, spec, curve, summary | {"provenance": synthetic_curves.PROVENANCE})


def changed(steps: list[tuple[float, ...]], row: int, column: int, value: float) -> list[tuple[float, ...]]:
    """These steps, but for one number."""
    found = [list(step) for step in steps]
    found[row][column] = value
    return [tuple(step) for step in found]
