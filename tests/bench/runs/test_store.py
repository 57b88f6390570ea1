"""Run directories: whole or not there at all, whatever happens while they are written."""

import errno
import json
import math
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet
import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.runs import documents, seals, spec, store, writing
from tests.bench import fake_runs
from tests.narrowing import not_none

ROOT = Path(__file__).parents[3]
CURVE = pd.DataFrame({name: [0.0, 1.0] for name in store.COLUMNS} | {"primal": [3.0, math.inf]})
SPEC = spec.make("mnist", "log", 1.0, "eg").as_dict()
PROVENANCE = dict.fromkeys(("host", "code_sha256", "data_sha256", "git_commit", "started"), "")
SUMMARY = {
    "key": "run",
    "status": "passes",
    "message": "",
    "provenance": PROVENANCE,
    "notes": {},
    "num_examples": 1,
}
SUMMARY |= dict.fromkeys(documents.VALUES, 0.0)

FULL_DISK = """
import resource, sys
import numpy as np, pandas as pd
from structbench.bench.runs import store, writing
from structbench.algorithms.runtime.errors import UserError
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))  # every file ends there, as on a full disk
try:
    writing.write_run(sys.argv[1], {}, pd.DataFrame({"passes": [0.0]}), {"status": "passes"}, np.ones(100_000))
except UserError as error:
    print(error)
"""


def write(folder, summary, weights=(1.0, 2.0), curve=CURVE):
    writing.write_run(folder, SPEC, curve, SUMMARY | summary | {"key": folder.name}, np.array(weights))


def test_a_run_is_read_back_as_it_was_written(tmp_path):
    folder = tmp_path / "runs" / "key"
    write(folder, {"primal": math.inf, "notes": {"a": [np.float64("nan"), np.int64(3), -math.inf, (1.5,)]}})
    run = store.read_run(folder)
    assert (run.key, run.spec.as_dict()) == ("key", SPEC)
    pd.testing.assert_frame_equal(run.curve, CURVE)
    assert store.weights_of(run).tolist() == [1.0, 2.0] and run.chunks is None
    assert sorted(file.name for file in folder.iterdir()) == sorted(store.FILES)
    text = (folder / "summary.json").read_text()
    assert json.loads(text, parse_constant=pytest.fail) | {"sha256": {}} == SUMMARY | {
        "sha256": {}, "key": "key", "primal": None, "notes": {"a": [None, 3, None, [1.5]]},
    }  # fmt: skip
    assert run.curve["primal"].tolist() == [3.0, math.inf], "what is not finite is null in JSON only"


def test_what_killed_processes_left_is_swept_once_it_is_old(tmp_path):
    run = tmp_path / "runs" / "run"
    write(run, {})
    old = [folder / ".old.partial" for folder in (tmp_path, tmp_path / "problems", tmp_path / "runs", run)]
    for folder in (*old, tmp_path / "runs" / ".young.partial"):
        (folder / "complete").mkdir(parents=True)
    run.with_name("run.partial").mkdir()
    for folder in (*old, *run.parent.iterdir()):
        then = time.time() - 3600 * {".old.partial": 1.1, ".young.partial": 0.9}.get(folder.name, 9.0)
        os.utime(folder, (then, then))
    store.sweep(tmp_path)
    assert sorted(os.listdir(run.parent)) == [".young.partial", "run", "run.partial"]
    assert not any(folder.exists() for folder in old)


def test_counts_of_chunks_are_kept_beside_the_weights(tmp_path):
    counts = np.arange(2 * 3 * 3).reshape(2, 3, 3) * 20
    writing.write_run(tmp_path / "run", SPEC, CURVE, SUMMARY, np.array([1.0, 2.0]), counts)
    run = store.read_run(tmp_path / "run")
    assert not_none(run.chunks).tolist() == counts.tolist() and store.weights_of(run).tolist() == [1.0, 2.0]


def test_weights_are_kept_with_seven_digits_and_few_of_them_with_their_places(tmp_path):
    full = np.random.default_rng(0).normal(size=1000) * np.logspace(-20, 20, 1000)
    sparse, half = np.zeros(10_000), np.repeat([0.0, 1.0], 500)
    sparse[[3, 9_999]] = -1.5, 0.25
    for name, weights, most in (("full", full, 4500), ("sparse", sparse, 2000), ("half", half, 4500)):
        write(tmp_path / name, {}, weights)
        kept = store.weights_of(store.read_run(tmp_path / name))
        assert kept.dtype == np.float64
        np.testing.assert_allclose(kept, weights, rtol=6e-8)
        assert (tmp_path / name / "weights.npz").stat().st_size < most
        assert ("places" in np.load(tmp_path / name / "weights.npz").files) == (name != "full")
    write(tmp_path / "far", {}, np.array([1e300, np.nan]))
    assert store.weights_of(store.read_run(tmp_path / "far"))[0] == np.inf


def test_a_full_disk_keeps_the_run_before_and_leaves_no_half_run(tmp_path):
    write(tmp_path / "old", {"status": "passes"})
    for name in ("old", "new"):
        command = [sys.executable, "-c", FULL_DISK, str(tmp_path / name)]
        said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        assert f"cannot write the run to {tmp_path / name}" in said
        assert "free some space and run it again" in said
    assert [file.name for file in tmp_path.iterdir()] == ["old"]
    assert store.read_run(tmp_path / "old").summary["status"] == "passes"


