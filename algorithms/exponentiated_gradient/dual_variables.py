"""The dual variables of exponentiated gradient, and the updates that move them (eg2008, Figures 2 and 3)."""

from functools import partial
from typing import NamedTuple

import numpy as np

from structbench.algorithms.learning import certificate
from structbench.algorithms.learning.gold_outputs import subtract_from_gold
from structbench.algorithms.learning.inference import room_of
from structbench.algorithms.learning.loss_factors import apply_factors, factor_of
from structbench.algorithms.learning.objective import Dual, Iterate, Objective, blocks
from structbench.algorithms.learning.precision import Precision, Storage
from structbench.algorithms.losses.terms import attained_entropy, augment, dual_term, expected_cost
from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.rows import prefetch
from structbench.algorithms.runtime.vector_math import copy_to, dot, total_score
from structbench.algorithms.structures import interface as parts

EVERY = slice(None)
SLACK = 1e-12  # of a change in the dual that rounding may hide, relative to its terms
SHORT_SLACK = 1e-10  # the same where weights are float32


class Duals(NamedTuple):
    """The arrays that visits change, as kernels take them; see ``State``."""

    offsets: np.ndarray
    w: np.ndarray
    u: np.ndarray
    conjugates: np.ndarray
    eta: np.ndarray
    gaps: np.ndarray
    factors: np.ndarray
    first_eta: float
    slack: float


class State:
    """The dual variables of all examples, and w(u). Initially s_i = - start e_i, plus ``scores``, if given.

    ``u``: of each example s_i, then mu_i, which are used together. ``short`` rounds both to float32, before
    anything is computed from them. So w(u), conj(u) and the search for a step see the same numbers.
    ``conjugates``: H(u_i) and E_{u_i}[e_i]; visits update those that the loss counts. ``eta``: the step size of
    each example. ``gaps``: by how much the last visit of each example could raise the dual, where visits measure
    that. ``w``: w(u), as ``storage`` keeps it.
    """

    def __init__(
        self,
        objective: Objective,
        start: float,
        eta: float,
        scores: np.ndarray | None = None,
        precision: Precision = "float64",
        short: bool = False,
    ) -> None:
        split = objective.split
        n = parts.num_examples(split)
        self.split, self.start, self.factors = split, start, objective.loss_factors
        self.offsets = parts.offsets(split)
        self.threshold = objective.strengths.A
        self.storage = Storage(split, precision, self.threshold)
        self.u = np.empty(2 * self.offsets[-1], np.float32 if short else np.float64)
        self.slack = SLACK if precision == "float64" else SHORT_SLACK
        self.conjugates = np.empty((2, n))
        self.eta = np.full(n, eta)
        self.first_eta = eta
        self.gaps = np.ones(n)
        w = np.zeros(parts.num_weights(split))
        for begin, own in blocks(split):
            a = self.offsets[begin]
            difference = np.zeros(own[-1]) if scores is None else scores[a : a + own[-1]].copy()
            parallel.for_each(
                _start, len(own) - 1, split, begin, own, start, self.offsets, self.u, self.conjugates, difference
            )
            apply_factors(self.factors, begin, own, difference)
            parts.add_expected_features(split, begin, own, difference, w)
        self.w = self.storage.packed(w)

    def conjugate(self, objective: Objective, examples: np.ndarray | slice = EVERY) -> float:
        """conj(u), of all examples or of these."""
        total = 0.0
        for weight, values in zip(objective.loss_terms, self.conjugates, strict=True):
            total += weight * float((self.factors * values)[examples].sum()) if weight else 0.0
        return total

    def duals(self) -> Duals:
        """The arrays that visits change."""
        arrays = self.offsets, self.w, self.u, self.conjugates, self.eta, self.gaps, self.factors
        return Duals(*arrays, float(self.first_eta), self.slack)

    def iterate(
        self, objective: Objective, visits: int, notes: dict[str, float | str], weights: np.ndarray | None = None
    ) -> Iterate:
        """Where the algorithm stands; the weights are soft(w(u), A) / C. ``weights``: as of ``Dual``."""
        dual = Dual(self.conjugate(objective), weights, partial(self.recompute_dual, objective), self.u)
        return Iterate(self.storage.shrunk(self.w), visits, dual, notes, scale=1 / objective.C)

    def recompute_dual(self, objective: Objective) -> tuple[float, np.ndarray]:
        """conj(u) and w(u) of the stored u_i = p(s_i)."""
        return certificate.recompute_dual(objective, _marginals, objective.loss_terms, self.offsets, self.u)

    def divergence(self) -> float:
        """D[u || u^1] = sum_i KL(u_i, u_i^1) from the first u^1 (eg2008, section 5.2).

        Costs two inference calls an example.
        """
        found = np.empty(len(self.eta))
        parallel.for_each(_divergences, len(found), self.split, self.start, self.offsets, self.u, found)
        return float(found.sum())


