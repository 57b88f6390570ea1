"""Exponentiated gradient on the dual, online and batch, for log and hinge loss (eg2008, Figures 1 to 3).

Every example keeps s_i, one number a part, which stands for the dual distribution u_i = p(s_i). A visit to
example i moves it along the gradient in the exponent (eg2008, section 4),

    log:    s_i <- s_i - eta (s_i - w(u) . f(x_i, .) / C)
    hinge:  s_i <- s_i + eta (e_i + w(u) . f(x_i, .) / C),

and keeps w(u) = sum_i f(x_i, y_i) - E_{u_i} f(x_i, .) up to date. Memory: two numbers a part.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import numpy as np
from numba import njit

from algorithms import parallel
from algorithms.inference import dot, expected_loss
from algorithms.objective import Iterate, Objective
from algorithms.structures import parts

TICKS = 10  # yields per pass
SLACK = 1e-12  # of a change in the dual that rounding may hide, relative to log Z
CALIBRATION_SHARE = 0.1  # of the examples, and the share of them that must improve (eg2008, section 7)
CALIBRATION_IMPROVED = 0.95


def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    mode: Literal["online", "batch"] = "online",
    order: Literal["random", "permuted", "cyclic"] = "random",
    start: Annotated[float, ">= 0"] = 10.0,
    eta: Annotated[float, "> 0"] = 0.5,
    calibrate: bool = False,
    adaptive: bool = True,
    grow: Annotated[float, ">= 1"] = 1.05,
) -> Iterator[Iterate]:
    """Run exponentiated gradient; yields w = 0, as all algorithms, then w(u) / C of the first u, after n visits.

    Args:
        mode: one example an update, or all of them.
        order: online: examples with replacement, a new permutation each pass, or always in file order.
        start: the first u_i(y) is proportional to exp(-start e_i(y)): 0 is uniform, more is nearer to y_i.
        eta: the initial step size.
        calibrate: choose the initial step size on a random tenth of the examples: the first of 1, 1/2,
            1/4, ... at which 95% of the visits of one pass improve the dual.
        adaptive: halve an example's step size until the dual does not fall, and multiply it by ``grow``
            afterwards; if not, the step size is fixed. Of an example whose visits raise the dual no more, the
            step size does not grow above ``eta``: it would grow beyond all bounds.
        grow: see ``adaptive``.
    """
    notes: dict[str, float | str] = {}
    if calibrate:
        eta, visits = _calibrated(objective, rng, start)
        notes["calibration_visits"] = visits
    notes["eta"] = eta
    yield Iterate(np.zeros(parts.num_weights(objective.split)), 1.0, 0, None, notes)
    run = _online if mode == "online" else _batch
    yield from run(_State(objective.split, start, eta), objective, rng, order, adaptive, grow, notes)


class _State:
    """The dual variables of all examples, and w(u)."""

    def __init__(self, split: Any, start: float, eta: float) -> None:
        n = parts.num_examples(split)
        self.offsets = parts.offsets(split)
        self.u = np.empty(2 * self.offsets[-1])  # of each example s_i, then mu_i: they are used together
        self.conjugates = np.empty((2, n))  # H(u_i), E_{u_i}[e_i]
        self.eta = np.full(n, eta)
        self.first_eta = eta
        difference = np.empty(self.offsets[-1])
        parallel.for_each(_start, n, split, start, self.offsets, self.u, self.conjugates, difference)
        self.w = np.empty(parts.num_weights(split))
        parts.expected_features(split, self.offsets, difference, self.w)

    def kept(self, objective: Objective) -> np.ndarray:
        return self.conjugates[1 if objective.hinge else 0]

    def iterate(self, objective: Objective, visits: int, notes: dict) -> Iterate:
        return Iterate(self.w, 1 / objective.C, visits, float(self.kept(objective).sum()), notes)


def _online(state, objective, rng, order, adaptive, grow, notes) -> Iterator[Iterate]:
    n = len(state.eta)
    visits = n
    yield state.iterate(objective, visits, notes)
    while True:
        if order == "random":
            examples = rng.integers(0, n, size=n)
        elif order == "permuted":
            examples = rng.permutation(n)
        else:
            examples = np.arange(n)
        for tick in np.array_split(examples, min(TICKS, n)):
            visits += _visit(objective, state, tick, adaptive, grow)[0]
            yield state.iterate(objective, visits, notes)


def _visit(objective: Objective, state: _State, examples, adaptive: bool, grow: float) -> tuple[int, int]:
    """Visit these examples in turn; returns visits made and how many of the examples improved the dual."""
    return _visit_examples(
        objective.split, objective.hinge, objective.C, examples, state.offsets, state.w, state.u,
        state.kept(objective), state.eta, state.first_eta, adaptive, grow,
    )  # fmt: skip


@njit(cache=True, error_model="numpy")
def _of(u, offsets, i):
    """Views of s_i and mu_i."""
    a, b = offsets[i], offsets[i + 1]
    return u[2 * a : a + b], u[a + b : 2 * b]


@njit(cache=True, nogil=True, error_model="numpy")
def _start(first, last, split, start, offsets, u, conjugates, difference):
    for i in range(first, last):
        s, mu = _of(u, offsets, i)
        s[:] = 0.0
        parts.add_losses(split, i, -start, s)
        log_z = parts.marginals(split, i, s, mu)
        conjugates[0, i] = log_z - dot(s, mu)
        conjugates[1, i] = expected_loss(split, i, mu)
        _subtract_from_gold(split, i, mu, difference[offsets[i] : offsets[i + 1]])


@njit(cache=True, error_model="numpy")
def _subtract_from_gold(split, i, mu, out):
    """out = y_i - mu."""
    parts.gold(split, i, out)
    for r in range(out.shape[0]):
        out[r] -= mu[r]


@njit(cache=True, error_model="numpy")
def _step(split, hinge, i, eta, s, g, s_new, mu_new):
    """The update of one example with step size eta; returns the new H(u_i) or E_{u_i}[e_i]."""
    if hinge:
        for r in range(s.shape[0]):
            s_new[r] = s[r] + eta * g[r]
        parts.marginals(split, i, s_new, mu_new)
        return expected_loss(split, i, mu_new)
    for r in range(s.shape[0]):
        s_new[r] = (1 - eta) * s[r] + eta * g[r]
    return parts.marginals(split, i, s_new, mu_new) - dot(s_new, mu_new)


@njit(cache=True, error_model="numpy")
def _visit_examples(split, hinge, C, examples, offsets, w, u, conjugates, eta, first_eta, adaptive, grow):
    longest = 0
    for i in examples:
        longest = max(longest, offsets[i + 1] - offsets[i])
    memory = np.empty((4, longest))
    visits = 0
    improved = 0
    for i in examples:
        s, mu = _of(u, offsets, i)
        m = s.shape[0]
        g, s_new, mu_new, delta = memory[0, :m], memory[1, :m], memory[2, :m], memory[3, :m]
        parts.scores(split, i, w, g)
        for r in range(m):
            g[r] /= C
        if hinge:
            parts.add_losses(split, i, 1.0, g)
        while True:
            visits += 1
            conjugate = _step(split, hinge, i, eta[i], s, g, s_new, mu_new)
            for r in range(m):
                delta[r] = mu_new[r] - mu[r]
            # w moves by -sum_r delta_r f(x_i, r); for the hinge, g . delta counts the change of E[e] too
            change = dot(delta, g) - parts.squared_norm(split, i, delta) / (2 * C)
            if not hinge:
                change += conjugate - conjugates[i]
            slack = SLACK * (1 + abs(dot(mu_new, s_new)) + abs(dot(mu_new, g)))
            if not adaptive or not change < -slack:
                break
            eta[i] *= 0.5
        parts.add_features(split, i, -1.0, delta, w)
        for r in range(m):
            s[r] = s_new[r]
            mu[r] = mu_new[r]
        conjugates[i] = conjugate
        if change >= -slack:
            improved += 1
        if adaptive and (change > slack or eta[i] < first_eta):
            eta[i] *= grow
    return visits, improved


def _calibrated(objective: Objective, rng: np.random.Generator, start: float) -> tuple[float, int]:
    n = parts.num_examples(objective.split)
    chosen = rng.choice(n, size=max(1, round(CALIBRATION_SHARE * n)), replace=False)
    sample = Objective(parts.take(objective.split, np.sort(chosen)), objective.loss, objective.C)
    eta, visits = 1.0, 0
    while True:
        examples = rng.permutation(len(chosen))
        made, improved = _visit(sample, _State(sample.split, start, eta), examples, adaptive=False, grow=1.0)
        visits += made
        if improved >= CALIBRATION_IMPROVED * len(chosen) or eta < 1e-9:
            return eta, visits
        eta /= 2


def _batch(state, objective, rng, order, adaptive, grow, notes) -> Iterator[Iterate]:
    n = len(state.eta)
    eta, visits = float(state.eta[0]), n
    split, C = objective.split, objective.C
    new = _State(split, 0.0, eta)
    difference = np.empty(state.offsets[-1])
    while True:
        yield state.iterate(objective, visits, notes | {"last_eta": eta})
        conjugate, penalty = state.kept(objective).sum(), state.w @ state.w / (2 * C)
        slack = SLACK * (1 + abs(conjugate) + penalty)
        while True:
            visits += n
            parallel.for_each(
                _step_all, n, split, objective.hinge, C, eta, state.offsets, state.w, state.u, new.u,
                new.kept(objective), difference,
            )  # fmt: skip
            parts.expected_features(split, state.offsets, difference, new.w)
            change = new.kept(objective).sum() - new.w @ new.w / (2 * C) - (conjugate - penalty)
            if not adaptive or not change < -slack:
                break
            eta *= 0.5
        state, new = new, state
        if adaptive and (change > slack or eta < state.first_eta):
            eta *= grow


@njit(cache=True, nogil=True, error_model="numpy")
def _step_all(first, last, split, hinge, C, eta, offsets, w, u, u_new, conjugates, difference):
    for i in range(first, last):
        s, _ = _of(u, offsets, i)
        s_new, mu_new = _of(u_new, offsets, i)
        g = difference[offsets[i] : offsets[i + 1]]
        parts.scores(split, i, w, g)
        for r in range(s.shape[0]):
            g[r] /= C
        if hinge:
            parts.add_losses(split, i, 1.0, g)
        conjugates[i] = _step(split, hinge, i, eta, s, g, s_new, mu_new)
        _subtract_from_gold(split, i, mu_new, g)
