"""The sequential dual method for the hinge: block coordinate ascent on each example's working set of outputs.

Balamurugan et al. 2011. Each example keeps the outputs to which its distribution u_i gives probability. A visit
computes the gradient of the dual, g_r = e_{i,r} + w(u) . f(x_i, r) / C, and y = argmax_y g . y. If y has a higher
score than all kept outputs, the visit keeps y, too. It then maximises the dual over the probabilities of the kept
outputs,

    max  sum_y u_i(y) e_i(y) - ||w(u)||^2 / (2 C),

by their inner products f(x_i, y) . f(x_i, z), which it keeps. The share of example i in the duality gap is
g . (y - mu_i). An output without probability is dropped after some visits. ``cutting_plane`` does the same for a
tenth of the examples at once. ``frank_wolfe`` and ``smo`` keep marginals, not outputs. So they need a second
dynamic programme to find an output that loses probability.

Two additions make small C fast. After a pass, some passes maximise over the kept outputs alone, from their
features, without inference (Shah, Kolmogorov and Lampert, A multi-plane block-coordinate Frank-Wolfe algorithm for
training structural SVMs with a costly max-oracle, 2015). And each pass is on the objective plus a proximal term
(``learning.catalyst``), so that it converges as at a larger C. The dual point is that of the objective itself.
"""

from collections.abc import Iterator
from functools import partial
from itertools import count
from typing import Annotated, Any, Literal

import numpy as np

from structbench.algorithms.coordinate_ascent.smo import LONGEST_REST, rests, update_shrinking
from structbench.algorithms.cutting_planes import kept_outputs as kept
from structbench.algorithms.cutting_planes.simplex_qp import maximise
from structbench.algorithms.learning.averages import averaged
from structbench.algorithms.learning.catalyst import Catalyst
from structbench.algorithms.learning.certificate import recompute_dual
from structbench.algorithms.learning.declaration import Promises, Settings, algorithm
from structbench.algorithms.learning.gold_outputs import gold_norm
from structbench.algorithms.learning.inference import room
from structbench.algorithms.learning.objective import Dual, Iterate, Objective, require_labels
from structbench.algorithms.learning.sampling import one_pass
from structbench.algorithms.learning.tolerances import ROUNDING, shrunk
from structbench.algorithms.losses.terms import costs_and_scores, expected_cost
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import copy_to, dot
from structbench.algorithms.structures import interface as parts

SETTLED = 1e-13  # of the scores: a gap below it counts as 0
KEPT_SHARE = 0.45  # of the gaps that a pass with inference sees: see ``inner``
MANY = 6  # kept outputs an example, beyond which a pass over them costs more than it gains
LARGE = 0.5  # C over ||f(x_i, y_i)||^2 a decision, from which on passes with inference alone are fastest
RECENT_PASS = 0.25  # of a pass in the average of weights, at least


@algorithm(
    label="Sequential dual",
    loss="polyhedral",
    needs=("parts", "argmax"),
    random={"order": ("random", "permuted")},
    threads=False,
    promises=Promises(monotone={"proximal": (0.0,)}),
    settings=Settings(
        contests=({},),
        tests=(
            {"average": False},
            {"shrinking": False, "patience": 1, "relaxation": 1.0},
            {"inner": 0, "proximal": 0.0},
        ),
    ),
    references=("balamurugan2011",),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    order: Literal["random", "permuted", "cyclic"] = "permuted",
    tolerance: Annotated[float, "> 0", "< 1"] = 0.1,
    relaxation: Annotated[float, ">= 1", "< 2"] = 1.2,
    patience: Annotated[int, ">= 1"] = 5,
    average: bool = True,
    shrinking: bool = True,
    inner: Annotated[int, ">= 0"] = 6,
    proximal: Annotated[float, ">= 0"] = 0.65,
) -> Iterator[Iterate]:
    """Run the sequential dual method from the gold outputs, where w(u) = 0. It ends as ``smo`` does.

    Args:
        order: examples with replacement, a new permutation each pass, or always in file order.
        tolerance: a visit ends when this share of the example's gap is left.
        relaxation: a visit goes this many times as far, or until a probability is 0. See ``smo``.
        patience: outputs without probability after this many visits of their example are dropped.
        average: as of ``smo``: yield as weights an average of w(u) / C over time. u stays the dual point.
        shrinking: as of ``smo``, once kappa is 0.
        inner: passes over kept outputs alone after a pass, at most. Each leaves out examples without a gap. The
            last is the first that sees gaps of at most ``KEPT_SHARE`` of those that the pass with inference saw.
            There are none from C = ``LARGE`` ||f(x_i, y_i)||^2 a decision on, or with over ``MANY`` outputs an
            example.
        proximal: of ``Catalyst``: kappa at first, as a share of ||f(x_i, y_i)||^2 a decision. It is 0 where large
            C lets ``inner`` be 0. With ``proximal=0, inner=0`` this is the algorithm of 2011.
    """
    require_labels(objective.split, "sequential-dual")
    yield Iterate(np.zeros(parts.num_weights(objective.split)), 0)
    yield from iterates(
        State(objective.split), objective, rng,
        order, tolerance, relaxation, patience, average, shrinking, inner, proximal,
    )  # fmt: skip


