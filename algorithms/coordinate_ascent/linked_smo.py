"""SMO for the subproblems of l1-norm and adaptive M3Ns: weights are w(u), soft-thresholded and then scaled.

For arrays scale >= 0 and center, and a threshold, it maximises over distributions u_i

    conj(u) - sum_k scale_k / 2 soft(center_k + w(u)_k)^2,     soft(x) = sign(x) max(|x| - threshold, 0),

whose gradient in w(u) is minus the weights w_k = scale_k soft(center_k + w(u)_k). With scale 1 / C that is the
M3N. Other scales give an M3N whose features are scaled one by one, as the adaptive M3N of l1m3n2009 needs. A
threshold gives a step of the proximal point method for the l1-M3N. A visit is that of ``smo``: mass moves between
the outputs of an example that violate the conditions most, as far as an exact line search says. ``smo`` has what
the two share. Here a visit needs the weights of its step one by one, because of the kinks and the link. That costs
far more than the one pass over features there.
"""

from collections.abc import Callable, Generator
from typing import NamedTuple

import numpy as np

from structbench.algorithms.coordinate_ascent import smo
from structbench.algorithms.learning import certificate
from structbench.algorithms.learning.certificate import Certificate
from structbench.algorithms.learning.inference import room, room_of
from structbench.algorithms.learning.objective import Iterate, Objective, Value
from structbench.algorithms.learning.sparse_features import features_of, room_for
from structbench.algorithms.losses.terms import costs_and_scores
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import dot
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.cliques import movable_mass, move_mass

SWEEPS = 3  # between two looks at the gaps
NEWTON = 8  # steps of a line search across the kinks of soft
FLAT = 1e-3  # of the slope at the start: where such a search ends


class Link(NamedTuple):
    """w_k = scale_k soft(center_k + w(u)_k), soft(x) = sign(x) max(|x| - threshold, 0)."""

    scale: np.ndarray
    center: np.ndarray
    threshold: float


class Linked:
    """``duals``, whose w is w(u), the weights ``w`` that the link gives, a certificate, and the ``visits`` made.

    They go on from one program to the next. The ``certificate`` is of the whole problem.

    Args:
        relaxation: as of ``smo``.
        share: of the whole duality gap, to which each program is solved.
    """

    def __init__(self, objective: Objective, rng: np.random.Generator, relaxation: float, share: float) -> None:
        self.objective, self.split, self.certificate = objective, objective.split, Certificate(objective)
        self._rng, self._relaxation, self._share = rng, relaxation, share
        self.duals, self.visits = smo.at_gold(self.split), 0
        self.w = np.zeros_like(self.duals.w)
        self._link = Link(np.zeros_like(self.w), np.zeros_like(self.w), 0.0)
        self._step = room_for(self.split)

    @property
    def dual_weights(self) -> np.ndarray:
        """w(u)."""
        return self.duals.w

    @property
    def conjugate(self) -> float:
        """E_u[e]."""
        return float(self.duals.losses.sum())

    def recompute_dual(self) -> tuple[float, np.ndarray]:
        """E_u[e] and w(u) of the stored u."""
        return certificate.of_cliques(self.objective, self.duals.starts, self.duals.b)

    def link(self, scale: np.ndarray, center: np.ndarray, threshold: float) -> None:
        """Let the weights be scale soft(center + w(u)) from now on."""
        self._link = Link(scale, center, float(threshold))
        shifted = center + self.dual_weights
        self.w = scale * np.sign(shifted) * np.maximum(np.abs(shifted) - threshold, 0.0)
        self.duals.resting[:] = 0

    def solve(self, gap: Callable[[Value], float], notes: dict[str, float]) -> Generator[Iterate]:
        """Sweep until the program's own ``gap``, from P(w), is small enough. Yields after each sweep."""
        done = False
        while not done:
            for _ in range(SWEEPS):
                moved = self._sweep()
                yield self.point(notes)
                if not moved:
                    break
            value = self.objective.evaluate(self.w, self.conjugate, self.dual_weights)
            self.certificate.add(*self.recompute_dual())  # not sums whose errors would stay in the average
            done = not (moved and gap(value) > self._share * (value.primal - self.certificate.dual_value))

    def point(self, notes: dict[str, float]) -> Iterate:
        """Where it stands, with the best dual point so far. A look at the gaps is an inference on each example."""
        visits = self.visits + parts.num_examples(self.split) * self.certificate.count
        return Iterate(self.w, visits, self.certificate.dual, notes)

    def _sweep(self) -> bool:
        """Visit all examples that are not left out, in random order. Whether any violated the conditions."""
        order = self._rng.permutation(len(self.duals.losses))
        calls, moved = _sweep(self.split, order, self._relaxation, self.duals, self.w, self._link, self._step)
        self.visits += calls
        return moved > 0


