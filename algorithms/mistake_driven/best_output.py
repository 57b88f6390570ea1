"""Updates towards the gold output and away from the best output of exact inference: perceptron and MIRA."""

import numpy as np

from structbench.algorithms.learning.inference import room
from structbench.algorithms.mistake_driven.averaging import step, visited
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import dot
from structbench.algorithms.structures import interface as parts

SETTLED = 1e-12  # a violation that rounding may make, relative to the loss


@kernel
def visit(split, examples, augment, fixed, cap, w):
    """Learn from these examples (``epochs.Visit``); w must have the scale 1.

    With y the best output and Delta = f(x_i, y_i) - f(x_i, y), a wrong y moves w by tau Delta. If ``fixed``, tau
    is 1, else min(cap, (e_i(y) - w . Delta) / ||Delta||^2). ``augment``: the best by score and cost.
    """
    memory = room(split, examples, 4)
    for i in examples:
        m = parts.num_parts(split, i)
        s, e, y, right = memory[0, :m], memory[1, :m], memory[2, :m], memory[3, :m]
        parts.scores(split, i, w.v, s)
        if augment or not fixed:
            e[:] = 0.0
            parts.add_costs(split, i, 1.0, e)
        if augment:
            for r in range(m):
                s[r] += e[r]
        parts.argmax(split, i, s, y)
        parts.gold(split, i, right)
        if not np.array_equal(y, right):
            if augment:
                for r in range(m):
                    s[r] -= e[r]
            loss = 0.0 if fixed else dot(e, y)
            for r in range(m):
                y[r] = right[r] - y[r]
            along, square, tau = 0.0, 0.0, 1.0  # nothing asks for the norm of a perceptron's weights
            if not fixed:  # a constraint that an earlier step has met with equality is violated by rounding alone
                along, square = dot(s, y), parts.squared_norm(split, i, y)
                violated = loss - along > SETTLED * (1.0 + loss) and square > 0.0
                tau = min(cap, (loss - along) / square) if violated else 0.0
            if tau > 0.0:
                step(split, i, tau, y, along, square, w)
        visited(w)
    return -1
