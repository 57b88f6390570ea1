"""A model that is a sum over support vectors: scores are sums of kernels, without weights of features.

Each training decision t has a row alpha_t with a number for each label. Decisions whose rows are not 0 are the
support vectors. A decision at x scores label k by

    s_k(x) = sum_t alpha_{t,k} K(x_t, x),     ||w||^2 = sum_k alpha_k' K alpha_k.

That is w . f where w = sum_t alpha_{t,k} phi(x_t) for an unknown map phi. So alpha replaces the weights, and rows
K(., x) of a Gram matrix replace features (klein2011, "Dual / Kernelized Perceptron"). In a sequence the decisions
are its labels. The weights of transitions, which are linear, follow after alpha.
"""

from typing import Any

import numpy as np

from structbench.algorithms.kernel_methods.gram import Gram
from structbench.algorithms.kernel_methods.similarity import Kernel
from structbench.algorithms.learning.objective import Model, Objective, Value
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import prediction

TESTED = 0.25  # of the memory for rows of the Gram matrix: as much again is for kernels with test examples
ROUNDING = 1e-9  # relative to its terms: how far below 0 a square norm may be


def require_positive(kernel: str, square: float, size: float) -> None:
    """Check that a square norm is not below 0, as an indefinite kernel's. ``size``: before anything cancelled.

    Raises:
        UserError: it is.
    """
    if square < -ROUNDING * size:
        raise UserError(
            f"the kernel {kernel} is not positive semi-definite: a vector in its space has the square norm "
            f"{square:.6g}, so that there is nothing to minimise; choose another, or other parameters"
        )


class SupportVectors(Model):
    """``objective.Model`` of a vector: alpha (decisions, K), flattened, then the linear weights, if any.

    ``gram``: K of the decisions of ``split``, shared with the algorithm that fills it.
    """

    def __init__(self, split: Any, kernel: Kernel, megabytes: float) -> None:
        self.split, self.kernel, self.megabytes = split, kernel, megabytes
        self._tested: tuple[Any, Gram] | None = None  # the last predicted split, and its kernels
        points = kernel.points(split)
        blank = (ft.dense(np.zeros((len(points), columns))) for columns in (1, 2))
        narrow, wide = (parts.with_rows(parts.unwrap(split), x) for x in blank)
        one, two = parts.num_weights(narrow), parts.num_weights(wide)
        *_, starts = prediction.label_room(parts.compiled(narrow))
        self.gram = Gram(points, megabytes, int(np.diff(starts).max(initial=1)))
        self.num_labels, self.num_linear = two - one, one - (two - one)

    @property
    def size(self) -> int:
        """Length of the vector."""
        return len(self.gram.points) * self.num_labels + self.num_linear

    def scored(self, split: Any, scores: np.ndarray) -> Any:
        """The split with these scores (decisions, K) of its labels as features; ``on_scores`` weighs them."""
        return parts.with_rows(parts.unwrap(split), ft.dense(scores))

    def on_scores(self, linear: np.ndarray) -> np.ndarray:
        """Weights of ``scored``: each score counts for its own label."""
        return np.concatenate([np.eye(self.num_labels).ravel(), linear])

    def _apart(self, vector: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        end = len(vector) - self.num_linear
        return vector[:end].reshape(-1, self.num_labels), vector[end:]

    def _square(self, alpha: np.ndarray, scores: np.ndarray, linear: np.ndarray) -> float:
        products = alpha * scores
        square = float(products.sum())
        require_positive(self.kernel.name, square, float(np.abs(products).sum()))
        return max(square, 0.0) + float(linear @ linear)

    def evaluate(
        self, objective: Objective, vector: np.ndarray, conjugate: float | None, dual_weights: np.ndarray | None
    ) -> Value:
        """The primal value, and the dual value of the dual variables if there are some."""
        if objective.loss == "none":
            return Value(np.nan, np.nan)
        alpha, linear = self._apart(vector)
        scores = self.gram.times(alpha)
        square = self._square(alpha, scores, linear)
        mine = Objective(self.scored(objective.split, scores), objective.loss, objective.C)
        losses, _ = mine.losses_and_conjugates(self.on_scores(linear), None)
        primal = float(losses.sum()) + objective.C * square / 2
        if conjugate is None:
            return Value(primal, np.nan)
        if dual_weights is None:
            return Value(primal, conjugate - objective.C * square / 2)
        return Value(primal, self.dual_value(objective, conjugate, dual_weights))

    def dual_value(self, objective: Objective, conjugate: float, dual_weights: np.ndarray) -> float:
        """The dual value of dual variables."""
        return conjugate - self.norm(dual_weights) ** 2 / (2 * objective.C)

    def norm(self, vector: np.ndarray) -> float:
        """||w|| in the space of the kernel; NaN if a number is not finite."""
        if not np.isfinite(vector @ vector):
            return np.nan
        alpha, linear = self._apart(vector)
        return float(np.sqrt(self._square(alpha, self.gram.times(alpha), linear)))

    def predictions(self, split: Any, vector: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Predict by exact inference on the scores, to which only support vectors contribute."""
        alpha, linear = self._apart(vector)
        if parts.unwrap(split) is parts.unwrap(self.split):
            scores = self.gram.times(alpha)
        else:
            scores = self._scores(parts.unwrap(split), alpha)
        return prediction.predictions(self.scored(split, scores), self.on_scores(linear))

    def _scores(self, split: Any, alpha: np.ndarray) -> np.ndarray:
        """Scores of another split's decisions, (decisions, K). Its kernels with support vectors are kept."""
        if self._tested is None or self._tested[0] is not split:
            others = self.kernel.points(split)
            self._tested = split, Gram(self.gram.points, TESTED * self.megabytes, others=others)
        kernels = self._tested[1]
        kernels.keep(np.flatnonzero(alpha.any(axis=1)))
        return kernels.times(alpha)
