"""Everything in the catalogue has runs in the default config, and ``list --config`` counts them."""

import json
from pathlib import Path

import pytest

from structbench import datasets
from structbench.bench.verbs.run_counts import counted
from structbench.bench.workflow import config

ROOT = Path(__file__).resolve().parents[3]
OWN = "it reads a file of the user's"
NOT_RUN = {  # data set -> why no config has a run of it
    **dict.fromkeys(("columns", "conllu", "conllx", "crfsuite", "penn", "pharaoh", "svmlight", "webpages"), OWN),
    "conll2003": "its text is given out by agreement alone: it reads the user's copy",
}


def test_the_default_config_runs_everything_in_the_catalogue(monkeypatch):
    """What you add to the catalogue gets a run: in a paper's grids, or in a grid of config/quick.yaml."""
    monkeypatch.setattr(config.availability, "place", lambda file: "cache")
    counts = counted(config.read(str(ROOT / "config" / "quick.yaml")))
    none = {kind: {name for name, runs in found.items() if not runs} for kind, found in counts.items()}
    assert none == {"algorithms": set(), "losses": set(), "structures": set(), "datasets": {*NOT_RUN}}
    assert all(map(datasets.reads_a_file, NOT_RUN))


def test_runs_are_counted(bench):
    code, out, said = bench("list", "algorithms", "--config", "mine", "--json")
    assert (code, said) == (0, "")
    (found,) = json.loads(out).items()
    assert found[0] == "algorithms"
    assert {name: runs for name, runs in found[1].items() if runs} == {"eg": 3, "lbfgs": 2}
    code, out, _ = bench("list", "--config", "mine")
    assert code == 0 and "mnist                 4" in out and "conll2000             0" in out


@pytest.mark.parametrize("words", [("figures",), ("--structure", "chain")])
def test_only_what_runs_have_is_counted(bench, words):
    code, _, said = bench("list", *words, "--config", "mine")
    assert code == 2 and "--config counts runs of algorithms, losses, structures and datasets" in said