def sweep(
    objective: Objective,
    C: float,
    state: State,
    examples: np.ndarray,
    adaptive: bool,
    grow: float,
    measure: bool = False,
) -> tuple[int, int, int]:
    """Visit these examples in turn, for a penalty of strength C.

    Args:
        measure: keep ``state.gaps``. For a smooth loss the gap is (change of mu_i) . d / eta of the step eta d of
            s_i. It costs nothing, and is about twice the example's own duality gap, for the log loss KL(u_i ||
            p(w(u) . f(x_i, .) / C)). Else it is that gap: max_y minus E_{u_i} of e_i + w(u) . f(x_i, .) / C. Its
            argmax counts as a visit.

    Returns:
        Visits made, how many of the examples improved the dual, and how many took more than one step size.
    """
    return visit_examples(
        state.storage.split, objective.loss_terms, C, examples, state.duals(), adaptive, grow, measure, 1.0
    )


@kernel
def scores_and_marginals(u, offsets, i):
    """Views of s_i and mu_i."""
    a, b = offsets[i], offsets[i + 1]
    return u[2 * a : a + b], u[a + b : 2 * b]


@kernel(inline=True)
def rounded(x, u):
    """x as an array like u would keep it."""
    return u.dtype.type(x)


@kernel
def _start(first, last, split, begin, own, start, offsets, u, conjugates, difference):
    """s_i = ``difference`` - start e_i; then ``difference`` becomes y_i - mu_i."""
    for j in range(first, last):
        i, mine = begin + j, difference[own[j] : own[j + 1]]
        s, mu = scores_and_marginals(u, offsets, i)
        parts.add_costs(split, i, -start, mine)
        copy_to(mine, s)
        copy_to(s, mine)  # rounded
        found = np.empty(mine.shape[0])
        log_z = parts.marginals(split, i, mine, found)
        copy_to(found, mu)
        copy_to(mu, found)
        conjugates[0, i] = attained_entropy(log_z, mine, found)
        conjugates[1, i] = expected_cost(split, i, found)
        subtract_from_gold(split, i, found, mine)


@kernel
def _marginals(first, last, split, begin, own_offsets, mu, conjugates, loss, offsets, u):
    """See ``certificate.recompute_dual``."""
    for j in range(first, last):
        i, mu_i = begin + j, mu[own_offsets[j] : own_offsets[j + 1]]
        s = np.empty(mu_i.shape[0])
        copy_to(scores_and_marginals(u, offsets, i)[0], s)
        log_z = parts.marginals(split, i, s, mu_i)
        conjugates[j] = dual_term(loss, split, i, loss.temperature * attained_entropy(log_z, s, mu_i), mu_i)


@kernel
def step(split, loss, i, eta, s, g, s_new, mu_new):
    """The update of one example with step size eta: s_new = (1 - eta tau) s + eta g.

    An output without probability keeps none.

    Returns:
        The new H(u_i) and E_{u_i}[e_i]; 0 for the one that the loss does not count.
    """
    log_z = _move(split, loss, i, eta, s, g, s_new, mu_new)
    entropy = attained_entropy(log_z, s_new, mu_new) if loss.temperature != 0.0 else 0.0
    return entropy, expected_cost(split, i, mu_new) if loss.cost != 0.0 else 0.0


@kernel(inline=True)
def _move(split, loss, i, eta, s, g, s_new, mu_new):
    """``step`` without the results; returns log Z."""
    kept = 1 - eta * loss.temperature
    for r in range(s.shape[0]):
        s_new[r] = rounded(kept * s[r] + eta * g[r], s) if s[r] > -np.inf else s[r]
    return parts.marginals(split, i, s_new, mu_new)


