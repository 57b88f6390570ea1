"""Every run of every algorithm, variant and loss on structures that cover all: what theory promises, and the seed.

One run is looked at from all sides, and made once more with other threads and once with another seed. What an
algorithm promises its module says: that it draws (``DRAWS``), that its dual value never falls (``MONOTONE``), that
it converges linearly (``LINEAR``).
"""

from collections.abc import Iterable
from itertools import islice, pairwise

import numpy as np
import pytest

from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.errors import UserError
from structbench.bench.runs import catalogue
from tests.algorithms.optima import optimum
from tests.algorithms.oracle import COVERING, LABELLED, STRUCTURES, case, every_structure
from tests.algorithms.solvers import (
    RUNS,
    VARIANTS,
    Point,
    counts,
    evaluated,
    finished,
    first,
    recomputed,
    runs_on,
    start,
)


def every_run_of(names: Iterable[str]) -> pytest.MarkDecorator:
    """A test on all runs on cases of these names."""
    return pytest.mark.parametrize(
        ("name", "variant", "loss"),
        [
            pytest.param(
                name, variant, loss, marks=() if name in COVERING or counts(variant) else pytest.mark.product
            )
            for name in names
            for variant, loss in runs_on(name)
        ],
    )


both_losses = pytest.mark.parametrize("loss", ["log", "hinge"])
STEPS = 60
AGAIN = 25  # steps that are made again
C = 2.0
GAP, SLOW_GAP = 1e-6, 2e-3  # of algorithms that converge linearly, and like 1 / passes


def promises(variant: str, what: str, otherwise: bool) -> bool:
    name, params = VARIANTS[variant]
    return catalogue.holds(name, what, params, otherwise)


def bits(run: list[Point]) -> list[tuple]:
    return [(point.weights.tobytes(), point.visits, point.conjugate, repr(point.notes)) for point in run[:AGAIN]]


@every_run_of(STRUCTURES)
def test_a_run(name, variant, loss):
    small, best = case(name), optimum(name, loss, C)
    objective, solver = start(variant, small.split, loss, C, seed=3)
    run = []
    for iterate in islice(solver, STEPS):
        run.append(evaluated(objective, iterate))

    # certificates
    assert recomputed(small, objective, iterate) == pytest.approx(run[-1].value, rel=1e-9)
    assert run[0].visits == 0
    assert all(before.visits < after.visits for before, after in pairwise(run))
    for point in run:
        assert point.value.primal == pytest.approx(small.primal(point.weights, loss, C), rel=1e-10)
        assert point.value.primal >= best * (1 - 1e-9)
        assert not point.value.dual > best * (1 + 1e-9)  # there may be none at w = 0
    assert run[-1].relative_gap < run[1].relative_gap
    if promises(variant, "MONOTONE", False):
        duals = np.array([point.value.dual for point in run[1:]])
        assert (np.diff(duals) >= -1e-11 * (1 + abs(duals[1:]))).all()
        assert duals[-1] > duals[0]

    # the seed decides every bit, and threads none
    for threads in (1, 3):
        parallel.set_threads(threads)
        assert bits(first(AGAIN, variant, small.split, loss, C, seed=3)) == bits(run)
    parallel.set_threads(1)
    draws = catalogue.draws(*VARIANTS[variant])
    assert (bits(first(AGAIN, variant, small.split, loss, C, seed=4)) != bits(run)) == draws

    # agreement on the optimum
    gap = GAP if promises(variant, "LINEAR", True) else SLOW_GAP
    point = run[-1] if run[-1].relative_gap <= gap else finished(objective, solver, gap)
    assert point.relative_gap <= gap
    assert best * (1 - 1e-9) <= point.value.primal <= best * (1 + gap + 1e-9)
    solver.close()


@every_run_of(LABELLED)
def test_an_unknown_label_is_certified_or_refused(name, variant, loss):
    """Some dual variables start at the right outputs; where there are none, the others' values must still hold."""
    small = case(name, unseen=0.3)
    assert small.split.y.min() < 0
    try:
        run = first(20, variant, small.split, loss, C)
    except UserError as error:
        assert "needs a known label everywhere" in str(error)
        assert loss != "log", "log Z needs no right output"
        return
    least = min(point.value.primal for point in run)
    assert all(not point.value.dual > least + 1e-9 for point in run)


@every_structure
@both_losses
def test_batch_steps_keep_the_proven_rate(name, loss):
    """D* - D(u after T steps) <= KL(u*, u at the start) / (eta T), and the KL <= sum_i log |Y_i|."""
    small, eta = case(name), 0.02 if name in LABELLED else 0.005  # more arcs may change
    from_uniform = sum(np.log(len(example.outputs)) for example in small.examples)
    run = first(STEPS, "eg:mode=batch", small.split, loss, C, adaptive=False, eta=eta, start=0.0)
    for T, point in enumerate(run[2:], 1):
        assert optimum(name, loss, C) - point.value.dual <= from_uniform / (eta * T)


@every_structure
@pytest.mark.parametrize(("variant", "loss"), [run for run in RUNS if VARIANTS[run[0]][0] == "eg"])
@pytest.mark.parametrize("steps", [{"eta": 4.0}, {"adaptive": False, "eta": 0.02}], ids=["halved", "fixed"])
def test_the_dual_never_decreases_with_steps_that_are_halved_or_small(name, variant, loss, steps):
    """eg2008, section 5."""
    if not promises(variant, "MONOTONE", False):
        return
    run = first(STEPS, variant, case(name).split, loss, C, **steps)[1:]  # the first has no u yet
    duals = np.array([point.value.dual for point in run])
    assert (np.diff(duals) >= -1e-11 * (1 + abs(duals[1:]))).all()
    assert duals[-1] > duals[0]


@every_structure
def test_l_bfgs_decreases_the_primal(name):
    primals = [point.value.primal for point in first(STEPS, "lbfgs", case(name).split, "log", C)]
    assert len(primals) > 3
    assert (np.diff(primals) <= 1e-12 * primals[0]).all()


def test_there_is_a_run_for_every_choice_of_every_algorithm():
    """Algorithms, their choices and what their modules promise are found, not listed."""
    assert {"eg", "eg:order=gap", "frank-wolfe:steps=toward", "smo:transfers=5", "sag:sampling=random"} <= set(
        VARIANTS
    )
    assert not promises("subgradient", "LINEAR", True)
    assert not promises("frank-wolfe:mode=batch", "LINEAR", True)
