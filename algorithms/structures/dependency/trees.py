"""Check that heads form a tree: connected and, if required, projective or with one root.

A tree is projective if none of its arcs cross, drawn above the sentence with the root on its left (eg2008,
section 7.2).
"""

from typing import Any

import numpy as np

from structbench.algorithms.runtime.arrays import frozen
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import checks

TREE, CYCLE, ROOTS, CROSSING = range(4)


def checked(what: str, heads: Any, tokens: checks.Places, single_root: bool, projective: bool) -> np.ndarray:
    """The heads, (tokens,) int32, of a tree for each sentence: 0 for the root, or a token from 1 on.

    Args:
        what: the heads' name in the error.
        single_root: only one token may have the head 0.
        projective: arcs may not cross.

    Raises:
        UserError: a head is out of range, or a sentence has no such tree; says which tokens are wrong.
    """
    most = np.repeat(tokens.lengths, tokens.lengths)
    heads = frozen(tokens.integers(f"{what}: the head", heads, 0, most), np.int32)
    fault, i, m, other = _first_fault(frozen(tokens.starts, np.int64), heads, bool(single_root), projective)
    if fault == TREE:
        return heads
    where = f"{what} of sentence {i}"
    if fault == CYCLE:
        raise UserError(f"{where} must be a tree, but from token {m} its heads lead back to it")
    if fault == ROOTS:
        raise UserError(f"{where} must have one token under the root, not tokens {m} and {other}")
    its = heads[tokens.starts[i] + np.array([m, other]) - 1]
    raise UserError(f"{where} must be projective, but the arcs {its[0]} -> {m} and {its[1]} -> {other} cross")


@kernel
def _first_fault(starts, heads, single_root, projective):
    """The first fault, its sentence and its two tokens."""
    for i in range(starts.shape[0] - 1):
        first, length = starts[i], starts[i + 1] - starts[i]
        reached_from = np.zeros(length + 1, np.int64)
        for m in range(1, length + 1):
            h = m
            while h > 0 and reached_from[h] == 0:
                reached_from[h] = m
                h = heads[first + h - 1]
            if h > 0 and reached_from[h] == m:
                return CYCLE, i, h, h
        root = 0
        for m in range(1, length + 1):
            h = heads[first + m - 1]
            if h == 0 and root > 0 and single_root:
                return ROOTS, i, root, m
            root = m if h == 0 else root
            for k in range(min(h, m) + 1, max(h, m) if projective else 0):
                if not min(h, m) <= heads[first + k - 1] <= max(h, m):
                    return CROSSING, i, m, k
    return TREE, 0, 0, 0
