"""Entropy of distributions by the probabilities of all cells of all tables, b.

Of all distributions with these probabilities, the one of most entropy is the Markov tree of the tables (Cowell,
Dawid, Lauritzen and Spiegelhalter 1999, section 6.4): H = that of the tables less that of the separators.
"""

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures.clique_tree.layout import COUNT, first_cell, first_row, num_rows, size
from structbench.algorithms.structures.cliques import entropy_of, slopes_of


@kernel(fastmath={"reassoc"})
def _of_separators(t, b):
    """The sum of each row of all tables."""
    found = np.empty(num_rows(t))
    for p in range(size(t)):
        first, at, n = first_row(t, p), first_cell(t, p), np.uint64(t.nodes[p, COUNT])
        for row in range(first, first_row(t, p + 1)):
            total = 0.0
            for k in range(n):
                total += b[at + k]
            found[row] = total
            at += n
    return found


@kernel
def entropy(t, b):
    """H of the Markov tree."""
    return entropy_of(b) - entropy_of(_of_separators(t, b))


@kernel
def entropy_slopes(t, b, d):
    """First and second derivative of ``entropy`` along d."""
    first, second = slopes_of(b, d)
    if first == np.inf:
        return first, second
    of_separators, bend = slopes_of(_of_separators(t, b), _of_separators(t, d))
    return first - of_separators, second - bend
