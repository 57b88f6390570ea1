"""Classes with hidden subclasses: a class scores as its best subclass does, and no label says which.

Part k H + h is subclass h of class k. Weights: a matrix (columns, K H), flattened by rows. The cost and the label
see the class alone, so that a gold output has no parts of its own. Algorithms have to choose them (klein2011,
"Likelihood, Structured").
"""

from typing import NamedTuple

import numpy as np

from structbench.algorithms.runtime.arrays import Labels, frozen
from structbench.algorithms.structures import checks, counting, single_choice
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as _  # noqa: F401 - the operations that are implemented here
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.taking import implement_take


class Subclasses(NamedTuple):
    """``y``: int32 (n,), the classes, -1 for one never seen in training; ``num_hidden``: H, of each class."""

    id = "subclasses"
    layouts = (counting.OneDecision,)
    lacks = "the right subclasses are hidden, so that only what chooses them can learn"

    x: ft.Features
    y: Labels
    num_labels: int
    num_hidden: int


def build(x: ft.Features, y: np.ndarray, num_labels: int, num_hidden: int) -> Subclasses:
    """A split from n feature rows and n classes in -1 .. num_labels - 1, each of ``num_hidden`` subclasses.

    Raises:
        UserError: there are more or fewer rows than classes, a class is out of range, or there are no subclasses.
    """
    y = checks.classes(y, num_labels, ft.shape(x)[0], "feature rows")
    return Subclasses(x, frozen(y, np.int32), int(num_labels), checks.number("num_hidden", num_hidden, 1))


implements(Subclasses)(single_choice.argmax)


implement_take(Subclasses, each=("x", "y"))


@implements(Subclasses)
def num_parts(m, i):
    return m.num_labels * m.num_hidden


@implements(Subclasses)
def scores(m, i, w, out):
    out[:] = 0.0
    ft.add_row_times(m.x, i, w.reshape((-1, m.num_labels * m.num_hidden)), out)


@implements(Subclasses)
def add_costs(m, i, c, out):
    for r in range(out.shape[0]):
        if r // m.num_hidden != m.y[i]:
            out[r] += c


@implements(Subclasses)
def add_features(m, i, c, mu, w):
    W = w.reshape((-1, m.num_labels * m.num_hidden))
    ft.add_outer(m.x, i, c, mu, W, 0, W.shape[0])


@implements(Subclasses)
def labels(m, i, y, out):
    for r in range(y.shape[0]):
        if y[r] > 0.5:
            out[0] = r // m.num_hidden


@implements(Subclasses)
def num_weights(m: Subclasses) -> int:
    return ft.shape(m.x)[1] * m.num_labels * m.num_hidden
