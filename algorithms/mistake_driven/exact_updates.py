"""LaSO with exact search: if the best output is wrong, add the gold features and subtract the expected ones.

laso2005, section 4.1: an update follows if the best output is not the gold output. The large margin variant
down-weights the gold output's score, spread evenly over its parts. So outputs that share many of these parts need
a smaller lead, and decoding stays exact.
"""

import numpy as np

from structbench.algorithms.learning.inference import room
from structbench.algorithms.mistake_driven.averaging import onto_ball, step, visited
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import interface as parts


@kernel
def visit(split, examples, alma, w):
    """Learn from these examples (``epochs.Visit``); ``alma``: alpha, B and C, the last 0 for perceptron updates.

    An update subtracts the expectation under p(y | x; w). If there is a margin, scores are in its units, since
    weights in the unit ball have no scale of their own. Then outputs that the best one leads by little more than
    the margin share the blame.
    """
    alpha, B, C = alma
    memory = room(split, examples, 3)
    for i in examples:
        m = parts.num_parts(split, i)
        s, y, right = memory[0, :m], memory[1, :m], memory[2, :m]
        scale = w.now[0]["scale"]
        parts.scores(split, i, w.v, s)
        parts.gold(split, i, right)
        margin = (1 - alpha) * B / np.sqrt(w.now[0]["generation"])
        temperature = margin if margin > 0 else 1.0
        share = margin / max(right.sum(), 1.0)
        for r in range(m):
            s[r] = scale * s[r] - share * right[r]
        parts.argmax(split, i, s, y)
        if not np.array_equal(y, right):
            for r in range(m):
                s[r] /= temperature
            parts.marginals(split, i, s, y)
            for r in range(m):
                s[r] *= temperature
            along = 0.0  # w . delta
            for r in range(m):
                s[r] += share * right[r]
                y[r] = right[r] - y[r]
                along += s[r] * y[r]
            square = parts.squared_norm(split, i, y)
            c = C / np.sqrt(w.now[0]["generation"]) / max(1.0, np.sqrt(square)) / scale if C > 0 else 1.0
            step(split, i, c, y, along / scale, square, w)
            if C > 0:
                onto_ball(w)
        visited(w)
    return -1
