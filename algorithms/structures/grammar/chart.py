"""Inside and outside over the whole chart of a sentence (Baker 1979), for pruning forests.

A *cell* is a span of tokens s .. e - 1; ``cell`` numbers those of a sentence. A chart has a row for each cell and
a column for each symbol. Probabilities are kept without logarithms: each row is divided by its largest entry,
whose logarithm is kept aside. So only entries 1e300 times less likely than another symbol there can underflow.

A split costs as much as the pairs of symbols <B C> that it joins, which are fewer than the rules. These are summed
over all splits of a span first. So each rule <A -> B C> is used once a span. On the way down, posterior
probabilities are passed on, and only by items that are not all but impossible. These are few of a chart's items.
"""

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures.grammar.rules import Grammar, num_symbols

LOWEST = 1e-300  # an inside sum below this share of its span's largest one has no outside sum that is a number


def posteriors(g: Grammar, p: np.ndarray, words: np.ndarray, least: float = 0.0) -> tuple[float, np.ndarray]:
    """log p(words), and of all items <A, s, e> the probability that the tree has it.

    Args:
        p: of the rules, (rules,), not negative; they need not add up to 1.
        words: terminals, (T,), -1 for one that no rule has.
        least: items less likely than this pass nothing on, which saves most of the time. The probabilities of
            items below them are too low, by at most the sum of theirs.

    Returns:
        log Z, minus infinity if there is no tree; (cells, symbols), 0 where no tree has the item.
    """
    T = len(words)
    shape = T * (T + 1) // 2, num_symbols(g)
    inner, found, active = np.zeros(shape), np.zeros(shape), np.empty(shape, np.int32)
    log_z = _posteriors(
        g, np.ascontiguousarray(p, np.float64), words.astype(np.int32), float(least), inner, found, active
    )
    return float(log_z), found


@kernel
def cell(T, s, e):
    """The number of the span s .. e - 1 of a sentence of T tokens, ordered by first and then by last token."""
    return s * T - s * (s - 1) // 2 + e - s - 1


@kernel
def _posteriors(g, p, words, least, inner, posteriors, active):
    """Fills ``posteriors``, initially 0; the others are working memory. Returns log Z."""
    T = words.shape[0]
    counts = np.zeros(inner.shape[0], np.int64)  # of the symbols of a cell that are not 0, in ``active``
    logs = np.full(inner.shape[0], -np.inf)
    first, rights, starts = _pairs(g)
    joined = np.empty(rights.shape[0])
    for width in range(1, T + 1):
        for s in range(T - width + 1):
            c = cell(T, s, s + width)
            if width == 1:
                _add_lexical(g, p, words[s], inner[c])
                logs[c] = 0.0
            else:
                top = _join(T, s, s + width, first, rights, inner, logs, active, counts, joined)
                if top > -np.inf:
                    _add_binary(g, p, starts, joined, inner[c])
                logs[c] = top
            logs[c] += _normalised(inner[c])
            for a in range(inner.shape[1]):
                if inner[c, a] > 0.0:
                    active[c, counts[c]] = a
                    counts[c] += 1
    goal, z = cell(T, 0, T), 0.0
    for r in range(g.roots.shape[0]):
        posteriors[goal, g.roots[r]] = p[g.binary.shape[0] + g.lexical.shape[0] + r] * inner[goal, g.roots[r]]
        z += posteriors[goal, g.roots[r]]
    if not z > 0.0:
        posteriors[:] = 0.0
        return -np.inf
    for a in range(inner.shape[1]):
        posteriors[goal, a] /= z
    outer = np.empty(inner.shape[1])
    for width in range(T, 1, -1):
        for s in range(T - width + 1):
            if _outer(inner[cell(T, s, s + width)], posteriors[cell(T, s, s + width)], least, outer):
                _part(g, p, starts, outer, joined)
                _pass_on(T, s, s + width, first, rights, inner, logs, active, counts, joined, posteriors)
    return np.log(z) + logs[goal]


@kernel
def _pairs(g):
    """The pairs <B C> of the binary rules, which are sorted by them.

    Pairs with left symbol B are first[B] .. first[B + 1] - 1. rights[k]: C. The rules of pair k begin at
    starts[k].
    """
    count = 0
    rights, starts = np.empty(g.binary.shape[0], np.uint64), np.empty(g.binary.shape[0] + 1, np.int64)
    first = np.zeros(g.left_starts.shape[0], np.int64)
    for b in range(first.shape[0] - 1):
        first[b] = count
        for r in range(g.left_starts[b], g.left_starts[b + 1]):
            if r == g.left_starts[b] or g.binary[r, 2] != g.binary[r - 1, 2]:
                starts[count], rights[count] = r, g.binary[r, 2]
                count += 1
    first[-1] = count
    starts[count] = g.binary.shape[0]
    return first, rights[:count].copy(), starts[: count + 1].copy()


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
def _join(T, s, e, first, rights, inner, logs, active, counts, joined):
    """joined[k] = the sum of products of pair <B C> over all splits; returns the logarithm of its unit."""
    top = -np.inf
    for m in range(s + 1, e):
        top = max(top, logs[cell(T, s, m)] + logs[cell(T, m, e)])
    if top == -np.inf:
        return top
    joined[:] = 0.0
    for m in range(s + 1, e):
        left, right = cell(T, s, m), cell(T, m, e)
        scale = np.exp(logs[left] + logs[right] - top)
        if scale > 0.0:
            row = inner[right]
            for i in range(counts[left]):
                b = active[left, i]
                of_left = inner[left, b] * scale
                for k in range(first[b], first[b + 1]):
                    joined[k] += of_left * row[rights[k]]
    return top


@kernel
def _add_binary(g, p, starts, joined, row):
    """row[A] = sum of p(A -> B C) joined[B C]."""
    for k in range(joined.shape[0]):
        if joined[k] > 0.0:
            for r in range(starts[k], starts[k + 1]):
                row[g.binary[r, 0]] += joined[k] * p[r]


@kernel
def _outer(inner, posteriors, least, out):
    """Posteriors over inside sums, of items with posteriors from ``least`` on; 0 for others.

    Returns whether there are any.
    """
    found = False
    for a in range(inner.shape[0]):
        out[a] = 0.0
        if posteriors[a] > 0.0 and posteriors[a] >= least and inner[a] > LOWEST:
            out[a] = posteriors[a] / inner[a]
            found = True
    return found


@kernel
def _part(g, p, starts, outer, joined):
    """joined[B C] = sum of outer[A] p(A -> B C) over all A."""
    for k in range(joined.shape[0]):
        joined[k] = 0.0
        for r in range(starts[k], starts[k + 1]):
            joined[k] += outer[g.binary[r, 0]] * p[r]


@kernel
def _pass_on(T, s, e, first, rights, inner, logs, active, counts, joined, posteriors):
    """Add the contributions of the span s .. e - 1 to the posteriors of the items below it."""
    here = logs[cell(T, s, e)]
    for m in range(s + 1, e):
        left, right = cell(T, s, m), cell(T, m, e)
        scale = np.exp(logs[left] + logs[right] - here)
        if scale > 0.0:
            for i in range(counts[left]):
                b = active[left, i]
                of_left, total = inner[left, b] * scale, 0.0
                for k in range(first[b], first[b + 1]):
                    share = joined[k] * of_left * inner[right, rights[k]]
                    if share > 0.0:
                        posteriors[right, rights[k]] += share
                        total += share
                posteriors[left, b] += total
