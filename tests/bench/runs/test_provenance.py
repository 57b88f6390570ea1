"""The files that a run depends on: all that its structure and its algorithm are made of, and nothing else."""

import subprocess
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


def test_those_of_the_algorithm_the_driver_and_all_scores_are_among_them():
    scores = {file.relative_to(provenance.ROOT) for file in provenance.ROOT.glob("bench/runs/*_scores.py")}
    assert len(scores) > 3
    assert {Path("algorithms/gradient/lbfgs.py"), Path("bench/runs/driver.py"), *scores} <= files("ocr")


def test_how_problems_are_stored_is_a_part_of_the_data():
    stored = {Path("datasets/ocr.py"), Path("datasets/problems/storage.py")}
    assert stored <= set(provenance.files_of_data("ocr"))


def test_a_commit_is_marked_where_programs_differ_from_it(tmp_path, monkeypatch):
    monkeypatch.setattr(provenance, "ROOT", tmp_path)
    commit = provenance._commit.__wrapped__  # a process asks once
    assert commit() == "unknown"
    (tmp_path / "bench").mkdir()
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init"], ["commit", "--allow-empty", "-m", "none"]):
        subprocess.run([*git, *words], check=True, capture_output=True)
    clean = commit()
    assert len(clean) == 40
    (tmp_path / "notes.txt").touch()
    assert commit() == clean, "no program"
    (tmp_path / "bench" / "new.py").touch()
    assert commit() == f"{clean}+"
