"""Solve the quadratic program of n-slack cutting planes: max D(u) over distributions u_i on the working sets.

Coordinate ascent maximises the dual over u_i of one example after another. Where examples pull against each other,
it crawls along a valley of almost no curvature, maybe for ever. Then conjugate gradients take over on the outputs
that have probability (the two phases of Moré and Toraldo's GPCG, SIAM Journal on Optimization 1991).
"""

from typing import Any

import numpy as np

from structbench.algorithms.cutting_planes.working_sets import WorkingSets, conjugate, features, score, scores
from structbench.algorithms.learning.tolerances import shrunk
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import copy_to
from structbench.algorithms.structures import interface as parts

NEGLIGIBLE = 0.1  # share of the tolerance that a single example's gap may keep
SWEEPS = 5_000  # after which it gives up
PATIENCE = 20  # sweeps before a run of conjugate gradients, and steps of such a run
MASS_ROUNDING = 1e-15  # rounding that may remain of a probability that a step removes
ROUNDING = 1e-12  # of the gradient
PAIRS = 1000  # steps per output, after which one example's program waits for the next sweep


def optimise(
    split: Any, C: float, tolerance: float, sets: WorkingSets, w: np.ndarray, rng: np.random.Generator
) -> bool:
    """Raise the dual over the working sets until its gap, summed up over a sweep, is within the tolerance.

    Changes ``sets.alpha``, and w = w(u) with it. A sweep visits examples in random order. Examples with a
    negligible gap are left out until the others are done. Returns False if ``SWEEPS`` sweeps are not enough.
    """
    several = np.flatnonzero(np.diff(sets.starts) > 1)
    negligible = NEGLIGIBLE * tolerance / (len(sets.starts) - 1)
    examples = several
    for sweep in range(1, SWEEPS + 1):
        order = rng.permutation(examples)
        gaps = np.empty(len(order))
        _sweep(split, C, negligible, order, shrunk(conjugate(sets), len(sets.starts) - 1) < 1, sets, w, gaps)
        solved = gaps.sum() <= tolerance
        if solved and len(examples) == len(several):
            return True
        examples = several if solved else order[gaps > negligible]
        if sweep % PATIENCE == 0:
            conjugate_gradients(split, C, sets, w)
            examples = several
    return False


def conjugate_gradients(split: Any, C: float, sets: WorkingSets, w: np.ndarray) -> None:
    """Raise the dual along conjugate directions among the outputs with probability, until one loses all of it."""
    example = np.repeat(np.arange(len(sets.starts) - 1), np.diff(sets.starts))
    free = sets.alpha > 0
    count = np.bincount(example, free)
    h = sets.losses + scores(split, sets, w) / C
    d, before = np.zeros_like(h), np.inf
    for _ in range(PATIENCE):
        r = np.where(free, h - (np.bincount(example, free * h) / count)[example], 0.0)
        norm = r @ r
        if norm <= ROUNDING**2 * (h @ h):
            return
        d = r + norm / before * d
        before = norm
        v = -features(split, sets, d)
        slope, curvature = d @ h, v @ v / C
        falls = d < 0
        longest = (sets.alpha[falls] / -d[falls]).min()
        step = slope / curvature if slope < longest * curvature else longest
        sets.alpha[:] += step * d
        w += step * v
        if _drop(split, sets, example, free, w) or step == longest:
            return
        h += step / C * scores(split, sets, v)


def _drop(split: Any, sets: WorkingSets, example: np.ndarray, free: np.ndarray, w: np.ndarray) -> bool:
    """Whether a free output has next to no probability. Its example's likeliest output gets its probability."""
    least = MASS_ROUNDING * shrunk(conjugate(sets), len(sets.starts) - 1)
    gone = np.flatnonzero(free & (sets.alpha < least))
    if len(gone) == 0:
        return False
    moved = np.zeros_like(sets.alpha)
    for p in gone:
        begin, end = sets.starts[example[p]], sets.starts[example[p] + 1]
        moved[begin + sets.alpha[begin:end].argmax()] += sets.alpha[p]
        moved[p] = -sets.alpha[p]
    sets.alpha[:] += moved
    w -= features(split, sets, moved)
    return True


@kernel
def _sweep(split, C, negligible, examples, little, sets, w, gaps):
    """Maximise the dual over u_i of one example after another; ``gaps``: their gaps before.

    ``little``: one output has nearly all probability, so that its change is that of the others.
    """
    longest, most = 0, 0
    for i in examples:
        longest = max(longest, parts.num_parts(split, i))
        most = max(most, sets.starts[i + 1] - sets.starts[i])
    of_parts, of_outputs = np.empty(longest), np.empty((2, most))
    for j, i in enumerate(examples):
        begin, end = sets.starts[i], sets.starts[i + 1]
        k = end - begin
        s, h, before = of_parts[: parts.num_parts(split, i)], of_outputs[0, :k], of_outputs[1, :k]
        parts.scores(split, i, w, s)
        s /= C
        for a in range(k):
            h[a] = sets.losses[begin + a] + score(sets, begin + a, s)
        alpha = sets.alpha[begin:end]
        copy_to(alpha, before)
        gram = sets.gram[sets.gram_starts[i] : sets.gram_starts[i + 1]].reshape((k, k))
        gaps[j] = maximise(h, gram, C, negligible, NEGLIGIBLE * negligible, alpha)
        if gaps[j] > negligible:
            s[:] = 0.0
            for a in range(k):
                before[a] -= alpha[a]
            if little:
                top = np.argmax(alpha)
                before[top] = 0.0
                before[top] = -np.sum(before)
            for a in range(k):
                for r in range(sets.part_starts[begin + a], sets.part_starts[begin + a + 1]):
                    s[sets.part[r]] += before[a]
            parts.add_features(split, i, 1.0, s, w)


@kernel
def maximise(h, gram, C, first, last, alpha):
    """Maximise the dual over one example's probabilities alpha of its outputs, h its gradient there.

    Probability moves to the output with the largest h, from the output where the exact step gains most. Returns
    the gap at the start, max_a h_a - sum_a alpha_a h_a. If that is at most ``first``, nothing moves. Else it moves
    until the gap is at most ``last``.
    """
    k = h.shape[0]
    first_gap = 0.0
    for step in range(PAIRS * k):
        best, average = 0, 0.0
        for a in range(k):
            average += alpha[a] * h[a]
            if h[a] > h[best]:
                best = a
        gap = h[best] - average
        if step == 0:
            first_gap = gap
        if gap <= (first if step == 0 else last):
            break
        other, most, size = -1, 0.0, 0.0
        for b in range(k):
            slope = h[best] - h[b]
            if alpha[b] > 0 and slope > 0:
                curvature = max(gram[best, best] + gram[b, b] - 2 * gram[best, b], 0.0) / C
                move = alpha[b] if slope >= alpha[b] * curvature else slope / curvature
                gain = move * (slope - curvature * move / 2)
                if gain > most:
                    other, most, size = b, gain, move
        if other < 0:
            break
        alpha[best] += size
        alpha[other] = max(alpha[other] - size, 0.0)
        for a in range(k):
            h[a] -= size / C * (gram[a, best] - gram[a, other])
    return first_gap
