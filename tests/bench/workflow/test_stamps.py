"""What jobs depend on: a program's edit changes the stamps of what it makes, a comment changes none."""

import os
import shutil

import pytest

from structbench.algorithms.runtime import own_folders
from structbench.algorithms.runtime.errors import UserError
from structbench.bench.runs import programs, results
from structbench.bench.runs.spec import make
from structbench.bench.workflow import stamps


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A copy of the programs, and a fresh process's memory for each look at them."""
    for name in ("algorithms", "bench", "datasets"):
        shutil.copytree(own_folders.ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for module in (stamps, own_folders):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(programs, "MEMORY", tmp_path / "programs.json")
    monkeypatch.setenv(results.VARIABLE, str(tmp_path / "results"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a{b}<x>.txt").write_text("1 1:2\n")
    yield tmp_path
    forget()


def forget():
    for name in vars(programs).values():
        if hasattr(name, "cache_clear"):
            name.cache_clear()
    stamps._up_to_date.cache_clear()


def times():
    """Stamp -> when it was last written, once every stamp is right."""
    forget()
    data = "svmlight:a{b}<x>.txt"
    made = {
        "problem": stamps.of_problem(data, None),
        "eg": stamps.of_run(make(data, "log", 1.0, "eg")),
        "lbfgs": stamps.of_run(make(data, "log", 1.0, "lbfgs")),
        "breakdown": stamps.of_breakdown("mnist"),
        "eg2008": stamps.of_view("eg2008"),
        "laso2005": stamps.of_view("laso2005"),
        "grid": stamps.of_view("grid-mine"),
        "report": stamps.of_room("report"),
    }
    assert not set("{}<>").intersection("".join(made.values()))
    return {name: os.stat(file).st_mtime_ns for name, file in made.items()}


def add(file, text):
    file.write_text(file.read_text() + text)


def changed(before, touched):
    """See that these stamps changed, and no others; returns the times of all."""
    after = times()
    assert {each for each in after if after[each] != before[each]} == touched
    return after


VIEWS = {"eg2008", "laso2005", "grid"}
EDITS = [  # programs that are edited at once, and the stamps that change
    ({"bench/runs/store.py"}, VIEWS),
    ({"bench/drawing/curves.py", "datasets/mnist.py"}, VIEWS),
    ({"bench/papers/judging.py"}, VIEWS),
    ({"bench/papers/eg2008/claims.py", "algorithms/exponentiated_gradient/eg.py"}, {"eg2008", "eg"}),
    ({"bench/workflow/breakdown.py", "algorithms/gradient/lbfgs.py"}, {"breakdown", "lbfgs"}),
    ({"datasets/svmlight.py", "bench/report/pages.py"}, {"problem", "report"}),
]


def test_an_edit_changes_the_stamps_of_what_a_program_makes_and_a_comment_none(copy):
    before = times()
    for name in (name for names, _ in EDITS for name in names):
        add(copy / name, "# a remark\n")
    assert times() == before
    for names, touched in EDITS:
        for name in names:
            add(copy / name, "MORE = 1\n")
        before = changed(before, touched)
    rows = "bench/papers/eg2008/claims.toml"
    add(copy / rows, "# a remark\n")
    assert times() == before
    edits = {"a{b}<x>.txt": ("problem", "1 1:3\n"), "bench/report/templates/report.css": ("report", "1 1:3\n")}
    for name, (touched, more) in (edits | {rows: ("eg2008", "band = 0.5\n")}).items():
        add(copy / name, more)
        before = changed(before, {touched})


def test_a_folder_that_cannot_be_written_is_said_in_a_sentence(tmp_path):
    (tmp_path / "results").write_text("a file")
    with pytest.raises(UserError, match=r"cannot write .*results/x/a.txt \(.*\): make its folder writable"):
        stamps.keep(tmp_path / "results" / "x" / "a.txt", "1")
