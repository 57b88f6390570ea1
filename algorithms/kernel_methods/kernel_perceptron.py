"""The kernel perceptron: scores are sums of kernels over the mistakes made.

klein2011, "Dual / Kernelized Perceptron": score(y) = sum_{i', y'} alpha_i'(y') (K(y_i'*, y) - K(y', y)), where
alpha_i'(y') counts how often y' was found in place of the gold output y_i'*. For outputs of one label K(y, y') is
k(x, x') if the labels are the same, else 0. For sequences

    K(y, y') = sum_{t, t'} 1[y_t = y'_t'] k(x_t, x'_t') + the transitions that both make, by their numbers

(Aizerman, Braverman and Rozonoer 1964; Freund and Schapire 1999; for sequences Collins and Duffy 2002). Memory: 3
n K numbers, and up to ``cache`` a row of n kernels for each decision that was ever wrong.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import numpy as np

from structbench.algorithms.kernel_methods import mistakes, similarity
from structbench.algorithms.kernel_methods.support_vectors import SupportVectors
from structbench.algorithms.learning.declaration import algorithm
from structbench.algorithms.learning.objective import Iterate, Objective
from structbench.algorithms.structures import interface as parts


@algorithm(
    label="Kernel perceptron",
    loss="none",
    needs=lambda kernel, **_: (parts.OTHER_ROWS, similarity.COMPARED[kernel]),
    threads=False,
    references=("aizerman1964", "freund1999", "collins2002kernels"),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    kernel: similarity.KernelName = "rbf",
    gamma: Annotated[float, "> 0"] = 1.0,
    length: Annotated[int, ">= 1"] = 3,
    decay: Annotated[float, "> 0", "<= 1"] = 0.5,
    average: Literal["uniform", "none"] = "uniform",
    cache: Annotated[float, "> 0"] = 1024.0,
) -> Iterator[Iterate]:
    """Run it from alpha = 0, passing over the examples in a new order each time.

    Searches that look ahead for rows count as no visits (``mistakes``).

    Args:
        kernel, gamma, length, decay: see ``similarity.named_kernel``.
        average: predict with the average of alpha after each example, or with the last one.
        cache: megabytes of rows of the Gram matrix that are kept; of 1,024 rows if that is more.
    """
    model = SupportVectors(objective.split, similarity.named_kernel(kernel, gamma, length, decay), cache)
    for point in mistakes.learn(objective, rng, model, "kernel-perceptron", average):
        yield point._replace(hints=point.hints._replace(model=model))
