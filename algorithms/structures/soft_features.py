"""Products of feature rows with soft-thresholded weights, as dual methods need them for an elastic net.

w itself is stored, and changed. A visit reads soft(w), row by row (``learning.penalties`` says why).
"""

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.rows import gather_soft, gather_times_soft
from structbench.algorithms.structures.features import DENSE, SPARSE


@kernel(inline=True)
def soft(x, threshold):
    """x shrunk towards 0 by the threshold."""
    return x - max(min(x, threshold), -threshold)


@kernel(inline=True)
def soften(v, threshold, out):
    """out = soft(v, threshold)."""
    for r in range(v.shape[0]):
        out[r] = soft(v[r], threshold)


@kernel(inline=True)
def add_soft_row_times(x, r, W, threshold, out):
    """out += x_r soft(W, threshold)."""
    if x.kind == DENSE:
        for a in range(x.dense.shape[1]):
            value = x.dense[r, a]
            for k in range(out.shape[0]):
                out[k] += value * soft(W[a, k], threshold)
        return
    if x.kind == SPARSE:
        gather_times_soft(x.indices, x.values, x.indptr[r], x.indptr[r + 1], W, threshold, out)
    else:
        gather_soft(x.indices, x.indptr[r], x.indptr[r + 1], W, threshold, out)


@kernel(inline=True)
def fill_soft(x, first, W, threshold, block):
    """block[t] = x_{first + t} soft(W, threshold)."""
    for t in range(block.shape[0]):
        block[t] = 0.0
        add_soft_row_times(x, first + t, W, threshold, block[t])
