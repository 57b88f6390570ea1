"""Kernels without compilation: the same numbers for every operation, through pointers or not, and algorithm."""

import pytest

from structbench.algorithms.mistake_driven import laso
from structbench.algorithms.runtime.kernel import Kernel
from structbench.algorithms.runtime.kernel_cache import reached
from structbench.algorithms.search import a_star, beam
from structbench.algorithms.structures.compiled import OPERATIONS, Operation
from structbench.bench.checks import operations as answers
from tests.algorithms import plain as both
from tests.algorithms.learners import RUNS
from tests.algorithms.oracle import COVERING, STRUCTURES
from tests.algorithms.solvers import runs_on


def test_operations(plain):
    found = both.operations()
    assert found.keys() == plain["operations"].keys() == STRUCTURES.keys()
    for name, values in found.items():
        assert plain["operations"][name] == pytest.approx(values, rel=1e-9, abs=1e-9, nan_ok=True), name


def test_all_operations_are_compared():
    kernels = (
        answers._operations,
        answers._cliques,
        answers._k_best,
        both.feature_support,
        beam.find,
        a_star.find,
    )
    kernels += tuple(each for each in vars(laso).values() if isinstance(each, Kernel))
    asked = {each.__name__ for kernel in kernels for each in reached(kernel) if isinstance(each, Operation)}
    assert asked == {name for name, each in OPERATIONS.items() if each.compiled}


def test_algorithms(plain):
    found = both.algorithms()
    assert len(found) == sum(len(runs_on(name)) for name in COVERING)
    assert plain["algorithms"].keys() == found.keys()
    for name, values in found.items():  # L-BFGS rounds its pairs
        assert plain["algorithms"][name] == pytest.approx(values, rel=1e-6, abs=1e-9, nan_ok=True), name


def test_learners(plain):
    found = both.learners()
    assert len(found) == 6 * len(RUNS) - 3
    assert plain["learners"].keys() == found.keys()
    for name, values in found.items():
        assert plain["learners"][name] == pytest.approx(values, rel=1e-9, abs=1e-9), name
