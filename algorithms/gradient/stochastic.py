"""Shared by stochastic gradient methods: selection of the learning rate, and the gradient of one example."""

from collections.abc import Callable

import numpy as np

from structbench.algorithms.learning.gold_outputs import subtract_from_gold
from structbench.algorithms.learning.objective import Objective
from structbench.algorithms.losses.terms import augment, soft_max
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.prediction import error_rate

CANDIDATES = (1.0, 0.1, 0.01, 0.001, 0.0001)
HELD_OUT = 0.1


def selected_rate(
    objective: Objective,
    rng: np.random.Generator,
    name: str,
    given: float,
    trial: Callable[[Objective, float, float, np.ndarray], np.ndarray],
    cost: int = 1,
) -> tuple[float, dict[str, float | str]]:
    """Select the rate whose weights err least after one pass, as eg2008 does (section 7.1.3).

    The pass is over random nine tenths of the training examples. The errors are those on the other tenth.

    Args:
        name: of the rate. ``given``: the rate that the user chose, or 0.
        trial: runs a pass from w = 0 and returns the weights. It is given the objective of the nine tenths, C / n
            (0 for l1), a rate, and the examples to visit. ``cost``: its visits for each of them.

    Returns:
        The rate, and what a run notes of it.
    """
    if given > 0:
        return given, {name: given}
    split = objective.split
    n = parts.num_examples(split)
    shuffled = rng.permutation(n)
    held = max(1, round(HELD_OUT * n))
    learn = objective.of_examples(np.sort(shuffled[held:])) if n > 1 else objective
    check = parts.take(split, np.sort(shuffled[:held]))
    m = parts.num_examples(learn.split)
    examples = rng.integers(0, m, size=m)
    errors = []
    for rate in CANDIDATES:
        w = trial(learn, learn.strengths.C / n, rate, examples)
        errors.append(error_rate(check, w) if np.isfinite(w).all() else np.inf)
    best = CANDIDATES[int(np.argmin(errors))]
    return best, {"calibration_visits": len(CANDIDATES) * m * cost, name: best}


@kernel(inline=True)
def towards_gold(split, loss, i, w, scale, s, mu, out):
    """out = y_i - mu, the parts of minus the gradient of loss_i, or of a subgradient, at the weights scale * w.

    s becomes the scores with costs, mu the marginals or the argmax. Returns the maximum in loss_i.
    """
    parts.scores(split, i, w, s)
    for r in range(s.shape[0]):
        s[r] *= scale
    augment(loss, split, i, s)
    top = soft_max(loss, split, i, s, mu) if loss.temperature > 0 else parts.argmax(split, i, s, mu)
    subtract_from_gold(split, i, mu, out)
    return top
