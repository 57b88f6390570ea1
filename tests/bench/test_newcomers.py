"""Newcomers: each is one new file or folder, and no list changes. One with mistakes is told of its own."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
ALGORITHM = '''"""A newcomer among the algorithms."""

from typing import Annotated

import numpy as np

from structbench.algorithms.learning.declaration import Settings, algorithm
from structbench.algorithms.learning.objective import Iterate
from structbench.algorithms.structures import interface as parts


@algorithm(needs=("parts",))
def solve(problem, objective, rng):
    """Steps."""
    yield Iterate(np.zeros(parts.num_weights(objective.split)), 0)
'''
LOSS = '''"""A newcomer among the losses."""

from structbench.algorithms.losses.family import Loss

LOSS = Loss(2.0, 0.0)
'''
STRUCTURE = '''"""A newcomer among the structures: coins that each show a side."""

from typing import NamedTuple

from structbench.algorithms.runtime.arrays import Labels
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures.compiled import implements


class Coins(NamedTuple):
    """Rows of features with a side each."""

    id = "coins"

    x: ft.Features
    y: Labels


@implements(Coins)
def num_examples(c):
    return c.y.shape[0]
'''
DATA = '''"""A newcomer among the data sets."""

import numpy as np

from structbench.algorithms.structures import features, multiclass
from structbench.datasets.problems.problem import Problem

LICENCE = "none"
SOURCES = ()
STRUCTURE = "multiclass"


def load(files):
    """Two points."""
    split = multiclass.build(features.dense(np.eye(2)), np.arange(2), 2)
    return Problem(split, None, ("a", "b"))
'''
PAPER = '''"""A newcomer among the papers."""

from structbench.bench.drawing.draw import Figure
from structbench.bench.papers.claim_rows import Part, Row
from structbench.bench.papers.judging import Claim
from structbench.bench.runs.spec import make

NAME = "A newcomer, 2026"


def runs_of(scale):
    """By experiment."""
    return {"new2026/pebbles": [make("pebbles:size=5", "log", 1.0, "gentle-descent", {"pace": 0.25})]}


def figures_of(scale):
    """The one figure."""
    return {"fig01": Figure("new2026, Figure 1", "Gentle steps.", lambda runs: None)}
'''
MORE = '''

def claims_of(scale):
    """The one claim."""
    row = Row("gentle", "Figure 1", "It is gentle.", (Part("pace", "it steps {}"),))
    return [Claim("new2026/gentle", row, lambda part, runs: [], runs_of(scale)["new2026/pebbles"], ["fig01"])]
'''


def changed(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new)


def in_readme() -> str:
    """The whole algorithm that README shows."""
    (text,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.S)
    assert len(text.splitlines()) <= 25
    return text


FIRST = "    yield Iterate("
FILES = {
    "algorithms/gradient/good.py": ALGORITHM,
    "algorithms/gradient/gentle_descent.py": changed(
        ALGORITHM.replace("rng)", "rng, *, pace: float = 1.0)").replace('rithms."""', 'rithms: a descent."""'),
        'needs=("parts",)', 'label="Gentle", loss="log", needs=("parts", "marginals"), random=False, '
        'settings=Settings(figures=({}, {"pace": 0.5}))',
    ),
    "algorithms/gradient/barzilai_borwein.py": in_readme(),
    "algorithms/structures/coins.py": STRUCTURE,
    "algorithms/structures/bad_structure.py": changed(STRUCTURE, "return c", "return (c"),
    "algorithms/structures/bad_id.py": changed(STRUCTURE, '"coins"', '"multiclass"'),
    "datasets/pebbles.py": changed(DATA, "(files)", "(files, *, size: int = 10)"),
    "bench/papers/new2026/__init__.py": PAPER + MORE,
    "algorithms/gradient/no_python.py": changed(ALGORITHM, '"parts",', '"parts",('),
    "algorithms/gradient/no_import.py": changed(ALGORITHM, "\n@algo", "LIMIT = np.no_such_number\n\n@algo"),
    "algorithms/gradient/no_solve.py": changed(ALGORITHM, "def solve(", "def solv("),
    "algorithms/gradient/a_tuple.py": changed(ALGORITHM, FIRST, "    yield (1.0, 2.0)\n" + FIRST),
    "algorithms/gradient/a_number.py": changed(ALGORITHM, FIRST, "    return 1.0\n") .replace("np.zeros", "#"),
    "algorithms/gradient/no_quotient.py": ALGORITHM + "    step = 1 / 0\n",
    "algorithms/gradient/no_iterate.py": changed(ALGORITHM, FIRST, "    if problem is None:\n    " + FIRST),
    "algorithms/gradient/late.py": changed(ALGORITHM, "split)), 0)", "split)), 1)"),
    "algorithms/gradient/falling.py": ALGORITHM + "    yield Iterate(np.zeros(4), -1)\n",
    "algorithms/gradient/standing.py": ALGORITHM + "    while True:\n        yield Iterate(np.zeros(4), 0)\n",
    "algorithms/losses/bad_tuple.py": changed(LOSS, "Loss(2.0, 0.0)", "(1.0, 0.0)"),
    "algorithms/losses/bad_cost.py": changed(LOSS, "0.0", "-1.0"),
    "algorithms/losses/bad_temperature.py": changed(LOSS, "2.0", "'warm'"),
    "algorithms/losses/bad_zeros.py": changed(LOSS, "2.0", "0.0"),
    "algorithms/losses/bad_name.py": changed(LOSS, "LOSS", "LOST"),
    "algorithms/losses/bad_python.py": changed(LOSS, "0.0)", "0.0"),
    "algorithms/losses/good.py": LOSS,
    "algorithms/gradient/no_need.py": changed(ALGORITHM, '"parts"', '"argmx"'),
    "algorithms/gradient/no_needs.py": changed(ALGORITHM, '("parts",)', 'lambda **given: given["eta"]'),
    "algorithms/gradient/no_loss.py": changed(ALGORITHM, "needs=", 'loss="smoth", needs='),
    "algorithms/gradient/no_tuple.py": changed(ALGORITHM, '("parts",)', '"parts"'),
    "algorithms/gradient/no_word.py": changed(ALGORITHM, "needs=", 'lable="N", needs='),
    "algorithms/gradient/no_default.py": changed(ALGORITHM, "objective, rng", "objective, rng, *, eta"),
    "algorithms/gradient/no_type.py": changed(ALGORITHM, "objective, rng", "objective, rng, *, eta=1.0"),
    "algorithms/gradient/no_bound.py": changed(ALGORITHM, "rng)", 'rng, *, eta: Annotated[float, "=> 0"] = 1)'),
    "algorithms/gradient/no_number.py": changed(ALGORITHM, "rng)", 'rng, *, eta: Annotated[float, "> 0"] = -1.0)'),
    "algorithms/gradient/no_rng.py": changed(ALGORITHM, "objective, rng", "objective"),
    "algorithms/gradient/no_parameter.py": changed(ALGORITHM, "needs=", 'random={"eta": (1,)}, needs='),
    "datasets/good_points.py": DATA,
    "datasets/no_python_data.py": changed(DATA, "SOURCES = ()", "SOURCES = )"),
    "datasets/no_licence.py": changed(DATA, 'LICENCE = "none"\n', ""),
    "datasets/no_structure.py": changed(DATA, 'STRUCTURE = "multiclass"\n', ""),
    "datasets/no_load.py": changed(DATA, "def load(", "def lode("),
    "datasets/no_such_structure.py": changed(DATA, '"multiclass"', '"Multi-Class"'),
    "datasets/other_structure.py": changed(DATA, 'STRUCTURE = "multiclass"', 'STRUCTURE = "chain"'),
    "datasets/no_score.py": changed(DATA, "SOURCES = ()", 'SOURCES = ()\nSCORES = ("chunk",)'),
    "datasets/no_tuple_of_scores.py": changed(DATA, "SOURCES = ()", 'SOURCES = ()\nSCORES = "chunks"'),
    "datasets/no_problem.py": changed(DATA, 'Problem(split, None, ("a", "b"))', "split"),
    "bench/papers/no_claims/__init__.py": PAPER,
    "bench/papers/no_name/__init__.py": changed(PAPER, "NAME =", "TITLE ="),
    "bench/papers/no_python_paper/__init__.py": PAPER + "\nfrom bench.papers.no_python_paper import rules\n",
    "bench/papers/no_python_paper/rules.py": "RULE = 1\nif RULE\n",
}  # fmt: skip
PROGRAM = """
import contextlib, io, json, sys
from structbench.bench.__main__ import main

