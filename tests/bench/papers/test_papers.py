"""What holds of every paper: names are unique, and claims rest on runs and figures that exist."""

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from structbench import datasets
from structbench.algorithms.runtime.modules import ROOT
from structbench.bench.papers import grid_runs, sentences
from structbench.bench.papers.judging import judge
from structbench.bench.runs import catalogue, results
from structbench.bench.runs import spec as specs
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.grids import expand
from structbench.bench.workflow import schema

PAPERS = {name: importlib.import_module(f"structbench.bench.papers.{name}") for name in catalogue.papers()}


def timed_of(paper, scale, **more):
    """The runs whose seconds a paper reads, if it reads any."""
    return paper.timed_of(scale, **more) if hasattr(paper, "timed_of") else []


@pytest.mark.parametrize("scale", ["tiny", "quick", "paper"])
@pytest.mark.parametrize("name", PAPERS)
def test_runs_figures_and_claims_fit(name, scale):
    paper = PAPERS[name]
    made = [spec for listed in paper.runs_of(scale).values() for spec in listed]
    keys, stems, claims = {spec.key for spec in made}, {*paper.figures_of(scale)}, paper.claims_of(scale)
    assert len(keys) == len(made), "a run is listed twice"
    assert {spec.key for spec in timed_of(paper, scale)} <= keys
    for spec in made:
        assert specs.parse(spec.key) == spec
        specs.check_name(spec)
        assert datasets.data_ref(spec.data.text) == spec.data
    assert len({claim.id for claim in claims}) == len(claims)
    for claim in claims:
        assert (claim.runs or claim.data) and {spec.key for spec in claim.runs} <= keys, claim.id
        assert {*claim.figures} <= stems, claim.id
    for said in judge(claims, Runs(Path("nowhere"))):
        assert said.verdict == "not run" or not said.runs, said.id
        assert 0 < len(said.answer) <= sentences.LONGEST, said.id


GRIDS = sorted((ROOT / "bench" / "papers").glob("*/runs.yaml"))


@pytest.mark.parametrize("file", GRIDS, ids=lambda file: file.parent.name)
def test_a_papers_grids_are_as_a_config_has_them(file):
    """A user may paste one into a config, and gets the same runs."""
    for scale, listed in yaml.safe_load(file.read_text(encoding="utf-8")).items():
        given = schema.checked_config({"scale": scale, "figures": [], "grids": listed})["grids"]
        assert {grid["name"]: [*expand(grid).specs] for grid in given} == grid_runs.grids(file, scale)


CORPORA = [(name, corpus) for name, paper in PAPERS.items() for corpus in getattr(paper, "CORPORA", ())]


@pytest.mark.parametrize(("name", "corpus"), CORPORA)
def test_without_a_corpus_nothing_of_it_is_asked_for(name, corpus):
    paper, without = PAPERS[name], frozenset({corpus})
    families, claims = paper.runs_of("quick", without=without), paper.claims_of("quick", without=without)
    made = [spec for listed in families.values() for spec in listed]
    asked = [*made, *timed_of(paper, "quick", without=without), *(spec for claim in claims for spec in claim.runs)]
    assert {spec.data.text for spec in asked if re.match(rf"{corpus}\b(?!-)", spec.data.text)} == set()
    stems = {*paper.figures_of("quick", without=without)}
    assert all({*claim.figures} <= stems for claim in claims)
    assert {spec.key for spec in asked} == {spec.key for spec in made}


PROGRAM = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.startswith(("pandas", "pyarrow", "matplotlib", "mlflow", "scipy.stats", "scipy.linalg")):
            raise AssertionError(f"{name} is imported")

sys.meta_path.insert(0, Blocked())
from structbench.bench.runs import catalogue, results
from structbench.bench.workflow import config

found = config.config_of({"scale": "tiny", "figures": [*catalogue.papers()], "without": {}})
print(len(found.batches), *found.figures, sum(map(len, found.claims.values())))
"""


def test_reading_a_config_of_all_papers_imports_nothing_that_draws(tmp_path):
    """A config is read in every job of a workflow."""
    env = os.environ | {results.VARIABLE: str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False, env=env)
    assert done.returncode == 0, done.stderr
    batches, *papers, claims = done.stdout.split()
    assert int(batches) > 10 and int(claims) > 100
    assert {*PAPERS} <= {*papers}
