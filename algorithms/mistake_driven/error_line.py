"""The training error along a line, which is constant between the points where the best outputs change.

F. J. Och, Minimum error rate training in statistical machine translation, 2003, section 4. Along w + gamma d the
score of an output is a line a + gamma b in gamma. The best outputs of an example are the upper envelope of its
lines. The sum over all examples changes where an envelope turns, so that its least value is found exactly.
"""

import numpy as np

from structbench.algorithms.mistake_driven.output_lists import Lists
from structbench.algorithms.runtime.kernel import kernel

NARROW = 1e-9  # an interval of gamma no wider than this, relative to its place, may be rounding


def least(lists: Lists, a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """The least sum of costs on the line, and the middle of its interval; of several, the nearest to 0."""
    turns, changes = np.empty((2, len(a)))
    count, first = _turns(lists, a, b, turns, changes)
    order = np.argsort(turns[:count], kind="stable")
    at = turns[order]
    losses = first + np.concatenate([[0.0], np.cumsum(changes[order])])
    low, high = np.append(-np.inf, at), np.append(at, np.inf)
    with np.errstate(invalid="ignore"):
        wide = np.isinf(high - low) | (high - low > NARROW * (1.0 + np.minimum(abs(low), abs(high))))
    low, high, losses = low[wide], high[wide], losses[wide]
    best = np.flatnonzero(losses <= losses.min() + 1e-9)
    gammas = _middle(low[best], high[best])
    chosen = int(np.argmin(abs(gammas)))
    return float(losses[best[chosen]]), float(gammas[chosen])


def _middle(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """A point within each interval. Where one side is open, it is 1 + |end| beyond the other end."""
    with np.errstate(invalid="ignore"):
        left = np.where(np.isfinite(low), low, np.where(np.isfinite(high), high - 2 * (1 + abs(high)), 0.0))
        right = np.where(np.isfinite(high), high, np.where(np.isfinite(low), low + 2 * (1 + abs(low)), 0.0))
    return (left + right) / 2


@kernel
def _turns(lists, a, b, turns, changes):
    """Where envelopes turn, and how the cost changes there. Returns how often, and the cost before the first."""
    count, before = 0, 0.0
    for i in range(lists.starts.shape[0] - 1):
        begin, end = lists.starts[i], lists.starts[i + 1]
        if begin == end:
            continue
        top = begin
        for o in range(begin, end):
            if b[o] < b[top] or (b[o] == b[top] and a[o] > a[top]):
                top = o
        before += lists.losses[top]
        while True:
            following, soonest = -1, np.inf
            for o in range(begin, end):
                if b[o] > b[top]:
                    gamma = (a[top] - a[o]) / (b[o] - b[top])
                    if gamma < soonest or (gamma == soonest and following >= 0 and b[o] > b[following]):
                        following, soonest = o, gamma
            if following < 0:
                break
            turns[count], changes[count] = soonest, lists.losses[following] - lists.losses[top]
            count += 1
            top = following
    return count, before
