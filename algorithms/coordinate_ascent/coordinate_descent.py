"""Coordinate descent on the SVM's dual variables alpha_i(y), one after another (klein2011, "Coordinate Descent").

With Delta_i(y) = f(x_i, y_i) - f(x_i, y), w = sum_i sum_y alpha_i(y) Delta_i(y). Each alpha in turn takes its best
value,

    alpha_i(y) <- max(0, alpha_i(y) + (e_i(y) - w . Delta_i(y)) / ||Delta_i(y)||^2).

Nothing bounds sum_y alpha_i(y). This is the dual of the hard margin, min ||w||^2 / 2 with w . Delta_i(y) >= e_i(y)
for all i and y. It has a solution if the data can be separated; if not, alpha grows for ever. The soft margin of
strength C also asks for sum_y alpha_i(y) <= 1 / C (the gold output has the rest). At that bound a single alpha may
be stuck. With ``constraint="sum"`` all alphas of an example step together. They go along the dual's gradient, are
projected onto both constraints, and go in that direction as far as the dual rises:

    d = proj(alpha_i + lambda (e_i(y) - w . Delta_i(y))_y) - alpha_i,
    alpha_i <- alpha_i + min(1, sum_y d(y) (e_i(y) - w . Delta_i(y)) / norm^2) d,  norm = ||sum_y d Delta_i||.

No lambda lowers the dual. We take ||d||^2 / norm^2 of the step before (the spectral projected gradient; Barzilai
and Borwein 1988, Birgin, Martinez and Raydan 2000). If d is one alpha's, this is the slide's step.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any, Literal

import numpy as np

from structbench.algorithms.coordinate_ascent.listed_outputs import outputs, recompute_dual, room, zeros
from structbench.algorithms.learning.declaration import Settings, algorithm
from structbench.algorithms.learning.objective import Dual, Iterate, Objective, require_labels
from structbench.algorithms.learning.sampling import one_pass, split_pass
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import copy_to, dot
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
    alphas = zeros(split, "coordinate-descent")
    cap = 1 / objective.C if constraint == "sum" else np.inf
    again = partial(recompute_dual, split, objective.C, alphas)
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
    starts, alpha, right = alphas
    size, longest, most = room(split, examples, starts)
    memory, of_parts, of_outputs = np.empty(size), np.empty((5, longest)), np.empty((3, most))
    largest = 0.0
    for i in examples:
        m, k = parts.num_parts(split, i), starts[i + 1] - starts[i]
        Y, own = memory[: m * k].reshape((k, m)), alpha[starts[i] : starts[i + 1]]
        s, e, step, moved = of_parts[0, :m], of_parts[1, :m], of_parts[2, :m], of_parts[3, :m]
        before = of_outputs[0, :k]
        copy_to(own, before)
        outputs(split, i, Y)
        parts.scores(split, i, w, s)
        e[:] = 0.0
        parts.add_costs(split, i, 1.0, e)
        if cap == np.inf:
            _single_steps(split, i, Y, right[i], s, e, own, step)
        else:
            memory_of_steps = step, of_parts[4, :m], of_outputs[1, :k], of_outputs[2, :k]
            lengths[i] = _projected_steps(split, i, Y, right[i], cap, lengths[i], s, e, own, memory_of_steps)
        moved[:] = 0.0
        sums[0, i] = 0.0
        sums[1, i] = 0.0
        for a in range(k):
            largest = max(largest, abs(own[a] - before[a]))
            _add_delta(own[a] - before[a], Y, right[i], a, moved)
            sums[0, i] += own[a] * (dot(e, Y[a]) - dot(e, Y[right[i]]))
            sums[1, i] += own[a]
        parts.add_features(split, i, 1.0, moved, w)
    return largest


@kernel
def _add_delta(c, Y, y, a, out):
    """out += c times (the parts of the gold output y minus the parts of output a)."""
    for r in range(out.shape[0]):
        out[r] += c * (Y[y, r] - Y[a, r])


@kernel
def _single_steps(split, i, Y, y, s, e, own, step):
    """The slide's update of each alpha of the example; the scores s follow."""
    for a in range(own.shape[0]):
        if a != y:
            step[:] = 0.0
            _add_delta(1.0, Y, y, a, step)
            norm = parts.squared_norm(split, i, step)
            if norm > 0.0:
                changed = max(0.0, own[a] - (dot(e, step) + dot(s, step)) / norm)
                if changed != own[a]:
                    parts.add_gram(split, i, changed - own[a], step, s)
                    own[a] = changed


@kernel
def _projected_steps(split, i, Y, y, cap, length, s, e, own, memory):
    """Steps of all alphas of the example together; the scores s follow. Returns lambda of the next step."""
    step, change, slopes, to = memory
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
                _add_delta(d, Y, y, a, step)
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
        _add_delta(1.0, Y, y, a, step)
        trace += parts.squared_norm(split, i, step)
    return 1.0 / trace if trace > 0.0 else FAR * cap


@kernel
def project(v, left_out, cap):
    """v = the nearest point with entries >= 0 that add up to at most cap; entry ``left_out`` becomes 0.

    Returns what each entry that stays above 0 has lost.
    """
    v[left_out] = -np.inf
    total = 0.0
    for a in range(v.shape[0]):
        total += max(v[a], 0.0)
    excess = 0.0
    if total > cap:  # each positive entry loses the same excess (Held, Wolfe and Crowder 1974)
        falling = -np.sort(-v)
        above = 0.0
        for a in range(v.shape[0]):
            above += falling[a]
            if falling[a] > (above - cap) / (a + 1):
                excess = (above - cap) / (a + 1)
    for a in range(v.shape[0]):
        v[a] = max(v[a] - excess, 0.0)
    return excess
