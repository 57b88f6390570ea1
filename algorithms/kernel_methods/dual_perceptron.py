"""The dual perceptron: keeps counts of mistakes, from which the weights follow.

klein2011, "Dual / Kernelized Perceptron": alpha starts at 0. If the best output yhat of an example is wrong,
alpha_i(yhat) <- alpha_i(yhat) + 1. Outputs score

    sum_{i', y'} alpha_i'(y') D_i'(y') . f_i(y),    D_i(y) = f_i(y_i*) - f_i(y),

by inner products of examples alone. w = sum alpha D is that of the perceptron, mistake for mistake, and predicts.
This is the kernel perceptron with the linear kernel, and takes the same memory.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import numpy as np

from structbench.algorithms.kernel_methods import mistakes, similarity
from structbench.algorithms.kernel_methods.support_vectors import SupportVectors
from structbench.algorithms.learning.declaration import algorithm
from structbench.algorithms.learning.objective import Iterate, Objective
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts


@algorithm(
    label="Dual perceptron",
    loss="none",
    needs=("feature rows", "other rows"),
    threads=False,
    references=("klein2011", "freund1999"),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    average: Literal["uniform", "none"] = "uniform",
    cache: Annotated[float, "> 0"] = 1024.0,
) -> Iterator[Iterate]:
    """Run it from alpha = 0, passing over the examples in a new order each time.

    Searches that look ahead for rows count as no visits (``mistakes``).

    Args:
        average, cache: as of ``kernel_perceptron``.
    """
    model = SupportVectors(objective.split, similarity.Kernel("linear", similarity.inner_products), cache)
    x = ft.as_matrix(parts.rows(parts.unwrap(objective.split)))
    counts = len(model.gram.points) * model.num_labels
    for point in mistakes.learn(objective, rng, model, "dual-perceptron", average):
        alpha, linear = point.vector[:counts].reshape(-1, model.num_labels), point.vector[counts:]
        notes = {**point.notes, "support_vectors": int(alpha.any(axis=1).sum())}
        yield point._replace(kept=np.concatenate([(x.T @ alpha).ravel(), linear]), notes=notes)
