"""Optimisers with a step an example against their papers' pseudo-code, in plain numpy on written-out outputs."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from structbench.algorithms.gradient.history import History
from structbench.algorithms.gradient.lbfgs import wolfe
from structbench.algorithms.gradient.stochastic import CANDIDATES
from structbench.algorithms.learning.objective import Iterate, Objective
from structbench.algorithms.learning.start import Start
from structbench.algorithms.structures import interface as parts
from structbench.bench.runs import algorithm_module
from tests.algorithms.cases import Case
from tests.algorithms.oracle import case, every_structure
from tests.algorithms.solvers import first

LOSSES = pytest.mark.parametrize("loss", ["log", "smoothed-hinge-0.5"])
C, SEED, VISITS = 0.8, 7, 40


class Plain:
    """The loss of each written-out example, times its factor, and its gradient; and where to start."""

    def __init__(self, small: Case, loss: str, factors: np.ndarray, first: np.ndarray | None = None) -> None:
        self.examples, self.loss, self.n = small.examples, loss, len(small.examples)
        self.size = parts.num_weights(small.split)
        self.strength, self.factors = C / self.n, factors
        self.warm, self.start = first is not None, np.zeros(self.size) if first is None else first

    def value(self, i: int, w: np.ndarray) -> float:
        e = self.examples[i]
        s = e.features @ w
        return float(self.factors[i] * (e.loss(s, self.loss)[0] - e.gold @ s))

    def gradient(self, i: int, w: np.ndarray) -> np.ndarray:
        e = self.examples[i]
        return self.factors[i] * (e.loss(e.features @ w, self.loss)[1] @ e.outputs - e.gold) @ e.features


def drawn(n: int, kind: str, seed: int = SEED) -> list[int]:
    """The examples of the first visits of a run."""
    rng = np.random.default_rng(seed)
    passes = (rng.integers(0, n, size=n) if kind == "random" else rng.permutation(n) for _ in range(VISITS))
    return np.concatenate(list(passes))[:VISITS].tolist()


def asgd(plain: Plain, eta0: float, after: float, decay: bool = True) -> list[np.ndarray]:
    """Xu 2011 and Bottou's crfasgd: mu_t = 1 / max(1, t - t0)."""
    w, a, path = plain.start, np.zeros(plain.size), []
    for t, i in enumerate(drawn(plain.n, "random")):
        eta = eta0 / (1 + plain.strength * eta0 * t) ** (0.75 if decay else 0)
        w = (1 - plain.strength * eta) * w - eta * plain.gradient(i, w)
        a = a + (w - a) / max(1, t + 1 - round(after * plain.n))
        path.append(a)
    return path


def adagrad(plain: Plain, eta: float, average: bool, delta: float = 1e-8) -> list[np.ndarray]:
    """Duchi et al. 2011, Figure 1: x = argmin eta <mean g, x> + eta phi(x) + psi_t(x) / t, phi of l2."""
    first = plain.n if plain.warm else 0
    w, total, S, path = plain.start, *np.zeros((2, plain.size)), []
    G = -(delta / eta + plain.strength * first) * w  # of a pass that led there
    for t, i in enumerate(drawn(plain.n, "permuted"), first + 1):
        g = plain.gradient(i, w)
        G, S = G + g, S + g**2
        w = -eta * (G / t) / (eta * plain.strength + (delta + np.sqrt(S)) / t)
        total = total + w
        path.append(total / (t - first) if average else w)
    return path


def adam(plain: Plain, alpha: float, decay: bool, beta1: float, beta2: float) -> list[np.ndarray]:
    """Kingma and Ba 2015, Algorithm 1, for the weights of an example's features, at their own times."""
    has = np.array([(e.features != 0).any(axis=0) for e in plain.examples])
    share = C / np.maximum(has.sum(axis=0), 1)
    w, m, v, t, path = plain.start, *np.zeros((3, plain.size)), []
    for i in drawn(plain.n, "random"):
        g, on = plain.gradient(i, w) + share * w, has[i]
        t = t + on
        m, v = np.where(on, beta1 * m + (1 - beta1) * g, m), np.where(on, beta2 * v + (1 - beta2) * g**2, v)
        with np.errstate(all="ignore"):
            step = (
                alpha / (np.sqrt(t) if decay else 1) * (m / (1 - beta1**t)) / (np.sqrt(v / (1 - beta2**t)) + 1e-8)
            )
        w = np.where(on, w - step, w)
        path.append(w)
    return path


def svrg(plain: Plain, eta: float) -> list[np.ndarray]:
    """Johnson and Zhang 2013, Figure 1, option I, m = 2 n."""
    rng, w, path = np.random.default_rng(SEED), plain.start, []

    def f(i: int, w: np.ndarray) -> np.ndarray:
        return plain.gradient(i, w) + plain.strength * w

    while len(path) < VISITS:
        snapshot = w
        mean = np.mean([f(i, snapshot) for i in range(plain.n)], axis=0)
        path.append(snapshot)
        for _ in range(2):
            for i in rng.integers(0, plain.n, size=plain.n):
                w = w - eta * (f(i, w) - f(i, snapshot) + mean)
                path.append(w)
    return path[:VISITS]


