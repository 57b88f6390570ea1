"""The measured cost of one update, operation by operation: what is measured, and where it is kept.

``bench.measure.breakdown`` measures it.
"""

import json
from pathlib import Path
from typing import Any

from bench.runs import problems

BREAKDOWN = Path("results/breakdown")
OPERATIONS = ("inner products", "dual update", "marginals", "entropy", "norm", "addition")
SHARED = ("inner products", "marginals", "addition")


def file(data: str, folder: Path = BREAKDOWN) -> Path:
    """Where the measurement of a data set is kept."""
    return folder / problems.note(data).name


def read(data: str, folder: Path = BREAKDOWN) -> dict[str, Any] | None:
    """The measurement of a data set, None if there is none."""
    place = file(data, folder)
    return json.loads(place.read_text()) if place.is_file() else None
