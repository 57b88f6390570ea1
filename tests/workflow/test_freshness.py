"""What is made again: Snakemake's memory may be lost, and other workflows may have made the runs."""

import json
import shutil

import pytest

from structbench.algorithms.runtime.files import locked
from tests.workflow.conftest import Checkout, copy_project

pytestmark = pytest.mark.slow

GRID = {"data": ["toy-points"], "passes": 20, "timed": False, "figures": ["gap-passes"]}
TWO, ONE = {"eg": {}, "lbfgs": {}}, {"eg": {}}


def write(checkout, *more, name="mine"):
    """Write a config of two grids."""
    grids = [
        GRID | {"name": "a", "C": [1, *more], "algorithms": TWO},
        GRID | {"name": "b", "C": [100], "algorithms": ONE},
    ]
    (checkout.folder / "config" / f"{name}.yaml").write_text(json.dumps({"scale": "tiny", "grids": grids}))


def make(checkout, *words, name="mine"):
    """Make all of it except what MLflow shows; return what was said."""
    until = () if "--until" in words else ("--until", "report")
    code, said = checkout.snakemake("--configfile", f"config/{name}.yaml", *until, *words)
    assert code == 0, said
    return said


def views(checkout, name="mine"):
    """The drawn figures and the report -> when they were written, in nanoseconds."""
    folder = checkout.folder / "results" / name
    found = {file.parent.name: file for file in folder.glob("figures/*/*.png")} | {"report": folder / "report"}
    return {view: file.stat().st_mtime_ns for view, file in found.items()}


def newer(before, after):
    return {name for name in after if after[name] != before.get(name)}


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    """A clone in which everything is made."""
    checkout = Checkout(copy_project(tmp_path_factory.mktemp("first") / "structbench"))
    write(checkout)
    make(checkout)
    assert len(checkout.runs()) == 3
    return checkout


@pytest.fixture
def second(once, tmp_path):
    """Another clone, which has the results and knows nothing of the first one's Snakemake."""
    checkout = Checkout(copy_project(tmp_path / "structbench"))
    shutil.copytree(once.folder / "results", checkout.folder / "results", dirs_exist_ok=True)
    write(checkout)
    return checkout


def edit(checkout, file, text):
    there = checkout.folder / file
    there.write_text(there.read_text() + text)


def test_an_edit_makes_again_what_it_touches_whatever_snakemake_remembers(second):
    """With all of Snakemake's triggers nothing more is made than by times of files."""
    every = ("--rerun-triggers", "code", "input", "mtime", "params", "software-env")
    before, runs = views(second), second.runs()
    for file in ("bench/drawing/curves.py", "algorithms/gradient/lbfgs.py", "bench/report/pages.py"):
        edit(second, file, "# a remark\n")
    make(second, *every)
    assert views(second) == before, "a comment"
    edit(second, "bench/drawing/curves.py", "MORE = 1\n")
    make(second)
    drawn = views(second)
    assert newer(before, drawn) == {"grid-a", "grid-b", "report"} and second.runs() == runs
    edit(second, "algorithms/gradient/lbfgs.py", "MORE = 1\n")
    make(second, "--until", "batch")
    made = second.runs()
    assert newer(runs, made) == {key for key in runs if "lbfgs" in key} and views(second) == drawn
    make(second)
    last = views(second)
    assert newer(drawn, last) == {"grid-a", "report"} and second.runs() == made
    make(second, *every)
    assert views(second) == last and second.runs() == made


def test_one_more_C_makes_its_runs_and_its_figures(second):
    before, runs = views(second), second.runs()
    write(second, 10)
    said = make(second)
    assert "2 runs (3 more are there)" in said
    assert len(second.runs()) == 5 and second.runs().items() >= runs.items()
    assert newer(before, views(second)) == {"grid-a", "report"}


def test_a_run_that_another_config_makes_again_is_drawn_again(second):
    write(second, name="other")
    make(second, name="other")
    before, runs = {name: views(second, name) for name in ("mine", "other")}, second.runs()
    edit(second, "algorithms/gradient/lbfgs.py", "MORE = 1\n")
    make(second, name="other")
    assert {key for key, when in second.runs().items() if when != runs[key]} == {
        key for key in runs if "lbfgs" in key
    }
    assert newer(before["other"], views(second, "other")) == {"grid-a", "report"}
    assert views(second) == before["mine"]
    made = second.runs()
    make(second)
    assert newer(before["mine"], views(second)) == {"grid-a", "report"} and second.runs() == made


def test_results_and_locks_of_an_earlier_program_are_no_trouble(second):
    """Its stamps, manifests and parts, without what is there today; and it was killed."""
    results, runs = second.folder / "results", second.runs()
    for file in (*results.glob("batches/*"), *results.glob("mine/parts/*.runs")):
        file.unlink()
    for file, text in {
        "stamps/views/grid-a.txt": "x\n",
        "batches/toy-points-eg-to-lbfgs-36454145.1.json": "{}",
    }.items():
        (results / file).parent.mkdir(parents=True, exist_ok=True)
        (results / file).write_text(text)
    (results / "mine" / "batches.json").write_text(json.dumps({"toy-points-eg-to-lbfgs-36454145": [*runs]}))
    (results / "mine" / "config.json").write_text((results / "mine" / "parts" / "report.json").read_text())
    locks = second.folder / ".snakemake" / "locks"
    locks.mkdir(parents=True)
    (locks / "0.output.lock").write_text("\n".join(map(str, results.glob("mine/figures/*/*.png"))))
    said = make(second)
    assert second.runs() == runs and "All 3 runs are there." in said
    assert "the workflow before was killed: it goes on from there" in said and not list(locks.glob("*"))


def test_a_job_of_a_cluster_makes_what_its_workflow_told_it_while_that_has_the_lock(second):
    runs = second.runs()
    write(second, 10)
    make(second, "--until", "problem")  # which is there: nothing runs, but the batches are cut
    (name,) = json.loads((second.folder / "results" / "mine" / "batches.json").read_text())
    with locked(second.folder / "results" / "workflow.lock"):
        words = ("--mode", "remote", "--force", "--nolock", "--target-jobs", f"batch:batch={name},attempt=1")
        code, said = second.snakemake("--configfile", "config/mine.yaml", *words)
        assert code == 0, said
        assert second.snakemake("--configfile", "config/mine.yaml", "--nolock")[0] == 2, "a workflow"
    made = second.runs()
    assert len(made) == 5 and made.items() >= runs.items()
    assert "All 5 runs are there." in make(second)
