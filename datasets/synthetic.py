"""Sequences drawn from a sparse chain CRF, after l1m3n2009, section 5.1: 30 of 100 inputs matter.

A sequence has 8 positions with 100 real inputs and a binary label each. The first 30 inputs are relevant. In the
``correlated`` variant they are 10 groups of 3. A group's value is N(0, 1), each of its inputs that value plus N(0,
0.05^2). All other inputs, and all of them in the ``iid`` variant, are N(0, 1). The paper does not say how it drew
the weights of the CRF, but its Figure 3 shows them between 0 and 1. Here the weights of the relevant inputs and of
the 4 transitions are uniform on (0, 1), the others 0. Labels are the last state of a Gibbs sampler after 100
sweeps, started at random.

The paper's K-fold cross-validation trains on one fold and tests on all others. Of 1,000 sequences, ``folds`` = 20,
10, 7, 5 and 4 are its 50, 100, "about 150" (142 or 143), 200 and 250 training sequences. Sequences are independent
draws, so the folds are stretches of them.
"""

from typing import Annotated, Any, Literal

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import features
from structbench.algorithms.structures.chain import model as chain
from structbench.datasets.problems.problem import Problem

LICENCE = "generated here"
REFERENCES = ("l1m3n2009",)
STRUCTURE = "chain"

LENGTH, INPUTS, RELEVANT, GROUP = 8, 100, 30, 3
NOISE = 0.05
SWEEPS = 100


def load(
    files: Any,
    *,
    crf: Annotated[int, ">= 0", "<= 9"] = 0,
    variant: Literal["correlated", "iid"] = "correlated",
    sequences: int = 1000,
    folds: int = 10,
    fold: int = 0,
) -> Problem:
    """Training on one of the folds, test on all others, as in the paper; ``files`` is not used.

    Args:
        crf: Which of the paper's 10 data sets, 0 to 9; the seed.

    Raises:
        UserError: An option is out of range.
    """
    if not 2 <= folds <= sequences:
        raise UserError(f"folds={folds}: expected 2 to {sequences}, the number of sequences")
    if not 0 <= fold < folds:
        raise UserError(f"fold={fold}: expected 0 to {folds - 1}")
    rng = np.random.default_rng([crf, 1, variant == "iid"])
    x = draw_inputs(sequences, variant, rng)
    weights = true_weights(crf)
    nodes = x @ weights[: INPUTS * 2].reshape(INPUTS, 2)
    y = draw_labels(nodes, weights[INPUTS * 2 :].reshape(2, 2), rng)
    own = np.array_split(np.arange(sequences), folds)[fold]
    train = np.zeros(sequences, bool)
    train[own] = True

    def split(which: np.ndarray) -> chain.Chain:
        rows = features.dense(x[which].reshape(-1, INPUTS))
        return chain.build(rows, np.full(which.sum(), LENGTH), y[which].ravel(), 2)

    return Problem(split(train), split(~train), ("0", "1"))


def true_weights(crf: int = 0) -> np.ndarray:
    """The weights of the CRF that draws the labels, the same for both variants.

    Shape (204,) in the order of ``algorithms.structures.chain.model``: 100 x 2 of the inputs, 2 x 2 transitions.
    """
    rng = np.random.default_rng([crf, 0])
    weights = np.zeros(INPUTS * 2 + 4)
    weights[: RELEVANT * 2] = rng.random(RELEVANT * 2)
    weights[INPUTS * 2 :] = rng.random(4)
    return weights


def draw_inputs(sequences: int, variant: str, rng: np.random.Generator) -> np.ndarray:
    """Inputs of the sequences, shape (sequences, 8, 100)."""
    x = rng.standard_normal((sequences, LENGTH, INPUTS))
    if variant == "correlated":
        groups = rng.standard_normal((sequences, LENGTH, RELEVANT // GROUP))
        x[..., :RELEVANT] = np.repeat(groups, GROUP, axis=-1) + NOISE * x[..., :RELEVANT]
    return x


def draw_labels(
    nodes: np.ndarray, transitions: np.ndarray, rng: np.random.Generator, sweeps: int = SWEEPS
) -> np.ndarray:
    """Labels by Gibbs sampling from p(y) ~ exp(sum_t nodes[t, y_t] + sum_t transitions[y_t, y_t+1]).

    Args:
        nodes: Shape (sequences, length, 2).
        transitions: Shape (2, 2).

    Returns:
        0 or 1, shape (sequences, length).
    """
    sequences, length, _ = nodes.shape
    y = rng.integers(0, 2, (sequences, length))
    log_odds = np.ascontiguousarray(nodes[..., 1] - nodes[..., 0])
    for _ in range(sweeps):
        _sweep(log_odds, np.ascontiguousarray(transitions), rng.random((length, sequences)), y)
    return y


@kernel
def _sweep(log_odds, transitions, uniform, y):
    """Resample every label given its neighbours, one after another; ``uniform``: shape (length, sequences)."""
    sequences, length = y.shape
    for i in range(sequences):
        for t in range(length):
            score = log_odds[i, t]
            if t > 0:
                score += transitions[y[i, t - 1], 1] - transitions[y[i, t - 1], 0]
            if t < length - 1:
                score += transitions[1, y[i, t + 1]] - transitions[0, y[i, t + 1]]
            u = uniform[t, i]
            y[i, t] = int(np.log(u) - np.log1p(-u) < score)
