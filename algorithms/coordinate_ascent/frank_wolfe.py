"""Frank-Wolfe on the dual of the hinge: a block of one example, or all of them, at a time, with exact line search.

Lacoste-Julien et al. 2013. With y the cost-augmented argmax at w(u) / C and g_r = e_{i,r} + w(u) . f(x_i, r) / C,
a step moves

    u_i <- u_i + gamma d,   gamma = g . d / (||d . f(x_i, .)||^2 / C), at most as far as u_i is a distribution.

The direction is d = y - mu_i (theirs, Algorithm 4), or d = y - z with the worst output z that u_i gives weight. No
list of outputs is kept (Garber and Meshi 2016). The share of example i in the duality gap is g . (y - mu_i).
Examples are drawn in proportion to it (Osokin et al. 2016). Memory: one number a part, for ``steps=pairwise`` one
a clique; in batch mode O(features) only.
"""

from collections.abc import Callable, Iterator
from typing import Annotated, Any, Literal

import numpy as np

from structbench.algorithms.learning import certificate, tolerances
from structbench.algorithms.learning.averages import averaged, by_power
from structbench.algorithms.learning.declaration import Promises, Settings, algorithm
from structbench.algorithms.learning.gold_outputs import gold
from structbench.algorithms.learning.inference import room, room_of
from structbench.algorithms.learning.objective import Dual, Iterate, Objective, require_labels
from structbench.algorithms.learning.precision import Precision, Storage, any_precision
from structbench.algorithms.learning.sampling import TICKS, change, draw, one_pass, split_pass, sum_tree
from structbench.algorithms.losses.terms import costs_and_scores, expected_cost
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import copy_to, dot
from structbench.algorithms.structures import cliques
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.cliques import movable_mass, move_mass

SETTLED = 1e-13  # of the scores: a block's gap below it counts as 0
FLOOR = 1e-13  # a clique with at most this probability has none
REFRESH = 1.5  # draws by gap between two passes over all examples, as a multiple of their number
INNER_TOLERANCE = 0.1  # inner steps end when this share of the block's gap is left


@algorithm(
    label="Frank-Wolfe",
    loss="polyhedral",
    needs=any_precision("parts", "argmax", "cliques"),
    random={"mode": ("block",)},
    promises=Promises(monotone=True, linear={"mode": ("block",), "steps": ("pairwise",)}),
    settings=Settings(
        contests=({},),
        tests=(
            {"inner": 5, "sampling": "random"},
            {"steps": "toward", "sampling": "permuted", "average": 1.0},
            {"mode": "batch", "best": True},
        ),
    ),
    references=("bcfw2013", "garber2016", "osokin2016"),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    mode: Literal["block", "batch"] = "block",
    sampling: Literal["gap", "permuted", "random"] = "gap",
    steps: Literal["pairwise", "toward"] = "pairwise",
    inner: Annotated[int, ">= 1"] = 1,
    average: Annotated[float, ">= 0"] = 0.0,
    best: bool = False,
    precision: Precision = "float64",
) -> Iterator[Iterate]:
    """Run Frank-Wolfe from u_i = the gold output y_i, where w(u) = 0.

    Args:
        mode: one example an update, or all of them with one step size (Algorithm 2 of the paper).
        sampling: in block mode: in proportion to the gap at the last visit, by a new permutation each pass, or
            uniformly with replacement. Between 1.5 n draws by gap, a pass over all examples finds those whose gap
            has grown. After the first, passes go in file order, which halves the time of reading the features.
        steps: in block mode, from one output to another, or towards one output.
        inner: in block mode, most steps on an example in one visit. The second and later steps need inference, but
            no features. They end when 90% of the block's gap are closed.
        average: with 0, the weights are w(u) / C. With p, they are an average over all points so far, where the
            k-th weighs about k^p (1: as the paper's). The dual point stays u.
        best: in batch mode, the weights are those with the least objective before the last step, as in the figures
            of the paper. The dual point stays u.
        precision: of the features and weights that visits read; ``float32`` is for classes and chains, by blocks.
    """
    require_labels(objective.split, "frank-wolfe")
    if best and (mode != "batch" or average > 0):
        raise UserError("best=true is for mode=batch without an average: give best=false")
    yield Iterate(np.zeros(parts.num_weights(objective.split)), 0)
    if mode == "batch":
        if precision != "float64":
            raise UserError(f"precision={precision} is for mode=block: give precision=float64")
        run = batch_steps(objective, lambda _, gap, bend: gap / bend if gap < bend else 1.0, best)
    else:
        run = _blocks(_State(objective, steps == "pairwise", inner, precision), rng, sampling)
    yield from averaged(run, by_power(average)) if average > 0 else run


