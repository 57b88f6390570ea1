"""scikit-learn's multinomial logistic regression (lbfgs, newton-cg, saga), a peer for classes and the log loss.

It minimises ||w||^2 / 2 + C' sum_i loss_i(w) without intercept, hence C' = 1 / C. For two classes it has only the
difference w_1 - w_0, whose square norm is 2 ||w||^2, hence C' = 2 / C. Source: Pedregosa et al., JMLR 2011. saga:
Defazio, Bach and Lacoste-Julien, NIPS 2014.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any, Literal

import numpy as np

from structbench.algorithms.learning.declaration import Settings, algorithm
from structbench.algorithms.learning.objective import Iterate, Objective
from structbench.algorithms.peers import harness
from structbench.algorithms.structures import interface as parts


@algorithm(
    label="scikit-learn",
    loss="log",
    needs=("feature rows", "single decisions"),
    random={"method": ("saga",)},
    packages={"sklearn": "scikit-learn"},
    settings=Settings(figures=({"method": "lbfgs"}, {"method": "newton-cg"}, {"method": "saga"})),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    method: Literal["lbfgs", "newton-cg", "saga"] = "lbfgs",
) -> Iterator[Iterate]:
    """Run it from scratch for 1, 2, 3, 5, 8, ... iterations, until it stops by itself. Yields where each run ends.

    An iteration counts n visits: further steps of a line search and products with the Hessian are not known.

    Args:
        method: scikit-learn's ``solver``.

    Raises:
        UserError: see ``harness.rows_and_labels``.
    """
    data = harness.rows_and_labels("sklearn", objective.split)
    from sklearn.linear_model import LogisticRegression

    strength = (2 if parts.classes(objective.split).num_labels == 2 else 1) / objective.C
    given = {"C": strength, "fit_intercept": False, "tol": harness.TOLERANCE, "solver": method}
    make = partial(LogisticRegression, **given)
    yield from harness.fits(objective, rng, "scikit-learn", data, make, lambda model: model.coef_)
