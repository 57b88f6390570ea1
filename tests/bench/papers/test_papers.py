"""What holds of every paper: names are unique, claims rest on runs and figures that exist, rules are listed."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from structbench import datasets
from structbench.bench.papers.eg2004 import grammar_claims
from structbench.bench.papers.eg2004 import rules as eg2004
from structbench.bench.papers.eg2008 import parsing_rules, path, rates, rules_against, update_cost
from structbench.bench.papers.eg2008 import rules as eg2008
from structbench.bench.papers.judging import judge
from structbench.bench.papers.klein2011 import rules as klein2011
from structbench.bench.papers.l1m3n2009 import extraction_rules, path_rules
from structbench.bench.papers.l1m3n2009 import rules as l1m3n2009
from structbench.bench.papers.laso2005 import rules as laso2005
from structbench.bench.runs import catalogue
from structbench.bench.runs import spec as specs
from structbench.bench.runs.finished import Runs

PAPERS = {name: importlib.import_module(f"structbench.bench.papers.{name}") for name in catalogue.papers()}
# where the rules of claims are listed, by the paper and the beginning or the end of their names
RULES = {
    ("eg2004", r"(.*)"): (eg2004, grammar_claims),
    ("eg2008", r"(.*)-parsing"): (parsing_rules,),
    ("eg2008", r"(.*)-(?:mnist|ocr|chunking)"): (eg2008, rules_against, path, rates, update_cost),
    ("klein2011", r"(.*?)(?:-ocr|-mnist)?"): (klein2011,),
    ("l1m3n2009", r"(?:web-dense|web-chain|web|relations)-(.*)"): (extraction_rules,),
    ("l1m3n2009", r"(?!web|relations)(.*?)(?:-iid)?"): (l1m3n2009, path_rules),
    ("laso2005", r"(.*)"): (laso2005,),
}


@pytest.mark.parametrize("scale", ["tiny", "quick", "paper"])
@pytest.mark.parametrize("name", PAPERS)
def test_runs_figures_and_claims_fit(name, scale):
    paper = PAPERS[name]
    made = [spec for listed in paper.runs_of(scale).values() for spec in listed]
    keys, stems, claims = {spec.key for spec in made}, {*paper.figures_of(scale)}, paper.claims_of(scale)
    assert len(keys) == len(made), "a run is listed twice"
    assert {spec.key for spec in paper.timed_of(scale)} <= keys
    for spec in made:
        assert specs.parse(spec.key) == spec
        specs.check_name(spec)
        assert datasets.canonical(spec.data) == spec.data
    assert len({claim.id for claim in claims}) == len(claims)
    for claim in claims:
        assert (claim.runs or claim.data) and {spec.key for spec in claim.runs} <= keys, claim.id
        assert {*claim.figures} <= stems, claim.id
    assert {said["verdict"] for said in judge(claims, Runs(Path("nowhere")))} <= {"inconclusive"}


CORPORA = [(name, corpus) for name, paper in PAPERS.items() for corpus in getattr(paper, "CORPORA", ())]


@pytest.mark.parametrize(("name", "corpus"), CORPORA)
def test_without_a_corpus_nothing_of_it_is_asked_for(name, corpus):
    paper, without = PAPERS[name], frozenset({corpus})
    families, claims = paper.runs_of("quick", without=without), paper.claims_of("quick", without=without)
    made = [spec for listed in families.values() for spec in listed]
    asked = [*made, *paper.timed_of("quick", without=without), *(spec for claim in claims for spec in claim.runs)]
    assert {spec.data for spec in asked if re.match(rf"{corpus}\b(?!-)", spec.data)} == set()
    stems = {*paper.figures_of("quick", without=without)}
    assert all({*claim.figures} <= stems for claim in claims)
    assert {spec.key for spec in asked} == {spec.key for spec in made}


@pytest.mark.parametrize(("name", "of_claim"), RULES)
def test_the_rule_of_every_claim_is_listed(name, of_claim):
    listed = "".join(module.__doc__ for module in RULES[name, of_claim])
    claims = [claim.id.removeprefix(f"{name}/") for claim in PAPERS[name].claims_of("paper")]
    found = [match[1] for claim in claims if (match := re.fullmatch(of_claim, claim))]
    assert found and {c: len(re.findall(rf"^(?:extraction-)?{c} ", listed, re.M)) for c in found} == dict.fromkeys(
        found, 1
    )
    assert all(any(re.fullmatch(way, claim) for paper, way in RULES if paper == name) for claim in claims)


PROGRAM = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.startswith(("pandas", "pyarrow", "matplotlib", "mlflow", "scipy.stats", "scipy.linalg")):
            raise AssertionError(f"{name} is imported")

sys.meta_path.insert(0, Blocked())
from structbench.bench.runs import catalogue
from structbench.bench.workflow import config

found = config.of({"scale": "tiny", "figures": [*catalogue.papers()]})
print(len(found.batches), *found.figures, sum(map(len, found.claims.values())))
"""


def test_reading_a_config_of_all_papers_imports_nothing_that_draws():
    """A config is read in every job of a workflow."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    batches, *papers, claims = done.stdout.split()
    assert int(batches) > 10 and int(claims) > 100
    assert {*PAPERS} <= {*papers}
