"""The multiclass kernel SVM: block coordinate ascent on its dual, with working sets and a cached Gram matrix.

With u_i the dual distribution of example i over the K classes, at the start all on y_i,

    max_u  sum_i (1 - u_i(y_i)) - ||w(u)||^2 / (2 C),    w(u) = sum_i sum_k (1[k = y_i] - u_i(k)) phi(x_i) e_k

(klein2011, "Dual Formulation for SVMs", with the 0-1 loss; Crammer and Singer 2001). The scores S = w(u)/C . phi
of all examples are kept. Let g_i(k) = 1[k != y_i] + S_i(k). Then max_k g_i(k) - u_i . g_i is the share of an
example in the duality gap. A round costs a look at all n K scores. The examples with the largest shares are a
working set (Joachims 1999). On its own Gram matrix, blocks are optimised in turn,

    u_i <- the point of the simplex nearest to u_i + C g_i / K(x_i, x_i)

(Keerthi, Sundararajan, Chang, Hsieh and Lin, A sequential dual method for large scale multi-class linear SVMs,
2008), until most of the gap within the set is closed. Memory: the Gram matrix up to ``cache``, and 3 n K numbers.
"""

from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np

from structbench.algorithms.kernel_methods import similarity
from structbench.algorithms.kernel_methods.support_vectors import SupportVectors, require_positive
from structbench.algorithms.learning.declaration import Promises, Settings, algorithm
from structbench.algorithms.learning.l1_ball import shrinkage
from structbench.algorithms.learning.objective import Dual, Hints, Iterate, Objective, require_labels
from structbench.algorithms.runtime.kernel import kernel as compiled
from structbench.algorithms.runtime.vector_math import copy_to
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.costs import require_hamming

ROUNDING = 1e-13  # of the scores: a share in the gap below it counts as 0
INNER_TOLERANCE, MOST_SWEEPS = 0.1, 50  # a working set is done when this share of its gap is left, or after these


@algorithm(
    label="Kernel SVM",
    loss="polyhedral",
    needs=lambda kernel, **_: (parts.SINGLE_DECISIONS, parts.OTHER_ROWS, similarity.COMPARED[kernel]),
    random=False,
    promises=Promises(monotone=True),
    settings=Settings(figures=()),  # n^2 kernels: not on all data
    references=("crammer2001", "joachims1999"),
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
    working: Annotated[int, ">= 1", "<= 1024"] = 256,
    cache: Annotated[float, "> 0"] = 1024.0,
) -> Iterator[Iterate]:
    """Run it from u_i = y_i. A look at an example's scores counts as a visit: n a round, and one each block.

    It ends when no example has a share in the gap.

    Args:
        kernel, gamma, length, decay, cache: as of ``kernel_perceptron``.
        working: examples in a working set.

    Raises:
        UserError: a gold label is not known, the data have costs, or the kernel turns out to be indefinite.
    """
    require_labels(objective.split, "kernel-svm")
    require_hamming(objective.split, "kernel-svm")
    model = SupportVectors(objective.split, similarity.named_kernel(kernel, gamma, length, decay), cache)
    y, K = parts.decisions(parts.unwrap(objective.split))
    n, C, visits = len(y), objective.C, 0
    right = np.eye(K)[y]
    u, scores = right.copy(), np.zeros((K, n))

    def recompute_dual() -> tuple[float, np.ndarray]:
        return float((1 - u[np.arange(n), y]).sum()), (right - u).ravel()

    def iterate() -> Iterate:
        conjugate, dual = recompute_dual()
        again = Dual(conjugate, recompute=recompute_dual)
        return Iterate(dual, visits, again, scale=1 / C, hints=Hints(model=model))

    yield Iterate((right - u).ravel(), 0, scale=1 / C, hints=Hints(model=model))
    while True:
        shares = _shares(scores, u, 1.0 - right)
        visits += n
        chosen = np.flatnonzero(shares > 0.0)
        if len(chosen) > working:
            chosen = np.sort(chosen[np.argpartition(shares[chosen], -working)[-working:]])
        if not len(chosen):
            yield iterate()
            return
        slots = model.gram.slots(chosen)
        products = np.ascontiguousarray(model.gram.store[slots[:, None], chosen])
        _require_lengths(kernel, products)
        before = u.copy()
        visits += _optimise(products, C, y[chosen], np.ascontiguousarray(scores[:, chosen]), u, chosen)
        scores += model.gram.times((before - u) / C).T
        yield iterate()


def _require_lengths(kernel: str, products: np.ndarray) -> None:
    """Check that no square norm and no squared distance ||phi(x_i) - phi(x_j)||^2 of a working set is negative.

    Raises:
        UserError: a kernel is indefinite.
    """
    squares = np.diag(products)
    distances = squares[:, None] + squares - 2 * products
    worst = np.unravel_index(np.argmin(distances), distances.shape)
    size = abs(squares[worst[0]]) + abs(squares[worst[1]]) + 2 * abs(products[worst])
    require_positive(kernel, float(distances[worst]), float(size))
    require_positive(kernel, float(squares.min()), float(abs(squares).max()))


def _shares(scores: np.ndarray, u: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """max_k g_i(k) - u_i . g_i of each example i, or 0 if that is rounding."""
    g = scores.T + costs
    top = g.max(axis=1)
    shares = top - np.einsum("ik,ik->i", u, g)
    return np.where(shares > ROUNDING * (1.0 + abs(top)), shares, 0.0)


@compiled
def _optimise(products, C, y, scores, u, chosen):
    """Optimise blocks of a working set in turn, against its own scores (K, size). Returns how many."""
    K, size = scores.shape
    g, found = np.empty(K), np.empty(K)
    looked, first = 0, 0.0
    for sweep in range(MOST_SWEEPS):
        gap = 0.0
        for a in range(size):
            looked += 1
            u_a, square = u[chosen[a]], products[a, a]
            top, mean = 0, 0.0
            for k in range(K):
                g[k] = scores[k, a] + (1.0 if k != y[a] else 0.0)
                top = k if g[k] > g[top] else top
                mean += u_a[k] * g[k]
            share = g[top] - mean
            if share <= ROUNDING * (1.0 + abs(g[top])):
                continue
            gap += share
            if square > 0.0:
                for k in range(K):
                    found[k] = u_a[k] + (g[k] - g[top]) * C / square
                _onto_simplex(found, g)
            else:
                found[:] = 0.0
                found[top] = 1.0
            for k in range(K):
                step = (u_a[k] - found[k]) / C
                u_a[k] = found[k]
                if step != 0.0:
                    for b in range(size):
                        scores[k, b] += step * products[a, b]
        first = gap if sweep == 0 else first
        if gap <= INNER_TOLERANCE * first:
            break
    return looked


@compiled
def _onto_simplex(v, memory):
    """v = the nearest point with v >= 0 and sum 1. It is 0 wherever v is below its largest number by 1 or more."""
    top = v.max()
    for k in range(v.shape[0]):
        v[k] = max(v[k] - top + 1.0, 0.0)
    copy_to(v, memory)
    excess = shrinkage(memory, 1.0)
    for k in range(v.shape[0]):
        v[k] = max(v[k] - excess, 0.0)
