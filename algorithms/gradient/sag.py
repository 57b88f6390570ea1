"""Stochastic average gradient with non-uniform sampling for CRFs (Schmidt et al. 2015, after Le Roux et al. 2012).

Every example keeps g_i = mu_i - y_i, the parts of the gradient of its loss at its last visit, or 0 before the
first. With W = - sum_i g_i f(x_i, .), m examples seen and step size alpha, a visit to example i renews its g_i at
the weights w. It then takes the step of all stored gradients,

    w <- (1 - alpha C / n) w + (alpha / m) W,   alpha = (1 / (L_max + C / n) + 1 / (L_mean + C / n)) / 2.

L_i estimates the Lipschitz constant of the gradient of loss_i. It begins at half of the mean, and shrinks by a
tenth at each later visit. It is doubled until loss_i(w - g / L_i) <= loss_i(w) - ||g||^2 / (2 L_i),
with g = g_i f(x_i, .). A test costs an inference on scores that differ by Gram products. After 32 tests of one
visit, L_i becomes a bound that needs none. L_max is the largest L_i since the last yield. This is SAG-NUS*.

The paper's SAG has one L for all examples. It shrinks by half in n visits, and alpha = 1 / (L + C / n). SAG-NUS
(Schmidt, Le Roux, Bach 2013, section 5.5) halves each L_i, which begins at ``constant``. Its L_max shrinks by
half in n visits. In the first pass its alpha moves from 1 / (L_max + C / n) to that above, as m / n grows.

The weights are kept as beta z + gamma W. So a visit reads and writes only the features of its example, twice.
Before each yield the weights are written to z, a pass over all weights. The distributions of the mu_i are a dual
point with w(u) = W. Memory: one number a part, two vectors of weights.

With A ||w||_1 a step ends with w <- soft(w, alpha A / m). Then z holds the weights over beta. A visit brings those
that it uses up to date (``lazy_steps``).
"""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np

from structbench.algorithms.gradient.lazy_steps import catch_up, finish, waiting
from structbench.algorithms.learning.declaration import Settings, algorithm
from structbench.algorithms.learning.objective import Dual, Iterate, Objective
from structbench.algorithms.learning.sampling import change, draw, mixed_pass, sum_tree
from structbench.algorithms.losses.terms import attained_entropy, augment, dual_term, soft_max
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import total_score
from structbench.algorithms.structures import interface as parts

UNIFORM = 0.5  # share of the draws that are uniform
RULES = ("random", "halving", "lipschitz")  # values of ``sampling``, each at its place of the next line
ONE, HALVING, EACH = range(len(RULES))
SHRINK = (1.0, 0.5, 0.9)  # of L_i before a test
NEGLIGIBLE = 1e-8  # ||g||^2 at which rounding would decide the test
SMALLEST = 1e-12  # constant: where no test takes place, it would shrink to 0
MAX_TRIALS = 32  # tests of one visit
VANISHING = 1e-4  # beta at which the weights are written out


@algorithm(
    label="SAG",
    loss="smooth",
    penalties=("l2", "elastic-A", "l1"),
    needs=("parts", "marginals"),
    threads=False,
    settings=Settings(
        figures=({}, {"sampling": "random"}), contests=({},), tests=({"sampling": "halving"}, {"constant": 1e-3})
    ),
    references=("sag2015", "leroux2012"),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    sampling: Literal["lipschitz", "halving", "random"] = "lipschitz",
    constant: Annotated[float, "> 0"] = 1.0,
) -> Iterator[Iterate]:
    """Run SAG from w = 0. The first pass visits every example once, in random order.

    Args:
        sampling: ``lipschitz`` draws half of the examples in proportion to L_i; ``halving`` does, as SAG-NUS of
            2013; ``random`` draws uniformly, with one L for all.
        constant: the first constant that is tried.
    """
    split, n = objective.split, parts.num_examples(objective.split)
    state, own, rule = _State(split, constant), waiting(split, objective.strengths.A), RULES.index(sampling)
    yield Iterate(state.z, 0)
    visits, seen = 0, 0
    while True:
        kind, by_constant = "random" if seen else "permuted", rule != ONE and seen == n
        for examples, places in mixed_pass(rng, n, kind, UNIFORM if by_constant else 1.0):
            visits += _visit_examples(
                split, objective.loss_terms, objective.strengths.C / n, own, examples, places, seen,
                state.longest, state.offsets, state.gradients, state.conjugates, state.lipschitz, rule, constant,
                state.highest, state.z, state.W,
            )  # fmt: skip
            seen = min(n, seen + len(examples))
            if seen < n:
                yield Iterate(state.z, visits)
                continue
            conjugate = float(state.conjugates.sum())
            yield Iterate(state.z, visits, Dual(conjugate, state.W, partial(state.recompute_dual, split)))


class _State:
    """The state of all examples, and the weights z and W."""

    def __init__(self, split: Any, constant: float) -> None:
        n = parts.num_examples(split)
        self.offsets = parts.offsets(split)
        self.longest = int(np.diff(self.offsets).max())
        self.gradients = np.zeros(self.offsets[-1])  # g_i
        self.conjugates = np.zeros(n)  # the dual terms of the u_i
        self.lipschitz = sum_tree(np.zeros(n))  # L_i
        self.highest = np.full(1, constant)  # L, or L_max
        self.z = np.zeros(parts.num_weights(split))
        self.W = np.zeros_like(self.z)

    def recompute_dual(self, split: Any) -> tuple[float, np.ndarray]:
        """conj(u) and w(u) of the stored gradients. Each dual term is that of the last visit."""
        gradient = np.zeros_like(self.W)
        parts.add_expected_features(split, 0, self.offsets, self.gradients, gradient)
        return float(self.conjugates.sum()), -gradient


