"""Exponentiated gradient against the paper's update on explicit distributions over all outputs."""

from collections.abc import Iterator
from itertools import islice

import numpy as np
import pytest

from algorithms.structures import features as ft
from algorithms.structures import multiclass
from tests.algorithms.oracle import STRUCTURES, Case, case
from tests.algorithms.solvers import first, start

every_structure = pytest.mark.parametrize("name", STRUCTURES)
both_losses = pytest.mark.parametrize("loss", ["log", "hinge"])
C = 0.5


class Explicit:
    """The dual variables u_{i,y} themselves (eg2008, Figures 1 and 2), and the value of the dual."""

    def __init__(self, small: Case, loss: str, C: float, start: float) -> None:
        self.examples, self.hinge, self.C = small.examples, loss == "hinge", C
        self.u = [np.exp(-start * e.losses) / np.exp(-start * e.losses).sum() for e in small.examples]

    def w(self, u: list[np.ndarray]) -> np.ndarray:
        return sum((e.gold - v @ e.outputs) @ e.features for e, v in zip(self.examples, u, strict=True))

    def conjugate(self, u: list[np.ndarray]) -> float:
        if self.hinge:
            return sum(v @ e.losses for e, v in zip(self.examples, u, strict=True))
        return -sum(v @ np.log(np.maximum(v, 1e-300)) for v in u)

    def dual(self, u: list[np.ndarray]) -> float:
        return self.conjugate(u) - self.w(u) @ self.w(u) / (2 * self.C)

    def moved(self, i: int, eta: float) -> np.ndarray:
        """u_i times exp(eta * gradient of the dual), normalised."""
        e, v = self.examples[i], self.u[i]
        gradient = e.outputs @ (e.features @ self.w(self.u)) / self.C
        gradient += e.losses if self.hinge else -np.log(np.maximum(v, 1e-300)) - 1
        moved = np.log(np.maximum(v, 1e-300)) + eta * gradient
        moved = np.exp(moved - moved.max())
        return moved / moved.sum()

    def update(self, chosen: list[int], eta: float, adaptive: bool) -> tuple[float, int, bool]:
        """One step on these examples; the step size that did, trials, and whether the first improved."""
        before, improved = self.dual(self.u), []
        while True:
            u = [self.moved(i, eta) if i in chosen else v for i, v in enumerate(self.u)]
            change = self.dual(u) - before
            improved.append(change > 0)
            if not adaptive or change >= -1e-11:
                self.u = u
                return eta, len(improved), improved[0]
            eta /= 2


def explicit_online(
    state: Explicit, rng: np.random.Generator, order: str, eta: float, adaptive: bool, grow: float = 1.05
) -> Iterator[tuple[np.ndarray, int, float]]:
    """Weights of the model, visits and conjugate, after every visit."""
    visits = n = len(state.u)  # for the first w(u)
    etas = np.full(n, eta)
    while True:
        orders = {"random": lambda: rng.integers(0, n, size=n), "permuted": lambda: rng.permutation(n)}
        for i in orders.get(order, lambda: range(n))():
            yield state.w(state.u) / C, visits, state.conjugate(state.u)
            etas[i], trials, _ = state.update([i], etas[i], adaptive)
            etas[i] *= grow if adaptive else 1
            visits += trials


def explicit_batch(
    state: Explicit, eta: float, adaptive: bool, grow: float = 1.05
) -> Iterator[tuple[np.ndarray, int, float]]:
    visits = n = len(state.u)  # for the first w(u)
    while True:
        yield state.w(state.u) / C, visits, state.conjugate(state.u)
        eta, trials, _ = state.update(list(range(n)), eta, adaptive)
        eta *= grow if adaptive else 1
        visits += trials * n


def agree(ours: Iterator, explicit: Iterator, steps: int) -> list[int]:
    """Both walk through the same points; returns the visits."""
    visits = []
    assert not next(ours).vector.any()  # w = 0
    for iterate, (weights, made, conjugate) in islice(zip(ours, explicit, strict=False), steps):
        assert iterate.visits == made
        np.testing.assert_allclose(iterate.vector * iterate.scale, weights, rtol=1e-9, atol=1e-9)
        assert iterate.conjugate == pytest.approx(conjugate, rel=1e-9)
        visits.append(made)
    return visits


