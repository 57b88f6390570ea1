"""Operations of structures whose examples have a class but no features: only a kernel compares them.

They have no weights of features and no parts. Algorithms learn how each example scores, ``with_rows``.
"""

from typing import Any

from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import multiclass
from structbench.algorithms.structures.compiled import implements


def implement_shared(kind: type) -> None:
    """Give a structure with the fields y, int32 (n,), and num_labels the operations that all share."""
    for implementation in (num_examples, num_decisions, num_weights, decisions, with_rows):
        implements(kind)(implementation)


def num_examples(c):
    return c.y.shape[0]


def num_decisions(c, i):
    return 1


def num_weights(c: Any) -> int:
    return 0


def decisions(c: Any) -> parts.Decisions:
    return parts.Decisions(c.y, c.num_labels)


def with_rows(c: Any, x: ft.Features) -> multiclass.Multiclass:
    return multiclass.build(x, c.y, c.num_labels)
