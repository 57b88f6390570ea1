"""Stochastic dual coordinate ascent for CRFs, with a line search (Le Priol, Piche, Lacoste-Julien 2018).

Every example keeps b_i, the clique marginals of its dual distribution u_i. A visit to example i computes its
scores s at the weights w(u) / C, and their distribution b'. It maximises the dual on the way to b',

    b' = p(s),  d = b' - b_i,  b_i <- b_i + gamma d,
    gamma = argmax over [0, 1] of H(b_i + gamma d) + gamma s . d - gamma^2 ||f d||^2 / (2 C),

where s . d and f d, the change of w(u), are taken over parts. The dual ascent is that of Shalev-Shwartz and Zhang
(2013, 2016). The search is Newton's, almost exact, and without inference. At b' the gradient of H(b) + s . b is
normal to d. So the example's duality gap KL(b_i || b') and the quadratic term give the first gamma. All this is
for the log loss. For another smooth loss s gets the costs lambda e_i / tau, and C tau replaces C.

Memory: one number a clique, since mixtures are no p(s) in general; on chains three bytes (``chain.packed``). A
visit rounds b_i, and moves w(u) to the rounded b_i. So u is what is stored, and its dual value is a bound. On
CoNLL-2000 with CRF++'s features it certifies a relative gap of 1e-7.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np

from structbench.algorithms.learning import certificate
from structbench.algorithms.learning.declaration import Promises, Settings, algorithm
from structbench.algorithms.learning.gold_outputs import subtract_from_gold
from structbench.algorithms.learning.loss_factors import apply_factors, factor_of
from structbench.algorithms.learning.objective import Dual, Iterate, Objective, blocks
from structbench.algorithms.learning.precision import Precision, Storage, any_precision
from structbench.algorithms.learning.sampling import ticks
from structbench.algorithms.learning.start import attaining_scores
from structbench.algorithms.losses.terms import expected_cost
from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.rows import prefetch
from structbench.algorithms.runtime.vector_math import dot, total_score
from structbench.algorithms.structures import cliques
from structbench.algorithms.structures import interface as parts

NEWTON_STEPS = 30
LINE_SEARCH_TOLERANCE = 0.1  # the search ends when a Newton step promises this share of the certain gain
COARSE_GAP, COARSE_SIZE = 1e-9, 100  # from this gap on, more cliques than this are searched along in float32
ROUNDING = 1e-14  # an example's gap, relative to log Z, that counts as 0


@algorithm(
    label="SDCA",
    loss="smooth",
    penalties=("l2", "elastic-A"),
    needs=any_precision("parts", "argmax", "marginals", "cliques"),
    loss_factors=True,
    warm_start=True,
    promises=Promises(monotone={"precision": ("float64",)}),
    settings=Settings(
        figures=({}, *({"sampling": each} for each in ("gap-importance", "importance", "largest-gap", "random"))),
        contests=({},),
    ),
    references=("lepriol2018", "shalevshwartz2013"),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    sampling: Literal["gap", "gap-importance", "importance", "largest-gap", "random", "permuted"] = "gap",
    start: Annotated[float, ">= 0"] = 10.0,
    precision: Precision = "float64",
) -> Iterator[Iterate]:
    """Run SDCA. Yields w = 0, as all algorithms, then w(u) / C of the first u, after n visits.

    Args:
        sampling: ``gap`` draws examples in proportion to their duality gaps at their last visits, after a first
            pass over all examples, and each once a tenth of a pass at most (``sampling.by_weight``). Such gaps
            grow stale, so that a fifth of the draws is uniform. ``importance`` draws in proportion to constants
            (``importances``), ``gap-importance`` to their product with the gaps (the paper's gap+), and
            ``largest-gap`` takes the largest gaps in place of a draw. ``random`` draws uniformly. ``permuted``
            goes through a new permutation each pass.
        start: as of ``eg``.
        precision: of the features and weights that visits read; ``float32`` is for classes and chains.
    """
    split, n = objective.split, parts.num_examples(objective.split)
    yield Iterate(np.zeros(parts.num_weights(split)), 0)
    duals, visits = started(objective, start), n
    storage = Storage(split, precision, objective.strengths.A)
    duals = duals._replace(w=storage.packed(duals.w))
    yield _iterate(objective, duals, storage.shrunk(duals.w), visits)
    importance = 1.0
    if "importance" in sampling:
        importance, visits = importances(objective), visits + n
    for examples in ticks(rng, n, sampling, duals.gaps, importance=importance):
        _visit_examples(storage.split, objective.loss_terms, objective.C, examples, duals)
        visits += len(examples)
        yield _iterate(objective, duals, storage.shrunk(duals.w), visits)


class Duals(NamedTuple):
    """All examples' distributions, as ``parts.pack`` stores them from the offsets on, and w = w(u).

    ``entropies``, ``costs``: H(u_i) and E_{u_i}[e_i]. ``gaps``: at the last visits.
    ``longest``: the most parts and the most cliques of an example. ``factors``: see ``loss_factors``. ``packed``:
    whether storing rounds.
    """

    offsets: np.ndarray
    stored: np.ndarray
    w: np.ndarray
    entropies: np.ndarray
    costs: np.ndarray
    gaps: np.ndarray
    longest: np.ndarray
    factors: np.ndarray
    packed: bool


def started(objective: Objective, start: float) -> Duals:
    """The first distributions. After an earlier fit: those that it stored, or that attain its losses."""
    split, factors, begun = objective.split, objective.loss_factors, objective.start_from
    n, offsets = parts.num_examples(split), parts.starts(parts.num_packed, split)
    longest = np.array([np.diff(each).max() for each in (parts.offsets(split), cliques.offsets(split))])
    stored, w = np.empty(offsets[-1]), np.zeros(parts.num_weights(split))
    packed = parts.pack.owner(parts.kind_of(split)) is not None
    duals = Duals(offsets, stored, w, np.empty(n), np.empty(n), np.zeros(n), longest, factors, packed)
    scores, known = None, begun is not None and begun.stored is not None
    if begun is not None and begun.stored is not None:
        stored[:] = begun.stored
    elif begun is not None:
        start, scores = 0.0, attaining_scores(split, objective.loss_terms, begun.weights)
    for begin, own in blocks(split):
        a = parts.offsets(split)[begin]
        difference = np.zeros(own[-1]) if scores is None else scores[a : a + own[-1]]
        parallel.for_each(_start, len(own) - 1, split, begin, own, start, known, duals, difference)
        apply_factors(factors, begin, own, difference)
        parts.add_expected_features(split, begin, own, difference, w)
    return duals


def importances(objective: Objective) -> np.ndarray:
    """1 + R_i^2 / (C tau), with R_i = ||f(x_i, y) - f(x_i, y_i)|| of an output y whose cost is largest."""
    squares = np.empty(parts.num_examples(objective.split))
    parallel.for_each(_squared_radii, len(squares), objective.split, squares)
    return 1.0 + objective.loss_factors * squares / (objective.C * objective.loss_terms.temperature)


@kernel
def _squared_radii(first, last, split, squares):
    for i in range(first, last):
        m = parts.num_parts(split, i)
        costs, y, gold = np.zeros(m), np.empty(m), np.empty(m)
        parts.add_costs(split, i, 1.0, costs)
        parts.argmax(split, i, costs, y)
        parts.gold(split, i, gold)
        for r in range(m):
            y[r] -= gold[r]
        squares[i] = parts.squared_norm(split, i, y)


def _iterate(objective: Objective, duals: Duals, w: np.ndarray | Callable[[], np.ndarray], visits: int) -> Iterate:
    loss = objective.loss_terms
    recompute = partial(certificate.of_cliques, objective, duals.offsets, duals.stored, packed=True)
    conjugate = loss.temperature * float((duals.factors * duals.entropies).sum())
    conjugate += loss.cost * float((duals.factors * duals.costs).sum()) if loss.cost else 0.0
    return Iterate(w, visits, Dual(conjugate, None, recompute, duals.stored), scale=1 / objective.C)


@kernel
def _start(first, last, split, begin, own, start, known, duals, difference):
    """Fill all but w, also ``stored`` unless it is ``known``. ``difference``, the s_i, becomes y_i - mu_i."""
    offsets, stored, _, entropies, costs, _, _, _, _ = duals
    for j in range(first, last):
        i, s = begin + j, difference[own[j] : own[j + 1]]
        b_i, mu = np.empty(parts.num_cliques(split, i)), np.empty(s.shape[0])
        if known:
            parts.unpack(split, i, stored[offsets[i] : offsets[i + 1]], b_i)
        else:
            parts.add_costs(split, i, -start, s)
            parts.clique_marginals(split, i, s, b_i)
            parts.pack(split, i, b_i, stored[offsets[i] : offsets[i + 1]])
        entropies[i] = cliques.entropy(split, i, b_i, np.empty(b_i.shape[0]))
        parts.parts_of_cliques(split, i, b_i, mu)
        costs[i] = expected_cost(split, i, mu)
        subtract_from_gold(split, i, mu, s)


@kernel
def _visit_examples(split, loss, C, examples, duals):
    """Visit these examples in turn.

    It maximises the dual over tau: H(u_i) + (lambda / tau) E_{u_i}[e_i], with C tau in place of C.
    """
    offsets, stored, w, entropies, costs, gaps, longest, factors, packed = duals
    C *= loss.temperature
    part_memory, clique_memory = np.empty((3, longest[0])), np.empty((6, longest[1]))
    for k in range(examples.shape[0]):
        i = examples[k]
        later = examples[min(k + 1, examples.shape[0] - 1)]
        parts.prefetch(split, later)
        prefetch(stored, offsets[later], offsets[later + 1])
        prefetch(entropies, later, later + 1)
        prefetch(gaps, later, later + 1)
        stored_i = stored[offsets[i] : offsets[i + 1]]
        m, size = parts.num_parts(split, i), parts.num_cliques(split, i)
        s, mu, delta = part_memory[0, :m], part_memory[1, :m], part_memory[2, :m]
        b_i, d, between = stored_i, clique_memory[1, :size], clique_memory[2:]
        if packed:
            b_i = clique_memory[0, :size]
            parts.unpack(split, i, stored_i, b_i)
        parts.scores(split, i, w, s)
        for r in range(m):
            s[r] /= C
        if loss.cost != 0.0:
            parts.add_costs(split, i, loss.cost / loss.temperature, s)
        log_z = parts.clique_marginals(split, i, s, d)
        parts.parts_of_cliques(split, i, b_i, mu)
        gap = log_z - total_score(s, mu) - entropies[i]  # KL(b_i || d)
        factor = factor_of(factors, i)
        gaps[i] = factor * max(gap, 0.0)
        if gap <= ROUNDING * (1.0 + abs(log_z)):
            continue
        parts.parts_of_cliques(split, i, d, delta)
        for r in range(m):
            delta[r] -= mu[r]
        for c in range(b_i.shape[0]):
            d[c] -= b_i[c]
        quadratic = factor * parts.squared_norm(split, i, delta) / C
        gamma = _line_search(split, i, b_i, d, dot(s, delta), quadratic, gap, between)
        for c in range(b_i.shape[0]):
            b_i[c] += gamma * d[c]
        if packed:
            parts.pack(split, i, b_i, stored_i)
            parts.parts_of_cliques(split, i, b_i, delta)
            for r in range(m):
                delta[r] -= mu[r]
            gamma = 1.0
        entropies[i] = cliques.entropy(split, i, b_i, between[0])
        if loss.cost != 0.0:
            for r in range(m):
                mu[r] += gamma * delta[r]
            costs[i] = expected_cost(split, i, mu)
        parts.add_features(split, i, -gamma * factor, delta, w)


@kernel
def _line_search(split, i, b, d, linear, quadratic, gap, memory):
    """The maximum of h(gamma) = H(b + gamma d) - H(b) + gamma linear - gamma^2 quadratic / 2 over [0, 1].

    Without its quadratic term h is 0 at 0, ``gap`` at 1, and level there. The search starts from the parabola with
    these values. Since h is concave, the gain is at least gamma gap - gamma^2 quadratic / 2.
    """
    silent, count = parts.separators(split, i, b, memory[1])
    if count > 0:
        parts.separators(split, i, d, memory[2])
    b, d, at = b[silent:], d[silent:], memory[0, : b.shape[0] - silent]
    coarse = gap > COARSE_GAP and b.shape[0] > COARSE_SIZE
    short_b, short_target = cliques.shortened(b, d, at) if coarse else cliques.shortened(b[:0], d[:0], at[:0])
    sums, changes, sums_at = memory[1, :count], memory[2, :count], memory[3, :count]
    gamma = 2.0 * gap / (2.0 * gap + quadratic)
    sure = gap * min(0.5, 0.5 * gap / quadratic)
    low, high = 0.0, 1.0
    for _ in range(NEWTON_STEPS):
        for c in range(count):
            sums_at[c] = sums[c] + gamma * changes[c]
        if coarse:
            first, second = cliques.short_slopes_of_difference(short_b, short_target, gamma, sums_at, changes)
        else:
            for c in range(b.shape[0]):
                at[c] = b[c] + gamma * d[c]
            first, second = cliques.slopes_of_difference(at, d, sums_at, changes)
        first += linear - gamma * quadratic
        second -= quadratic
        if first * first <= -2.0 * LINE_SEARCH_TOLERANCE * sure * second:
            return gamma
        if first > 0.0:
            low = gamma
        else:
            high = gamma
        gamma -= first / second
        if not low < gamma < high:  # NaN too
            gamma = (low + high) / 2
    return low  # the slope is not negative up to here
