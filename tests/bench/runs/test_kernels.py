"""Which kernels a run is expected to compile, and what is said as it does."""

import math
import re

import pytest

from structbench.algorithms.runtime import kernel_folder
from structbench.algorithms.structures.compiled import OPERATIONS
from structbench.algorithms.structures.layouts import LAYOUTS
from structbench.algorithms.structures.structure_types import structure_types
from structbench.bench.runs import kernels, yardstick
from structbench.bench.runs.news import News
from structbench.bench.runs.spec import make
from tests.workflow.conftest import ROOT

EG, PERCEPTRON = make("mnist", "log", 1.0, "eg"), make("ocr", None, None, "perceptron")


def forget() -> None:
    kernels.known.cache_clear()
    kernels.needed.cache_clear()


@pytest.fixture
def table(monkeypatch, tmp_path):
    """Five kernels, none of them compiled."""
    file = tmp_path / "kernels.csv"
    rows = (
        "all.all,1,1,*",
        "m.m,2,2,multiclass",
        "c.c,3,3,chain",
        "e.e,4,4,eg",
        "p.p,5,5,perceptron@chain perceptron@x",
    )
    file.write_text("\n".join(["kernel,functions,seconds,needed_by", *rows]) + "\n")
    monkeypatch.setattr(kernels, "FILE", file)
    monkeypatch.setattr(kernel_folder, "compiled", set)
    monkeypatch.setattr(yardstick, "slowness", lambda: 1.0)
    forget()
    yield
    forget()


def test_a_run_needs_those_of_its_structure_its_algorithm_and_both(table):
    assert kernels.of_run(EG) == {"all.all", "m.m", "e.e"}
    assert kernels.of_run(PERCEPTRON) == {"all.all", "c.c", "p.p"}
    assert kernels.missing([EG, PERCEPTRON], {"m.m"}) == {EG: {"all.all", "e.e"}, PERCEPTRON: {"c.c", "p.p"}}
    assert kernels.seconds(["c.c", "p.p", "not.known"]) == 8


def test_compiling_is_said_before_and_while_it_happens(table, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(kernels.time, "monotonic", lambda: now[0])
    said: list[News] = []
    heard = kernels.Compiling(EG, said.append, 5.0)
    heard("m.m", False)
    for name, took in (("x.inside", 1.0), ("m.m", 6.0), ("all.all", 6.0)):
        now[0] += took
        heard(name, True)
    heard.over()
    heard.over()
    assert said == [
        "compiling kernels for multiclass, once: 0 of about 7, about 7 s left",
        "compiling kernels for multiclass, once: 2 of about 7, about 9 s left",
        "compiling kernels for multiclass, once: 3 of about 7, about 9 s left",
        "compiled 3 kernels in 13 s; the next run finds them",
    ]
    assert [each.compiling for each in said] == [True, True, True, False]


def test_more_kernels_than_expected_are_counted_and_nothing_is_said_of_none(table):
    said: list[News] = []
    kernels.Compiling(EG, said.append, 5.0).over()
    assert said == []
    heard = kernels.Compiling(PERCEPTRON, said.append, 0.0)
    for k in range(20):
        heard(f"x.{k}", True)
    assert said[-1] == "compiling kernels for chain, once: 20 so far" and math.isnan(said[-1].left)


def test_the_file_names_functions_that_there_are():
    """One that is gone is expected to be compiled by each run: ``bench measure kernels`` writes the file anew."""
    defined = set()
    for file in (ROOT / "algorithms").rglob("*.py"):
        defined |= {f"{file.stem}.{name}" for name in re.findall(r"^ *def (\w+)", file.read_text(), re.MULTILINE)}
    defined |= {
        f"compiled.{name}_of_{kind.__name__}"
        for name in OPERATIONS
        for kind in (*structure_types().values(), *LAYOUTS)
    }
    gone = set(kernels.known()) - defined
    assert len(kernels.known()) > 150 and not gone
