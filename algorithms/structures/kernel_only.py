"""Operations of structures whose examples have a class but no features: only a kernel compares them.

They have no weights of features and no parts. Algorithms learn how each example scores, ``with_rows``.
"""

from typing import Any, NamedTuple

from structbench.algorithms.runtime.arrays import Labels
from structbench.algorithms.structures import counting, multiclass
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.layouts import layout


@layout
class KernelOnly(NamedTuple):
    """``y``: int32 (n,), -1 for a class never seen in training."""

    layouts = (counting.OneDecision,)

    y: Labels
    num_labels: int


@implements(KernelOnly)
def num_weights(c: Any) -> int:
    return 0


@implements(KernelOnly)
def decisions(c: Any) -> parts.Decisions:
    return parts.Decisions(c.y, c.num_labels)


@implements(KernelOnly)
def with_rows(c: Any, x: ft.Features) -> multiclass.Multiclass:
    return multiclass.build(x, c.y, c.num_labels)
