"""Everything in the catalogue has runs in the default config, and ``list --config`` counts them."""

import json
from pathlib import Path

import pytest

from structbench import datasets
from structbench.algorithms.structures.structure_types import structure_types
from structbench.bench.verbs.listing import counted
from structbench.bench.workflow import config
from tests.bench.verbs.conftest import MINE

ROOT = Path(__file__).resolve().parents[3]
OWN = "it reads a file of the user's"
NOT_RUN = {  # data set -> why no config has a run of it
    **dict.fromkeys(("columns", "conllu", "conllx", "crfsuite", "penn", "pharaoh", "svmlight", "webpages"), OWN),
    "conll2003": "its text is given out by agreement alone: it reads the user's copy",
}


def test_the_default_config_runs_everything_in_the_catalogue(monkeypatch):
    """What you add to the catalogue gets a run: in a paper's grids, or in a grid of config/quick.yaml."""
    monkeypatch.setattr(config.availability, "can_be_had", lambda file: True)
    counts = counted(config.read_config(str(ROOT / "config" / "quick.yaml")))
    none = {kind: {name for name, runs in found.items() if not runs} for kind, found in counts.items()}
    files = {name: ROOT.joinpath(*kind.__module__.split(".")[1:]) for name, kind in structure_types().items()}
    of_tests = {name for name, file in files.items() if not (file.is_dir() or file.with_suffix(".py").is_file())}
    none["structures"] -= of_tests  # which a test before this one may have imported
    assert none == {"algorithms": set(), "losses": set(), "structures": set(), "datasets": {*NOT_RUN}}
    assert all(map(datasets.reads_a_file, NOT_RUN))


def test_runs_are_counted(bench):
    Path("config/other.yaml").write_text(MINE.replace("C: [1, 10]", "C: [1]"))
    code, out, said = bench("list", "--config", "mine", "--json")
    assert (code, said) == (0, "")
    found = json.loads(out)["mine"]
    assert {name: runs for name, runs in found["algorithms"].items() if runs} == {"eg": 3, "lbfgs": 2}
    assert [*found] == ["algorithms", "losses", "structures", "datasets"]
    code, out, _ = bench("list", "datasets", "--config", "mine", "--config", "other")
    rows = [line.split() for line in out.splitlines()]
    assert code == 0 and rows[0] == ["datasets", "mine", "other"]
    assert ["mnist", "4", "2"] in rows and "conll2000" not in out, "of which there are none"
    assert bench("list", "data", "--config", "mine")[0] == 0, "another word for datasets"


@pytest.mark.parametrize("words", [("figures",), ("--structure", "chain")])
def test_only_what_runs_have_is_counted(bench, words):
    code, _, said = bench("list", *words, "--config", "mine")
    assert code == 2 and "--config counts runs of algorithms, losses, structures and datasets" in said
