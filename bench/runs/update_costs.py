"""The measured cost of one update, operation by operation: what is measured, and where it is kept.

``bench.workflow.breakdown`` measures it.
"""

from pathlib import Path
from typing import Any

from structbench.bench.runs import documents, problems, results

OPERATIONS = ("inner products", "dual update", "marginals", "entropy", "addition", "norm")
SHARED = ("inner products", "marginals", "addition")
LOOPS = ("dual update", "entropy")  # that EG has besides
SHAPE = {"microseconds": dict.fromkeys(OPERATIONS, (int, float, list))}


def file(data: str, folder: Path | None = None) -> Path:
    """Where the measurement of a data set is kept."""
    return (folder or results.breakdown()) / problems.note(data).name


def read(data: str, folder: Path | None = None) -> dict[str, Any] | None:
    """The measurement of a data set, None if there is none."""
    place = file(data, folder)
    return documents.read(place, SHAPE, "delete it, and `make run` measures again") if place.is_file() else None
