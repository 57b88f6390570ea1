"""Add rows of features to a sparse sum, as the steps of search problems need."""

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.sparse_sum import add, make_room
from structbench.algorithms.structures.features import BINARY, DENSE


@kernel
def add_row(x, r, k, stride, c, total):
    """total += c x_r at the weights of label k: of feature a, place a stride + k."""
    if x.kind == DENSE:
        for a in range(x.dense.shape[1]):
            if x.dense[r, a] != 0.0:
                add(total, a * stride + k, c * x.dense[r, a])
        return
    begin, end = x.indptr[r], x.indptr[r + 1]
    make_room(total, end - begin)
    indices, stored, keys, dense, count = x.indices, x.values, total.keys, total.dense, total.terms[0]
    for p in range(begin, end):
        key = indices[p] * stride + k
        keys[count] = key
        dense[key] += c if x.kind == BINARY else c * stored[p]
        count += 1
    total.terms[0] = count
