"""Which weights a vector of parts touches."""

from algorithms.runtime.kernel import kernel
from algorithms.structures import features as ft


@kernel
def fill(x, edge_features, row, columns, nodes, transitions, edges, out):
    """See ``parts.touched``; the example begins at ``row`` of the features, of which nodes have ``columns``."""
    K = nodes.shape[1]
    first = columns * K
    count = 0
    for t in range(nodes.shape[0]):
        for k in range(K):
            if nodes[t, k] != 0.0:
                count = ft.row_columns(x, row + t, k, K, out, count)
    for j in range(K):
        for k in range(K):
            if transitions[j, k] != 0.0:
                if count < out.shape[0]:
                    out[count] = first + j * K + k
                count += 1
    for t in range(edges.shape[0]):
        block = edges[t].reshape(K * K)
        for k in range(K * K):
            if block[k] != 0.0:
                begin = count
                count = ft.row_columns(edge_features, row + t + 1, k, K * K, out, count)
                for p in range(begin, min(count, out.shape[0])):
                    out[p] += first + K * K
    return count
