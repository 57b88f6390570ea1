"""What an earlier program made (commit 276ca4a9) opens: a results folder, an exported model, a database of MLflow.

The archive ``stored/results-of-276ca4a9.tar.xz`` holds them. Its runs are current or say that they are stale.
"""

import json
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import structbench
from structbench.bench.report import published, verification
from structbench.bench.runs import problem_store, results, state, store
from structbench.bench.runs.execute import run_one
from structbench.bench.runs.spec import parse
from structbench.bench.tracking.track import track
from structbench.datasets import data_ref

ARCHIVE = Path(__file__).parent / "stored" / "results-of-276ca4a9.tar.xz"
POINTS = "toy-points:kind=overlapping__log__C={}__{}__passes=10"
PRIMALS = {  # as 276ca4a9 stored them
    POINTS.format(1, "eg"): 24.864188706,
    POINTS.format(1, "lbfgs"): 24.846217996,
    POINTS.format(10, "eg"): 33.643627295,
    POINTS.format(10, "lbfgs"): 33.634877535,
}
LABELS = ["B-NP", "I-NP", "B-VP"]


@pytest.fixture(scope="module")
def former(tmp_path_factory) -> Iterator[Path]:
    """The archive's content, where results are looked for."""
    folder = tmp_path_factory.mktemp("former")
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(folder, filter="data")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(results.VARIABLE, str(folder / "results"))
        yield folder


def test_its_runs_are_read_with_their_numbers(former):
    runs = structbench.results(former / "results").runs
    assert dict(runs["primal"]) == pytest.approx(PRIMALS, rel=1e-10)


def test_its_runs_are_current_or_say_why_not(former):
    problem_store.obtain(data_ref("toy-points:kind=overlapping"))  # today's programs build it again, as it was
    for key in PRIMALS:
        found = state.of_folder(former / "results" / "runs" / key)
        assert found.is_finished or (found.state is state.State.STALE and "programs" in found.reason), found


@pytest.mark.parametrize("key", PRIMALS)
def test_its_runs_are_verified(former, tmp_path, key):
    """Made again here, they are what they were, on this type of CPU or another."""
    row = published.published_row(store.read_run(former / "results" / "runs" / key))
    found = verification.compare_published(row, run_one(parse(key), tmp_path / key, lambda line: None))
    assert found.differs == [], found


def test_its_model_labels_a_sentence_as_it_did(former):
    model = structbench.load(former / "model")
    assert model.predict([[("The", "DT"), ("dog", "NN"), ("barked", "VBD")]]) == [LABELS]


def test_its_database_takes_the_runs_of_today(former):
    """It opens, and knows its runs again: none is logged twice."""
    uri = f"sqlite:///{former / 'results' / 'mlflow.db'}"
    counts = track(store.all_runs(results.runs()), uri)
    assert counts == {"logged": 0, "replaced": 0, "kept": len(PRIMALS), "models": 0}


def test_the_workflow_goes_on_in_its_folder(former, tmp_path):
    """A dry run of its config plans at most its four runs, and touches none of them."""
    config = tmp_path / "old.yaml"
    grid = {
        "name": "points", "data": ["toy-points:kind=overlapping"], "loss": ["log"], "C": [1, 10],
        "algorithms": {"eg": {}, "lbfgs": {}}, "passes": 10, "timed": False,
    }  # fmt: skip
    config.write_text(json.dumps({"grids": [grid]}))
    before = {key: state.of_folder(former / "results" / "runs" / key).state for key in PRIMALS}
    command = [sys.executable, "-m", "structbench.bench", "status", str(config)]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    assert said.returncode in (0, 1), said.stderr
    assert "torn" not in said.stdout
    assert {key: state.of_folder(former / "results" / "runs" / key).state for key in PRIMALS} == before
