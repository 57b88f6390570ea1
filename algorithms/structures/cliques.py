"""Clique marginals as dual variables: their entropy, its derivatives, and moves of mass between two outputs."""

from typing import Any

import numpy as np

from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.rows import add_products
from structbench.algorithms.runtime.vector_math import log, short_log
from structbench.algorithms.structures import interface as parts

SHORT_LEAST = 1e-18  # arithmetic with squares of less is slow in float32
SAME = 128  # cliques in a row that two outputs often share, and that are compared in vector registers


def offsets(split: Any) -> np.ndarray:
    """Where each example's cliques begin in one array of all cliques; shape (num_examples + 1,)."""
    return parts.starts(parts.num_cliques, split)


def gold(split: Any) -> tuple[np.ndarray, np.ndarray]:
    """``offsets``, and the cliques of the right outputs of all examples."""
    starts = offsets(split)
    b = np.empty(starts[-1])
    parallel.for_each(_gold, len(starts) - 1, split, starts, b)
    return starts, b


@kernel
def _gold(first, last, split, starts, b):
    for i in range(first, last):
        y = np.empty(parts.num_parts(split, i))
        parts.gold(split, i, y)
        parts.cliques_of_output(split, i, y, b[starts[i] : starts[i + 1]])


@kernel(inline=True)
def entropy(split, i, b, sums):
    """H, the largest entropy of the distributions with clique marginals b. ``sums``: memory as long as b."""
    silent, count = parts.separators(split, i, b, sums)
    whole = entropy_of(b[silent:])
    return whole - entropy_of(sums[:count]) if count > 0 else whole


@kernel(inline=True)
def movable_mass(split, i, y1, y2, b, memory):
    """The most mass that can move from output y2 to y1: the least b over the cliques that only y2 has.

    Infinite if there are none. Returns also in how many cliques the outputs differ. ``memory``: two rows, as long
    as b or longer; they become the numbers of these cliques and their changes, for ``move_mass``.
    """
    of_y1, of_y2 = memory[0, : b.shape[0]], memory[1, : b.shape[0]]
    parts.cliques_of_output(split, i, y1, of_y1)
    parts.cliques_of_output(split, i, y2, of_y2)
    return _differences(of_y1, of_y2, b)


