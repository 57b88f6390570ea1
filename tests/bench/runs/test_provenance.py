"""The files that a run depends on: all that its structure and its algorithm are made of, and nothing else."""

from pathlib import Path

import pytest

from bench.runs import provenance
from bench.runs.spec import make

STRUCTURES = Path("algorithms/structures")


def files(data: str) -> set[Path]:
    algorithm = ("log", 1.0, "lbfgs") if "joint" not in data else (None, None, "laso")
    return set(provenance.files_of_run(make(data, *algorithm)))


@pytest.mark.parametrize(
    ("data", "folder"),
    [
        ("ocr", "chain"),
        ("conll2000:task=segments", "segments"),
        ("conll2007", "dependency"),
        ("conll2007:structure=nonprojective", "nonprojective"),
    ],
)
def test_all_files_of_a_structure_are_among_them(data, folder):
    wanted = {file.relative_to(provenance.ROOT) for file in (provenance.ROOT / STRUCTURES / folder).glob("*.py")}
    assert {file for file in wanted if file.name != "__init__.py"} <= files(data)


@pytest.mark.parametrize("data", ["mnist", "conll2000", "conll2000:task=joint"])
def test_those_of_other_structures_are_not(data):
    others = ("dependency", "nonprojective", "segments")
    assert not [file for file in files(data) if file.parts[2] in others]


def test_those_of_the_algorithm_and_the_driver_are_among_them():
    assert {Path("algorithms/gradient/lbfgs.py"), Path("bench/runs/driver.py")} <= files("ocr")
