"""Weights of online methods that change by sparse steps, and their average over all visits, updated lazily.

The weights are w = a v with a number a. Let A be the sum of c_t over all examples visited so far. The sum of
c_t v_t after each example is A v - late. Every step d adds A d to ``late``, with A of the examples visited before
it. They did not see d (the lazy averaging of Freund and Schapire's perceptron). c_t = a_t averages w.

If w is projected onto a ball, all w_t have the same norm. Then the first examples count as much as the last.
With c_t = 1 we average v, which grows as a perceptron's weights do. In laso2005's large margin variant with its
default rate, it grows about as the number of updates.
"""

from typing import NamedTuple

import numpy as np

from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.sparse_sum import ROUNDING, combine
from structbench.algorithms.structures import interface as parts

STATE = np.dtype(
    [(name, float) for name in ("scale", "square", "shares", "generation", "examples", "updates", "largest")]
    + [("uniform", bool)]
)


class Averaged(NamedTuple):
    """``v``, ``late``: float64 (weights,). ``now``: ``STATE`` (1,).

    In now, ``scale`` is a, ``shares`` A, ``square`` ||v||^2, and ``generation`` laso2005's k. ``examples``:
    visited so far. ``largest``: the largest norm of a difference that alma used. ``uniform``: whether c_t = a_t.
    """

    v: np.ndarray
    late: np.ndarray
    now: np.ndarray


def zero(num_weights: int, uniform: bool) -> Averaged:
    """w = 0 at generation 1; ``uniform`` for c_t = a_t."""
    now = np.zeros(1, STATE)
    now[0]["scale"] = now[0]["generation"] = 1.0
    now[0]["uniform"] = uniform
    return Averaged(np.zeros(num_weights), np.zeros(num_weights), now)


def mean(w: Averaged, average: np.ndarray) -> np.ndarray:
    """The average over the examples visited, 0 before the first; fills and returns ``average``, (weights,)."""
    parallel.for_each(
        _mean, len(average), w.v, w.late, w.now[0]["shares"], max(w.now[0]["examples"], 1.0), average
    )
    return average


@kernel
def _mean(first, last, v, late, shares, count, average):
    for j in range(first, last):
        average[j] = (shares * v[j] - late[j]) / count


@kernel
def visited(w):
    """Count the current weights into the average: an example has been visited."""
    w.now[0]["shares"] += w.now[0]["scale"] if w.now[0]["uniform"] else 1.0
    w.now[0]["examples"] += 1


@kernel
def step(split, i, c, delta, along, square, w):
    """v += c f, f = sum_r delta_r f(x_i, r). ``along``: v . f. ``square``: ||f||^2."""
    parts.add_features(split, i, c, delta, w.v)
    parts.add_features(split, i, c * w.now[0]["shares"], delta, w.late)
    w.now[0]["square"] += c * (2.0 * along + c * square)
    w.now[0]["generation"] += 1
    w.now[0]["updates"] += 1


@kernel
def onto_ball(w):
    """Scale w so that ||w||_2 <= 1."""
    norm = np.sqrt(max(w.now[0]["square"], 0.0))
    if w.now[0]["scale"] * norm > 1.0:
        w.now[0]["scale"] = 1.0 / norm


@kernel
def perceptron_step(w, total):
    """w += total, laso2005 Eq. (2); total = 0."""
    combine(total, ROUNDING)
    _move(w, total, 1.0)


@kernel
def alma_step(w, total, rate):
    """w = proj(w + rate k^(-1/2) proj(total)), laso2005 Eq. (3), where proj is onto ||w||_2 <= 1; total = 0."""
    combine(total, ROUNDING)
    square = 0.0
    for p in range(total.terms[0]):
        square += total.values[p] ** 2
    w.now[0]["largest"] = max(w.now[0]["largest"], np.sqrt(square))
    step = rate / np.sqrt(w.now[0]["generation"]) / max(1.0, np.sqrt(square))
    _move(w, total, step / w.now[0]["scale"])
    onto_ball(w)


@kernel
def _move(w, total, c):
    v, late, keys, values = w.v, w.late, total.keys, total.values
    square, shares = w.now[0]["square"], w.now[0]["shares"]
    for p in range(total.terms[0]):
        j, d = keys[p], c * values[p]
        square += d * (2.0 * v[j] + d)
        v[j] += d
        late[j] += shares * d
    w.now[0]["square"] = square
    w.now[0]["generation"] += 1
    w.now[0]["updates"] += 1
    total.terms[0] = 0
