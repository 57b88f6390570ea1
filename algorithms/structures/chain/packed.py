"""Store the pair marginals of a chain in 24 bits each, so that what is read back is a valid distribution.

Pairs of neighbours are rounded to 24 bits: 7 of exponent, 17 of mantissa. Read back, the probabilities of the last
label are scaled to sum to 1. Then, from right to left, the pairs with each second label are scaled to sum to its
probability. So what is stored is a distribution, however it is rounded.
"""

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.rows import product, scale_columns
from structbench.algorithms.structures.chain.model import Chain
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.labelled.views import split_cliques

LOWER, UPPER = np.int32(6), np.int32(14)  # where the bits begin that are kept of a float32; below 2 it has 30
HALF = np.int32(32)  # what rounds to the nearest


@implements(Chain)
def num_packed(c, i):
    T, K = c.starts[i + 1] - c.starts[i], c.num_labels
    return -(-3 * (T * K * K - K * K + (T == 1) * K) // 8)


@kernel
def _codes(c, i, memory):
    """The upper 16 and the lower 8 bits of all numbers: the pairs, or a single node."""
    T, K = c.starts[i + 1] - c.starts[i], c.num_labels
    count, stored = ((T - 1) * K * K if T > 1 else K), memory.view(np.uint8)
    return stored[: 2 * count].view(np.uint16), stored[2 * count : 3 * count]


@implements(Chain)
def pack(c, i, b, memory):
    nodes, pairs = split_cliques(c, i, b)
    high, low = _codes(c, i, memory)
    _round(pairs.reshape(pairs.size) if nodes.shape[0] > 1 else nodes.reshape(nodes.size), high, low)
    _read(high, low, nodes, pairs)


@implements(Chain)
def unpack(c, i, memory, b):
    nodes, pairs = split_cliques(c, i, b)
    high, low = _codes(c, i, memory)
    _read(high, low, nodes, pairs)


@kernel
def _round(numbers, high, low):
    for p in range(numbers.shape[0]):
        bits = np.int32(np.float32(numbers[p]).view(np.int32) + HALF)
        high[p] = np.uint16(np.int32(bits >> UPPER))
        low[p] = np.uint8(np.int32(bits >> LOWER))


@kernel
def _read(high, low, nodes, pairs):
    """Fill nodes and pairs, and scale them."""
    T, K = nodes.shape
    numbers = pairs.reshape(pairs.size) if T > 1 else nodes.reshape(nodes.size)
    for p in range(numbers.shape[0]):
        upper, lower = np.int32(np.int32(high[p]) << UPPER), np.int32(np.int32(low[p]) << LOWER)
        numbers[p] = np.int32(upper | lower).view(np.float32)
    ones, scale, totals, unused = np.ones(K), np.empty(K), np.empty(K), np.empty(K)
    last = nodes[T - 1]
    if T > 1:
        product(ones, pairs[T - 2], last, ones, 1.0, unused)
    total = last.sum()
    for k in range(K):
        last[k] /= total if total > 0.0 else 1.0
    for t in range(T - 2, -1, -1):
        block, before, after = pairs[t], nodes[t], nodes[t + 1]
        product(ones, block, totals, ones, 1.0, unused)
        for k in range(K):
            if totals[k] == 0.0:  # all are rounded to 0
                totals[k] = K
                for j in range(K):
                    block[j, k] = 1.0
        for k in range(K):
            scale[k] = after[k] / totals[k]
            before[k] = 0.0
        scale_columns(block, scale, before)
