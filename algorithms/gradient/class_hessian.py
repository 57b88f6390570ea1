"""The Hessian of multiclass losses, and the Newton or interior-point steps that it gives, for few weights.

For scores S = X W the losses have the Hessian sum_i A_i (x) x_i x_i^T. A_i is a matrix of labels,
diag(d_i) - d_i d_i^T / sum(d_i), and d_i says which loss or barrier it is. A step solves
(C + sum_i A_i (x) x_i x_i^T) V = G. Scales of features do not matter to it.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.linalg

from structbench.algorithms.learning.objective import Objective, require_labels
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts

NEEDS = ("parts", "feature rows", "single decisions")
MAX_WEIGHTS = 5_000  # their Hessian takes 200 MB
LEAST_RIDGE = 1e-14  # of the scaled Hessian, if rounding makes it indefinite


def require_few_weights(split: Any) -> None:
    """Refuse data whose Hessian is too large.

    Raises:
        UserError: there are more than ``MAX_WEIGHTS`` weights.
    """
    if (size := parts.num_weights(split)) > MAX_WEIGHTS:
        raise UserError(
            f"newton and interior-point keep a matrix of all pairs of weights: {size} weights, labels times "
            f"features, are more than {MAX_WEIGHTS}: choose lbfgs, or smo for the hinge"
        )


class Examples:
    """Dense rows x (n, columns), gold outputs (n, K) of 0 and 1, and costs (n, K) times the loss's lambda.

    Weights are matrices (columns, K), dual points distributions (n, K), times ``factors`` (n, 1) of the losses.

    Raises:
        UserError: a label is unknown.
    """

    def __init__(self, objective: Objective, algorithm: str) -> None:
        require_labels(objective.split, algorithm)
        x, y, self.num_labels = parts.classes(parts.unwrap(objective.split))
        rows = ft.as_matrix(x)
        self.x = rows if isinstance(rows, np.ndarray) else rows.toarray()
        self.C, self.loss = objective.C, objective.loss_terms
        self.gold = np.eye(self.num_labels)[y]
        self.factors = np.broadcast_to(objective.loss_factors, len(y))[:, None]
        self.costs = np.zeros_like(self.gold)
        _add_costs(objective.split, self.loss.cost, self.costs)

    def gradient(self, u: np.ndarray) -> np.ndarray:
        """w(u) as a matrix. Gold outputs count as 1 less the others, so that little mass keeps its digits."""
        others = u * (1 - self.gold)
        return self.x.T @ (self.gold * others.sum(axis=1, keepdims=True) - others)

    def dual_point(self, u: np.ndarray) -> tuple[float, np.ndarray]:
        """lambda E_u[e] and w(u), of u brought to the sums of ``factors``."""
        u = self.factors * (u / u.sum(axis=1, keepdims=True))
        return float((u * self.costs).sum()), self.gradient(u).ravel()

    def hinge(self, w: np.ndarray) -> float:
        """P(w) for the hinge."""
        s = self.x @ w
        losses = (s + self.costs).max(axis=1) - (s * self.gold).sum(axis=1)
        return float((self.factors[:, 0] * losses).sum()) + self.C * float((w * w).sum()) / 2

    def solver(self, d: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        """What solves (C + sum_i A_i (x) x_i x_i^T) V = G, for G whose labels sum to 0. V is NaN if it overflows.

        On such G and V a multiple of 1 1^T, added to A_i, changes nothing. It makes small C harmless.
        """
        (_, size), K = self.x.shape, self.num_labels
        shares = d / d.sum(axis=1, keepdims=True)
        diagonal = np.stack([d[:, k] * np.delete(shares, k, axis=1).sum(axis=1) for k in range(K)], axis=1)
        shift = diagonal.sum(axis=1) / K**2
        H = np.zeros((K, size, K, size))
        for k in range(K):
            for other in range(k + 1):
                a = diagonal[:, k] if k == other else -d[:, k] * shares[:, other]
                H[k, :, other, :] = (self.x.T * (a + shift)) @ self.x
        H = H.reshape(K * size, K * size)
        H[np.diag_indices_from(H)] += self.C
        scale = 1 / np.sqrt(np.diag(H))
        H *= scale
        H *= scale[:, None]
        if not np.isfinite(H).all():
            return partial(np.full_like, fill_value=np.nan)
        return partial(_solved, _factor(H), scale, K)


def _factor(H: np.ndarray) -> tuple[np.ndarray, bool]:
    """Cholesky's factor of a matrix whose diagonal is 1, of which only the lower triangle is read."""
    ridge = 0.0
    while True:
        try:
            return scipy.linalg.cho_factor(H, lower=True, check_finite=False)
        except scipy.linalg.LinAlgError:
            ridge = max(10 * ridge, LEAST_RIDGE)
            H[np.diag_indices_from(H)] = 1 + ridge


def _solved(factor: tuple[np.ndarray, bool], scale: np.ndarray, K: int, G: np.ndarray) -> np.ndarray:
    v = scipy.linalg.cho_solve(factor, G.T.ravel() * scale, check_finite=False) * scale
    return v.reshape(K, -1).T


@kernel
def _add_costs(split, weight, out):
    for i in range(out.shape[0]):
        parts.add_costs(split, i, weight, out[i])
