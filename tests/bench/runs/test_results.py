"""Where results lie; what runs produced is removed, and nothing else."""

import os
import subprocess
import sys

import pytest

from structbench.bench.runs import results
from structbench.bench.workflow import config

OURS = ("mlflow.db", "quick/figures/eg2008/a.png", "quick/claims/eg2008.json", "logs/log")
STAY = ("README.md", "data/mnist", "thesis/chapter.tex", "mixed/figures/a.png", "mixed/chapter.tex", "notes.txt")


def test_where_results_lie(ours):
    for name in ("runs", "hosts", "problems", "batches", "breakdown"):
        assert getattr(results, name)() == ours / name and name in results.SHARED
    for name in ("figures", "claims", "report"):
        assert getattr(results, name)("quick") == ours / "quick" / name and name in results.OF_A_CONFIG


def test_only_what_runs_produced_is_removed(ours, capsys):
    for name in (*OURS, *STAY, "empty/x"):
        file = ours / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    (ours / "empty" / "x").unlink()
    (ours / "hosts").symlink_to(ours.parent)
    before = sorted(os.listdir(ours))
    results.clean()
    assert sorted(os.listdir(ours)) == before, "without runs it is no folder of results"
    (ours / "runs" / "key").mkdir(parents=True)
    results.clean()
    assert (ours / "runs" / "key").is_dir(), "it may be another program's"
    assert capsys.readouterr().out == f"kept all of {ours}: it holds no results\n" * 2
    (ours / "runs" / "key" / "spec.json").touch()
    results.clean()
    assert sorted(os.listdir(ours)) == sorted({name.partition("/")[0] for name in STAY} | {"empty", "hosts"})
    kept = ", ".join(f"{ours}/{name}" for name in ("empty", "mixed", "notes.txt", "thesis"))
    assert (
        f"; kept {kept}, which runs did not produce; kept what is a link: {ours}/hosts\n"
        in capsys.readouterr().out
    )


def test_where_nothing_is_nothing_is_removed(ours, capsys):
    results.clean()
    assert capsys.readouterr().out == f"there are no results in {ours}\n"


def test_a_tilde_is_the_home_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv(results.VARIABLE, "~/mine")
    assert results.root() == tmp_path / "mine"
    (tmp_path / "files").mkdir()
    grid = {"name": "peers", "data": ["toy-points"], "C": [1], "algorithms": {"eg": {}}}
    with results.kept():
        config.config_of({"grids": [grid], "mirror": "~/files"})
        assert os.environ["STRUCTBENCH_MIRROR"] == str(tmp_path / "files")


def test_what_configs_name_meanwhile_is_forgotten(monkeypatch):
    monkeypatch.setenv(results.VARIABLE, "before")
    monkeypatch.delenv("STRUCTBENCH_MIRROR", raising=False)
    with results.kept():
        results.use("meanwhile")
        os.environ["STRUCTBENCH_MIRROR"] = "there"
        assert results.root().name == "meanwhile"
    assert results.root().name == "before" and "STRUCTBENCH_MIRROR" not in os.environ


@pytest.mark.parametrize("named", ["of-make", ""])
def test_the_folder_that_a_call_of_make_names_comes_before_that_of_a_config(named):
    code = "from structbench.bench.runs import results; results.use('of-config'); print(results.root())"
    there = os.environ | {results.VARIABLE: "of-make", results.NAMED: named}
    made = subprocess.run([sys.executable, "-c", code], env=there, capture_output=True, text=True, check=True)
    assert made.stdout == f"{named or 'of-config'}\n"
