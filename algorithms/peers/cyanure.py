"""Cyanure's multinomial logistic regression, a peer for classes and the log loss.

It minimises (1/n) sum_i loss_i(w) + lambda ||w||^2 / 2 without intercept, hence lambda = C / n. For two classes it
has only the difference w_1 - w_0, whose square norm is 2 ||w||^2, hence lambda = C / (2 n). Source: Mairal, arXiv
1912.08165. catalyst: Lin, Mairal and Harchaoui, JMLR 2018. miso: Mairal, SIAM J. Optimization 2015. qning: Lin,
Mairal and Harchaoui, SIAM J. Optimization 2019.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any, Literal

import numpy as np

from structbench.algorithms.learning.declaration import Settings, algorithm
from structbench.algorithms.learning.objective import Iterate, Objective
from structbench.algorithms.peers import harness
from structbench.algorithms.structures import interface as parts

NEVER = 10**9  # iterations between two computations of its own duality gap, which we do not read


@algorithm(
    label="Cyanure",
    loss="log",
    needs=("feature rows", "single decisions"),
    random=True,
    packages={"cyanure": "cyanure"},
    settings=Settings(figures=({},)),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    method: Literal["catalyst-miso", "qning-miso", "acc-svrg"] = "catalyst-miso",
) -> Iterator[Iterate]:
    """Run it from scratch for 1, 2, 3, 5, 8, ... iterations; it never stops by itself. Yields where each run ends.

    An iteration is a pass over the examples: it counts n visits.

    Args:
        method: Cyanure's ``solver``.

    Raises:
        UserError: see ``harness.rows_and_labels``.
    """
    x, y = harness.rows_and_labels("cyanure", objective.split)
    from cyanure.estimators import Classifier

    two = parts.classes(objective.split).num_labels == 2
    make = partial(
        Classifier,
        loss="logistic" if two else "multiclass-logistic",
        lambda_1=objective.C / len(y) / (2 if two else 1),
        fit_intercept=False,
        tol=harness.TOLERANCE,
        solver=method,
        duality_gap_interval=NEVER,
        n_threads=1,
        verbose=False,
    )
    shape = -1, x.shape[1]
    yield from harness.fits(objective, rng, "cyanure", (x, y), make, lambda model: model.coef_.T.reshape(shape))
