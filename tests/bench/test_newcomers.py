"""An algorithm, a structure, a data set, a paper: each is one new file or folder, and no list changes."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

ALGORITHM = '''"""A gentle descent: a step along the gradient."""

from collections.abc import Iterator

from structbench.algorithms.learning.declaration import Settings, algorithm


@algorithm(
    label="Gentle",
    loss="log",
    needs=("parts", "marginals"),
    random=False,
    settings=Settings(figures=({}, {"pace": 0.5})),
)
def solve(problem, objective, rng, *, pace: float = 1.0) -> Iterator:
    """Steps of this pace."""
    yield from ()
'''
STRUCTURE = '''"""Necklaces: sequences without a beginning."""

from typing import NamedTuple

from structbench.algorithms.runtime.arrays import Labels
from structbench.algorithms.structures.compiled import implements


class Necklaces(NamedTuple):
    """``y``: int32 (examples,)."""

    id = "necklace"

    y: Labels


@implements(Necklaces)
def num_examples(m):
    return m.y.shape[0]


@implements(Necklaces)
def num_decisions(m, i):
    return 1


@implements(Necklaces)
def gold_labels(m, i, out):
    out[0] = m.y[i]


@implements(Necklaces)
def num_weights(m):
    return 1


@implements(Necklaces)
def take(m, examples):
    return Necklaces(m.y[examples])


@implements(Necklaces)
def block(m, first, last):
    return Necklaces(m.y[first:last])
'''
DATA = '''"""Pebbles: stones by colour and shape."""

SOURCES = ()
LICENCE = "none"
STRUCTURE = "multiclass"


def load(files, *, size: int = 10):
    """Stones."""
'''
PAPER = '''"""Figure 1 of new2026: how gentle a descent may be."""

from structbench.bench.drawing.draw import Figure
from structbench.bench.papers.judging import Claim
from structbench.bench.papers.new2026.runs import runs_of

__all__ = ["claims_of", "figures_of", "runs_of"]


def figures_of(scale):
    """The one figure."""
    return {"fig01": Figure("new2026, Figure 1", "Gentle steps.", lambda runs: None)}


def claims_of(scale):
    """The one claim."""
    specs = runs_of(scale)["new2026/pebbles"]
    about = ("new2026/gentle", "new2026", "Figure 1", "It is gentle.", "")
    return [Claim(*about, lambda runs: None, specs, ["fig01"])]
'''
RUNS = '''"""The runs of new2026."""

from structbench.bench.runs.spec import make


def runs_of(scale):
    """By experiment."""
    return {"new2026/pebbles": [make("pebbles:size=5", "log", 1.0, "gentle-descent", {"pace": 0.25})]}
'''
ASKED = """
import json
from structbench.bench.papers.methods.runs import tasks
from structbench.bench.runs import catalogue
from structbench.bench.workflow import config

found = config.of({"scale": "tiny", "figures": ["new2026"], "grids": [
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


def in_readme() -> str:
    """The whole algorithm that README shows."""
    (text,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.S)
    assert len(text.splitlines()) <= 25
    return text


@pytest.fixture(scope="module")
def tree(tmp_path_factory) -> Path:
    """A copy of the programs, with newcomers."""
    tree = tmp_path_factory.mktemp("tree")
    for package in ("algorithms", "bench", "datasets", "structbench"):
        shutil.copytree(ROOT / package, tree / package, True, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "workflow" / "schemas", tree / "workflow" / "schemas")
    for file, text in (
        ("algorithms/gradient/gentle_descent.py", ALGORITHM),
        ("algorithms/gradient/barzilai_borwein.py", in_readme()),
        ("algorithms/structures/necklace.py", STRUCTURE),
        ("datasets/pebbles.py", DATA),
        ("bench/papers/new2026/__init__.py", PAPER),
        ("bench/papers/new2026/runs.py", RUNS),
    ):
        (tree / file).parent.mkdir(exist_ok=True)
        (tree / file).write_text(text)
    return tree


def python(tree: Path, *words: str) -> str:
    done = subprocess.run([sys.executable, *words], cwd=tree, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_newcomers_are_listed(tree):
    said = python(tree, "-m", "bench", "list")
    for name, about in (
        ("gentle-descent", "A gentle descent: a step along the gradient."),
        ("necklace", "Necklaces: sequences without a beginning (examples)"),
        ("pebbles", "Pebbles: stones by colour and shape."),
        ("new2026", "Figure 1 of new2026: how gentle a descent may be."),
    ):
        assert any(line.startswith(name) and about in line for line in said.splitlines())
    assert "--set pace=1.0" in said


def test_newcomers_are_in_configs_plans_and_the_figure_of_all_methods(tree):
    found = json.loads(python(tree, "-c", ASKED))
    gentle = "log__C=1__gentle-descent"
    assert found["experiments"] == {
        "new2026/pebbles": [f"pebbles:size=5__{gentle}:pace=0.25"],
        "grid/mine": [f"pebbles__{gentle}", f"pebbles__{gentle}:pace=2"],
    }
    assert found["figures"]["new2026"] == ["fig01"]
    assert "profile" in found["figures"]["grid-mine"]
    assert found["claims"] == ["new2026/gentle"]
    assert set(found["batches"]) == {"pebbles-gentle-descent"}
    assert found["label"] == "Gentle"
    assert found["compared"] == [[0.5, 1.0, 0], [0.5, 10.0, 0], [1.0, 1.0, 0], [1.0, 10.0, 0]]


def test_the_algorithm_of_the_readme_runs_and_is_certified(tree):
    words = "run --data toy-english:sentences=100 --loss log --C 10 --algorithm barzilai-borwein --gap 1e-6"
    made = json.loads(python(tree, "-m", "bench", *words.split()).splitlines()[-1])
    assert made["status"] == "converged"
    assert 0 <= made["relative_gap"] <= 1e-6
