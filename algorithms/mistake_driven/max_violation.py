"""Max-violation: a perceptron step where the best path of a beam search is most ahead of the gold path.

Huang, Fayong and Guo 2012; later than laso2005, and today's standard.
"""

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from structbench.algorithms.learning.declaration import algorithm
from structbench.algorithms.learning.objective import Iterate, Objective
from structbench.algorithms.mistake_driven.beam_perceptron import MAX_VIOLATION, learn
from structbench.algorithms.search import decoding


@algorithm(
    label="Max-violation",
    loss="none",
    needs=decoding.needs,
    threads=False,
    predict=decoding.predictions,
    references=("huang2012",),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    beam: decoding.Beam = 5,
    decode: decoding.Beam | Literal["same", "inf", "a-star"] = "same",
    compare_at: Literal["decisions", "steps"] = "decisions",
    average: Literal["uniform", "none"] = "uniform",
) -> Iterator[Iterate]:
    """Run the perceptron with max-violation updates from w = 0, with a new order of examples in each pass.

    Args:
        beam, decode, compare_at, average: as of ``perceptron``.
    """
    yield from learn(objective, rng, "max-violation", MAX_VIOLATION, beam, compare_at, average)