@kernel
def _visit_examples(
    split, loss, strength, own, alike, shares, seen, longest, offsets, g, conjugates, lipschitz, rule, first,
    largest, z, W,
):  # fmt: skip
    """Visit the example at each share of the sum of the L_i; where a share is negative, the example in ``alike``.

    Then write the weights to z. Returns the visits made.
    """
    n = conjugates.shape[0]
    constants = lipschitz[lipschitz.shape[0] // 2 :][:n]
    highest = constants.max() if rule == EACH else largest[0]
    memory = np.empty((5, longest))
    beta, gamma = 1.0, 0.0
    visits = now = 0  # now: steps since the weights were written out, with the sums gamma / beta
    sums = np.zeros(alike.shape[0] + 1)
    for k in range(alike.shape[0]):
        i = draw(lipschitz, shares[k]) if shares[k] >= 0.0 else alike[k]
        g_i = g[offsets[i] : offsets[i + 1]]
        m = g_i.shape[0]
        s, mu, right, delta, moved = memory[0, :m], memory[1, :m], memory[2, :m], memory[3, :m], memory[4, :m]
        if own.A > 0.0:
            catch_up(split, i, own, now, sums, W, z)
        _scores(split, i, beta, 0.0 if own.A > 0.0 else gamma, z, W, s, moved)
        augment(loss, split, i, s)
        top = soft_max(loss, split, i, s, mu)
        visits += 1
        conjugates[i] = dual_term(loss, split, i, attained_entropy(top, s, mu), mu)
        parts.gold(split, i, right)
        for r in range(m):
            delta[r] = g_i[r] - (mu[r] - right[r])
            g_i[r] = mu[r] - right[r]
        parts.add_features(split, i, 1.0, delta, W)
        if gamma > 0.0 and own.A == 0.0:
            parts.add_features(split, i, -gamma / beta, delta, z)  # W has moved, the weights must not

        constant = highest if rule == ONE else max(SMALLEST, SHRINK[rule] * constants[i])
        if seen < n:
            if rule == HALVING or seen == 0:
                constant = first
            elif rule == EACH:
                constant = 0.5 * lipschitz[1] / seen
            seen += 1
        norm = parts.squared_norm(split, i, g_i)
        if norm > NEGLIGIBLE:
            here = top - total_score(s, right)
            constant, trials = _test(split, loss, i, constant, here, norm, s, right, g_i, moved, mu)
            visits += trials
        change(lipschitz, i, constant)
        highest = max(highest, constant)

        alpha = 1.0 / (highest + strength)
        if rule != ONE:
            share = 0.5 * (seen / n if rule == HALVING else 1.0)
            alpha += share * (1.0 / (lipschitz[1] / seen + strength) - alpha)
        if rule != EACH:
            highest = max(SMALLEST, highest * 0.5 ** (1.0 / n))
        keep = 1.0 - alpha * strength
        beta *= keep
        gamma = keep * gamma + alpha / seen
        now += 1
        sums[now] = gamma / beta
        if beta < VANISHING:
            _write_out(own, beta, gamma, now, sums, z, W)
            beta, gamma, now = 1.0, 0.0, 0
    largest[0] = highest
    _write_out(own, beta, gamma, now, sums, z, W)
    return visits


@kernel
def _test(split, loss, i, constant, here, norm, s, right, g_i, moved, mu):
    """Double L_i until it passes the test. Returns it, and the tests made."""
    trials = 0
    while True:
        for r in range(s.shape[0]):
            moved[r] = s[r]
        parts.add_gram(split, i, -1.0 / constant, g_i, moved)
        trials += 1
        there = soft_max(loss, split, i, moved, mu) - total_score(moved, right)
        if there <= here - norm / (2.0 * constant):
            return constant, trials
        constant *= 2.0
        if trials == MAX_TRIALS:
            return max(constant, _curvature_bound(split, i, g_i, norm, moved)), trials


@kernel
def _scores(split, i, beta, gamma, z, W, s, memory):
    """s = the scores of beta z + gamma W."""
    parts.scores(split, i, z, s)
    memory[:] = 0.0
    if gamma > 0.0:
        parts.scores(split, i, W, memory)
    for r in range(s.shape[0]):
        s[r] = beta * s[r] + gamma * memory[r]


@kernel
def _curvature_bound(split, i, g_i, norm, change):
    """(sum_r |g . f_r|)^2 / (4 ||g||^2), with f_r of part r.

    Where no part occurs twice in an output, the curvature of the log loss along g is at most this.
    """
    change[:] = 0.0
    parts.add_gram(split, i, 1.0, g_i, change)
    width = np.abs(change).sum()
    return width / norm * width / 4.0


@kernel
def _write_out(own, beta, gamma, now, sums, z, W):
    if own.A > 0.0:
        finish(own, now, sums, W, beta, z)
        return
    for j in range(z.shape[0]):
        z[j] = beta * z[j] + gamma * W[j]
