"""What Snakemake offers, on a config of three runs: few starts, each of which tests several things.

Most are long. ``test_view_inputs`` tries in seconds which edit changes what.
"""

import json
import os
import re
from pathlib import Path

import pytest

from tests.workflow.conftest import Checkout, copy_project

pytestmark = pytest.mark.slow

NOTHING = "Nothing to be done"
FILE = "a{b}<x>.txt"


def grid(name: str, **more) -> dict:
    given = {"name": name, "data": [f"svmlight:{FILE}"], "C": [1], "algorithms": {"lbfgs": {}}, "passes": 3}
    return given | {"figures": ["gap-passes"], "timed": False} | more


def config(*grids: dict) -> dict:
    return {"scale": "tiny", "figures": [], "grids": [*grids]}


def write(file: Path, content: dict) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content))


def figures(root: Path) -> dict[str, int]:
    """Drawn figure -> when, in nanoseconds."""
    return {
        str(file.relative_to(root)): file.stat().st_mtime_ns for file in root.glob("results/*/figures/*/*.png")
    }


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy of the project, and a folder beside it to work in, with a file whose name Snakemake would misread."""
    folder = tmp_path_factory.mktemp("snakemake")
    made = Checkout(copy_project(folder / "structbench"))
    made.env |= {"PYTHONPATH": ""}
    made.folder = folder / "work"
    made.folder.mkdir()
    (made.folder / FILE).write_text("".join(f"{k % 3} 1:{k % 3 + 0.1 * (k % 7)} 2:{k % 5}\n" for k in range(60)))
    write(made.folder / "one.yaml", config(grid("a"), grid("b", C=[10])))
    # longer than an argument may be: of an algorithm that draws nothing one seed is run
    write(made.folder / "two.yaml", config(grid("a"), grid("d", C=[100], seeds=[*range(25_000)])))
    assert (made.folder / "two.yaml").stat().st_size > 128 * 1024
    return made


def snakemake(project, *words: str) -> str:
    """What it says; it starts elsewhere and works in the folder: ``-d``."""
    there = project.folder
    project.folder = there.parent
    try:
        code, said = project.snakemake("-s", f"{project.program}/Snakefile", "-d", str(there), *words)
    finally:
        project.folder = there
    assert code == 0, said
    return said


ONE, TWO = ("--configfile", "work/one.yaml"), ("--configfile", "work/two.yaml")


@pytest.fixture(scope="module")
def first(project):
    """One config, made in another folder than the programs'."""
    snakemake(project, *ONE)
    return project


@pytest.fixture(scope="module")
def done(first):
    """Both configs."""
    snakemake(first, *TWO, "--until", "report")
    os.utime(first.folder / "results" / "mlflow.db")  # as if the second had been logged, too
    return first


def test_results_lie_in_the_folder_of_the_call(first):
    assert len(first.runs()) == 2 and len(figures(first.folder)) == 2
    assert not list(first.program.glob("results/*/figures"))
    assert (first.folder / "results" / "one" / "complete").exists()


def test_of_two_configs_in_turn_the_second_call_does_nothing(done):
    assert len(done.runs()) == 3 and len(figures(done.folder)) == 4
    results = [*done.folder.glob("results/[!l]*/**/*")]  # without logs
    kept = [file for file in results if file.is_file() and file.suffix != ".runs" and file.name != "batches.json"]
    made = {file: file.stat().st_mtime_ns for file in kept}
    assert NOTHING in snakemake(done, *ONE)
    snakemake(done, *TWO, "--until", "report")
    assert {file: file.stat().st_mtime_ns for file in made} == made


@pytest.mark.long
def test_one_more_grid_redraws_no_other_and_a_comment_nothing(done):
    before, runs = figures(done.folder), done.runs()
    write(done.folder / "one.yaml", config(grid("a"), grid("b", C=[10]), grid("c", C=[1, 1000])))
    edited = ("bench/runs/store.py", "bench/drawing/curves.py", "algorithms/gradient/lbfgs.py")
    for name in (*edited, "algorithms/runtime/files.py"):
        file = done.program / name
        file.write_text(file.read_text() + "# a remark\n")
    snakemake(done, *ONE, "--until", "report")
    after = figures(done.folder)
    assert {name: after[name] for name in before} == before and len(after) == len(before) + 1
    made = done.runs()
    assert len(made) == 4 and {name: made[name] for name in runs} == runs


@pytest.mark.long
def test_an_edit_of_what_reads_the_runs_draws_them_again_and_until_draws_nothing(done):
    file = done.program / "bench" / "runs" / "finished.py"
    file.write_text(file.read_text() + "\n\nMORE = 1\n")
    before, runs = figures(done.folder), done.runs()
    snakemake(done, *TWO, "--until", "batch")
    assert figures(done.folder) == before
    snakemake(done, *TWO, "--until", "figures_grid_a", "figures_grid_d")
    drawn = {name for name, when in figures(done.folder).items() if before[name] != when}
    assert drawn == {name for name in before if name.startswith("results/two/")} and done.runs() == runs


@pytest.mark.long
def test_lint_unlock_and_report_work(done):
    results = {file: file.read_bytes() for file in done.folder.glob("results/**/*") if file.is_file()}
    snakemake(done, *TWO, "--lint")
    assert {file: file.read_bytes() for file in done.folder.glob("results/**/*") if file.is_file()} == results
    locks = done.folder / ".snakemake" / "locks"
    locks.mkdir(exist_ok=True)
    (locks / "0.input.lock").write_text("results/x\n")
    snakemake(done, *TWO, "--unlock")
    assert not list(locks.glob("*"))
    snakemake(done, *TWO, "--report", "report.zip")
    assert (done.folder / "report.zip").stat().st_size > 50_000


@pytest.mark.long
def test_forced_all_runs_are_made_again_and_kept_by_the_next_call(done):
    before = done.runs()
    said = snakemake(done, *TWO, "-F", "--until", "batch")
    after = done.runs()
    assert re.search(r"^2 runs, 0 of them timed", said, re.MULTILINE), said
    assert {name for name in before if after[name] != before[name]} == {
        name for name in before if "C=1__" in name or "C=100__" in name
    }
    snakemake(done, *TWO, "--until", "batch")
    assert done.runs() == after


@pytest.mark.long
def test_another_workflow_imports_this_one(project, tmp_path):
    (tmp_path / FILE).write_text((project.folder / FILE).read_text())
    write(tmp_path / "all.yaml", {"ours": config(grid("a")) | {"name": "ours"}, "theirs": 1})
    (tmp_path / "Snakefile").write_text(
        f"""
configfile: "all.yaml"

module structbench:
    snakefile: "{project.program}/Snakefile"
    config: config["ours"]

use rule * from structbench as sb_*

rule everything:
    default_target: True
    input: rules.sb_all.input
    output: "done.txt"
    shell: "touch {{output}}"
"""
    )
    theirs = Checkout(tmp_path)
    theirs.env |= {"PYTHONPATH": ""}
    code, said = theirs.snakemake("--rerun-triggers", "mtime")
    assert code == 0, said
    assert (tmp_path / "done.txt").exists() and len(figures(tmp_path)) == 1 and len(theirs.runs()) == 1
    code, said = theirs.snakemake("--rerun-triggers", "mtime")
    assert code == 0 and NOTHING in said, said
