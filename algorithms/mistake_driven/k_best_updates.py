"""Updates away from the k best outputs at once: the general form of MIRA."""

import numpy as np

from structbench.algorithms.learning.inference import room
from structbench.algorithms.mistake_driven.averaging import step, visited
from structbench.algorithms.mistake_driven.best_output import SETTLED
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import dot
from structbench.algorithms.structures import interface as parts

TOLERANCE = 1e-9  # of a violation, relative to the largest loss
SWEEPS = 200  # passes over one example's constraints, at most


@kernel
def visit(split, examples, k, augment, cap, w):
    """Learn from these examples (``epochs.Visit``); w must have the scale 1.

    With Delta_a = f(x_i, y_i) - f(x_i, y_a) for the k best outputs y_a, w += sum_a tau_a Delta_a. This solves min
    ||w - w'||^2 / 2 with w . Delta_a >= e_i(y_a) for all a, 0 <= tau_a <= cap. ``augment``: the best by score and
    cost.
    """
    of_parts = room(split, examples, 4)
    memory = np.empty(k * of_parts.shape[1])
    values, h, tau, gram = np.empty(k), np.empty(k), np.empty(k), np.empty((k, k))
    for i in examples:
        m = parts.num_parts(split, i)
        Y = memory[: k * m].reshape((k, m))
        s, e, right, moved = of_parts[0, :m], of_parts[1, :m], of_parts[2, :m], of_parts[3, :m]
        parts.scores(split, i, w.v, s)
        e[:] = 0.0
        parts.add_costs(split, i, 1.0, e)
        if augment:
            for r in range(m):
                s[r] += e[r]
        found = parts.k_best(split, i, s, Y, values)
        if augment:
            for r in range(m):
                s[r] -= e[r]
        parts.gold(split, i, right)
        worst, losses = 0.0, 0.0
        for a in range(found):
            loss = dot(e, Y[a])
            for r in range(m):
                Y[a, r] = right[r] - Y[a, r]
            h[a] = loss - dot(s, Y[a])
            worst, losses = max(worst, h[a]), max(losses, loss)
        if worst > SETTLED * (1.0 + losses):
            _gram(split, i, found, Y, moved, gram)
            hildreth(h[:found], gram, cap, TOLERANCE * (1.0 + losses), tau[:found])
            moved[:] = 0.0
            for a in range(found):
                for r in range(m):
                    moved[r] += tau[a] * Y[a, r]
            along, square = dot(s, moved), parts.squared_norm(split, i, moved)
            if square > 0.0:
                step(split, i, 1.0, moved, along, square, w)
        visited(w)
    return -1


@kernel
def _gram(split, i, found, deltas, memory, gram):
    """gram[a, b] = Delta_a . Delta_b."""
    for a in range(found):
        memory[:] = 0.0
        parts.add_gram(split, i, 1.0, deltas[a], memory)
        for b in range(found):
            gram[a, b] = dot(memory, deltas[b])


@kernel
def hildreth(h, gram, cap, tolerance, tau):
    """tau = argmax of tau . h - tau . gram . tau / 2 over 0 <= tau <= cap, one after another (Hildreth 1957).

    h becomes the gradient there. If an output equals the gold output, its row is 0.
    """
    tau[:] = 0.0
    for _ in range(SWEEPS):
        largest = 0.0
        for a in range(tau.shape[0]):
            if gram[a, a] > 0.0:
                t = min(max(tau[a] + h[a] / gram[a, a], 0.0), cap) - tau[a]
                if t != 0.0:
                    tau[a] += t
                    for b in range(tau.shape[0]):
                        h[b] -= t * gram[a, b]
                    largest = max(largest, abs(t) * gram[a, a])
        if largest <= tolerance:
            return
