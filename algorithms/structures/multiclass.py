"""Multiclass classification: one part per class, p(y | x) proportional to exp(w_y . x).

Weights: a matrix (columns, K), flattened by rows. The model of eg2008, section 7.1.
"""

from typing import NamedTuple

import numpy as np

from structbench.algorithms.runtime.arrays import Floats, Labels, Matrix, frozen
from structbench.algorithms.structures import checks, costs, counting, single_choice, transposed
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.layouts import layout
from structbench.algorithms.structures.taking import implement_take


@layout
class Classified(NamedTuple):
    """``y``: int32 (n,), -1 for a class never seen in training; ``squares``: ||x_i||^2, float64 (n,).

    ``costs``: of wrong labels, see the module ``costs``.
    """

    layouts = (single_choice.Choice, counting.OneDecision)

    y: Labels
    squares: Floats
    num_labels: int
    costs: Matrix


class Multiclass(NamedTuple):
    """Feature rows, and the fields of ``Classified``."""

    id = "multiclass"
    layouts = (Classified,)

    x: ft.Features
    y: Labels
    squares: Floats
    num_labels: int
    costs: Matrix = costs.HAMMING


def build(x: ft.Features, y: np.ndarray, num_labels: int) -> Multiclass:
    """A split from n feature rows and n labels in -1 .. num_labels - 1.

    Raises:
        UserError: there are more or fewer rows than labels, or a label is out of range.
    """
    y = checks.classes(y, num_labels, ft.shape(x)[0], "feature rows")
    matrix = ft.as_matrix(x)
    squares = (matrix * matrix).sum(axis=1)
    return Multiclass(x, frozen(y, np.int32), frozen(squares, np.float64), int(num_labels))


implement_take(Multiclass, each=("x", "y", "squares"))


@implements(Classified)
def num_parts(m, i):
    return m.num_labels


@implements(Multiclass)
def scores(m, i, w, out):
    out[:] = 0.0
    ft.add_row_times(m.x, i, w.reshape((-1, m.num_labels)), out)


@implements(Classified)
def add_costs(m, i, c, out):
    if m.costs.shape[0] > 0:
        costs.add_costs_of_labels(m.costs, m.y[i], c, out, 0, m.num_labels)
        return
    for k in range(m.num_labels):  # without a call: it took 4 % of a digit's visit
        if k != m.y[i]:
            out[k] += c


@implements(Classified)
def gold(m, i, y):
    y[:] = 0.0
    if m.y[i] >= 0:
        y[m.y[i]] = 1.0


@implements(Multiclass)
def add_features(m, i, c, mu, w):
    W = w.reshape((-1, m.num_labels))
    ft.add_outer(m.x, i, c, mu, W, 0, W.shape[0])


@implements(Multiclass)
def prefetch(m, i):
    ft.prefetch_row(m.x, i)


@implements(Multiclass)
def feature_support(m, i, mu, out):
    count = 0
    for k in range(m.num_labels):
        if mu[k] != 0.0:
            count = ft.row_columns(m.x, i, k, m.num_labels, out, count)
    return count


@implements(Classified)
def squared_norm(m, i, mu):
    total = 0.0
    for k in range(m.num_labels):
        total += mu[k] * mu[k]
    return total * m.squares[i]


@implements(Classified)
def add_gram(m, i, c, mu, out):
    for k in range(m.num_labels):
        out[k] += c * m.squares[i] * mu[k]


@implements(Classified)
def labels(m, i, y, out):
    out[0] = 0
    for k in range(m.num_labels):
        if y[k] > 0.5:
            out[0] = k


# ---- a whole split ---------------------------------------------------------------------------------


@implements(Multiclass)
def decisions(m: Multiclass) -> parts.Decisions:
    return parts.Decisions(m.y, m.num_labels)


@implements(Multiclass)
def rows(m: Multiclass) -> ft.Features:
    return m.x


@implements(Multiclass)
def with_rows(m: Multiclass, x: ft.Features) -> Multiclass:
    return build(x, m.y, m.num_labels)._replace(costs=m.costs)


@implements(Multiclass)
def with_used_features(m: Multiclass, w: np.ndarray) -> tuple[Multiclass, np.ndarray]:
    x, W = ft.used_columns(m.x, w.reshape(-1, m.num_labels))
    return m._replace(x=x), W.ravel()


@implements(Multiclass)
def num_weights(m: Multiclass) -> int:
    return ft.shape(m.x)[1] * m.num_labels


@implements(Multiclass)
def add_expected_features(m: Multiclass, first: int, offsets: np.ndarray, mu: np.ndarray, out: np.ndarray) -> None:
    x = ft.block_rows(m.x, first, first + len(offsets) - 1)
    transposed.add_transpose_times(x, offsets[:-1], mu, out.reshape(-1, m.num_labels))
