"""A command that would find nothing to do is known by the files that a workflow reads and makes."""

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from structbench.bench.workflow import unchanged

WORDS = ["--workflow-profile", "none", "--keep-going", "--configfile", "mine.yaml", "--cores", "2"]


@pytest.mark.parametrize(
    ("more", "asks_for_all"),
    [
        ([], True), (["--config", "figures=[eg2008]", "grids=[]"], True), (["-n"], False),
        (["--until", "batch"], False),
        (["-F"], False), (["--cores", "2", "report"], False), (["--keep-going", "report"], False),
        (["--rerun-triggers", "mtime"], False), (["--touch"], False),
    ],
)  # fmt: skip
def test_only_a_command_for_all_of_a_config_has_a_question(more, asks_for_all):
    assert (unchanged.question([*WORDS, *more]) is not None) == asks_for_all


@pytest.fixture
def made(tmp_path, monkeypatch):
    """A folder in which a workflow has made everything."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(unchanged, "ROOT", tmp_path)
    monkeypatch.setattr(unchanged, "PROGRAMS", ("bench",))
    monkeypatch.setattr(unchanged, "_watched", [])
    monkeypatch.delenv("STRUCTBENCH_RESULTS", raising=False)
    for name in ("bench/a.py", "mine.yaml", "train.txt", "results/runs/a/summary.json", "results/mine/complete"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(name)
    Path("results/mlflow.db").write_text("")
    spec = SimpleNamespace(data="svmlight:train.txt", test=None)
    config = SimpleNamespace(without={}, left_out=[], specs=[spec], name="mine")
    unchanged.begin(unchanged.question(WORDS), config, ["mine.yaml"], Path("results/mlflow.db"))
    unchanged.note()
    return config


def test_nothing_is_to_be_done_until_a_file_or_a_setting_changes(made, monkeypatch):
    assert unchanged.is_so(WORDS) and not unchanged.is_so([*WORDS, "--config", "scale=tiny"])
    for name in ("results/logs/batch.log", "bench/__pycache__/a.pyc", "results/mlflow.db"):  # nobody's input
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text("news")
    assert unchanged.is_so(WORDS)
    with monkeypatch.context() as patch:
        patch.setenv("STRUCTBENCH_RESULTS", "elsewhere")
        assert not unchanged.is_so(WORDS)
    for name in ("bench/a.py", "bench/new.py", "mine.yaml", "train.txt", "results/runs/a/summary.json"):
        before = Path(name).read_text() if Path(name).exists() else ""
        Path(name).write_text(before + " ")
        assert not unchanged.is_so(WORDS), name
        unchanged._watched.clear()
        unchanged.begin(unchanged.question(WORDS), made, ["mine.yaml"], Path("results/mlflow.db"))
        unchanged.note()
        assert unchanged.is_so(WORDS)
    about = Path("train.txt").stat()
    Path("train.txt").write_text("TRAIN.TXT ")
    os.utime("train.txt", ns=(about.st_atime_ns, about.st_mtime_ns))  # the same size and time
    assert not unchanged.is_so(WORDS)


def test_what_is_gone_is_missed(made):
    Path("results/mlflow.db").unlink()
    assert not unchanged.is_so(WORDS)
    Path("results/mlflow.db").write_text("")
    assert unchanged.is_so(WORDS)
    Path("results/mine/complete").unlink()
    assert not unchanged.is_so(WORDS)


def test_a_file_that_changes_meanwhile_is_not_taken_for_the_one_that_was_read(made):
    Path("mine.yaml").write_text("edited while the workflow runs")
    unchanged.note()
    assert not unchanged.is_so(WORDS)


@pytest.mark.parametrize(
    "lacks", [{"without": {"mnist": "no source answers"}}, {"left_out": ["crfsuite is left out"]}]
)
def test_a_workflow_that_lacks_something_is_asked_again(made, monkeypatch, lacks):
    monkeypatch.setattr(unchanged, "_watched", [])
    unchanged.FILE.unlink()
    config = SimpleNamespace(**vars(made) | lacks)
    unchanged.begin(unchanged.question(WORDS), config, ["mine.yaml"], None)
    unchanged.note()
    assert not unchanged.is_so(WORDS)