def batch_steps(
    objective: Objective, step: Callable[[int, float, float], float], best: bool = False
) -> Iterator[Iterate]:
    """u <- u + gamma (s - u) for the cost-augmented argmaxes s of all examples, with w(u) and E_u[e] alone.

    P, its subgradient and the dual point give w(s), E_s[e] and the duality gap, which is the slope of the dual
    towards s. ``step``: gamma from the number of the step, that gap and the curvature ||w(s) - w(u)||^2 / C.
    ``best``: whether the weights are the best before the step, whose P is known.
    """
    C, n = objective.C, parts.num_examples(objective.split)
    w = np.zeros(parts.num_weights(objective.split))
    gradient = np.empty_like(w)
    losses, steps, least, kept = 0.0, 0, np.inf, w
    while True:
        steps += 1
        primal = objective.value_and_gradient(w / C, gradient)
        if best and primal < least:
            least, kept = primal, w.copy()
        direction = -gradient  # w(s) - w(u), as the gradient is C (w(u) / C) - w(s)
        gap = primal - (losses - float(w @ w) / (2 * C))
        more_losses = gap + float(w @ direction) / C  # E_s[e] - E_u[e]
        gamma = step(steps, gap, float(direction @ direction) / C)
        w += gamma * direction
        losses += gamma * more_losses
        dual = Dual(losses, w if best else None)
        yield Iterate(kept, steps * n, dual, {"gap_before": gap}, scale=1 / C)


class _State:
    """The dual variables of all examples, w(u), E_{u_i}[e_i], and each example's gap at its last visit."""

    def __init__(self, objective: Objective, pairwise: bool, inner: int, precision: Precision) -> None:
        self.objective, self.pairwise, self.inner = objective, pairwise, inner
        self.split, self.C = objective.split, objective.C
        n = parts.num_examples(self.split)
        # u: of each example its clique marginals, or mu_i
        self.starts = cliques.offsets(self.split) if pairwise else parts.offsets(self.split)
        self.u = cliques.gold(self.split)[1] if pairwise else gold(self.split, 0, self.starts)
        self.storage = Storage(self.split, precision)
        self.w = self.storage.packed(np.zeros(parts.num_weights(self.split)))
        self.losses = np.zeros(n)
        self.gaps = sum_tree(self.losses)

    def visit(self, examples: np.ndarray, shares: np.ndarray) -> int:
        """Steps on these examples, or on those drawn with these uniform numbers. Returns the visits made."""
        tolerance = tolerances.shrunk(float(self.losses.sum()), len(self.losses))
        return _visit_examples(
            self.storage.split, self.C, self.pairwise, self.inner, examples, shares, tolerance, self.starts,
            self.u, self.w, self.losses, self.gaps,
        )  # fmt: skip

    def iterate(self, visits: int) -> Iterate:
        notes = {"gap_estimate": float(self.gaps[1])}
        dual = Dual(float(self.losses.sum()), recompute=self.recompute_dual)
        return Iterate(self.storage.unpacked(self.w), visits, dual, notes, scale=1 / self.C)

    def recompute_dual(self) -> tuple[float, np.ndarray]:
        """E_u[e] and w(u) of the stored u."""
        if self.pairwise:
            return certificate.of_cliques(self.objective, self.starts, self.u)
        return certificate.recompute_dual(self.objective, _copied, self.starts, self.u)


