"""OWL-QN: L-BFGS for smooth losses with an l1 penalty, alone or beside l2 (Andrew and Gao, ICML 2007).

G. Andrew and J. Gao, Scalable training of L1-regularized log-linear models. P has the term lambda ||w||_1, with
lambda = C / 2 for l1, and A for elastic-A; g is the gradient of the rest. The pseudo-gradient v is the subgradient
of P of least norm. If w_k is not 0, v_k is g_k + lambda sign(w_k); else it is g_k shrunk by lambda towards 0. An
iteration does this:

    Take d = -H v, H the inverse Hessian of L-BFGS that knows P without its l1 norm.
    Set d_k to 0 where its sign is not that of -v_k.
    Choose the orthant xi_k = sign(w_k), or sign(-v_k) where w_k = 0.
    Search backwards for a step t with P(w') <= P(w) + 1e-4 v . (w' - w).
    Here w'_k = w_k + t d_k, and 0 where that leaves the orthant.

For l2 and without a penalty, lambda is 0 and there are no orthants: it is L-BFGS that searches backwards.
"""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any

import numpy as np

from structbench.algorithms.gradient.history import History
from structbench.algorithms.gradient.lbfgs import ROUNDING, SUFFICIENT, TRIALS, value_found
from structbench.algorithms.learning.declaration import algorithm
from structbench.algorithms.learning.objective import Hints, Iterate, Objective
from structbench.algorithms.structures import interface as parts

SHORTER = 0.5  # each trial step, relative to the one before


@algorithm(
    loss="smooth",
    penalties=("l1", "l2", "elastic-A", "none"),
    needs=("parts", "marginals"),
    random=False,
    loss_factors=True,
    warm_start=True,
    references=("andrew2007",),
)
def solve(
    problem: Any, objective: Objective, rng: np.random.Generator, *, memory: Annotated[int, ">= 1"] = 10
) -> Iterator[Iterate]:
    """Run OWL-QN from w = 0, or from an earlier fit. Yields after each iteration.

    Each evaluation of the line search counts as a visit to all examples.

    Each point notes the Euclidean norm of the subgradient of least norm. The run ends when that is 0, or when no
    step lowers the objective, even along the pseudo-gradient itself.

    Args:
        memory: pairs of vectors kept (the paper uses 10).
    """
    n = parts.num_examples(objective.split)
    smooth = _Smooth(objective)
    w = objective.first_weights()
    yield Iterate(w, 0)
    history = History(len(w), memory)
    g, w_new, g_new, d = (np.empty_like(w) for _ in range(4))
    value = smooth(w, g)
    v = pseudo_gradient(w, g, smooth.strength)
    while (norm := float(np.sqrt(v @ v))) > 0:
        history.direct(v, d, history.products(v))
        first = 1.0 if history.rows else 1 / norm
        if smooth.strength > 0:
            d[d * v >= 0] = 0.0
        accepted = _search(smooth, value, first, w, d, v, w_new, g_new) if d @ v < 0 else None
        if accepted is None and history.rows:  # the pairs are of no use here: forget them
            history.rows.clear()
            np.negative(v, out=d)
            accepted = _search(smooth, value, 1 / norm, w, d, v, w_new, g_new)
        if accepted is None:
            return
        value = accepted
        history.append(w, w_new, g, g_new)
        w, w_new, g, g_new = w_new, w, g_new, g
        v = pseudo_gradient(w, g, smooth.strength)
        notes = {"evaluations": smooth.calls, "subgradient_norm": float(np.sqrt(v @ v))}
        known = partial(value_found, objective, value, objective.conjugate, w, g)
        yield Iterate(w, smooth.calls * n, notes=notes, hints=Hints(value=known))


class _Smooth:
    """The objective as a smooth part, with its gradient, and ``strength`` ||w||_1; counts its calls."""

    def __init__(self, objective: Objective) -> None:
        self.objective, self.calls = objective, 0
        self.C, self.strength = objective.strengths

    def __call__(self, w: np.ndarray, gradient: np.ndarray) -> float:
        """P(w); ``gradient`` becomes the gradient of the smooth part."""
        self.calls += 1
        if self.strength == 0:
            return self.objective.value_and_gradient(w, gradient)
        value = self.objective.loss_and_gradient(w, gradient) + self.strength * float(np.abs(w).sum())
        if self.C:
            gradient += self.C * w
            value += self.C / 2 * float(w @ w)
        return value


def pseudo_gradient(w: np.ndarray, g: np.ndarray, strength: float) -> np.ndarray:
    """The subgradient of least norm of a function with gradient g at w, plus strength ||w||_1."""
    shrunk = np.sign(g) * np.maximum(np.abs(g) - strength, 0.0)
    return np.where(w != 0, g + strength * np.sign(w), shrunk)


def _search(
    smooth: _Smooth, value: float, step: float, w: np.ndarray, d: np.ndarray, v: np.ndarray, w_new, g_new
) -> float | None:
    """Search backwards from a step; fills w_new and g_new. Returns the value there, or None without descent."""
    orthant = np.where(w != 0, np.sign(w), -np.sign(v))
    for _ in range(TRIALS):
        np.multiply(d, step, out=w_new)
        w_new += w
        if smooth.strength > 0:
            w_new[w_new * orthant <= 0] = 0.0
        found = smooth(w_new, g_new)
        expected = float(v @ (w_new - w))
        if found <= value + SUFFICIENT * expected + ROUNDING * abs(value):
            if found < value:
                return found
            left = pseudo_gradient(w_new, g_new, smooth.strength)  # rounding hides the rest of the descent
            return found if left @ left < v @ v else None
        step *= SHORTER
    return None