class State:
    """The kept outputs, E_{u_i}[e_i] of all examples, w(u), who rests (as ``smo.Duals``), and the visits so far.

    At first u is the gold outputs. None of it depends on C.
    """

    def __init__(self, split: Any) -> None:
        n = parts.num_examples(split)
        self.outputs, self.losses, self.visits = kept.gold(split), np.zeros(n), 0
        self.w, self.resting = np.zeros(parts.num_weights(split)), np.zeros((2, n), np.int64)


def iterates(
    state: State,
    objective: Objective,
    rng: np.random.Generator,
    order: str,
    tolerance: float,
    relaxation: float,
    patience: int,
    average: bool,
    shrinking: bool,
    inner: int,
    proximal: float,
) -> Iterator[Iterate]:
    """Go on from this state, a point a pass. The arguments are those of ``solve``."""
    orders = (one_pass(rng, len(state.losses), order) for _ in count())
    norm, C = gold_norm(objective.split), objective.C
    if LARGE * norm <= C:
        inner, proximal = 0, 0.0
    weights = Catalyst(state.w, C, proximal * norm)
    found = _passes(state, objective, weights, orders, tolerance, relaxation, patience, shrinking, inner)

    def share(k: int) -> float:
        return 1.0 if state.resting[1].min() > 0 else max(2 / (k + 1), RECENT_PASS)

    yield from averaged(found, share) if average else found


def _passes(
    state: State,
    objective: Objective,
    weights: Catalyst,
    orders: Iterator[np.ndarray],
    tolerance: float,
    relaxation: float,
    patience: int,
    shrinking: bool,
    inner: int,
) -> Iterator[Iterate]:
    """Visit the examples in these orders until none has a gap; the arguments are those of ``solve``."""
    split, n = objective.split, len(state.losses)
    losses, resting, last = state.losses, state.resting, False
    while not (last and resting[1].min() > 0 and weights.kappa == 0):
        last = resting[1].min() > 0
        if last:
            resting[0] = 0  # they may have a gap since
        examples, before, done, seen = next(orders), state.visits, 0, 0.0
        accuracy = max(SETTLED * shrunk(float(losses.sum()), n), ROUNDING)
        while True:
            visited, calls, gap = _visit_examples(
                split, weights.strength, examples[done:], tolerance, relaxation, patience,
                LONGEST_REST if shrinking and weights.kappa == 0 else 0,
                accuracy, state.outputs, weights.sum, losses, resting,
            )  # fmt: skip
            done, state.visits, seen = done + visited, state.visits + calls, seen + gap
            if done == len(examples):
                break
            state.outputs = state.outputs.with_more_room
        if inner and state.outputs.about[kept.COUNT].sum() <= MANY * n:
            examples, state.outputs = next(orders), kept.with_features(split, state.outputs)
            for _ in range(inner):
                left, gap = _revisit(
                    weights.strength, examples, tolerance, relaxation, accuracy, state.outputs, weights.sum, losses
                )
                examples = examples[:left]
                if gap <= KEPT_SHARE * seen:
                    break
        weights.advance()
        if state.visits > before:  # not all are left out
            dual = Dual(float(losses.sum()), weights.w, partial(recompute_dual, objective, _mixed, state.outputs))
            notes = {"outputs": float(state.outputs.about[kept.COUNT].sum()), "kappa": weights.kappa}
            yield Iterate(weights.point, state.visits, dual, notes)