def armijo(plain: Plain, c: float, growth: float, eta_max: float) -> list[np.ndarray]:
    """Vaswani et al. 2019, Algorithm 1; Algorithm 2 with option 2; batches of one."""
    w, eta, path = plain.start, eta_max, []

    def f(w: np.ndarray) -> float:
        return plain.value(i, w) + plain.strength / 2 * float(w @ w)

    for k, i in enumerate(drawn(plain.n, "random")):
        eta = (eta * growth ** (1 / plain.n) if k else eta_max) / 0.9
        g = plain.gradient(i, w) + plain.strength * w
        while True:
            eta *= 0.9
            if f(w - eta * g) <= f(w) - c * eta * float(g @ g):
                break
        w = w - eta * g
        path.append(w)
    return path


def run(plain: Plain, small: Case, name: str, **params: Any) -> Iterator[Iterate]:
    """The algorithm on the same losses and factors, from the same start, after its first point."""
    warm = Start(plain.start) if plain.warm else None
    objective = Objective(small.split, plain.loss, C, loss_factors=plain.factors, start_from=warm)
    solver = algorithm_module.solver(name)(None, objective, np.random.default_rng(SEED), **params)
    np.testing.assert_array_equal(next(solver).weights, plain.start)
    return solver


def check(small: Case, loss: str, name: str, pseudo: Callable[..., list[np.ndarray]], **params: Any) -> None:
    n, rng = len(small.examples), np.random.default_rng(3)
    weighed = rng.random(n) + 0.5, rng.normal(size=parts.num_weights(small.split))
    for factors, begin in ((np.ones(n), None), weighed):
        plain = Plain(small, loss, factors, begin)
        compare(pseudo(plain, **params), run(plain, small, name, **params))


def compare(wanted: list[np.ndarray], solver: Iterator[Iterate]) -> None:
    for want, iterate in zip(wanted, solver, strict=False):
        np.testing.assert_allclose(iterate.weights, want, rtol=1e-10, atol=1e-11)


@every_structure
@LOSSES
def test_steps_are_those_of_the_papers(name: str, loss: str) -> None:
    small = case(name, seed=1)
    check(small, loss, "asgd", asgd, eta0=0.5, after=1.0)
    check(small, loss, "asgd", asgd, eta0=0.2, after=0.0, decay=False)
    for average in (False, True):
        check(small, loss, "adagrad", adagrad, eta=0.4, average=average, delta=1.0 if average else 1e-8)
    check(small, loss, "adam", adam, alpha=0.2, decay=True, beta1=0.9, beta2=0.999)
    check(small, loss, "adam", adam, alpha=0.1, decay=False, beta1=0.5, beta2=0.9)
    check(small, loss, "svrg", svrg, eta=0.1)
    for c, growth in ((0.5, 2.0), (0.1, 1.0)):
        check(small, loss, "sgd-armijo", armijo, c=c, growth=growth, eta_max=3.0)


@pytest.mark.parametrize("name", ["multiclass-dense", "chain-sparse-edges"])  # on trees, argmaxes tie
def test_adagrad_takes_the_subgradient_of_the_hinge(name: str) -> None:
    check(case(name, seed=1), "hinge", "adagrad", adagrad, eta=0.4, average=False)


@every_structure
@LOSSES
def test_a_growing_batch_is_l_bfgs_on_the_objective_of_each_batch(name: str, loss: str) -> None:
    """Friedlander and Schmidt 2012: each batch's values and gradients are computed from all of its examples."""
    small = case(name, seed=1)
    n = len(small.examples)
    plain, order = Plain(small, loss, np.linspace(0.5, 2.0, n)), np.random.default_rng(SEED).permutation(n)
    w, b, history = np.zeros(plain.size), 1, History(plain.size, 10)

    def value_and_gradient(w: np.ndarray) -> tuple[float, np.ndarray]:
        batch = order[:b].tolist()
        value = plain.n / b * sum(plain.value(i, w) for i in batch) + C / 2 * float(w @ w)
        return value, plain.n / b * sum(plain.gradient(i, w) for i in batch) + C * w

    solver = run(plain, small, "growing-batch")
    for _ in range(8):
        (value, g), d = value_and_gradient(w), np.empty(plain.size)
        if not g.any():  # an example with one output
            w, b = w, min(int(np.ceil(1.1 * b)) + 1, plain.n)
            next(solver)
            continue
        slope = history.direct(g, d, history.products(g))
        found: list[Any] = []

        def trial(step: float) -> tuple[float, float]:
            found[:] = w + step * d, *value_and_gradient(w + step * d)  # noqa: B023
            return found[1], float(found[2] @ d)  # noqa: B023

        accepted, _ = wolfe(trial, value, slope, 1.0 if history.rows else 1 / np.sqrt(-slope))
        assert accepted is not None
        history.append(w, found[0], g, found[2])
        w, b = found[0], min(int(np.ceil(1.1 * b)) + 1, plain.n)
        iterate = next(solver)
        assert iterate.notes == {"batch": b}
        np.testing.assert_allclose(iterate.weights, w, rtol=1e-7, atol=1e-9)  # the pairs have 16 bits


def test_their_rates_are_selected_as_that_of_sgd() -> None:
    """The rule takes the same nine tenths and the same examples; SVRG's trial also visits all for its snapshot."""
    small = case("multiclass-dense", seed=1, lengths=(1,) * 60, num_labels=4, columns=6)
    for name, rate, visits in (
        ("asgd", "eta0", 1),
        ("adagrad", "eta", 1),
        ("adam", "alpha", 1),
        ("svrg", "eta", 3),
    ):
        notes = [first(1, name, small.split, "log", 0.1, seed=seed)[0].notes for seed in range(6)]
        assert {each[rate] for each in notes} <= set(CANDIDATES) and len({each[rate] for each in notes}) > 1
        assert {each["calibration_visits"] for each in notes} == {5 * 54 * visits}
