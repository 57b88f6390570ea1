"""The best projective tree (Eisner 1996): the recursions of ``eisner`` with maxima in place of sums."""

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures.dependency.arcs import part


@kernel
def best_tree(length, s, single_root, heads):
    """heads[m] of the best tree, m = 1 .. T, for the scores of all arcs; returns its score.

    If choices tie, the first wins: the leftmost split.
    """
    n = length + 1
    sums, choices = np.zeros((6, n, n)), np.empty((3, n, n), np.int32)
    right, right_t, left, left_t, over, under = sums[0], sums[1], sums[2], sums[3], sums[4], sums[5]
    split, above, below = choices[0], choices[1], choices[2]  # the q of U, the r of C>, the r of C<
    for width in range(1, n):
        for a in range(n - width):
            b = a + width
            last = a + 1 if a == 0 and single_root else b
            top, at = _largest(right[a, a:last], left_t[b, a + 1 : last + 1])
            split[a, b] = a + at
            over[a, b] = s[part(length, a, b)] + top
            if a > 0:
                under[b, a] = s[part(length, b, a)] + top
                top, at = _largest(left[a, a:b], under[b, a:b])
                left[a, b] = left_t[b, a] = top
                below[a, b] = a + at
            top, at = _largest(over[a, a + 1 : b + 1], right_t[b, a + 1 : b + 1])
            right[a, b] = right_t[b, a] = top
            above[a, b] = a + 1 + at
    _read_off(length, split, above, below, heads)
    return right[0, length]


@kernel
def _largest(a, b):
    """The largest a_k + b_k, and the first k that attains it; with NaN, some k."""
    at = 0
    top = a[0] + b[0]
    for k in range(1, a.shape[0]):
        if a[k] + b[k] > top:
            top, at = a[k] + b[k], k
    return top, at


@kernel
def _read_off(length, split, above, below, heads):
    """The heads that the choices lead to, starting from all tokens."""
    size = 2 * length + 2  # each span that is read leaves three
    first, last, rightwards = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64)
    first[0], last[0], rightwards[0] = 0, length, 1
    left = 1
    while left > 0:
        left -= 1
        a, b = first[left], last[left]
        if a == b:
            continue
        if rightwards[left]:
            r = above[a, b]
            heads[r] = a
            inner_first, inner_last = a, r
            first[left], last[left], rightwards[left] = r, b, 1
        else:
            r = below[a, b]
            heads[r] = b
            inner_first, inner_last = r, b
            first[left], last[left], rightwards[left] = a, r, 0
        q = split[inner_first, inner_last]
        first[left + 1], last[left + 1], rightwards[left + 1] = inner_first, q, 1
        first[left + 2], last[left + 2], rightwards[left + 2] = q + 1, inner_last, 0
        left += 3
