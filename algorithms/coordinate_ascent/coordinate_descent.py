"""Coordinate descent on the SVM's dual variables alpha_i(y), one after another (klein2011, "Coordinate Descent").

With Delta_i(y) = f(x_i, y_i) - f(x_i, y), w = sum_i sum_y alpha_i(y) Delta_i(y). Each alpha in turn takes its best
value,

    alpha_i(y) <- max(0, alpha_i(y) + (e_i(y) - w . Delta_i(y)) / ||Delta_i(y)||^2).

Nothing bounds sum_y alpha_i(y): this is the dual of the hard margin. If the data cannot be separated, alpha grows
for ever. The soft margin of strength C also asks for sum_y alpha_i(y) <= 1 / C (the gold output has the rest). At
that bound a single alpha may be stuck. With ``constraint="sum"`` all alphas of an example step together, towards
the projection onto both constraints, as far as the dual rises:

    d = proj(alpha_i + lambda (e_i(y) - w . Delta_i(y))_y) - alpha_i,
    alpha_i <- alpha_i + min(1, sum_y d(y) (e_i(y) - w . Delta_i(y)) / norm^2) d,  norm = ||sum_y d Delta_i||.

No lambda lowers the dual. We take ||d||^2 / norm^2 of the step before (the spectral projected gradient; Barzilai
and Borwein 1988, Birgin, Martinez and Raydan 2000). If d is one alpha's, this is the slide's step.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any, Literal

import numpy as np

from structbench.algorithms.coordinate_ascent import listed_outputs as listed
from structbench.algorithms.learning.declaration import Settings, algorithm
from structbench.algorithms.learning.l1_ball import shrinkage
from structbench.algorithms.learning.objective import Dual, Iterate, Objective, require_labels
from structbench.algorithms.learning.sampling import one_pass, split_pass
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import dot
from structbench.algorithms.structures import interface as parts

SETTLED = 1e-13  # of the largest alpha: a pass that changes no alpha by more ends the run

FAR = 1e3  # times the cap: a step where only the costs tell outputs apart
ROUNDING = 1e-12
STEPS = 10  # projected steps of a visit: they need no further pass over features


@algorithm(
    label="Coordinate descent",
    loss="polyhedral",
    needs=("parts", "argmax", "k-best"),
    random={"order": ("permuted",)},
    settings=Settings(figures=()),
    references=("klein2011", "birgin2000"),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    constraint: Literal["none", "sum"] = "none",
    order: Literal["permuted", "cyclic"] = "permuted",
) -> Iterator[Iterate]:
    """Run coordinate descent from alpha = 0; it ends when a pass changes nothing.

    A point of ``constraint="none"`` has a dual value only if no example's alphas add up to more than 1 / C. The
    optimum of the hard margin is then also the optimum at C. Notes: ``largest_sum``, their largest sum.

    Args:
        constraint: ``none``, the slide's, is for data that can be separated; ``sum`` for all.
        order: of the examples, a new permutation each pass or that of the file.

    Raises:
        UserError: a label is unknown, or an example has more outputs than can be listed.
    """
    split, n = objective.split, parts.num_examples(objective.split)
    require_labels(split, "coordinate-descent")
    w = np.zeros(parts.num_weights(split))
    yield Iterate(w, 0)
    alphas = listed.zeros(split, "coordinate-descent")
    cap = 1 / objective.C if constraint == "sum" else np.inf
    again = partial(listed.recompute_dual, split, objective.C, alphas)
    sums = np.zeros((2, n))  # of each example: e . alpha, and of its alphas
    lengths = np.zeros(n)  # lambda of each example; 0 before its first step
    visits, changed = 0, np.inf
    while changed > SETTLED * alphas.alpha.max(initial=1e-300):
        changed = 0.0
        for examples in split_pass(one_pass(rng, n, order)):
            changed = max(changed, _visit_examples(split, examples, cap, alphas, w, sums, lengths))
            visits += len(examples)
            largest = float(sums[1].max())
            feasible = largest * objective.C <= 1 + 1e-12
            dual = Dual(objective.C * float(sums[0].sum()), recompute=again) if feasible else None
            yield Iterate(w, visits, dual, {"largest_sum": largest})


@kernel
def _visit_examples(split, examples, cap, alphas, w, sums, lengths):
    """Visit these examples; returns the largest change of an alpha. ``cap``: of a sum; or infinite."""
    memory = listed.room(split, examples, alphas.starts)
    largest = 0.0
    for i in examples:
        visit = listed.begin(split, i, alphas, w, memory)
        if cap == np.inf:
            _single_steps(split, i, visit)
        else:
            lengths[i] = _projected_steps(split, i, cap, lengths[i], visit)
        sums[0, i], sums[1, i], changed = listed.end(split, i, visit, w)
        largest = max(largest, changed)
    return largest


@kernel
def _single_steps(split, i, visit):
    """The slide's update of each alpha of the example; the scores s follow."""
    Y, own, y, s, e, step, _, _ = visit
    for a in range(own.shape[0]):
        if a != y:
            step[:] = 0.0
            listed.add_delta(1.0, Y, y, a, step)
            norm = parts.squared_norm(split, i, step)
            if norm > 0.0:
                changed = max(0.0, own[a] - (dot(e, step) + dot(s, step)) / norm)
                if changed != own[a]:
                    parts.add_gram(split, i, changed - own[a], step, s)
                    own[a] = changed


