"""The order of examples in a pass, and random draws with weights that change after every draw.

A sum tree holds these weights. Its leaves are the weights, and each other node holds the sum of its children. It
is an array of 2 m numbers with m a power of two. The root is at 1, the children of node k are at 2 k and 2 k + 1,
the leaves begin at m. A draw and a change cost O(log n).
"""

from collections.abc import Iterator

import numpy as np

from structbench.algorithms.runtime.kernel import kernel

TICKS = 10  # yields per pass
NO_GAPS = np.empty(0)
UNIFORM = 0.2  # share of draws by gap that are uniform, because remembered gaps grow stale


def one_pass(rng: np.random.Generator, n: int, kind: str) -> np.ndarray:
    """The n examples of a pass: drawn with replacement (random), in a new order (permuted), or in file order."""
    if kind == "random":
        return rng.integers(0, n, size=n)
    return rng.permutation(n) if kind == "permuted" else np.arange(n)


def split_pass(examples: np.ndarray, count: int = TICKS) -> list[np.ndarray]:
    """Split a pass where the algorithm yields: into ``count`` pieces, or single visits if examples are fewer."""
    return np.array_split(examples, min(count, len(examples)))


def mixed_pass(
    rng: np.random.Generator, n: int, kind: str, uniform: float
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The pieces of a pass, each as examples of ``one_pass`` and as many numbers u for ``draw``.

    Where u is negative, the example of ``one_pass`` is meant.

    Args:
        uniform: the share of negative u. With 1, all are negative, and no random numbers are drawn.
    """
    examples = split_pass(one_pass(rng, n, kind))
    shares = (rng.random(n) - uniform) / (1 - uniform) if uniform < 1 else np.full(n, -1.0)
    return zip(examples, split_pass(shares), strict=True)


def ticks(
    rng: np.random.Generator,
    n: int,
    order: str,
    gaps: np.ndarray = NO_GAPS,
    count: int = TICKS,
    importance: np.ndarray | float = 1.0,
) -> Iterator[np.ndarray]:
    """The examples of each piece of a pass, ``count`` pieces a pass, without end.

    Args:
        order: as of ``one_pass``; or how to sample after a permuted pass: ``by_weight``, where that is the
            ``gap``, the ``importance`` or their product (``gap-importance``), or ``by_rank`` (``largest-gap``).
        gaps: the gap of each example, (n,), at the time of each draw.
        importance: a constant of each example, (n,).
    """
    uneven = order not in ("random", "permuted", "cyclic")
    while True:
        tick_by_tick = split_pass(one_pass(rng, n, "permuted" if uneven else order), count)
        yield from tick_by_tick
        size = n // len(tick_by_tick)
        while uneven:
            if order == "largest-gap":
                chances = by_rank(gaps, size, rng.random())
            else:
                weights = gaps if order == "gap" else importance if order == "importance" else gaps * importance
                chances = by_weight(np.asarray(weights), size)
            yield sample(chances, size, rng)


def by_weight(weights: np.ndarray, count: int) -> np.ndarray:
    """The chance p_i of each example to be among ``count``.

    p_i = min(1, c ((1 - UNIFORM) weight_i / sum(weights) + UNIFORM / n)), and c gives them the sum ``count``. Le
    Priol, Piche and Lacoste-Julien (2018) draw so for SDCA, one example at a time.
    """
    if np.isinf(weights).any():  # they come first
        weights = np.isinf(weights).astype(float)
    total, n = weights.sum(), len(weights)
    chances = np.full(n, count / n)
    if total > 0:
        chances = count * (UNIFORM / n + (1 - UNIFORM) * weights / total)
    certain = chances >= 1
    while chances.max() > 1:
        chances[certain] = 1
        if certain.all():  # by rounding
            break
        chances[~certain] *= (count - certain.sum()) / chances[~certain].sum()
        certain |= chances >= 1
    return chances


def by_rank(weights: np.ndarray, count: int, u: float) -> np.ndarray:
    """The same where 1 - UNIFORM of the count are those of the largest weights, and the others have equal chances.

    A uniform number u, 0 <= u < 1, rounds the count of the largest.
    """
    n, largest = len(weights), int(count * (1 - UNIFORM) + u)
    chances = np.full(n, (count - largest) / max(1, n - largest))
    chances[np.argsort(weights)[n - largest :]] = 1.0
    return chances


def sample(chances: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """Sample ``count`` of the examples, each at most once; example i has its place with the probability chances_i.

    A visited example waits for the next sample, which knows its gap. Draws are from evenly spaced places, in
    random order.
    """
    drawn = np.full(count, len(chances) - 1)
    _at_even_places(chances, rng.random(), drawn)
    return rng.permutation(drawn)


@kernel
def _at_even_places(shares, first, drawn):
    """The examples at the shares (first + k) / count, k = 0, 1, ..., of the sum of all shares in order."""
    total, k = 0.0, 0
    for i in range(shares.shape[0]):
        total += shares[i]
    step = total / drawn.shape[0]
    total = 0.0
    for i in range(shares.shape[0]):
        total += shares[i]
        while k < drawn.shape[0] and (first + k) * step < total:
            drawn[k] = i
            k += 1


def sum_tree(weights: np.ndarray) -> np.ndarray:
    """The sum tree of these weights, at least 0, shape (n,)."""
    m = 1
    while m < len(weights):
        m *= 2
    sums = np.zeros(2 * m)
    sums[m : m + len(weights)] = weights
    while m > 1:
        m //= 2
        sums[m : 2 * m] = sums[2 * m : 4 * m : 2] + sums[2 * m + 1 : 4 * m : 2]
    return sums


@kernel
def change(sums, i, weight):
    """Give example i this weight."""
    k = sums.shape[0] // 2 + i
    sums[k] = weight
    while k > 1:
        k //= 2
        sums[k] = sums[2 * k] + sums[2 * k + 1]


@kernel
def draw(sums, u):
    """The example at share u, 0 <= u < 1, of the sum of all weights in order. Its weight is above 0."""
    left = u * sums[1]
    k = 1
    while k < sums.shape[0] // 2:
        k *= 2
        if left >= sums[k] and sums[k + 1] > 0.0:
            left -= sums[k]
            k += 1
    return k - sums.shape[0] // 2
