"""Features of weights that visits read shrunk towards 0 by a threshold, as dual methods do for an elastic net.

w itself is stored. A visit reads soft(w), row by row (``learning.penalties`` says why). What it adds changes w;
the growth that it returns is that of ||soft(w)||^2.
"""

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.rows import gather_soft, gather_times_soft, scatter_soft, scatter_times_soft
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
def _add_outer(x, r, scale, c, W, threshold):
    """W += x_r^T scale c; returns by how much ||soft(W, threshold)||^2 grows."""
    if x.kind == DENSE:
        total = 0.0
        for a in range(W.shape[0]):
            total += add_row_soft(x.dense[r, a] * scale, c, W[a], threshold)
        return total
    p, q = x.indptr[r], x.indptr[r + 1]
    if x.kind == SPARSE:
        return scatter_times_soft(x.indices, x.values, p, q, scale, c, W, threshold)
    return scatter_soft(x.indices, p, q, scale, c, W, threshold)


@kernel(fastmath={"reassoc"}, inline=True)
def add_row_soft(weight, c, row, threshold):
    """row += weight c; returns by how much ||soft(row, threshold)||^2 grows."""
    total = 0.0
    for k in range(c.shape[0]):
        before = soft(row[k], threshold)
        row[k] += weight * c[k]
        after = soft(row[k], threshold)
        total += (before + after) * (after - before)
    return total


@kernel(inline=True)
def fill_soft(x, first, W, threshold, block):
    """block[t] = x_{first + t} soft(W, threshold)."""
    for t in range(block.shape[0]):
        block[t] = 0.0
        add_soft_row_times(x, first + t, W, threshold, block[t])


@kernel(inline=True)
def add_block_soft(x, first, weight, block, W, threshold):
    """W += weight sum_t x_{first + t} (outer) block[t]; returns by how much ||soft(W, threshold)||^2 grows."""
    total = 0.0
    for t in range(block.shape[0]):
        any_change = False
        for k in range(block.shape[1]):
            any_change |= block[t, k] != 0.0
        if any_change:
            total += _add_outer(x, first + t, weight, block[t], W, threshold)
    return total
