"""Theorems of eg2008, section 5, on runs: rates of both algorithms, and what a step gains at least.

|A|, the largest entry of A, is bounded by the largest distance of two feature vectors squared over C, as
``eg:eta=0`` does. D is Q's sign turned: the dual grows to its optimum.
"""

from itertools import pairwise

import numpy as np
import pytest
from scipy.special import rel_entr

from tests.algorithms.exponentiated_gradient.test_eg import Explicit
from tests.algorithms.oracle import case
from tests.algorithms.solvers import first, solved
from tests.narrowing import number

C = 4.0
LONGEST = {
    "start": 0.0,
    "eta": 0.0,
    "adaptive": False,
}  # the longest steps of the theorems, from uniform u
both_losses = pytest.mark.parametrize("loss", ["log", "hinge"])


def optimum(split, loss: str) -> tuple[float, float]:
    """D(u*) and KL(u*, u^1), u^1 the uniform distributions."""
    best = solved("eg:mode=batch", split, loss, C, 1e-9, start=0.0, divergence=True)
    return best.value.dual, number(best.notes, "divergence")


@both_losses
def test_theorem_1_and_table_1_batch(loss):
    split = case("multiclass-dense", seed=2).split
    run, (best, apart) = first(100, "eg:mode=batch", split, loss, C, **LONGEST)[1:], optimum(split, loss)
    T, eta = np.arange(1, len(run)), number(run[0].notes, "eta")
    bound = apart / (eta * T)
    if loss == "log":
        bound = np.minimum(bound, np.exp(-eta * T) / eta * apart)
    assert (best - np.array([point.value.dual for point in run[1:]]) <= bound).all()


@both_losses
def test_theorem_2_and_table_1_online(loss):
    """The theorem bounds the mean over orders: here that of five seeds."""
    small = case("multiclass-dense", seed=2)
    runs = [first(100, "eg", small.split, loss, C, seed=seed, **LONGEST)[1:] for seed in range(5)]
    duals = np.mean([[point.value.dual for point in run] for run in runs], axis=0)
    (best, apart), n = optimum(small.split, loss), len(small.examples)
    eta = number(runs[0][0].notes, "eta")
    T = np.array([point.visits for point in runs[0][1:]]) - runs[0][0].visits
    first_term = apart / eta + best - duals[0]
    bound = n / T * first_term
    if loss == "log":
        bound = np.minimum(bound, np.exp(-eta * T / n) * first_term)
    assert (best - duals[1:] <= bound).all()


@pytest.mark.parametrize("name", ["multiclass-dense", "chain-dense"])
@both_losses
def test_corollary_1_a_batch_step_gains_its_divergence(name, loss):
    """D rises by KL(u, u') / eta or more, for eta up to 1 / (1 + n |A|), hinge 1 / (n |A|)."""
    small = case(name, seed=2)
    f = [e.outputs @ e.features for e in small.examples]
    largest = max(((v[:, None] - v[None]) ** 2).sum(axis=2).max() for v in f) / C
    eta = 1 / ((loss == "log") + len(f) * largest)
    run = first(12, "eg:mode=batch", small.split, loss, C, **(LONGEST | {"eta": eta}))[1:]
    explicit = Explicit(small, loss, C, 0.0)
    for before, after in pairwise(run):
        u = explicit.u
        assert before.value.dual == pytest.approx(explicit.dual(u), rel=1e-9)
        explicit.update(list(range(len(f))), eta, adaptive=False)
        apart = sum(rel_entr(v, moved).sum() for v, moved in zip(u, explicit.u, strict=True))
        assert after.value.dual - before.value.dual >= apart / eta * (1 - 1e-9)


@pytest.mark.parametrize("name", ["multiclass-dense", "chain-dense", "dependency-sparse"])
@pytest.mark.parametrize("variant", ["eg", "eg:mode=batch"])
@pytest.mark.parametrize("steps", [{"eta": 4.0}, {"eta": 0.02, "adaptive": False}], ids=["halved", "fixed"])
@both_losses
def test_lemma_2_the_dual_never_falls(name, variant, steps, loss):
    run = first(12, variant, case(name).split, loss, C, **steps)[1:]  # the first has no u yet
    duals = np.array([point.value.dual for point in run])
    assert (np.diff(duals) >= -1e-11 * (1 + abs(duals[1:]))).all()
    assert duals[-1] > duals[0]
