"""Runs whose curves are written down, so that what a rule measures on them can be worked out by hand."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from structbench.bench.runs.spec import Spec
from structbench.bench.runs.store import Run
from structbench.datasets import DataRef

PASSES = np.array([0.0, 1, 2, 4, 10, 16])


def run(algorithm: str = "eg", passes: Any = PASSES, *, summary: dict | None = None, **columns: Any) -> Run:
    """A run with these columns, and others by which a rule that reads the wrong one is found out."""
    passes = np.asarray(passes, float)
    usual = {
        "passes": passes, "visits": 7 * passes, "cpu_seconds": 5 + 2 * passes, "wall_seconds": 9 + 5 * passes**2,
        "primal": 90 - passes, "dual": 3 * passes, "gap": 80 - passes, "relative_gap": 0.9 - passes / 99,
        "test_error": 0.5 - passes / 100, "train_error": passes / 50, "updates": 100 * np.maximum(passes - 1, 0),
        "C": 1.0,
    }  # fmt: skip
    curve = pd.DataFrame(usual | {name: np.asarray(each, float) for name, each in columns.items()})
    said = {"num_examples": 100, "status": "passes", "notes": {"eta0": 0.01, "updates": 40, "retried": 10}}
    for name in ("cpu_seconds", "relative_gap", "test_error"):
        said[name] = float(curve[name].iloc[-1])
    made = Run("", Path(), spec_of(algorithm=algorithm), said | (summary or {}))
    made.__dict__["curve"] = curve
    return made


def spec_of(data: str = "mnist", loss: str = "log", C: float = 1.0, algorithm: str = "eg", **rest: Any) -> Spec:
    """A spec that nothing has checked."""
    return Spec(DataRef(data), None, loss, C, algorithm, (), **rest)


def with_spec(made: Run, **changes: Any) -> Run:
    """The run with another spec."""
    found = replace(made, spec=replace(made.spec, **changes))
    found.__dict__["curve"] = made.curve
    return found


def ending(**columns: float) -> Run:
    """A run that ends with these values."""
    values: dict[str, Any] = {name: [9.0, 9, 9, 9, 9, value] for name, value in columns.items()}
    return run(**values)
