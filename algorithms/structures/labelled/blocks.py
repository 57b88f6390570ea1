"""Scores of nodes and edges from their feature rows, and updates of weights by blocks of part vectors.

Row t of a block, (rows, K) or (edges, K x K), belongs to row first + t of the features x. It weighs that row for
each label or pair of labels. The weights are W, (columns, K).
"""

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import features as ft


@kernel
def pairs(edges):
    """A block of edges (E, K, K) as rows (E, K K)."""
    return edges.reshape((edges.shape[0], edges.shape[1] * edges.shape[2]))


@kernel(inline=True)
def scores(x, first, W, block):
    """block[t] = x_{first + t} W."""
    for t in range(block.shape[0]):
        block[t] = 0.0
        ft.add_row_times(x, first + t, W, block[t])


@kernel(inline=True)
def add_features(x, first, weight, block, W):
    """W += weight sum_t x_{first + t} (outer) block[t]; returns by how much ||W||^2 grows."""
    total = 0.0
    for t in range(block.shape[0]):
        any_change = False  # in the difference of two outputs most rows are 0
        for k in range(block.shape[1]):
            any_change |= block[t, k] != 0.0
        if any_change:
            total += ft.add_outer(x, first + t, weight, block[t], W, 0, W.shape[0])
    return total


@kernel(fastmath={"reassoc"}, inline=True)
def add_tied(weight, block, w):
    """The same for parts that are features themselves, with as many weights, such as tied transitions."""
    total = 0.0
    for k in range(block.shape[0]):
        before, change = w[k], weight * block[k]
        w[k] = before + change
        total += (before + w[k]) * change
    return total


@kernel(inline=True)
def feature_support(x, first, block, offset, out, count):
    """Append to ``out`` the weights from ``offset`` on that ``add_features`` can change; returns the new count."""
    for t in range(block.shape[0]):
        for k in range(block.shape[1]):
            if block[t, k] != 0.0:
                begin = count
                count = ft.row_columns(x, first + t, k, block.shape[1], out, count)
                for p in range(begin, min(count, out.shape[0])):
                    out[p] += offset
    return count


@kernel
def touched_themselves(block, offset, out, count):
    """The same for parts that are features themselves, such as tied transitions."""
    v = block.reshape(block.size)
    for k in range(v.shape[0]):
        if v[k] != 0.0:
            if count < out.shape[0]:
                out[count] = offset + k
            count += 1
    return count