@kernel
def _differences(of_y1, of_y2, b):
    """See ``movable_mass``, whose results these are. Cliques that are read already make room for them."""
    least, count = np.inf, 0
    for block in range(-(-b.shape[0] // SAME)):
        begin = block * SAME
        mine, other = of_y1[begin : begin + SAME], of_y2[begin : begin + SAME]
        if _square_distance(mine, other) == 0.0:
            continue
        for c in range(mine.shape[0]):
            change = mine[c] - other[c]
            if change != 0.0:
                of_y1[count], of_y2[count] = begin + c, change
                count += 1
                if change < 0.0 and b[begin + c] < least:
                    least = b[begin + c]
    return least, count


@kernel(fastmath={"reassoc"})
def _square_distance(a, b):
    total = 0.0
    for c in range(a.shape[0]):
        total += (a[c] - b[c]) * (a[c] - b[c])
    return total


@kernel(inline=True)
def move_mass(mass, b, memory, count):
    """b += mass (the cliques of output y1 - those of output y2), as ``movable_mass`` left them in ``memory``."""
    for k in range(count):
        b[int(memory[0, k])] += mass * memory[1, k]


@kernel(fastmath={"reassoc"})
def entropy_of(b):
    """- sum_c b_c log b_c of a vector; NaN if one of them is."""
    total = 0.0
    for c in range(b.shape[0]):
        total -= 0.0 if b[c] <= 0.0 else b[c] * log(b[c])
    return total


@kernel
def blocked(rows, transitions, edges, b_rows, b_pairs, floor):
    """Negated scores of cliques, minus infinity where they have no probability above ``floor``.

    Cliques are rows of nodes or segments, (n, K), and pairs of neighbours, (T - 1, K, K). ``edges``: scores of the
    pairs besides the tied ones, or (0, K, K).
    """
    out_rows, out_pairs = np.empty_like(b_rows), np.empty_like(b_pairs)
    K = transitions.shape[0]
    for r in range(b_rows.shape[0]):
        for k in range(K):
            out_rows[r, k] = -rows[r, k] if b_rows[r, k] > floor else -np.inf
    for t in range(b_pairs.shape[0]):
        for j in range(K):
            for k in range(K):
                score = transitions[j, k] + (edges[t, j, k] if edges.shape[0] > 0 else 0.0)
                out_pairs[t, j, k] = -score if b_pairs[t, j, k] > floor else -np.inf
    return out_rows, out_pairs


@kernel
def add_pairs(pairs, transitions):
    """transitions = the sum over all pairs of neighbours (T - 1, K, K)."""
    count, size = pairs.shape[0], transitions.size
    transitions[:] = 0.0
    add_products(np.ones((count, 1)), pairs.reshape((count, size)), transitions.reshape((1, size)))


@kernel
def log_share(p, q):
    """log(p / q) of probabilities, minus infinity if p is 0, even if q is."""
    return -np.inf if p <= 0.0 else np.log(p) - np.log(q)


@kernel(fastmath={"reassoc"})
def slopes_of(b, d):
    """First and second derivative of ``entropy_of`` at b along d, without - sum_c d_c, which separators cancel."""
    first = second = 0.0
    outside = 0
    for c in range(b.shape[0]):
        inside = not b[c] <= 0.0  # NaN counts as inside: d d / b is NaN then
        first -= d[c] * log(b[c]) if inside else 0.0
        second -= d[c] * d[c] / b[c] if inside else 0.0
        outside += 0 if inside or d[c] == 0.0 else 1
    if np.isnan(second):
        return np.nan, np.nan
    if outside > 0:  # the slope is infinite where a probability of 0 grows
        return np.inf, -np.inf
    return first, second


@kernel(inline=True)
def slopes_of_difference(b, d, sums, changes):
    """First and second derivative of ``entropy`` at b along d; ``sums``, ``changes``: their separators.

    d is a difference of two clique marginals. Infinite (and minus infinity) where a probability of 0 would grow.
    """
    first, second = slopes_of(b, d)
    if first == np.inf or sums.shape[0] == 0:
        return first, second
    of_sums, bend = slopes_of(sums, changes)
    return first - of_sums, second - bend


@kernel
def shortened(b, d, memory):
    """b and b + d in float32, in ``memory``, which has as many float64. Less than ``SHORT_LEAST`` becomes 0."""
    size, short = b.shape[0], memory.view(np.float32)
    kept, target = short[:size], short[size:]
    for c in range(size):
        one, other = b[c], b[c] + d[c]
        kept[c] = np.float32(one) if one > SHORT_LEAST else np.float32(0.0)
        target[c] = np.float32(other) if other > SHORT_LEAST else np.float32(0.0)
    return kept, target


@kernel(fastmath={"reassoc", "contract"})
def _short_slopes_of(b, target, gamma):
    kept, first, second = np.float32(1.0) - gamma, np.float32(0.0), np.float32(0.0)
    for c in range(b.shape[0]):
        at, d = kept * b[c] + gamma * target[c], target[c] - b[c]
        inside = at > np.float32(0.0)
        first -= d * short_log(at) if inside else np.float32(0.0)
        second -= d * d / at if inside else np.float32(0.0)
    return first, second


@kernel(inline=True)
def short_slopes_of_difference(b, target, gamma, sums, changes):
    """``slopes_of_difference`` at b + gamma (target - b), 0 < gamma < 1, of float32 b and target; to some 1e-7."""
    first, second = _short_slopes_of(b, target, np.float32(gamma))
    of_sums, bend = slopes_of(sums, changes)
    return first - of_sums, second - bend