@kernel
def _projected_steps(split, i, cap, length, visit):
    """Steps of all alphas of the example together; the scores s follow. Returns lambda of the next step."""
    Y, own, y, s, e, step, change, _ = visit
    slopes, to = np.empty_like(own), np.empty_like(own)
    if length == 0.0:
        length = _first_length(split, i, Y, y, cap, step)
    for _ in range(STEPS):
        for a in range(own.shape[0]):
            slopes[a] = dot(e, Y[a]) + dot(s, Y[a]) - dot(e, Y[y]) - dot(s, Y[y])
            to[a] = own[a] + length * slopes[a]
        price = project(to, y, cap) / length
        step[:] = 0.0
        change[:] = 0.0
        rise = square = more = 0.0
        for a in range(own.shape[0]):
            d = to[a] - own[a]
            if d != 0.0:
                listed.add_delta(d, Y, y, a, step)
                rise += d * (slopes[a] - price)
                square += d * d
                more += d
        if abs(more) > ROUNDING * cap:  # else the sum stays at the cap, and a difference is rounding
            rise += price * more
        if rise <= 0.0:
            break
        parts.add_gram(split, i, 1.0, step, change)
        norm = dot(step, change)
        far = min(1.0, rise / norm) if norm > 0.0 else 1.0
        for a in range(own.shape[0]):
            own[a] += far * (to[a] - own[a])
        for r in range(s.shape[0]):
            s[r] += far * change[r]
        length = min(square / norm, FAR * cap) if norm > 0.0 else FAR * cap
    return length


@kernel
def _first_length(split, i, Y, y, cap, step):
    """lambda of a step that cannot be too long: 1 over the sum of all ||Delta||^2."""
    trace = 0.0
    for a in range(Y.shape[0]):
        step[:] = 0.0
        listed.add_delta(1.0, Y, y, a, step)
        trace += parts.squared_norm(split, i, step)
    return 1.0 / trace if trace > 0.0 else FAR * cap


@kernel
def project(v, left_out, cap):
    """v = the nearest point with entries >= 0 that add up to at most cap; entry ``left_out`` becomes 0.

    Returns what each entry that stays above 0 has lost.
    """
    v[left_out] = 0.0
    for a in range(v.shape[0]):
        v[a] = max(v[a], 0.0)
    excess = shrinkage(v.copy(), cap)
    for a in range(v.shape[0]):
        v[a] = max(v[a] - excess, 0.0)
    return excess
