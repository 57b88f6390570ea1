"""Read the stored timings of the operations of one update, and tell whether they are out of date.

``bench.workflow.breakdown`` measures it.
"""

from pathlib import Path

from structbench.bench.runs import documents, problem_store, programs, results
from structbench.bench.runs.documents import Json
from structbench.datasets import DataRef

OPERATIONS = ("inner products", "dual update", "marginals", "entropy", "addition", "norm")
SHARED = ("inner products", "marginals", "addition")
LOOPS = ("dual update", "entropy")  # that EG has besides
SHAPE = {"microseconds": dict.fromkeys(OPERATIONS, (int, float, list))}


def file(data: DataRef, folder: Path | None = None) -> Path:
    """Where the measurement of a data set is kept."""
    return (folder or results.breakdown()) / problem_store.note(data).name


def read_update_costs(data: DataRef, folder: Path | None = None) -> Json | None:
    """The measurement of a data set, None if there is none."""
    place = file(data, folder)
    return documents.content(place, SHAPE, "delete it, and `make run` measures again") if place.is_file() else None


def made_from(data: DataRef) -> dict[str, str | None]:
    """What decides a measurement: hashes of the programs and of the problem, None if no problem is stored."""
    code = programs.sha256(programs.of_breakdown(data))
    return {"code_sha256": code, "data_sha256": problem_store.fingerprint(data)}


def is_stale(data: DataRef) -> bool:
    """Whether the measurement that is there is of other programs or data. One that says neither is not."""
    made = read_update_costs(data)
    return made is not None and any(each != made.get(name, each) for name, each in made_from(data).items() if each)