steps = pytest.mark.parametrize(
    ("eta", "adaptive", "begin"), [(0.1, False, 0.0), (3.0, True, 0.0), (3.0, True, 2.5)]
)


@every_structure
@both_losses
@pytest.mark.parametrize("order", ["random", "permuted", "cyclic"])
@steps
def test_online_updates_are_the_paper_s(name, loss, order, eta, adaptive, begin):
    small = case(name, seed=1)  # six examples: ours yields after every visit, too
    params = {"order": order, "eta": eta, "adaptive": adaptive, "start": begin}
    _, ours = start("eg", small.split, loss, C, seed=7, **params)
    explicit = Explicit(small, loss, C, begin)
    visits = agree(ours, explicit_online(explicit, np.random.default_rng(7), order, eta, adaptive), 25)
    assert (visits[-1] - visits[0] > 24) == adaptive  # the large step size had to be halved


@every_structure
@both_losses
@steps
def test_batch_updates_are_the_paper_s(name, loss, eta, adaptive, begin):
    small = case(name, seed=1)
    _, ours = start("eg-batch", small.split, loss, C, eta=eta, adaptive=adaptive, start=begin)
    visits = agree(ours, explicit_batch(Explicit(small, loss, C, begin), eta, adaptive), 15)
    assert (visits[-1] - visits[0] > 14 * 6) == adaptive


@pytest.mark.parametrize("grow", [1.0, 1.05, 2.0])
def test_an_accepted_step_size_grows(grow):
    small = case("multiclass-dense", seed=1)
    params = {"eta": 0.3, "grow": grow, "start": 0.0}
    rng = np.random.default_rng(0)
    _, online = start("eg-cyclic", small.split, "log", C, **params)
    agree(online, explicit_online(Explicit(small, "log", C, 0.0), rng, "cyclic", 0.3, True, grow), 25)
    _, batch = start("eg-batch", small.split, "log", C, **params)
    agree(batch, explicit_batch(Explicit(small, "log", C, 0.0), 0.3, True, grow), 10)


@both_losses
@pytest.mark.parametrize("begin", [0.0, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_calibration_halves_until_most_visits_improve(loss, begin, seed):
    """On a random tenth of the examples, from the run's start; what it costs is counted apart."""
    small, C = case("multiclass-dense", seed=1, lengths=(1,) * 203, density=1.0), 0.02
    run = first(2, "eg", small.split, loss, C, seed=seed, calibrate=True, start=begin)

    rng = np.random.default_rng(seed)
    chosen = np.sort(rng.choice(203, size=20, replace=False))
    sample = Case(None, [small.examples[i] for i in chosen], 3)
    eta, visits, improved = 2.0, 0, [False] * 20
    while sum(improved) < 19:
        eta /= 2
        state = Explicit(sample, loss, C, begin)
        improved = [state.update([i], eta, adaptive=False)[2] for i in rng.permutation(20)]
        visits += 20
    assert eta < 1
    assert run[0].notes["eta"] == eta
    assert run[0].notes["calibration_visits"] == visits
    assert run[0].visits == 0


def test_calibration_minds_no_example_without_features():
    """Uniform u is its optimum for the log loss, which no step size can improve."""
    nothing = case("multiclass-dense", lengths=(1,) * 10, density=0.0).split
    assert first(1, "eg", nothing, "log", 1.0, calibrate=True, start=0.0)[0].notes["eta"] == 1.0


def test_memory_of_one_run_does_not_reach_the_next():
    split = case("chain-binary").split
    runs = [first(20, "eg", split, "log", 1.0) for _ in range(2)]
    assert repr(runs[0]) == repr(runs[1])


def test_settled_examples_do_no_harm_however_often_they_are_visited():
    """Hinge: the dual distribution of an easy example sits on one output, so that any step size passes."""
    x, y = np.array([[1.0, 0], [0, 1], [5, 0], [0, 5]]), np.array([0, 1, 0, 1])
    objective, solver = start("eg-cyclic", multiclass.build(ft.dense(x), y, 2), "hinge", 0.1)
    for iterate in solver:
        if iterate.visits > 80_000:
            break
    value = objective.evaluate(iterate.vector * iterate.scale, iterate.conjugate)
    assert value.primal == pytest.approx(0.05, rel=1e-4)
    assert value.dual == pytest.approx(0.05, rel=1e-4)
