"""A config's own data for a paper, runs whose programs are not installed, and the batches of runs."""

import pytest

from algorithms.runtime.errors import UserError
from bench.papers import scaling
from bench.runs import catalogue
from bench.workflow import config

GRID = {
    "name": "peers",
    "data": ["mnist:train=100"],
    "C": [10],
    "algorithms": {"eg": {}, "sklearn": {"method": ["lbfgs", "saga"]}},
}


def of(**more):
    return config.of({"scale": "tiny", "figures": [], **more})


def test_a_program_that_is_not_installed_is_left_out_by_name(monkeypatch):
    complete = of(grids=[GRID])
    assert sorted(spec.algorithm for spec in complete.specs) == ["eg", "sklearn", "sklearn"]
    assert complete.left_out == []
    monkeypatch.setattr(catalogue, "missing", lambda name: {"sklearn": "scikit-learn"}.get(name))
    without = of(grids=[GRID])
    assert [spec.algorithm for spec in without.specs] == ["eg"]
    (said,) = without.left_out
    assert "sklearn is left out" in said and "scikit-learn" in said


def test_figures_name_the_runs_that_are_left_out(monkeypatch):
    """The figures of a grid still ask for them: they are listed as missing."""
    monkeypatch.setattr(catalogue, "missing", lambda name: {"sklearn": "scikit-learn"}.get(name))
    assert len(of(grids=[GRID]).experiments["grid/peers"]) == 3


def test_a_paper_can_be_drawn_on_other_data(tmp_path):
    file = tmp_path / "eng.train"
    file.write_text("EU NNP I-NP I-ORG\n\n")
    name = f"conll2003:{file}"
    chosen = of(figures=["eg2004"], data={"eg2004": name})
    own = of(figures=["eg2004"])
    assert {spec.data for spec in chosen.experiments["eg2004/entities-hinge"]} == {f"{name},sentences=1000"}
    longer = of(figures=["eg2004"], data={"eg2004": f"{name},sentences=2"})
    assert {spec.data for spec in longer.experiments["eg2004/entities-hinge"]} == {f"{name},sentences=2"}
    assert name not in {spec.data for spec in own.specs}
    assert config.read(chosen.text) == chosen


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"eg2004": "ocr"}, "figures lists eg2008, not 'eg2004'"),
        ({"eg2008": "ocr"}, "the figures of eg2008 are of its own data sets only"),
        ({"eg2008": 3}, "must be text, not 3"),
    ],
)
def test_data_for_the_wrong_paper_are_refused(data, words):
    with pytest.raises(UserError, match=words):
        of(figures=["eg2008"], data=data)


def test_a_file_that_is_not_there_is_refused():
    with pytest.raises(UserError, match=r"data\.eg2004: there is no file 'nowhere\.txt'"):
        of(figures=["eg2004"], data={"eg2004": "conll2003:nowhere.txt"})


def test_memory_is_measured_for_the_runs_of_which_a_figure_shows_it():
    checked = config.of({"scale": "tiny", "figures": ["scaling", "eg2004"]})
    assert checked.measured == frozenset(spec for specs in scaling.runs_of("tiny").values() for spec in specs)
    assert checked.measured < frozenset(checked.specs)


def test_corpora_that_cannot_be_had_are_named_in_one_order(monkeypatch):
    """The config's text is a parameter of jobs: in another order all figures would be drawn again."""
    monkeypatch.setattr(config.availability, "place", lambda file: None)
    found = list(config.of({"scale": "quick", "figures": ["laso2005", "eg2008", "eg2004"]}).without)
    assert found == sorted(found)
    assert {"conll2000", "conll2002", "conll2007"} <= set(found)
