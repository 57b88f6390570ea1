"""Weak duality at every step of every algorithm on every structure, and the monotony that theory promises."""

from itertools import pairwise

import numpy as np
import pytest

from algorithms.runtime.errors import UserError
from tests.algorithms.oracle import STRUCTURES, case
from tests.algorithms.solvers import RUNS, VARIANTS, first, solved

OTHERWISE = ("eg-calibrated", "eg-annealed")  # other step sizes; a dual that may fall on the way to C
EG = [run for run in RUNS if VARIANTS[run[0]][0] == "eg" and run[0] not in OTHERWISE]
every_structure = pytest.mark.parametrize("name", STRUCTURES)
every_run = pytest.mark.parametrize(("variant", "loss"), RUNS)
STEPS = 60


@every_structure
@every_run
def test_the_optimum_lies_between_dual_and_primal(name, variant, loss):
    small = case(name)
    reference = solved("lbfgs" if loss == "log" else "eg-batch", small.split, loss, 0.8, gap=1e-5).value
    run = first(STEPS, variant, small.split, loss, 0.8)
    assert run[0].visits == 0
    assert all(before.visits < after.visits for before, after in pairwise(run))
    for point in run:
        assert point.value.primal == pytest.approx(small.primal(point.weights, loss == "hinge", 0.8), rel=1e-10)
        assert point.value.primal >= reference.dual - 1e-9
        assert not point.value.dual > reference.primal + 1e-9  # there may be none at w = 0
    assert run[-1].relative_gap < run[1].relative_gap


@every_structure
@pytest.mark.parametrize(("variant", "loss"), EG)
@pytest.mark.parametrize(
    "steps", [{}, {"eta": 4.0}, {"adaptive": False, "eta": 0.02}], ids=["adaptive", "halved", "fixed"]
)
def test_the_dual_never_decreases(name, variant, loss, steps):
    """With step sizes that are halved until it does not, and with small fixed ones (eg2008, section 5)."""
    run = first(STEPS, variant, case(name).split, loss, 0.8, **steps)[1:]  # the first has no u yet
    duals = np.array([point.value.dual for point in run])
    assert (np.diff(duals) >= -1e-11 * (1 + abs(duals[1:]))).all()
    assert duals[-1] > duals[0]


@every_structure
@pytest.mark.parametrize("loss", ["log", "hinge"])
def test_batch_steps_keep_the_proven_rate(name, loss):
    """D* - D(u after T steps) <= KL(u*, u at the start) / (eta T), and the KL <= sum_i log |Y_i|."""
    small, eta = case(name), 0.02
    best = solved("eg-batch", small.split, loss, 2.0, gap=1e-6).value.primal
    from_uniform = sum(np.log(len(example.outputs)) for example in small.examples)
    run = first(STEPS, "eg-batch", small.split, loss, 2.0, adaptive=False, eta=eta)
    for T, point in enumerate(run[2:], 1):
        assert best - point.value.dual <= from_uniform / (eta * T)


@every_structure
@every_run
def test_an_unknown_label_is_certified_or_refused(name, variant, loss):
    """Some dual variables start at the right outputs; where there are none, the others' values must still hold."""
    split = case(name, unseen=0.3).split
    assert split.y.min() < 0
    best = solved("lbfgs" if loss == "log" else "eg-batch", split, loss, 0.8, gap=1e-5).value.primal
    try:
        run = first(20, variant, split, loss, 0.8)
    except UserError as error:
        assert "needs a known label everywhere" in str(error)
        assert VARIANTS[variant][0] in ("smo", "smo-eg", "frank-wolfe", "subgradient")
        return
    assert all(not point.value.dual > best + 1e-9 for point in run)


@every_structure
def test_l_bfgs_decreases_the_primal(name):
    primals = [point.value.primal for point in first(STEPS, "lbfgs", case(name).split, "log", 0.8)]
    assert len(primals) > 3
    assert (np.diff(primals) <= 1e-12 * primals[0]).all()
