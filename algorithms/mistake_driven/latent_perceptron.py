"""The latent-variable perceptron: adds the features of the best gold output, hidden choices and all.

klein2011 on latent variables ("Likelihood, Structured"); Liang et al. 2006. If the best output (y', h') is wrong,
w <- w + f(x_i, y*, h*) - f(x_i, y', h'). h* is the best of the hidden choices that go with the gold output y*. If
nothing is hidden, this is the perceptron. ``gold_outputs.best_gold`` says which outputs are gold.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any, Literal

import numpy as np

from structbench.algorithms.learning.declaration import algorithm
from structbench.algorithms.learning.gold_outputs import best_gold
from structbench.algorithms.learning.objective import Iterate, Objective
from structbench.algorithms.learning.whole_costs import require_whole_costs
from structbench.algorithms.mistake_driven import epochs
from structbench.algorithms.mistake_driven.averaging import step, visited
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import dot
from structbench.algorithms.structures import interface as parts


@algorithm(label="Latent perceptron", loss="none", needs=("argmax",), threads=False, references=("liang2006",))
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    average: Literal["uniform", "none"] = "uniform",
) -> Iterator[Iterate]:
    """Run the perceptron from w = 0, passing over the examples in a new order each time.

    At w = 0 all hidden choices tie, and the first is made. They part as soon as its score is negative. After a
    mistake, the search for the best gold output counts as no visit.

    Args:
        average: as of ``perceptron``.

    Raises:
        UserError: outputs cost the share of their labels that are wrong.
    """
    require_whole_costs(objective.split, "latent-perceptron")
    yield from epochs.learn(objective.split, rng, partial(_visit, objective.split), "latent-perceptron", average)


@kernel
def _visit(split, examples, w):
    """Learn from these examples (``epochs.Visit``)."""
    for i in examples:
        s = np.empty(parts.num_parts(split, i))
        y, right, costs = np.empty_like(s), np.empty_like(s), np.zeros_like(s)
        parts.scores(split, i, w.v, s)
        parts.argmax(split, i, s, y)
        parts.add_costs(split, i, 1.0, costs)
        if dot(costs, y) > 0.5:
            best_gold(split, i, s, right)
            step(split, i, 1.0, right - y, 0.0, 0.0, w)
        visited(w)
    return -1