def _blocks(state: _State, rng: np.random.Generator, sampling: str) -> Iterator[Iterate]:
    n = len(state.losses)
    visits = 0
    while True:
        kind = ("cyclic" if visits else "permuted") if sampling == "gap" else sampling
        for examples in split_pass(one_pass(rng, n, kind)):
            visits += state.visit(examples, np.empty(0))
            yield state.iterate(visits)
        if sampling == "gap":
            shares = rng.random(max(1, round(REFRESH * n)))
            for tick in np.array_split(shares, min(int(np.ceil(TICKS * REFRESH)), len(shares))):
                made = state.visit(np.empty(0, np.int64), tick)
                visits += made
                if made:
                    yield state.iterate(visits)


@kernel
def _copied(first, last, split, begin, offsets, mu, conjugates, starts, u):
    """See ``certificate.recompute_dual``; u holds mu_i."""
    for i in range(first, last):
        mu_i = mu[offsets[i] : offsets[i + 1]]
        copy_to(u[starts[begin + i] : starts[begin + i + 1]], mu_i)
        conjugates[i] = expected_cost(split, begin + i, mu_i)


@kernel
def _visit_examples(split, C, pairwise, inner, examples, shares, tolerance, starts, u, w, losses, gaps):  # noqa: C901 - if it changes, so do the hashes of published runs
    everything, settled = np.arange(losses.shape[0]), max(SETTLED * tolerance, tolerances.ROUNDING)
    memory, of_cliques = room(split, everything, 7), room_of(starts, everything, 2)
    visits = 0
    for k in range(max(len(examples), len(shares))):
        if len(examples) > 0:
            i = examples[k]
        elif gaps[1] > 0:
            i = draw(gaps, shares[k])
        else:
            break
        m, b = parts.num_parts(split, i), u[starts[i] : starts[i + 1]]
        e, g, y, z = memory[0, :m], memory[1, :m], memory[2, :m], memory[3, :m]
        d, delta, mu = memory[4, :m], memory[5, :m], memory[6, :m] if pairwise else b
        if pairwise:
            parts.parts_of_cliques(split, i, b, mu)
        costs_and_scores(split, i, w, C, e, g)
        delta[:] = 0.0
        first_gap = 0.0
        steps = 0
        while steps < inner:
            visits += 1
            best, present = parts.argmax(split, i, g, y), dot(g, mu)
            gap = best - present
            if gap <= settled * (1 + abs(best) + abs(present)):
                gap = 0.0
            if steps == 0:
                first_gap = gap
                change(gaps, i, gap)
            if gap == 0.0 or (steps > 0 and gap <= INNER_TOLERANCE * first_gap):
                break
            gamma, differ = 1.0, 0
            if pairwise:
                visits += 1
                parts.argmin_in_support(split, i, g, b, FLOOR * tolerance, z)
                gamma, differ = movable_mass(split, i, y, z, b, of_cliques)
            else:
                copy_to(mu, z)
            for r in range(m):
                d[r] = y[r] - z[r]
            slope, curvature = dot(g, d), parts.squared_norm(split, i, d) / C
            if slope < gamma * curvature:
                gamma = slope / curvature
            for r in range(m):
                mu[r] += gamma * d[r]
                delta[r] += gamma * d[r]
            if pairwise:
                move_mass(gamma, b, of_cliques, differ)
            steps += 1
            if steps < inner:
                parts.add_gram(split, i, -gamma / C, d, g)
        if steps > 0:
            losses[i] = dot(e, mu)
            parts.add_features(split, i, -1.0, delta, w)
    return visits
