"""liblinear's dual method for the multiclass SVM of Crammer and Singer, a peer for the hinge.

scikit-learn calls it. It minimises ||w||^2 / 2 + C' sum_i loss_i(w) without intercept, hence C' = 1 / C. Source:
Keerthi, Sundararajan, Chang, Hsieh and Lin, KDD 2008; Fan, Chang, Hsieh, Wang and Lin, JMLR 2008. It does not
return its dual variables, so that its certificate is ours (``harness.HingeBound``).
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from structbench.algorithms.learning.declaration import algorithm
from structbench.algorithms.learning.objective import Hints, Iterate, Objective
from structbench.algorithms.peers import harness
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.costs import require_hamming

FIRST_TOLERANCE = 8.0
LAST_TOLERANCE = 1e-10
MOST_ITERATIONS = 100_000  # liblinear's own limit, which scikit-learn's ``max_iter`` does not change


@algorithm(
    label="LIBLINEAR",
    loss="polyhedral",
    needs=("feature rows", "single decisions"),
    packages={"sklearn": "scikit-learn"},
)
def solve(problem: Any, objective: Objective, rng: np.random.Generator) -> Iterator[Iterate]:
    """Run it from scratch for ever smaller tolerances on its dual's gradient. Yields where each run ends.

    Its iterations cannot be limited; half the tolerance takes some 1.6 times as many. An iteration counts n
    visits. That is too many: liblinear leaves out examples whose dual variables are at their bounds.

    Raises:
        UserError: see ``harness.rows_and_labels``; or the data have costs.
    """
    require_hamming(objective.split, "liblinear")
    x, y = harness.rows_and_labels("liblinear", objective.split)
    from sklearn.svm import LinearSVC

    n, notes, seed = parts.num_examples(objective.split), harness.note_of("scikit-learn"), int(rng.integers(2**31))
    yield harness.start(objective.split, notes)
    bound, before, tolerance = harness.HingeBound(problem, objective, seed), 0, FIRST_TOLERANCE
    while tolerance >= LAST_TOLERANCE and before < MOST_ITERATIONS:
        model = LinearSVC(
            C=1 / objective.C, multi_class="crammer_singer", fit_intercept=False, tol=tolerance, random_state=seed
        )
        _, seconds = harness.clocked(lambda model=model: model.fit(x, y))
        made = int(model.n_iter_)
        if made > before:
            told = notes | {"tolerance": tolerance}
            w = harness.weights_of(model.coef_)
            yield Iterate(w, n * made, bound.after(n * made), told, hints=Hints(seconds=seconds))
            before = made
        tolerance /= 2
