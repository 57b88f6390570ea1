"""Configs as files: each paper's and grid's part holds what it depends on, and nothing else."""

import json

import pytest

from structbench.bench.runs import results
from structbench.bench.workflow import config, parts


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(results.VARIABLE, str(tmp_path / "results"))
    return tmp_path


def grid(name, **more):
    return {"name": name, "data": "mnist", "C": [1], "algorithms": {"sgd": {}, "eg": {}}} | more


def written(**given):
    """A config, and when each of its files was written last."""
    found = config.of({"name": "mine", "scale": "tiny", **given})
    parts.write(found)
    return found, {file.stem: file.stat().st_mtime_ns for file in results.root().rglob("*.json")}


def test_a_part_changes_with_its_own_paper_or_grid_alone(folder):
    data = folder / "eng.train"
    data.write_text("EU NNP I-NP I-ORG\n\n")
    papers = {"figures": ["eg2008", "eg2004"], "data": {"eg2004": f"conll2003:{data}"}}
    first, before = written(**papers, grids=[grid("a"), grid("b")])
    assert before.keys() == {"config", "batches", "eg2008", "eg2004", "grid-a", "grid-b"}
    assert written(**papers, grids=[grid("a"), grid("b")])[1] == before
    after = written(**papers, grids=[grid("c"), grid("b", C=[1, 10]), grid("a")])[1]
    same = {name for name in before if after[name] == before[name]}
    assert same == {"eg2008", "eg2004", "grid-a"}
    found = config.read(str(parts.part(first, "eg2004")))
    assert found.figures.keys() == {"eg2004"} and found.data == first.data and found.name == "mine"
    assert set(found.specs) == set(first.runs_of["eg2004"])
    assert config.read(str(parts.part(first, "grid-a"))).grids == first.grids[:1]


def test_a_config_of_any_length_is_read_back_whole():
    many, _ = written(grids=[grid("a", seeds=list(range(3000)), passes="1e1")])
    file = parts.whole(many)
    assert config.read(str(file)) == many
    assert json.loads(file.read_text()) == many.given and len(many.specs) == 6000
