"""Inside and outside over the whole chart of a sentence (Baker 1979), with which forests are pruned.

A *cell* is a span of tokens s .. e - 1; ``cell`` numbers those of a sentence. A chart has a row for each cell and
a column for each symbol. Probabilities are kept without logarithms: each row is divided by its largest entry,
whose logarithm is kept aside, so that nothing underflows that is not 1e300 times less likely than another symbol
there.
"""

import numpy as np

from algorithms.runtime.kernel import kernel
from algorithms.structures.grammar.rules import Grammar, num_symbols


def log_posteriors(g: Grammar, p: np.ndarray, words: np.ndarray) -> tuple[float, np.ndarray]:
    """log p(words), and of all items <A, s, e> the logarithm of the probability that the tree has it.

    Args:
        p: of the rules, (rules,), not negative; they need not add up to 1.
        words: terminals, (T,), -1 for one that no rule has.

    Returns:
        log Z, minus infinity if there is no tree; (cells, symbols), minus infinity where no tree has the item.
    """
    T = len(words)
    shape = T * (T + 1) // 2, num_symbols(g)
    inner, outer, active = np.zeros(shape), np.zeros(shape), np.empty(shape, np.int32)
    log_z = _log_posteriors(g, np.ascontiguousarray(p, np.float64), words.astype(np.int32), inner, outer, active)
    return float(log_z), outer


@kernel
def cell(T, s, e):
    """The number of the span s .. e - 1 of a sentence of T tokens, by first and then by last token."""
    return s * T - s * (s - 1) // 2 + e - s - 1


@kernel
def _log_posteriors(g, p, words, inner, outer, active):
    """``outer`` becomes the posteriors; the others are working memory."""
    T = words.shape[0]
    counts = np.zeros(inner.shape[0], np.int64)  # of the symbols of a cell that are not 0, in ``active``
    inner_logs, outer_logs = np.full(inner.shape[0], -np.inf), np.full(inner.shape[0], -np.inf)
    for width in range(1, T + 1):
        for s in range(T - width + 1):
            c = cell(T, s, s + width)
            if width == 1:
                _add_lexical(g, p, words[s], inner[c])
                inner_logs[c] = 0.0
            else:
                inner_logs[c] = _add_binary(g, p, T, s, s + width, inner, inner_logs, active, counts)
            inner_logs[c] += _normalised(inner[c])
            for a in range(inner.shape[1]):
                if inner[c, a] > 0.0:
                    active[c, counts[c]] = a
                    counts[c] += 1
    goal, z = cell(T, 0, T), 0.0
    for r in range(g.roots.shape[0]):
        a = g.roots[r]
        outer[goal, a] = p[g.binary.shape[0] + g.lexical.shape[0] + r]
        z += outer[goal, a] * inner[goal, a]
    if not z > 0.0:
        outer[:] = -np.inf
        return -np.inf
    log_z = np.log(z) + inner_logs[goal]
    outer_logs[goal] = _normalised(outer[goal])
    for width in range(T - 1, 0, -1):
        for s in range(T - width + 1):
            c = cell(T, s, s + width)
            found = _add_outer(g, p, T, s, s + width, inner, inner_logs, active, counts, outer, outer_logs)
            outer_logs[c] = found + _normalised(outer[c])
    for c in range(inner.shape[0]):
        for a in range(inner.shape[1]):
            product = np.log(inner[c, a]) + np.log(outer[c, a])
            outer[c, a] = product + (inner_logs[c] + outer_logs[c] - log_z) if product > -np.inf else -np.inf
    return log_z


@kernel
def _normalised(row):
    """Divide by the largest entry; returns its logarithm, minus infinity if all are 0."""
    top = row.max()
    if top > 0.0:
        for a in range(row.shape[0]):
            row[a] /= top
    return np.log(top)


@kernel
def _add_lexical(g, p, word, row):
    if word >= 0:
        for r in range(g.lexical_starts[word], g.lexical_starts[word + 1]):
            row[g.lexical[r, 0]] += p[g.binary.shape[0] + r]


@kernel
def _add_binary(g, p, T, s, e, inner, logs, active, counts):
    """Fill the row of s .. e - 1 from narrower ones; returns the logarithm of what it is to be multiplied by."""
    top = -np.inf
    for m in range(s + 1, e):
        top = max(top, logs[cell(T, s, m)] + logs[cell(T, m, e)])
    if top == -np.inf:
        return top
    row = inner[cell(T, s, e)]
    for m in range(s + 1, e):
        left, right = cell(T, s, m), cell(T, m, e)
        scale = np.exp(logs[left] + logs[right] - top)
        if scale > 0.0:
            for k in range(counts[left]):
                b = active[left, k]
                of_left = inner[left, b] * scale
                for r in range(g.left_starts[b], g.left_starts[b + 1]):
                    of_right = inner[right, g.binary[r, 2]]
                    if of_right > 0.0:
                        row[g.binary[r, 0]] += of_left * of_right * p[r]
    return top


@kernel
def _add_outer(g, p, T, s, e, inner, logs, active, counts, outer, outer_logs):
    """Fill the row of s .. e - 1 from wider ones; returns the logarithm of what it is to be multiplied by."""
    top = -np.inf
    for end in range(e + 1, T + 1):
        top = max(top, outer_logs[cell(T, s, end)] + logs[cell(T, e, end)])
    for begin in range(s):
        top = max(top, outer_logs[cell(T, begin, e)] + logs[cell(T, begin, s)])
    if top == -np.inf:
        return top
    here = cell(T, s, e)
    row = outer[here]
    for end in range(e + 1, T + 1):  # as a left child
        parent, other = cell(T, s, end), cell(T, e, end)
        scale = np.exp(outer_logs[parent] + logs[other] - top)
        if scale > 0.0:
            for k in range(counts[here]):
                b = active[here, k]
                for r in range(g.left_starts[b], g.left_starts[b + 1]):
                    above = outer[parent, g.binary[r, 0]]
                    if above > 0.0:
                        row[b] += above * inner[other, g.binary[r, 2]] * p[r] * scale
    for begin in range(s):  # as a right child
        parent, other = cell(T, begin, e), cell(T, begin, s)
        scale = np.exp(outer_logs[parent] + logs[other] - top)
        if scale > 0.0:
            for k in range(counts[other]):
                b = active[other, k]
                of_left = inner[other, b] * scale
                for r in range(g.left_starts[b], g.left_starts[b + 1]):
                    if inner[here, g.binary[r, 2]] > 0.0:
                        row[g.binary[r, 2]] += outer[parent, g.binary[r, 0]] * of_left * p[r]
    return top
