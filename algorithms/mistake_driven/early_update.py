"""Early update: a perceptron step as soon as the gold path has left the beam, then the next example.

Collins and Roark 2004; a baseline of laso2005, section 5.
"""

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from structbench.algorithms.learning.declaration import algorithm
from structbench.algorithms.learning.objective import Iterate, Objective
from structbench.algorithms.mistake_driven.beam_perceptron import EARLY, learn
from structbench.algorithms.search import decoding


@algorithm(
    label="Early update",
    loss="none",
    needs=decoding.needs,
    threads=False,
    predict=decoding.predictions,
    references=("collins2004",),
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
    """Run the perceptron with early updates from w = 0, passing over the examples in a new order each time.

    Args:
        beam, decode, compare_at, average: as of ``perceptron``.
    """
    yield from learn(objective, rng, "early-update", EARLY, beam, compare_at, average)