@pytest.mark.parametrize(("owner", "step"), [(pyarrow.parquet, "write_table"), (np, "savez"), (os, "replace")])
@pytest.mark.parametrize(("code", "said"), [(errno.ENOSPC, "free some space"), (errno.EACCES, "mend that")])
def test_a_failure_at_any_step_leaves_no_half_run(tmp_path, monkeypatch, owner, step, code, said):
    def fail(*args, **kwargs):
        raise OSError(code, "No way")

    monkeypatch.setattr(owner, step, fail)
    with pytest.raises(UserError, match=rf"No way.*{said}"):
        write(tmp_path / "run", {"status": "passes"})
    assert list(tmp_path.iterdir()) == []


def test_only_sound_runs_are_listed_in_order_of_their_names(tmp_path, capsys):
    for name in ("b", "a", "broken", ".0123.partial"):
        write(tmp_path / name, {"status": "passes"})
    (tmp_path / "broken" / "summary.json").write_text("{}")
    (tmp_path / "killed").mkdir()
    (tmp_path / "killed" / "spec.json").write_text("{}")
    (tmp_path / "note.txt").touch()
    assert [run.key for run in store.all_runs(tmp_path)] == ["a", "b"]
    assert capsys.readouterr().err.startswith("left out:")
    assert store.all_runs(tmp_path / "none") == []
    assert not store.finished(tmp_path / "killed")
    with pytest.raises(UserError, match=r"killed holds no finished run \(no curve.parquet, summary.json, weights"):
        store.read_run(tmp_path / "killed")


@pytest.mark.parametrize("text", ['{"status": "pas', "[1, 2]", "", "\xff"])
@pytest.mark.parametrize("name", ["spec.json", "summary.json", "curve.parquet"])
def test_a_broken_file_is_named_with_what_to_do(tmp_path, name, text):
    write(tmp_path / "run", {"status": "passes"})
    (tmp_path / "run" / name).write_bytes(text.encode("latin-1"))
    with pytest.raises(UserError, match=rf"{name} (is broken|cannot be read) \(.*delete .*run and run it again"):
        _ = store.read_run(tmp_path / "run").curve


def test_a_run_says_the_command_that_makes_it_again_and_when_it_began(tmp_path):
    run = fake_runs.write(tmp_path, algorithm="eg", order="cyclic", C=2.5)
    words = run.command.split()
    assert words[:4] == ["python", "-m", "bench", "run"]
    assert words[words.index("--set") + 1] == "order=cyclic"
    assert words[words.index("--out") + 1] == str(run.folder)
    assert spec.parse(run.folder.name) == run.spec
    assert (run.clock, replace(run, spec=replace(run.spec, threads=2)).clock) == ("cpu_seconds", "wall_seconds")
    assert run.started == 1795244400.0  # 2026-11-21 07:00 UTC
    run.summary["provenance"]["started"] = 12.5
    assert run.started == 12.5


def test_a_summary_is_amended(tmp_path):
    write(tmp_path / "run", {"status": "passes", "peak_memory": None})
    assert store.amend(store.read_run(tmp_path / "run"), {"peak_memory": 5}).summary["peak_memory"] == 5
    run = store.read_run(tmp_path / "run")
    assert {**run.summary, "sha256": {}} == SUMMARY | {"peak_memory": 5, "sha256": {}}
    assert seals.altered(run.folder, run.summary) == []
    (tmp_path / "run" / ".killed.partial").mkdir()  # what a process that was killed meanwhile leaves
    write(tmp_path / "run", {"status": "passes"})


@pytest.mark.parametrize("other", ["thesis.tex", "spec.txt", "weights.npz"])
def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path, other):
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / other).write_text("three years of work")
    for folder, said in (
        (mine, "holds something other than a run"),
        (mine / other, "holds something other than a run"),
        (mine / other / "run", "make it a writable folder"),
    ):
        with pytest.raises(UserError, match=said):
            write(folder, {"status": "passes"})
    assert [file.name for file in mine.iterdir()] == [other]
    (mine / other).unlink()
    write(mine, {"status": "passes"})  # an empty folder is as good as none


def test_writers_of_one_folder_do_not_lose_a_run(tmp_path):
    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(write, tmp_path / "run", {"status": str(k)}) for k in range(60)]:
            done.result()
    assert store.read_run(tmp_path / "run").summary["status"] in map(str, range(60))
    assert [file.name for file in tmp_path.iterdir()] == ["run"]


def test_what_a_file_manager_leaves_is_no_hindrance_and_other_files_are_named(tmp_path):
    write(tmp_path / "run", {"status": "passes"})
    (tmp_path / "run" / ".DS_Store").write_bytes(b"x")
    assert store.is_run(tmp_path / "run")
    write(tmp_path / "run", {"status": "passes"})
    assert not (tmp_path / "run" / ".DS_Store").exists()
    (tmp_path / "run" / "notes.txt").touch()
    with pytest.raises(UserError, match=r"something other than a run \(notes.txt\): take that away, or choose"):
        write(tmp_path / "run", {"status": "passes"})