found = []
for words in json.load(sys.stdin):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(words)
    found.append([code, out.getvalue(), err.getvalue()])
json.dump(found, sys.stdout)
"""


ASKED = """
import json
from structbench.bench.papers.methods.runs import tasks
from structbench.bench.runs import catalogue
from structbench.bench.workflow import config

found = config.config_of({"scale": "tiny", "figures": ["new2026"], "grids": [
    {"name": "mine", "data": ["pebbles"], "C": [1.0], "algorithms": {"gentle-descent": {"pace": [1, 2]}}}
]})
compared = [spec for spec in tasks("paper")[0].all("log") if spec.algorithm == "gentle-descent"]
print(json.dumps({
    "experiments": {name: [spec.key for spec in specs] for name, specs in found.experiments.items()},
    "figures": {paper: list(members) for paper, members in found.figures.items()},
    "claims": [claim.id for claims in found.claims.values() for claim in claims],
    "batches": [name.rpartition("-")[0] for name in found.batches],
    "label": catalogue.label("gentle-descent"),
    "compared": sorted([dict(spec.params)["pace"], spec.C, spec.seed] for spec in compared),
}))
"""


class Case(NamedTuple):
    """Words of a command; its exit code, and what it says."""

    words: str
    code: int
    said: str


def run(algorithm: str = "good", data: str = "good-points") -> str:
    return f"run --data {data} --loss log --C 1 --passes 1 --algorithm {algorithm}"


CASES = [
    Case(run(), 0, "stalled: good found no further step: its solve ended after 0 passes"),
    Case(run("no-iterate"), 1, "no_iterate.py: solve ended without an Iterate: it must yield before its first"),
    Case(run("late"), 1, "late.py: solve must yield before its first update, with 0 visits, not 1"),
    Case(run("falling"), 1, "algorithms/gradient/falling.py: visits must be a whole number of 0 or more, not -1"),
    Case(run("standing"), 1, "standing.py: visits must grow: 1000 iterates after another have 0"),
    Case(run("no-python"), 2, "error: cannot be read: algorithms/gradient/no_python.py:12: '(' was never closed"),
    Case(
        run("no-import"), 2,
        "cannot be imported: algorithms/gradient/no_import.py:11: LIMIT = np.no_such_number: AttributeError",
    ),
    Case(run("no-solve"), 2, "error: algorithms/gradient/no_solve.py has no function solve"),
    Case(run("a-tuple"), 1, "error: algorithms/gradient/a_tuple.py: solve must yield Iterate, not tuple"),
    Case(run("a-number"), 1, "error: algorithms/gradient/a_number.py: solve must yield Iterate, not return float"),
    Case(run("no-quotient"), 1, "no-quotient failed with ZeroDivisionError"),
    Case(run("no-quotient"), 1, "\n  algorithms/gradient/no_quotient.py:16: step = 1 / 0\n"),
    Case(run("no-need"), 2, "algorithms/gradient/no_need.py:12: needs has 'argmx': did you mean 'argmax'?"),
    Case(run("no-needs"), 2, "algorithms/gradient/no_needs.py:12: needs failed with KeyError: 'eta'"),
    Case("list algorithms --structure multiclass", 0, "A newcomer among the algorithms: a descent."),
    Case(run("no-loss"), 2, "algorithms/gradient/no_loss.py:12: loss has 'smoth': did you mean 'smooth'?"),
    Case(run("no-tuple"), 2, "algorithms/gradient/no_tuple.py:12: needs must be a tuple of words, not 'parts'"),
    Case(run("no-word"), 2, "algorithms/gradient/no_word.py:12: @algorithm("),
    Case(run("no-default"), 2, "algorithms/gradient/no_default.py:12: the parameter eta has no default"),
    Case(run("no-type"), 2, "no_type.py:12: the parameter eta has no type, such as eta: float = 1.0"),
    Case(run("no-bound"), 2, "no_bound.py:12: the bounds of eta must be such as '> 0' or '<= 1'"),
    Case(run("no-number"), 2, "no_number.py:12: the default: eta must be above 0, not '-1.0'"),
    Case(run("no-rng"), 2, "no_rng.py:12: solve takes (problem, objective, rng, *, parameter=default, ...)"),
    Case(run("no-parameter"), 2, "algorithms/gradient/no_parameter.py:12: random has 'eta': there are none"),
    Case(run(data="no-python-data"), 2, "cannot be read: datasets/no_python_data.py:9: unmatched ')'"),
    Case(run(data="no-licence"), 2, "datasets/no_licence.py has no LICENCE, one line"),
    Case(run(data="no-structure"), 2, "datasets/no_structure.py has no STRUCTURE, the id of the structure"),
    Case(run(data="no-load"), 2, "datasets/no_load.py has no load, a function that returns a Problem"),
    Case(
        run(data="no-such-structure"), 2,
        "datasets/no_such_structure.py: STRUCTURE is 'Multi-Class': did you mean 'multiclass'? the structures are",
    ),
    Case(
        run(data="other-structure"), 2,
        "other_structure.py: load returned a problem of the structure multiclass, but STRUCTURE says chain",
    ),
    Case(run(data="no-score"), 2, "no_score.py: SCORES has 'chunk': did you mean 'chunks'? the scores are"),
    Case(run(data="no-tuple-of-scores"), 2, "SCORES must be a tuple of words, not 'chunks'"),
    Case(run(data="no-problem"), 2, "datasets/no_problem.py: load must return a Problem, not Multiclass"),
    Case("figures --config no_claims.yaml", 2, "bench/papers/no_claims/__init__.py has no function claims_of"),
    Case("figures --config no_name.yaml", 2, "bench/papers/no_name/__init__.py has no NAME: name it as"),
    Case("figures --config no_python_paper.yaml", 2, "cannot be read: bench/papers/no_python_paper/rules.py:2:"),
    Case("list", 0, "cannot be read: algorithms/gradient/no_python.py:12: '(' was never closed"),
    Case("list", 0, "cannot be read: datasets/no_python_data.py:9: unmatched ')'"),
    Case("list", 0, "cannot be read: bench/papers/no_python_paper/rules.py:2: expected ':'"),
    Case("list", 0, "algorithms/gradient/no_loss.py:12: loss has 'smoth'"),
    Case("list", 0, "A newcomer among the algorithms: a descent."),
    Case("list", 0, "--set pace=1.0"),
    Case("list", 0, "A newcomer among the data sets."),
    Case("list", 0, "A newcomer among the losses."),
    Case("list", 0, "A newcomer among the papers."),
    Case("list", 0, "A newcomer among the structures: coins that each show a side ("),
    Case("list", 0, "bad_tuple.py: the loss must be Loss(temperature=..., cost=...), not (1.0, 0.0)"),
    Case(run().replace("log", "bad-cost"), 2, "losses/bad_cost.py: cost must be a number of 0 or more, not -1.0"),
    Case("list", 0, "bad_temperature.py: temperature must be a number of 0 or more, not 'warm'"),
    Case("list", 0, "bad_zeros.py: temperature or cost must be above 0: both are 0"),
    Case("list", 0, "bad_name.py has no LOSS = Loss(temperature=..., cost=...), nor a function loss(number)"),
    Case("list", 0, "cannot be read: algorithms/losses/bad_python.py:5: '(' was never closed"),
    Case("list", 0, "cannot be read: algorithms/structures/bad_structure.py:21: '(' was never closed"),
    Case("list", 0, "structures/bad_id.py: Coins must have the id of its file, 'bad-id', not 'multiclass'"),
    Case("data list", 0, "cannot be read: datasets/no_python_data.py:9: unmatched ')'"),
    Case("figures --config grid.yaml", 2, "none of the 1 runs of the config grid is finished"),
]  # fmt: skip


@pytest.fixture(scope="module")
def tree(tmp_path_factory) -> Path:
    """A copy of the programs, with these files."""
    tree = tmp_path_factory.mktemp("tree")
    for package in ("algorithms", "bench", "datasets", "structbench"):
        shutil.copytree(ROOT / package, tree / package, True, ignore=shutil.ignore_patterns("__pycache__"))
    for file, text in FILES.items():
        (tree / file).parent.mkdir(exist_ok=True)
        (tree / file).write_text(text)
    for paper in ("no_claims", "no_name", "no_python_paper"):
        (tree / f"{paper}.yaml").write_text(f"scale: tiny\nfigures: [{paper}]\n")
    (tree / "grid.yaml").write_text("grids: [{name: g, data: good-points, C: 1, seeds: [1], algorithms: {sgd: }}]")
    return tree


def python(tree: Path, *words: str, given: str = "", **env: str) -> str:
    done = subprocess.run(
        [sys.executable, *words], input=given, cwd=tree, env=os.environ | {"PYTHONPATH": str(tree)} | env,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def said(tree) -> dict[str, tuple[int, str]]:
    """Words of each command -> exit code, and all that it said."""
    words = list(dict.fromkeys(case.words for case in CASES))
    given = json.dumps([each.split() for each in words])
    found = json.loads(python(tree, "-c", PROGRAM, given=given, NUMBA_DISABLE_JIT="1"))
    return {each: (code, out + err) for each, (code, out, err) in zip(words, found, strict=True)}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.words}: {case.said[:30]}")
def test_a_newcomer_is_listed_and_run_or_told_of_its_mistake(said, case):
    code, text = said[case.words]
    assert code == case.code and case.said in text and "Traceback" not in text, text


def test_newcomers_are_in_configs_plans_and_the_figure_of_all_methods(tree):
    found = json.loads(python(tree, "-c", ASKED))
    gentle = "log__C=1__gentle-descent"
    assert found["experiments"] == {
        "new2026/pebbles": [f"pebbles:size=5__{gentle}:pace=0.25"],
        "grid/mine": [f"pebbles__{gentle}", f"pebbles__{gentle}:pace=2"],
    }
    assert found["figures"]["new2026"] == ["fig01"]
    assert any("log-distance" in stem for stem in found["figures"]["grid-mine"])
    assert found["claims"] == ["new2026/gentle"]
    assert set(found["batches"]) == {"pebbles-gentle-descent"}
    assert found["label"] == "Gentle"
    assert found["compared"] == [[0.5, 1.0, 0], [0.5, 10.0, 0], [1.0, 1.0, 0], [1.0, 10.0, 0]]


def test_the_algorithm_of_the_readme_runs_and_is_certified(tree):
    words = "run --data toy-english:sentences=100 --loss log --C 10 --algorithm barzilai-borwein --gap 1e-6"
    made = json.loads(python(tree, "-m", "bench", *words.split()).splitlines()[-1])
    assert made["status"] == "converged"
    assert 0 <= made["relative_gap"] <= 1e-6
