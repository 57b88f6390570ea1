"""Forward-backward and Viterbi on the scores of one sequence (eg2008, section 4.2).

Scores and results are blocks: nodes (T, K), transitions (K, K), tied over all positions, and edges (T - 1, K, K).
Without observed edges, the last is (0, K, K). Results are written in place.
"""

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.rows import add_products, best_sums, exponentials, limits, multiply, product
from structbench.algorithms.runtime.vector_math import copy_to, exp_or_zero, log, normalise

MAX_SCORE_RANGE = 300.0  # scores that differ by more than this need the logarithmic recursion
LINE, QUARTER = 8, 4  # numbers that a line of the cache has, and of which rows have a multiple


@kernel
def forward_backward(nodes, transitions, edges, mu_nodes, mu_transitions, mu_edges):
    """Marginals of the parts; returns log Z. ``mu_edges`` may be given without ``edges``: it gets all pairs."""
    T, K = nodes.shape
    count = T + K * max(edges.shape[0], 1)
    room = aligned_rows(count + T + K + 1 + -(-2 * T // K), K)
    spread, tops = _exponentials(nodes, transitions, edges, room[:T], room[T:count])
    log_z = np.nan
    if spread < MAX_SCORE_RANGE:
        log_z = tops + _scaled_marginals(room[:T], room[T:count], room[count:], mu_nodes, mu_transitions, mu_edges)
    if np.isnan(log_z):
        return _log_marginals(nodes, transitions, edges, mu_nodes, mu_transitions, mu_edges)
    return log_z


@kernel
def aligned_rows(rows, K):
    """Memory for rows of K numbers or a few more, so that vectors of numbers lie in few lines of the cache."""
    width = -(-K // QUARTER) * QUARTER
    memory = np.empty(rows * width + LINE)
    first = (-memory.ctypes.data // memory.itemsize) % LINE
    return memory[first : first + rows * width].reshape((rows, width))


@kernel(inline=True)
def _exponentials(nodes, transitions, edges, potentials, factors):
    """exp(score - the largest of its position) of nodes and pairs; returns the scores' spread, and the tops' sum.

    ``potentials`` has a row for each position; ``factors`` K rows for each pair of positions, or K for all. Rows
    of potentials end in zeros, rows of factors in any numbers. Every forward message has at least the share
    exp(-spread) / K of its position's largest one, at any length. So below ``MAX_SCORE_RANGE`` the recursions with
    exponentials cannot underflow. If a score is infinite, so is the spread, or NaN.
    """
    (T, K), width = nodes.shape, potentials.shape[1]
    widest = steepest = tops = 0.0
    for t in range(T):
        top, least = limits(nodes[t])
        exponentials(nodes[t], top, potentials[t])
        for k in range(K, width):
            potentials[t, k] = 0.0
        widest = max(widest, top - least)
        tops += top
    for t in range(edges.shape[0]):
        block = factors[t * K : (t + 1) * K]
        top, least = -np.inf, np.inf
        for j in range(K):
            row = block[j, :K]
            for k in range(K):
                row[k] = transitions[j, k] + edges[t, j, k]
            highest, lowest = limits(row)
            top, least = max(top, highest), min(least, lowest)
        for j in range(K):
            exponentials(block[j, :K], top, block[j])
        steepest = max(steepest, top - least)
        tops += top
    if edges.shape[0] == 0:
        top, least = limits(transitions.reshape(transitions.size))
        for j in range(K):
            exponentials(transitions[j], top, factors[j])
        steepest = top - least
        tops += top * (T - 1)
    for j in range(factors.shape[0]):
        for k in range(K, width):
            factors[j, k] = 1.0
    return widest + steepest, tops


@kernel(inline=True)
def _scaled_marginals(potentials, factors, room, mu_nodes, mu_transitions, mu_edges):
    """Forward-backward on exp(score); returns log Z. ``room``: memory. It overwrites the potentials.

    The forward message a_t, with the potential of t, is made from a_{t-1} / sum(a_{t-1}). The backward message
    over sum(a_t) is gamma_t, so that a_t gamma_t are the marginals. With h_t = gamma_t potential_t / sum(a_{t-1}),
    the marginals of pairs are a_{t-1}(j) factor(j, k) h_t(k).
    """
    T, K = mu_nodes.shape
    width = potentials.shape[1]
    step = K if factors.shape[0] > K else 0
    a, transposed, gamma, rest = room[:T], room[T : T + K], room[T + K], room[T + K + 1 :]
    h, scales = potentials, rest.reshape(rest.size)
    sums, inverse = scales[:T], scales[T : 2 * T]
    sums[0] = 0.0
    for k in range(width):
        a[0, k] = potentials[0, k]
        sums[0] += a[0, k]
    inverse[0] = 1.0 / sums[0]
    for t in range(1, T):
        between = factors[(t - 1) * step : (t - 1) * step + K]
        sums[t] = product(a[t - 1], between, a[t], potentials[t], inverse[t - 1], a[t])
        inverse[t] = 1.0 / sums[t]

    for k in range(width):
        gamma[k] = inverse[T - 1]
        h[T - 1, k] = inverse[T - 1] * potentials[T - 1, k] * (inverse[T - 2] if T > 1 else 1.0)
    multiply(a[T - 1], gamma, mu_nodes[T - 1])
    for t in range(T - 2, -1, -1):
        if step > 0 or t == T - 2:
            transpose(factors[t * step : t * step + K], transposed)
        product(h[t + 1], transposed, gamma, potentials[t], inverse[t - 1] if t > 0 else 1.0, h[t])
        multiply(a[t], gamma, mu_nodes[t])

    for j in range(K):
        for k in range(K):
            mu_transitions[j, k] = 0.0
    if mu_edges.shape[0] > 0:
        for t in range(1, T):
            A = factors[(t - 1) * step : (t - 1) * step + K]
            for j in range(K):
                for k in range(K):
                    pair = a[t - 1, j] * A[j, k] * h[t, k]
                    mu_edges[t - 1, j, k] = pair
                    mu_transitions[j, k] += pair
    else:
        add_products(a[: T - 1], h[1:], mu_transitions)
        for j in range(K):
            multiply(mu_transitions[j], factors[j], mu_transitions[j])
    log_z = zero_if_finite(sums)  # ``log`` does not keep NaN
    for t in range(T):
        sums[t] = log(sums[t])
    for t in range(T):
        log_z += sums[t]
    return log_z


@kernel(fastmath={"reassoc"})
def zero_if_finite(v):
    """0, or NaN if a number is NaN or infinite."""
    total = 0.0
    for k in range(v.shape[0]):
        total += v[k] * 0.0
    return total


@kernel(inline=True)
def transpose(A, out):
    """out = A^T, of A (K, K or more); rows of out that are longer end in zeros."""
    K = A.shape[0]
    for k in range(K):
        for j in range(K):
            out[k, j] = A[j, k]
        for j in range(K, out.shape[1]):
            out[k, j] = 0.0


@kernel
def _log_marginals(nodes, transitions, edges, mu_nodes, mu_transitions, mu_edges):
    """The same for scores of any spread, also minus infinity: logarithms forward, probabilities back.

    The forward pass leaves ``given``, the probability of each label before, given the label at a position. With
    these, no further exponential is needed, and all marginals add up however large the scores are.
    """
    T, K = nodes.shape
    observed = edges.shape[0] > 0
    given = np.empty((max(T - 1, 0), K, K))  # given[t, j, k] of label j at t, given label k at t + 1
    alpha = nodes[0].copy()
    top, total = np.empty(K), np.empty(K)
    for t in range(T - 1):
        terms = given[t]
        top[:] = -np.inf
        for j in range(K):
            for k in range(K):
                terms[j, k] = alpha[j] + transitions[j, k] + (edges[t, j, k] if observed else 0.0)
                top[k] = max(top[k], terms[j, k])
        for k in range(K):  # without a labelling that leads to label k, its terms stay minus infinity
            top[k] = 0.0 if top[k] == -np.inf else top[k]
        total[:] = 0.0
        for j in range(K):
            for k in range(K):
                terms[j, k] = exp_or_zero(terms[j, k] - top[k])
                total[k] += terms[j, k]
        for k in range(K):
            alpha[k] = nodes[t + 1, k] + (top[k] + np.log(total[k]))
            total[k] = 1.0 / total[k] if total[k] != 0.0 else 0.0
        for j in range(K):
            for k in range(K):
                terms[j, k] *= total[k]
    mu_transitions[:] = 0.0
    copy_to(alpha, mu_nodes[T - 1])
    log_z = normalise(mu_nodes[T - 1])
    for t in range(T - 2, -1, -1):
        after = mu_nodes[t + 1]
        for j in range(K):
            before = 0.0
            for k in range(K):
                pair = given[t, j, k] * after[k]
                given[t, j, k] = pair
                mu_transitions[j, k] += pair
                before += pair
            mu_nodes[t, j] = before
        if mu_edges.shape[0] > 0:
            copy_to(given[t], mu_edges[t])
    return log_z


@kernel
def viterbi(nodes, transitions, edges, y_nodes, y_transitions, y_edges):
    """The best labelling as counts of parts; returns its score, minus infinity (counts of 0) without one.

    It works backwards first, so that ties go to the smallest labels from the first token on.
    """
    T, K = nodes.shape
    observed = edges.shape[0] > 0
    gains = np.empty((T, K))  # of the best completion from position t on, by the label at t
    leaving, pairs = transitions.T.copy(), edges.reshape(edges.size)
    for t in range(T - 1, -1, -1):
        gain = gains[t]
        if t == T - 1:
            gain[:] = 0.0
        elif observed:
            for j in range(K):
                begin = (t * K + j) * K
                gain[j] = _following(gains[t + 1], transitions[j], pairs[begin : begin + K])[0]
        else:
            best_sums(gains[t + 1], leaving, gain)
        for k in range(K):
            gain[k] += nodes[t, k]
    label, top = 0, -np.inf
    for k in range(K):
        if gains[0, k] > top:
            label, top = k, gains[0, k]
    y_nodes[:] = 0.0
    y_transitions[:] = 0.0
    y_edges[:] = 0.0
    for t in range(T if top > -np.inf else 0):
        y_nodes[t, label] = 1.0
        if t < T - 1:
            begin = (t * K + label) * K
            after = _following(gains[t + 1], transitions[label], pairs[begin : begin + K])[1]
            y_transitions[label, after] += 1.0
            if observed:
                y_edges[t, label, after] = 1.0
            label = after
    return top


@kernel(inline=True)
def _following(gains, transitions, edges):
    """The score of the best label after another, and that label. ``edges``: observed scores, or none."""
    best, label = -np.inf, 0
    for k in range(gains.shape[0]):
        total = gains[k] + transitions[k]
        if edges.shape[0] > 0:
            total += edges[k]
        if total > best:
            best, label = total, k
    return best, label
