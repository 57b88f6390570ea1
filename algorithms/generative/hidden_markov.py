"""A hidden Markov model by counts: naive Bayes for sequences of labels.

log P(x, y) = sum_t log P(y_t | y_{t-1}) + sum_t sum_k #v_{t,k} log P(v_k | y_t). The emissions are as in
multinomial naive Bayes (klein2011, "Linear Models: Naive-Bayes"; Rabiner 1989). First labels and observed edges
have the weight 0 here: every first label is equally likely.
"""

from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np

from structbench.algorithms.generative.frequencies import log_frequencies
from structbench.algorithms.learning.declaration import algorithm
from structbench.algorithms.learning.gold_outputs import observed
from structbench.algorithms.learning.non_negative import require_non_negative
from structbench.algorithms.learning.objective import Iterate, Objective, require_labels
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts


@algorithm(
    label="HMM",
    loss="none",
    needs=("parts", "argmax", "label sequences"),
    random=False,
    references=("rabiner1989",),
)
def solve(
    problem: Any, objective: Objective, rng: np.random.Generator, *, added: Annotated[float, ">= 0"] = 1.0
) -> Iterator[Iterate]:
    """Count once. Yields w = 0, as all algorithms, then the model's weights, after a visit to each example.

    Args:
        added: to every count, of a feature with a label and of a label after another.

    Raises:
        UserError: a label is unknown, or a feature is negative.
    """
    require_labels(objective.split, "hidden-markov")
    require_non_negative(objective.split, "hidden-markov")
    x, _, starts, K, _ = parts.label_sequences(objective.split)
    w = np.zeros(parts.num_weights(objective.split))
    yield Iterate(w, 0)
    columns = ft.shape(x)[1]
    label, before = np.tile(np.arange(K), columns), np.repeat(np.arange(K), K)  # of emissions, of transitions
    size = len(label) + len(before)
    w[:size] = log_frequencies(observed(objective.split)[:size] + added, np.concatenate([label, K + before]))
    yield Iterate(w, len(starts) - 1)