@kernel
def _mixed(first, last, split, begin, offsets, mu, conjugates, outputs):
    """See ``certificate.recompute_dual``."""
    for j in range(first, last):
        mu_j = mu[offsets[j] : offsets[j + 1]]
        mu_j[:] = 0.0
        own = kept.of_example(outputs, begin + j)
        kept.add_outputs(own, own.alpha, mu_j)
        conjugates[j] = expected_cost(split, begin + j, mu_j)


@kernel
def _visit_examples(
    split, C, examples, tolerance, relaxation, patience, longest_rest, accuracy, outputs, w, losses, resting
):
    """Visit these examples in turn. Returns how many, the inference calls made, and the sum of their gaps.

    It ends early if there is no room for another output. ``accuracy``: of the scores: a gap below it counts as 0.
    """
    memory = room(split, examples, 4)
    calls, total = 0, 0.0
    for k in range(examples.shape[0]):
        i = examples[k]
        if rests(resting, i):
            continue
        m = parts.num_parts(split, i)
        e, g, y, moved = memory[0, :m], memory[1, :m], memory[2, :m], memory[3, :m]
        costs_and_scores(split, i, w, C, e, g)
        best = parts.argmax(split, i, g, y)
        own = kept.of_example(outputs, i)
        present = highest = 0.0
        for a in range(own.alpha.shape[0]):
            own.h[a] = kept.score(own, a, g)
            present += own.alpha[a] * own.h[a]
            highest = max(highest, own.h[a]) if a > 0 else own.h[a]
        gap, least = best - present, accuracy * (1.0 + abs(best) + abs(present))
        if gap > least and best - highest > least:
            if not kept.append(split, i, y, dot(e, y), best, moved, outputs):
                return k, calls, total
            own = kept.of_example(outputs, i)
        calls += 1
        if gap > least:
            total += gap
            copy_to(own.alpha, own.before)
            maximise(own.h, own.gram, C, 0.0, tolerance * gap, own.alpha)
            _go_further(relaxation, own.before, own.alpha)
            for a in range(own.alpha.shape[0]):
                own.before[a] -= own.alpha[a]
            moved[:] = 0.0
            kept.add_outputs(own, own.before, moved)
            parts.add_features(split, i, 1.0, moved, w)
            losses[i] = dot(own.costs, own.alpha)
        kept.drop(i, patience, outputs)
        update_shrinking(resting, i, gap > least, longest_rest)
    return examples.shape[0], calls, total


@kernel
def _revisit(C, examples, tolerance, relaxation, accuracy, outputs, w, losses):
    """Maximise over the kept outputs alone. Returns how many examples had a gap, and the sum of the gaps.

    These examples are then the first.
    """
    left, total = 0, 0.0
    for k in range(examples.shape[0]):
        i = examples[k]
        own = kept.of_example(outputs, i)
        if own.alpha.shape[0] < 2:
            continue
        present, highest = 0.0, -np.inf
        for a in range(own.alpha.shape[0]):
            own.h[a] = own.costs[a] - kept.product(outputs, own, a, w) / C
            present += own.alpha[a] * own.h[a]
            highest = max(highest, own.h[a])
        gap = highest - present
        if gap <= accuracy * (1.0 + abs(highest) + abs(present)):
            continue
        examples[k], examples[left] = examples[left], i
        left, total = left + 1, total + gap
        copy_to(own.alpha, own.before)
        maximise(own.h, own.gram, C, 0.0, tolerance * gap, own.alpha)
        _go_further(relaxation, own.before, own.alpha)
        for a in range(own.alpha.shape[0]):
            if own.alpha[a] != own.before[a]:
                kept.add_difference(outputs, own, a, own.alpha[a] - own.before[a], w)
        losses[i] = dot(own.costs, own.alpha)
    return left, total


@kernel
def _go_further(relaxation, before, alpha):
    """alpha = before + c (alpha - before). c is ``relaxation``, or less if a probability would be below 0."""
    c = relaxation
    for a in range(alpha.shape[0]):
        if alpha[a] < before[a]:
            c = min(c, before[a] / (before[a] - alpha[a]))
    for a in range(alpha.shape[0] if c > 1.0 else 0):
        alpha[a] = max(before[a] + c * (alpha[a] - before[a]), 0.0)
