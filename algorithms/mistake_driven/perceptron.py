"""The structured perceptron: adds the features of the gold output and subtracts those of the best output.

If y' = argmax_y w . f(x_i, y) is wrong, w <- w + f(x_i, y_i) - f(x_i, y'). Collins 2002; klein2011, "Linear
Models: Perceptron"; laso2005's baseline "Perceptron". With a finite beam, beam search finds y': the "standard
update" of laso2005, section 5.
"""

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from structbench.algorithms.learning.declaration import algorithm
from structbench.algorithms.learning.objective import Iterate, Objective
from structbench.algorithms.mistake_driven.beam_perceptron import STANDARD, learn
from structbench.algorithms.search import decoding
from structbench.algorithms.structures import interface as parts


def perceptron_needs(*, beam: int | str, decode: int | str, **_: Any) -> tuple[str, ...]:
    """The capabilities that training with this beam, and this decoding, ask of a structure."""
    return tuple(each for each in decoding.needs(beam=beam, decode=decode) if each != parts.MARGINALS)


@algorithm(
    label="Perceptron",
    loss="none",
    needs=perceptron_needs,
    threads=False,
    predict=decoding.predictions,
    references=("collins2002",),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    beam: decoding.Beam | Literal["inf"] = "inf",
    decode: decoding.Beam | Literal["same", "inf", "a-star"] = "same",
    compare_at: Literal["decisions", "steps"] = "decisions",
    average: Literal["uniform", "none"] = "uniform",
) -> Iterator[Iterate]:
    """Run the perceptron from w = 0, passing over the examples in a new order each time.

    Args:
        beam: paths kept in each row; ``inf`` searches exactly.
        decode: the beam of prediction; ``a-star`` is exact, too.
        compare_at: paths compete after equally many decisions, or steps (``algorithms.search.beam``).
        average: predict with the average of the weights after each example, or with the last ones.
    """
    yield from learn(objective, rng, "perceptron", STANDARD, beam, compare_at, average)
