"""A probabilistic context-free grammar: a rule's weight is the logarithm of its relative frequency.

p(tree) is the product of p(rule | its left side). Maximum likelihood counts the rules in the gold trees (Booth and
Thompson 1973; Charniak 1996). Features other than rules have weight 0. So the best output is the tree that the
grammar finds most likely.
"""

from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np

from structbench.algorithms.generative.frequencies import log_frequencies
from structbench.algorithms.learning.declaration import algorithm
from structbench.algorithms.learning.gold_outputs import observed
from structbench.algorithms.learning.objective import Iterate, Objective
from structbench.algorithms.structures import interface as parts


@algorithm(
    label="PCFG", loss="none", needs=("parts", "argmax", "choices"), random=False, references=("charniak1996",)
)
def solve(
    problem: Any, objective: Objective, rng: np.random.Generator, *, added: Annotated[float, ">= 0"] = 0.0
) -> Iterator[Iterate]:
    """Count once. Yields w = 0, as all algorithms, then the grammar's weights, after a visit to each example.

    Args:
        added: to the count of every rule; above 0, rules that were not seen are possible.
    """
    split = objective.split
    w = np.zeros(parts.num_weights(split))
    yield Iterate(w, 0)
    counts = observed(split)
    left = parts.choices(split)
    w[: len(left)] = log_frequencies(counts[: len(left)] + added, left)
    yield Iterate(w, parts.num_examples(split))
