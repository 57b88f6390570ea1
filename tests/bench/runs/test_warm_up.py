"""Nothing compiles within a run: the warm-up reaches every kernel, whatever phase of an algorithm it belongs to.

Kernels are forgotten before each run, so that each has to be compiled or read from its file again. Both count.
"""

import gc
from contextlib import ExitStack, suppress
from typing import Any

import numpy as np
import pytest
from numba.core import event

from structbench.algorithms.learning import declaration
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.kernel import Kernel
from structbench.algorithms.structures import chain, multiclass
from structbench.algorithms.structures import features as ft
from structbench.bench.runs import catalogue, driver
from structbench.bench.runs.spec import Spec, make
from structbench.datasets.problems.problem import Problem
from tests.algorithms.kernel_methods.compared import drawn_strings, drawn_trees
from tests.algorithms.oracle import case
from tests.algorithms.solvers import settings

PASSES = 30.0  # smo-eg changes after 10, annealing begins after 2 to 5
PROBLEMS = ("chain-dense", "multiclass-dense", "forest-dense")
DATA = ("synthetic", "toy-points", "treebank", "toy-english:task=words", "treebank:task=attachments")
COUNTS, NON_NEGATIVE = ("chain-binary",), ("hidden-markov", "iterative-scaling")
SEARCHES = tuple(
    {"beam": beam, "decode": decode, "compare_at": rows}
    for beam, decode, rows in (("3", "same", "steps"), ("1", "a-star", "decisions"), ("inf", "2", "decisions"))
)
MORE = {  # phases that a parameter other than a choice leads to
    "divergence": {"divergence": "true"},
    "warm": {"warm": "10"},
    "delay": {"delay": "0"},
    "revive": {"revive": "false"},
    "cap": {"k": "3"},
}


INSTALLED = [name for name in catalogue.algorithms() if not catalogue.missing(name)]


def specs() -> list[Spec]:
    """Every algorithm with each of its losses, penalties and settings."""
    found = []
    for name in INSTALLED:
        known = catalogue.parameters(name)
        every = [*settings(name), *(given for parameter, given in MORE.items() if parameter in known)]
        if "beam" in known:
            every += [given | {"compare_at": given["compare_at"]} for given in SEARCHES]
        usual = [loss for loss in catalogue.losses(name) if "-" not in loss]  # others have no kernels of their own
        for params in every:
            for loss in usual:
                for penalty in catalogue.penalties(name):
                    found += _made(name, loss, penalty.replace("LAMBDA", "30"), params)
    return [*dict.fromkeys(found)]


def _made(name: str, loss: str, penalty: str, params: dict[str, Any]) -> list[Spec]:
    """Its spec on the first data set that fits; none if the settings exclude each other."""
    words = {key: str(value).lower() if isinstance(value, bool) else str(value) for key, value in params.items()}
    objective = loss != declaration.NO_LOSS
    what = (loss, 1.0) if objective else (None, None)
    limits = {"passes": PASSES, "gap": 0.0, **({"penalty": penalty} if objective else {})}
    for data in DATA:
        with suppress(UserError):
            return [make(data, *what, name, words, **limits)]
    return []


def problem_for(spec: Spec) -> Problem:
    """The first problem that the algorithm can learn."""
    if spec.algorithm == "naive-bayes":
        counts = np.column_stack([np.ones(6), np.arange(12).reshape(6, 2) % 2]).astype(float)
        split = multiclass.build(ft.dense(counts), np.arange(6) % 3, 3)
        return Problem(split, split, ("a", "b", "c"))
    draw = {"string": drawn_strings, "tree": drawn_trees}.get(dict(spec.params).get("kernel", ""))
    if draw is not None:
        return Problem(draw(0)[1], draw(1)[1], ("a", "b", "c"))
    for name in COUNTS if spec.algorithm in NON_NEGATIVE else PROBLEMS:
        small = case(name)
        try:
            catalogue.check_fit(spec.algorithm, dict(spec.params), small.split)
        except UserError:
            continue
        return Problem(small.split, case(name, seed=1).split, ("a", "b", "c"))
    raise LookupError(spec.algorithm)


def compiled() -> set[tuple[str, str]]:
    """Kernels and the types of arguments that they have machine code for."""
    return {
        (f"{each.__module__}.{each.__qualname__}", str(types)) for each in _kernels() for types in each.overloads
    }


def forget() -> None:
    for each in _kernels():
        each.forget()


KNOWN: dict[int, Kernel] = {}


@pytest.fixture(autouse=True, scope="module")
def _frozen():
    """A look at all objects of a process of tests takes 0.3 s: those that were there before are looked at once."""
    _kernels()
    gc.freeze()
    yield
    gc.unfreeze()
    KNOWN.clear()


def _kernels() -> list[Kernel]:
    KNOWN.update({id(each): each for each in gc.get_objects() if type(each) is Kernel})
    return [*KNOWN.values()]


SPECS = specs()


def test_every_algorithm_is_among_them():
    assert {spec.algorithm for spec in SPECS} == {*INSTALLED}


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.key.partition("__")[2])
def test_nothing_compiles_after_the_warm_up(spec, monkeypatch):
    nothing_compiles(spec, problem_for(spec), monkeypatch)


@pytest.mark.parametrize(
    ("algorithm", "params"), [("minimum-error", {}), ("laso", {"update": "alma", "alpha": "0.25"})]
)
def test_nor_where_mistakes_begin_or_end_after_the_warm_up(algorithm, params, monkeypatch):
    """The first example has the first of labels that tie, the second has another; LaSO makes 42 passes."""
    split = chain.build(ft.dense(np.eye(2)), np.ones(2, np.int64), np.arange(2), 2)
    spec = make("synthetic", None, None, algorithm, params, passes=100.0)
    nothing_compiles(spec, Problem(split, split, ("a", "b")), monkeypatch)


@pytest.mark.parametrize(
    ("algorithm", "params", "penalty"),
    [("cutting-plane", {"epsilon": "1e-9"}, "l2"), ("l1m3n-cutting-plane", {"warm": "100"}, "l1")],
)
def test_nor_where_the_warm_up_ends_too_early(algorithm, params, penalty, monkeypatch):
    """Conjugate gradients follow 20 sweeps; with ``warm=100``, the first search follows 20 passes."""
    split = case("chain-dense", lengths=(5,) * 8).split
    spec = make("synthetic", "hinge", 1.0, algorithm, params, passes=PASSES, gap=0.0, penalty=penalty)
    nothing_compiles(spec, Problem(split, split, ("a", "b", "c")), monkeypatch)


def nothing_compiles(spec: Spec, problem: Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    after_warm_up, listening = [], ExitStack()
    warm_up = driver.warm_up

    def watched(*arguments):
        warm_up(*arguments)
        after_warm_up.append((compiled(), listening.enter_context(event.install_recorder("numba:compile"))))

    monkeypatch.setattr(driver, "warm_up", watched)
    forget()
    with listening:
        result = driver.run(spec, problem)
    assert result.summary["status"] in ("passes", "finished", "stalled", "converged")
    ((before, heard),) = after_warm_up
    assert compiled() - before == set()
    assert not heard.buffer