@kernel
def linked(link, k, x):
    """w_k for w(u)_k = x."""
    x += link.center[k]
    if x > link.threshold:
        return link.scale[k] * (x - link.threshold)
    if x < -link.threshold:
        return link.scale[k] * (x + link.threshold)
    return 0.0


@kernel
def _sweep(split, examples, relaxation, duals, w, link, total):
    """Visit these examples in turn; returns the inference calls made, and how many visits moved mass."""
    starts, b, x, losses, resting = duals
    memory, of_cliques = room(split, examples, 5), room_of(starts, examples, 2)
    calls = moved = 0
    for i in examples:
        if smo.rests(resting, i):
            continue
        m, b_i = parts.num_parts(split, i), b[starts[i] : starts[i + 1]]
        e, g, y1, y2, step = memory[0, :m], memory[1, :m], memory[2, :m], memory[3, :m], memory[4, :m]
        costs_and_scores(split, i, w, 1.0, e, g)
        calls += 2
        violation = smo.violating_pair(split, i, g, b_i, y1, y2, 1.0)
        smo.update_shrinking(resting, i, violation > 0.0, smo.LONGEST_REST)
        if violation == 0.0:
            continue
        for r in range(m):
            step[r] = y1[r] - y2[r]
        count = features_of(split, i, step, total)
        where, values = total.keys[:count], total.values[:count]
        most, differ = movable_mass(split, i, y1, y2, b_i, of_cliques)
        t = _line_search(violation, most, relaxation, where, values, x, w, link)
        move_mass(t, b_i, of_cliques, differ)
        for j in range(count):
            k = where[j]
            x[k] -= t * values[j]
            w[k] = linked(link, k, x[k])
        losses[i] += t * dot(e, step)
        moved += 1
    return calls, moved


@kernel
def _line_search(slope, most, relaxation, where, values, x, w, link):
    """The step to the maximum along values, from a slope > 0; at most ``most``.

    Without a threshold that is a quotient, and ``relaxation`` times as far is allowed. With a threshold, the slope
    falls piecewise linearly: Newton's steps within a bracket.
    """
    curvature = 0.0
    for j in range(where.shape[0]):
        curvature += link.scale[where[j]] * values[j] * values[j]
    t = most
    if t * curvature > relaxation * slope:
        t = relaxation * slope / curvature
    if link.threshold == 0.0 or t == most:
        return t
    low, high = 0.0, most
    for _ in range(NEWTON):
        here, bend = slope, 0.0
        for j in range(where.shape[0]):
            k = where[j]
            there = linked(link, k, x[k] - t * values[j])
            here += values[j] * (there - w[k])
            if there != 0.0:
                bend += link.scale[k] * values[j] * values[j]
        if abs(here) <= FLAT * slope:
            return t
        if here > 0:
            low = t
        else:
            high = t
        t = t + here / bend if bend > 0 else (most if here > 0 else low)
        if not low < t <= high:
            t = (low + high) / 2
    return low if low > 0 else t
