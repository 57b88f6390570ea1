"""Running sums that drift away from the dual variables that they stand for, planted in every dual method."""

import math
from functools import cache, wraps

import numpy as np
import pytest

from structbench.algorithms.learning.objective import Objective
from structbench.algorithms.runtime.options import defaults
from structbench.bench.runs import algorithm_module, driver
from structbench.bench.runs.spec import Spec
from structbench.datasets import DataRef
from structbench.datasets.problems.problem import Problem
from tests.algorithms.oracle import case

C, SEEN = 0.8, 3  # yields before the sums drift
CASES = {
    "eg log": ("eg", "log", {}),
    "eg hinge": ("eg", "hinge", {}),
    "eg-path": ("eg-path", "log", {"first": 1.0, "tolerance": 0.2}),
    "sdca": ("sdca", "log", {}),
    "sag": ("sag", "log", {}),
    "smo": ("smo", "hinge", {}),
    "smo, last weights": ("smo", "hinge", {"average": False}),
    "smo-eg": ("smo-eg", "hinge", {"smo_passes": 1.0}),
    "frank-wolfe": ("frank-wolfe", "hinge", {}),
    "frank-wolfe, towards": ("frank-wolfe", "hinge", {"steps": "toward", "average": 1.0}),
    "cutting-plane": ("cutting-plane", "hinge", {"epsilon": 1e-3}),
}
every_case = pytest.mark.parametrize("name", CASES)
structures = pytest.mark.parametrize("structure", ["multiclass-dense", "chain-binary-edges", "segments-dense"])


def spec_of(name: str, **rest) -> Spec:
    algorithm, loss, given = CASES[name]
    params = defaults(algorithm_module.solver(algorithm)) | given
    return Spec(DataRef("synthetic"), None, loss, C, algorithm, tuple(sorted(params.items())), **rest)


@cache
def optimum(structure: str, loss: str) -> float:
    """Of the primal, from above, to 1e-4."""
    spec = spec_of("smo" if loss == "hinge" else "sdca", passes=20_000.0, gap=1e-4)
    summary = driver.run(spec, problem(structure)).summary
    assert summary["status"] == "converged"
    return summary["primal"]


def problem(structure: str) -> Problem:
    return Problem(case(structure).split, None, ("a", "b", "c"))


@pytest.fixture
def drift(monkeypatch):
    """``drift(by)`` adds so much to the running conjugate of all algorithms, and noise of that size to w(u).

    Returns the iterates that the driver saw.
    """
    original, seen = algorithm_module.solver, []

    def install(by: float):
        def drifting(name):
            @wraps(original(name))
            def solve(problem, objective, rng, **params):
                for k, iterate in enumerate(original(name)(problem, objective, rng, **params)):
                    if k == SEEN:  # in the algorithm's own memory
                        own = iterate.dual.weights if iterate.dual else None
                        running = iterate.vector if own is None else own
                        running += by * 1e-3 * np.sin(np.arange(len(running)))
                    if k >= SEEN and iterate.dual:
                        dual = iterate.dual._replace(conjugate=iterate.dual.conjugate + by)
                        iterate = iterate._replace(dual=dual)
                    seen.append(iterate)
                    yield iterate

            return solve

        monkeypatch.setattr(algorithm_module, "solver", drifting)
        return seen

    return install


@structures
@every_case
def test_the_last_dual_value_is_that_of_the_stored_variables(name, structure, drift):
    spec = spec_of(name, passes=30.0, gap=0.0)
    best = optimum(structure, spec.loss)
    seen = drift(10.0)
    result = driver.run(spec, problem(structure))
    assert result.rows[-1]["C"] == C
    objective = Objective(case(structure).split, spec.loss, C)
    conjugate, w = seen[-1].dual.recompute()
    dual = conjugate - w @ w / (2 * C)
    assert result.summary["dual"] == result.rows[-1]["dual"] == pytest.approx(dual, rel=1e-12)
    assert result.summary["gap"] == pytest.approx(result.summary["primal"] - dual)
    assert dual <= best * (1 + 1e-9)
    drifted = objective.dual_value(seen[-1].dual.conjugate, w)
    assert drifted == pytest.approx(dual + 10.0, rel=0.5)  # what the sums said


@pytest.mark.parametrize("name", ["eg log", "eg hinge", "sdca", "smo", "frank-wolfe"])
def test_no_run_converges_on_the_strength_of_drift(name, drift):
    """By the sums, the gap closes long before it does."""
    spec = spec_of(name, passes=200.0, gap=1e-4)
    best, honest = optimum("multiclass-dense", spec.loss), driver.run(spec, problem("multiclass-dense"))
    assert honest.summary["status"] == "converged"
    drift(0.01)
    result = driver.run(spec, problem("multiclass-dense"))
    last = result.rows[-1]
    assert last["dual"] <= best * (1 + 1e-9)
    assert (result.summary["status"] == "converged") == (last["relative_gap"] <= 1e-4)
    assert last["passes"] >= 0.5 * honest.summary["passes"]
    assert math.isclose(last["gap"], last["primal"] - last["dual"])