@kernel(fastmath={"reassoc"})
def _compare(s, g, s_new, mu, mu_new, delta):
    """Round mu_new; delta = mu_new - mu. Returns s_new . mu_new, g . mu_new, g . delta and s . delta."""
    new = of_g = along_g = along_s = 0.0
    for r in range(s.shape[0]):
        mu_new[r] = rounded(mu_new[r], mu)
        delta[r] = mu_new[r] - mu[r]
        new += s_new[r] * mu_new[r]
        of_g += g[r] * mu_new[r]
        along_g += g[r] * delta[r]
        along_s += s[r] * delta[r]
    return new, of_g, along_g, along_s


@kernel
def visit_examples(split, loss, C, examples, duals, adaptive, grow, measure, sigma):
    """As ``sweep``, but a change of w counts ``sigma`` times, in w and in the quadratic term.

    So does the change of an example whose loss has the factor ``sigma`` (``loss_factors``).
    """
    offsets, w, u, conjugates, eta, gaps, factors, first_eta, relative_slack = duals
    memory, inverse_C = room_of(offsets, examples, 5), 1 / C
    visits = improved = retried = 0
    for k in range(examples.shape[0]):
        i = examples[k]
        later = examples[min(k + 1, examples.shape[0] - 1)]
        parts.prefetch(split, later)
        prefetch(u, 2 * offsets[later], 2 * offsets[later + 1])
        prefetch(eta, later, later + 1)
        prefetch(gaps, later, later + 1)
        prefetch(conjugates[0], later, later + 1)
        s, mu = scores_and_marginals(u, offsets, i)
        first, factor = eta[i], factor_of(factors, i)
        times = sigma * factor
        m = s.shape[0]
        g, s_new, mu_new, delta = memory[0, :m], memory[1, :m], memory[2, :m], memory[3, :m]
        parts.scores(split, i, w, g)
        for r in range(m):
            g[r] *= inverse_C
        augment(loss, split, i, g)
        while True:
            visits += 1
            log_z = _move(split, loss, i, eta[i], s, g, s_new, mu_new)
            own, of_g, along_g, along_s = _compare(s, g, s_new, mu, mu_new, delta)
            if np.isnan(own) or np.isnan(along_s):
                own, along_s = total_score(s_new, mu_new), total_score(s, delta)
            entropy, cost, gain = 0.0, 0.0, along_g  # the change of E[e] included
            along = C * along_g
            if loss.temperature != 0.0:
                entropy = log_z - own
                gain += loss.temperature * (entropy - conjugates[0, i])
            if loss.cost != 0.0:
                cost = expected_cost(split, i, mu_new)
                along -= C * loss.cost * (cost - conjugates[1, i])
            slack = relative_slack * (1 + abs(own) + abs(of_g))
            limit = 2 * C * (gain + slack) / times if adaptive else np.inf
            square = parts.add_features_if_short(split, i, -times, delta, along, limit, w)
            change = gain - times * square / (2 * C)
            if not square > limit:
                break
            eta[i] *= 0.5
        if eta[i] < first:
            retried += 1
        if measure and loss.temperature == 0.0:
            visits += 1
            gaps[i] = factor * max(0.0, parts.argmax(split, i, g, memory[4, :m]) - dot(g, mu))
        elif measure:
            gaps[i] = factor * max(0.0, (along_g - loss.temperature * along_s) / eta[i])
        for r in range(m):
            s[r] = s_new[r]
            mu[r] = mu_new[r]
        conjugates[0, i], conjugates[1, i] = entropy, cost
        if change >= -slack:
            improved += 1
        if adaptive and (change > slack or eta[i] < first_eta):
            eta[i] *= grow
    return visits, improved, retried


@kernel
def _divergences(first, last, split, start, offsets, u, out):
    for i in range(first, last):
        stored, mu = scores_and_marginals(u, offsets, i)
        s, moved, unused = np.empty(mu.shape[0]), np.zeros(mu.shape[0]), np.empty(mu.shape[0])
        copy_to(stored, s)
        parts.add_costs(split, i, -start, moved)
        out[i] = parts.marginals(split, i, moved, unused) - parts.marginals(split, i, s, unused)
        for r in range(s.shape[0]):
            moved[r] = s[r] - moved[r]
        out[i] += total_score(moved, mu)
