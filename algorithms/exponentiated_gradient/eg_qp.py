"""Exponentiated gradient on an explicit quadratic program over simplices, EG-QP of eg2004, Figure 3.

For the hinge of a small multiclass problem, it minimises Q(u) = b . u + u . A u / 2 over distributions u_i, one
after another in the vector u. With g_{i,y} = f(x_i, y_i) - f(x_i, y),

    b_{i,y} = -e_{i,y},   A_{(i,y),(j,z)} = g_{i,y} . g_{j,z} / C,   so that Q(u) = -D(u),

by u_{i,y} <- u_{i,y} exp(-eta s_{i,y}) / Z_i with s = b + A u. eg2004 has C' = 1 / C and the program C' Q. Its
step size C eta gives the iterates of eta here, which are those of ``eg`` with mode=batch.

Theorem 2 is for eta = 0.4 / (B + lambda), with lambda the largest eigenvalue of A and B the largest range of the
gradient. After T steps from u^1, for any u,

    Q(u^{T+1}) <= Q(u) + 2.5 (B + lambda) D(u, u^1) / T + 1.5 (Q(u^1) - Q(u^{T+1})) / T.

B here is max_{i,y} max_u s_{i,y} - min_{i,y} min_u s_{i,y}. That is at least the paper's B, the maximum over u of
the difference, so that the theorem holds. Memory: the square of n K numbers.
"""

from collections.abc import Iterator
from functools import partial
from itertools import count
from typing import Annotated, Any

import numpy as np

from structbench.algorithms.learning.declaration import Settings, algorithm
from structbench.algorithms.learning.objective import Dual, Iterate, Objective
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features
from structbench.algorithms.structures import interface as parts

MOST_VARIABLES = 5000
MOST_EXACT = 2000  # variables of which all eigenvalues are found
SAFE = 0.4  # of Theorem 2


@algorithm(
    label="EG-QP",
    loss="polyhedral",
    needs=("parts", "feature rows", "single decisions"),
    settings=Settings(
        figures=(),  # an explicit quadratic program
    ),
    references=("eg2004",),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    start: Annotated[float, ">= 0"] = 10.0,
    eta: Annotated[float, ">= 0"] = 0.0,
) -> Iterator[Iterate]:
    """Run EG-QP. Yields w = 0, then w(u) / C of the first u, after n visits, and of each further step.

    The notes hold eta, B, lambda, Q(u^1) as ``first_Q`` and, as ``divergence``, D(u, u^1) of the current u.

    Args:
        start: as of ``eg``.
        eta: the step size. 0 is that of Theorem 2, 0.4 / (B + lambda), or 1 where B + lambda = 0.

    Raises:
        UserError: there are too many examples for an explicit program, or the iteration for lambda fails.
    """
    from scipy.special import log_softmax

    split, C = objective.split, objective.C
    examples = parts.classes(split)
    A, b = program(examples, C)
    B, largest = constants(A, b, examples.num_labels)
    if eta == 0:
        eta = SAFE / (B + largest) if B + largest > 0 else 1.0  # Q is constant: no step moves u
    n, K = len(examples.y), examples.num_labels
    notes: dict[str, float | str] = {"eta": eta, "B": B, "lambda": largest}
    w = np.zeros(parts.num_weights(split))
    yield Iterate(w, 0, notes=notes)
    gold, offsets = np.zeros((n, K)), parts.offsets(split)
    seen = examples.y >= 0
    gold[seen, examples.y[seen]] = 1.0
    first = log_u = log_softmax(start * b.reshape(n, K), axis=1)
    u = np.exp(first).ravel()
    notes["first_Q"] = float(b @ u + u @ A @ u / 2)

    def at(u: np.ndarray) -> tuple[float, np.ndarray]:
        found = np.zeros_like(w)
        parts.add_expected_features(split, 0, offsets, (gold - u).ravel(), found)
        return float(-(b @ u.ravel())), found

    for step in count(1):
        u = np.exp(log_u)
        conjugate, w = at(u)
        divergence = float((u * (log_u - first)).sum())
        dual = Dual(conjugate, recompute=partial(at, u))
        yield Iterate(w, step * n, dual, notes | {"divergence": divergence}, scale=1 / C)
        s = b + A @ u.ravel()
        log_u = log_softmax(log_u - eta * s.reshape(n, K), axis=1)


def program(examples: parts.Classes, C: float) -> tuple[np.ndarray, np.ndarray]:
    """A, shape (n K, n K), and b, shape (n K,).

    Raises:
        UserError: see ``solve``.
    """
    n, K = len(examples.y), examples.num_labels
    if n * K > MOST_VARIABLES:
        raise UserError(
            f"eg-qp writes out a quadratic program of n K = {n * K:,} variables, at most {MOST_VARIABLES:,}: "
            "take fewer examples, or eg with mode=batch, which makes the same steps"
        )
    x = features.as_matrix(examples.x)
    grams = x @ x.T
    grams = grams if isinstance(grams, np.ndarray) else grams.toarray()
    one_hot = np.vstack([np.eye(K), np.zeros(K)])  # the last row: a class never seen in training
    g = (one_hot[examples.y][:, None] - np.eye(K)).reshape(n * K, K)
    A = np.kron(grams, np.ones((K, K))) * (g @ g.T) / C
    e = (np.arange(K) != examples.y[:, None]).astype(float)
    return A, -e.ravel()


def constants(A: np.ndarray, b: np.ndarray, K: int) -> tuple[float, float]:
    """B and lambda of Theorem 2 for a program over simplices of K variables each.

    Raises:
        UserError: the iteration for lambda does not converge.
    """
    by_example = A.reshape(len(b), -1, K)
    most, least = b + by_example.max(axis=2).sum(axis=1), b + by_example.min(axis=2).sum(axis=1)
    return float(most.max() - least.min()), _largest_eigenvalue(A) if A.any() else 0.0


def _largest_eigenvalue(A: np.ndarray) -> float:
    from scipy.sparse.linalg import (
        ArpackNoConvergence,
        eigsh,
    )  # slow to load, and a config of runs loads this file

    if len(A) <= MOST_EXACT:
        return float(np.linalg.eigvalsh(A)[-1])
    begin = np.random.default_rng(0).normal(size=len(A))  # orthogonal to no eigenvector
    try:
        return float(eigsh(A, k=1, v0=begin, return_eigenvectors=False)[0])
    except ArpackNoConvergence as error:
        raise UserError(
            f"eg-qp: the iteration for the largest eigenvalue of a program of n K = {len(A):,} variables does not "
            f"converge: take fewer examples, of up to {MOST_EXACT:,} variables it is found directly"
        ) from error
