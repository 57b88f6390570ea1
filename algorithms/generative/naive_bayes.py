"""Naive Bayes: the weights are logarithms of relative frequencies, counted in one pass.

The multinomial model is score(y) = log P(y) + sum_k #v_k log P(v_k | y) = log P(x, y), where #v_k is feature k of
the example (klein2011, "Linear Models: Naive-Bayes"). The Bernoulli model is for features that are 0 or 1: log
P(y) + sum_k log P(x_k | y). It is the model of the stoplights, and counts features that are off, too (McCallum and
Nigam 1998). The first feature that is 1 in every example has the weight log P(y).
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import numpy as np

from structbench.algorithms.generative.frequencies import log, log_frequencies
from structbench.algorithms.learning.declaration import algorithm
from structbench.algorithms.learning.gold_outputs import observed
from structbench.algorithms.learning.non_negative import require_non_negative
from structbench.algorithms.learning.objective import Iterate, Objective, require_labels
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts


@algorithm(
    label="Naive Bayes",
    loss="none",
    needs=("parts", "argmax", "feature rows", "single decisions"),
    random=False,
    references=("mccallum1998", "klein2011"),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    model: Literal["multinomial", "bernoulli"] = "multinomial",
    added: Annotated[float, ">= 0"] = 1.0,
    prior: Literal["counted", "uniform"] = "uniform",
) -> Iterator[Iterate]:
    """Count once. Yields w = 0, as all algorithms, then the model's weights, after a visit to each example.

    Args:
        model: of how often each feature is on (multinomial), or of whether it is on (bernoulli).
        added: to every count of a feature with a class (Laplace's smoothing for 1). The Bernoulli model also adds
            it to the counts of features that are off. The counts of classes stay as they are.
        prior: P(y) as counted, or the same for all classes.

    Raises:
        UserError: a label is unknown, or a feature is negative. For the Bernoulli model: a feature is neither 0
            nor 1. Or no feature is 1 in every example, where a counted prior or the Bernoulli model needs one.
    """
    require_labels(objective.split, "naive-bayes")
    require_non_negative(objective.split, "naive-bayes")
    x, y, K = parts.classes(objective.split)
    always = _always_one(x)
    if len(always) == 0 and (prior == "counted" or model == "bernoulli"):
        wanted = "prior=counted" if model == "multinomial" else "model=bernoulli"
        raise UserError(f"naive-bayes: {wanted} needs a feature that is 1 in every example: add one to the data")
    yield Iterate(np.zeros(parts.num_weights(objective.split)), 0)

    examples = np.bincount(y, minlength=K).astype(float)
    counts = observed(objective.split).reshape(-1, K)
    words = np.ones(len(counts), bool)
    words[always[:1]] = False
    W = np.zeros_like(counts)
    if model == "multinomial":
        label = np.tile(np.arange(K), words.sum())
        W[words] = log_frequencies(counts[words].ravel() + added, label).reshape(-1, K)
    else:
        values = x.dense if x.kind == ft.DENSE else x.values
        if len(odd := values[(values != 0) & (values != 1)]):
            raise UserError(f"naive-bayes: model=bernoulli needs features that are 0 or 1, not {odd[0]:g}")
        whole = examples + 2 * added
        on, off = log(counts[words] + added, whole), log(examples - counts[words] + added, whole)
        W[words] = on - off
        W[always[0]] = off.sum(axis=0)
    if prior == "counted":
        W[always[0]] += log(examples, examples.sum())
    yield Iterate(W.ravel(), len(y))


def _always_one(x: ft.Features) -> np.ndarray:
    """The columns that are 1 in all rows."""
    if x.kind == ft.DENSE:
        return np.flatnonzero((x.dense == 1).all(axis=0))
    rows, columns = ft.shape(x)
    ones = x.indices[x.values == 1] if x.kind == ft.SPARSE else x.indices
    return np.flatnonzero(np.bincount(ones, minlength=columns) == rows)
