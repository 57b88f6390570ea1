"""Exponentiated gradient against the paper's update on explicit distributions over all outputs."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
import pytest
from scipy.special import rel_entr

from structbench.algorithms.exponentiated_gradient.dual_variables import State, sweep
from structbench.algorithms.learning import sampling
from structbench.algorithms.learning.objective import Objective
from structbench.algorithms.learning.sampling import by_weight
from structbench.algorithms.runtime.errors import UserError
from tests.algorithms.oracle import Case, case, every_structure
from tests.algorithms.solvers import first, start
from tests.narrowing import not_none, number

both_losses = pytest.mark.parametrize("loss", ["log", "hinge"])
C = 0.5


class Explicit:
    """The dual variables u_{i,y} themselves (eg2008, Figures 1 and 2), and the value of the dual."""

    def __init__(self, small: Case, loss: str, C: float, start: float) -> None:
        self.examples, self.hinge, self.C = small.examples, loss == "hinge", C
        self.u = [np.exp(-start * e.losses) / np.exp(-start * e.losses).sum() for e in small.examples]

    def w(self, u: list[np.ndarray]) -> np.ndarray:
        return np.sum(
            [(e.gold - v @ e.outputs) @ e.features for e, v in zip(self.examples, u, strict=True)], axis=0
        )

    def conjugate(self, u: list[np.ndarray]) -> float:
        if self.hinge:
            return float(sum(v @ e.losses for e, v in zip(self.examples, u, strict=True)))
        return -float(sum(v @ np.log(np.maximum(v, 1e-300)) for v in u))

    def dual(self, u: list[np.ndarray]) -> float:
        return self.conjugate(u) - float(self.w(u) @ self.w(u)) / (2 * self.C)

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


def visited(order: str, n: int, rng: np.random.Generator) -> Iterator[list[int]]:
    """The examples of each step."""
    orders = {"random": lambda: rng.integers(0, n, size=n), "permuted": lambda: rng.permutation(n)}
    while True:
        if order == "batch":
            yield list(range(n))
        else:
            yield from ([int(i)] for i in orders.get(order, lambda: range(n))())


def agree(small: Case, loss: str, order: str, steps: int, eta: float, adaptive: bool, begin: float, **params):
    """Ours walks through the same points; returns how often each step was tried.

    Annealing (section 7.1.1): C_t = C + (C_0 - C) rate^(t - hold), and every point is judged at C.
    """
    given: dict[str, Any] = {"eta": eta, "adaptive": adaptive} | ({"start": begin} if begin != 10 else {}) | params
    given |= {"mode": "batch"} if order == "batch" else {"order": order}
    _, ours = start("eg", small.split, loss, C, seed=7, **given)
    assert not next(ours).vector.any()  # w = 0
    state, rng, n = Explicit(small, loss, C, begin), np.random.default_rng(7), len(small.examples)
    first, visits, etas, tried, apart = state.u, n, np.full(n, eta), [], None  # n visits for the first w(u)
    for k, (chosen, point) in enumerate(islice(zip(visited(order, n, rng), ours, strict=False), steps)):
        assert point.visits == visits
        np.testing.assert_allclose(point.vector * point.scale, state.w(state.u) / C, rtol=1e-9, atol=1e-9)
        assert not_none(point.dual).conjugate == pytest.approx(state.conjugate(state.u), rel=1e-9)
        if order != "batch":
            assert (point.notes["updates"], point.notes.get("retried", 0)) == (k, (np.array(tried) > 1).sum())
        if "divergence" in params and (order == "batch" or k % 6 == 0 < k):  # kept until the next pass ends
            apart = sum(rel_entr(v, u).sum() for v, u in zip(state.u, first, strict=True))
        noted = point.notes.get("divergence")
        assert noted is apart or noted == pytest.approx(apart, rel=1e-9, abs=1e-12)
        stronger = params.get("anneal", C) - C
        state.C = C + stronger * params.get("rate", 0.5) ** max(0.0, visits / n - params.get("hold", 0.0))
        step, trials, _ = state.update(chosen, etas[chosen[0]], adaptive)
        etas[chosen] = step * (params.get("grow", 1.05) if adaptive else 1.0)
        visits += trials * len(chosen)
        tried.append(trials)
    return tried


FIXED, HALVED, BEGUN = (0.1, False, 0.0), (3.0, True, 0.0), (3.0, True, 2.5)


@every_structure
@both_losses
@pytest.mark.parametrize(
    ("order", "eta", "adaptive", "begin"),
    [
        ("random", *FIXED),
        ("permuted", *HALVED),
        ("cyclic", *HALVED),
        ("random", *BEGUN),
        ("batch", *FIXED),
        ("batch", *BEGUN),
    ],
)
def test_updates_are_the_paper_s(name, loss, order, eta, adaptive, begin):
    seed = 2 if name.startswith("nonprojective") else 1  # no halving of a step hangs on rounding
    small, params = case(name, seed=seed), {"divergence": True} if begin else {}
    tried = agree(small, loss, order, 15 if order == "batch" else 25, eta, adaptive, begin, **params)
    assert (max(tried) > 1) == adaptive  # the large step size had to be halved


@pytest.mark.parametrize("order", ["cyclic", "batch"])
@pytest.mark.parametrize("grow", [1.0, 2.0])
def test_an_accepted_step_size_grows(order, grow):
    agree(case("multiclass-dense", seed=1), "log", order, 25, 0.3, True, 0.0, grow=grow)


def test_what_is_tried_several_times_is_retried_once():
    assert max(agree(case("multiclass-dense", seed=1), "log", "random", 30, 8.0, True, 10.0)) > 2


@every_structure
@both_losses
@pytest.mark.parametrize("adaptive", [True, False])
def test_annealing_is_the_paper_s(name, loss, adaptive):
    small, eta, params = case(name, seed=1), 1.0 if adaptive else 0.1, {"hold": 2.0, "rate": 0.3}
    for order, steps in (("permuted", 40), ("batch", 12)):
        agree(small, loss, order, steps, eta, adaptive, 1.0, anneal=10 * C, **params)


@both_losses
@pytest.mark.parametrize(("begin", "seed"), [(0.0, 0), (1.0, 1)])
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


def test_step_sizes_stay_where_nothing_is_to_be_gained():
    """Without features, uniform u is the optimum for the log loss, which no step size can improve."""
    nothing = case("multiclass-dense", lengths=(1,) * 10, density=0.0).split
    assert first(1, "eg", nothing, "log", 1.0, calibrate=True, start=0.0)[0].notes["eta"] == 1.0
    for variant in ("eg:mode=batch", "eg-primal"):
        assert first(5, variant, nothing, "log", 1.0, start=0.0)[-1].notes["last_eta"] == 0.5
    objective = Objective(nothing, "log", 1.0)
    state = State(objective, 0.0, 0.5)
    sweep(objective, 1.0, state, np.arange(10), adaptive=True, grow=2.0)
    assert (state.eta == 0.5).all()


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"eta": 0.0}, "known for multiclass data only"),
        ({"anneal": 0.1}, "anneal=0.1 is below C=0.5"),
        ({"anneal": 5.0, "rate": 1.0}, "rate=1 never brings the annealed strength to C=0.5"),
        ({"eta": 0.0, "calibrate": True}, "both choose the step size"),
    ],
)
def test_schedules_that_cannot_be(params, sentence):
    with pytest.raises(UserError, match=sentence):
        first(1, "eg", case("chain-dense").split, "log", C, **params)


@both_losses
@pytest.mark.parametrize("variant", ["eg", "eg:mode=batch"])
@pytest.mark.parametrize("unseen", [0.0, 0.5])
def test_steps_of_theory_are_the_largest_that_it_allows(loss, variant, unseen):
    """Theorems 1 and 2; |A| is the largest ||f(x_i, y_i) - f(x_i, y)||^2 / C."""
    small = case("multiclass-sparse", seed=3, unseen=unseen)
    notes = first(1, variant, small.split, loss, C, eta=0.0)[0].notes
    squares = [(((e.gold - y) @ e.features) ** 2).sum() for e in small.examples for y in e.outputs]
    assert notes["A"] == pytest.approx(max(squares) / C)
    together = 1 if variant == "eg" else len(small.examples)
    assert 1 / number(notes, "eta") == pytest.approx((loss == "log") + together * number(notes, "A"))


@every_structure
@both_losses
def test_visits_measure_the_gap_of_an_example(name, loss):
    """Of its distribution before a step so small that the step size does not matter."""
    small, begin = case(name, seed=1), 1.0
    objective = Objective(small.split, loss, C)
    state = State(objective, begin, 1e-7)  # a handle: kernels that are given a structure are compiled for it
    explicit = Explicit(small, loss, C, begin)
    visits, *_ = sweep(objective, C, state, np.arange(6), adaptive=False, grow=1.0, measure=True)
    assert visits == (12 if loss == "hinge" else 6)
    for i, e in enumerate(small.examples):
        scores, u = e.outputs @ e.features @ explicit.w(explicit.u) / C, explicit.u[i]
        if loss == "hinge":
            scores += e.losses
            gap = scores.max() - u @ scores
        else:  # the slope of the dual along the step
            d = scores - np.log(u)
            gap = u @ d**2 - (u @ d) ** 2
        assert state.gaps[i] == pytest.approx(gap, rel=1e-4, abs=1e-6)


@every_structure
@both_losses
@pytest.mark.parametrize(
    ("algorithm", "params"), [("eg", {"order": "gap"}), ("eg-path", {"order": "gap", "first": 4.0}), ("cocoa", {})]
)
def test_draws_by_the_gaps_that_visits_measured_follow_a_pass(name, loss, algorithm, params, monkeypatch):
    split, kept = case(name).split, []
    spied = lambda gaps, *rest: kept.append(gaps.copy()) or by_weight(gaps, *rest)  # noqa: E731
    monkeypatch.setattr(sampling, "by_weight", spied)
    found = [first(20, algorithm, split, loss, 2.0, seed=5, **params)]
    assert len(kept) > 5 and all(len(set(gaps)) > 1 for gaps in kept)
    found.append(first(20, algorithm, split, loss, 2.0, seed=5, **params | {"order": "permuted"}))
    same = [one.weights.tobytes() == other.weights.tobytes() for one, other in zip(*found, strict=True)]
    assert all(same[:2]) and not any(same[12:])
