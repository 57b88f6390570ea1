"""What views depend on: an edit of a program or of the config changes what it makes, a comment nothing."""

import json
import os
import shutil

import pytest

from structbench.algorithms.runtime import own_folders
from structbench.algorithms.runtime.errors import UserError
from structbench.bench.runs import programs, results
from structbench.bench.runs.spec import make
from structbench.bench.workflow import config, view_inputs
from structbench.datasets import data_ref
from tests.bench import synthetic_curves

VIEWS = {"eg2008", "laso2005", "grid-a", "grid-b"}
EDITS = [  # programs that are edited at once, and the views and runs whose hash changes
    ({"bench/runs/store.py"}, VIEWS),
    ({"bench/drawing/curves.py", "datasets/mnist.py"}, {*VIEWS, "mnist"}),
    ({"bench/papers/judging.py"}, VIEWS),
    ({"bench/papers/eg2008/claims.py", "algorithms/exponentiated_gradient/eg.py"}, {"eg2008", "eg"}),
    ({"bench/workflow/breakdown.py", "algorithms/gradient/lbfgs.py"}, {"breakdown", "lbfgs"}),
    ({"datasets/svmlight.py", "bench/report/pages.py"}, {"svmlight", "report"}),
    ({"bench/tracking/track.py"}, {"tracking"}),
]


DATA = {"mnist": "mnist", "svmlight": "svmlight:a{b}<x>.txt"}


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A copy of the programs, and a fresh process's memory for each look at them."""
    for name in ("algorithms", "bench", "datasets"):
        shutil.copytree(own_folders.ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for module in (view_inputs, own_folders):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(programs, "MEMORY", tmp_path / "programs.json")
    yield tmp_path
    forget()


def forget():
    for name in vars(programs).values():
        if hasattr(name, "cache_clear"):
            name.cache_clear()


def hashes():
    forget()
    found = {name: view_inputs.programs_of(name) for name in ("report", "tracking", *VIEWS)}
    found |= {name: programs.sha256_of_run(make("mnist", "log", 1.0, name)) for name in ("eg", "lbfgs")}
    found |= {"breakdown": programs.sha256(programs.of_breakdown(data_ref("mnist")))}
    return found | {name: programs.sha256_of_data(data_ref(data)) for name, data in DATA.items()}


def test_an_edit_changes_what_a_program_makes_and_a_comment_nothing(copy):
    before = hashes()

    def changed(name, text):
        """What changes if this text is added to a file."""
        nonlocal before
        (copy / name).write_text((copy / name).read_text() + text)
        after, former = hashes(), before
        before = after
        return {each for each in after if after[each] != former[each]}

    rows = "bench/papers/eg2008/claims.toml"
    for name in (rows, *(name for names, _ in EDITS for name in names)):
        assert changed(name, "# a remark\n") == set(), name
    for names, touched in EDITS:
        assert set().union(*(changed(name, "MORE = 1\n") for name in names)) == touched
    assert changed("bench/report/templates/page.css", "a {}\n") == {"report"}
    assert changed(rows, "band = 0.5\n") == {"eg2008"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(results.VARIABLE, str(tmp_path / "results"))
    return tmp_path


def grid(name, **more):
    given = {"name": name, "data": "mnist", "C": [1], "algorithms": {"sgd": {}, "eg": {}}, "timed": False}
    return given | more


def written(**given):
    """A config, and the time of each file of its views, in nanoseconds."""
    found = config.config_of({"name": "mine", "scale": "tiny", **given})
    view_inputs.write_inputs(found)
    return found, {file.name: file.stat().st_mtime_ns for file in (results.root() / "mine" / "parts").iterdir()}


def differ(before, after):
    return {name for name in {*before, *after} if before.get(name) != after.get(name)}


def test_the_file_of_a_view_changes_with_its_own_part_of_the_config_alone(folder):
    data = folder / "eng.train"
    data.write_text("EU NNP I-NP I-ORG\n\n")
    papers = {"figures": ["eg2008", "eg2004"], "data": {"eg2004": f"conll2003:{data}"}}
    first, before = written(**papers, grids=[grid("a"), grid("b")])
    names = ("eg2008", "eg2004", "grid-a", "grid-b", "report", "tracking")
    assert before.keys() == {f"{name}.{kind}" for name in names for kind in ("json", "runs")}
    assert written(**papers, grids=[grid("a"), grid("b")])[1] == before
    after = written(**papers, grids=[grid("c"), grid("b", C=[1, 10]), grid("a")])[1]
    assert differ(before, after) == {"report.json", "tracking.json", "grid-b.json", "grid-c.json", "grid-c.runs"}
    found = config.read_config(view_inputs.part("mine", "eg2004"))
    assert found.figures.keys() == {"eg2004"} and found.data == first.data and found.name == "mine"
    assert set(found.specs) == set(first.runs_of["eg2004"])
    assert config.read_config(view_inputs.part("mine", "grid-a")).grids == first.grids[:1]


def test_a_config_of_any_length_is_read_back_whole(folder):
    many, _ = written(grids=[grid("a", seeds=list(range(3000)), passes="1e1")])
    found = config.read_config(view_inputs.part("mine", "report"))
    assert found.specs == many.specs and found.given.items() >= many.given.items() and len(many.specs) == 6000


def test_the_time_of_a_view_is_that_of_its_newest_finished_run(folder):
    grids = [grid("a"), grid("b", C=[10])]
    first, before = written(grids=grids)
    specs = {spec.key: spec for spec in first.specs}
    for at, key in enumerate(key for key in specs if "C=10" not in key):
        synthetic_curves.write(results.runs(), specs[key])
        os.utime(results.runs() / key / "summary.json", (100 + at, 100 + at))
    after = written(grids=grids)[1]
    views = {"grid-a.runs", "report.runs", "tracking.runs"}
    assert differ(before, after) == views and {after[name] for name in views} == {101 * 10**9}
    assert written(grids=grids)[1] == after
    for file in results.runs().glob("*/summary.json"):  # another program's runs do not count
        file.write_text(json.dumps(json.loads(file.read_text()) | {"status": "other"}))
    gone = written(grids=grids)[1]["grid-a.runs"]
    assert gone > 101 * 10**9, "what was drawn of them is out of date"
    for file in results.runs().glob("*/summary.json"):  # they count again, though none is newer
        file.write_text(json.dumps(json.loads(file.read_text()) | {"status": "passes"}))
        os.utime(file, (100, 100))
    assert written(grids=grids)[1]["grid-a.runs"] > gone


def test_a_folder_that_cannot_be_written_is_said_in_a_sentence(folder):
    (folder / "results").write_text("a file")
    with pytest.raises(UserError, match=r"cannot write .*results/mine/parts/grid-a.runs \(.*\): make its folder"):
        written(grids=[grid("a")])
