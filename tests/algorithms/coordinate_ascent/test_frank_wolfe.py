"""Frank-Wolfe against explicit steps on enumerated outputs, with the line search tried out."""

from collections.abc import Iterator
from itertools import islice, pairwise

import numpy as np
import pytest
from scipy.optimize import nnls

from structbench.algorithms.coordinate_ascent import frank_wolfe
from structbench.algorithms.learning.objective import Objective
from tests.algorithms.oracle import LABELLED, Case, case, each_of, with_cliques
from tests.algorithms.solvers import first, start

both_steps = pytest.mark.parametrize("steps", ["toward", "pairwise"])
C = 0.5


class Explicit:
    """The block-coordinate method written with lists of all outputs."""

    def __init__(self, small: Case, steps: str, inner: int = 1) -> None:
        self.examples, self.steps, self.inner = small.examples, steps, inner
        self.cliques = [e.cliques for e in small.examples]
        self.right = [int(np.flatnonzero((e.outputs == e.gold).all(axis=1))[0]) for e in small.examples]
        self.b = [q[right] for q, right in zip(self.cliques, self.right, strict=True)]
        self.mu = [e.gold.copy() for e in small.examples]
        self.losses = np.zeros(len(small.examples))
        self.gaps = np.zeros(len(small.examples))
        self.visits = 0

    def w(self) -> np.ndarray:
        return sum((e.gold - mu) @ e.features for e, mu in zip(self.examples, self.mu, strict=True))

    def visit(self, i: int) -> None:
        e, q = self.examples[i], self.cliques[i]
        for step in range(self.inner):
            w = self.w()
            values = e.losses + e.outputs @ (e.features @ w) / C
            self.visits += 1
            y = int(np.argmax(values))
            gap = values[y] - self.losses[i] - self.mu[i] @ (e.features @ w) / C
            gap = 0.0 if gap < 1e-12 else gap
            if step == 0:
                self.gaps[i] = gap
            if gap == 0 or (step > 0 and gap <= 0.1 * self.gaps[i]):
                return
            if self.steps == "pairwise":
                self.visits += 1
                usable = (self.b[i] > 1e-13)[None, :] | (q == 0)
                z = int(np.argmin(np.where(usable.all(axis=1), values, np.inf)))
                away, away_loss, longest = e.outputs[z], e.losses[z], self.b[i][(q[z] > 0) & (q[y] == 0)].min()
            else:
                z, away, away_loss, longest = None, self.mu[i], self.losses[i], 1.0
            d, more = e.outputs[y] - away, e.losses[y] - away_loss
            moved = d @ e.features
            gamma = min(longest, (more + moved @ w / C) / max(moved @ moved / C, 1e-300))

            def gain(step, more=more, moved=moved, w=w):
                after = w - step * moved
                return step * more + (w @ w - after @ after) / (2 * C)

            assert all(gain(step) <= gain(gamma) + 1e-12 for step in np.linspace(0, longest, 101))

            self.mu[i] = self.mu[i] + gamma * d
            self.losses[i] += gamma * more
            self.b[i] = self.b[i] + gamma * (q[y] - (self.b[i] if z is None else q[z]))

    def walk(self, rng: np.random.Generator, sampling: str) -> Iterator[None]:
        n = len(self.examples)
        while True:
            orders = {"random": lambda: rng.integers(0, n, size=n), "permuted": lambda: rng.permutation(n)}
            orders["gap"] = (lambda: range(n)) if self.visits else orders["permuted"]
            for i in orders[sampling]():
                self.visit(i)
                yield
            if sampling == "gap":
                for share in rng.random(round(1.5 * n)):
                    self.visit(int(np.searchsorted(np.cumsum(self.gaps), share * self.gaps.sum(), side="right")))
                    yield


@each_of(name for name in LABELLED if not name.startswith("field"))  # the first of those that tie
@pytest.mark.parametrize(
    ("steps", "sampling", "inner"),
    [
        ("toward", "permuted", 1),
        ("toward", "random", 1),
        ("toward", "gap", 1),
        ("toward", "gap", 4),
        ("pairwise", "permuted", 1),  # twice in a row on an example, rounding decides between y and z
    ],
)
def test_steps_are_the_papers(name, steps, sampling, inner):
    small = case(name, seed=1, density=1.0)  # six examples: ours yields after every visit, too
    _, ours = start("frank-wolfe", small.split, "hinge", C, seed=7, steps=steps, sampling=sampling, inner=inner)
    explicit = Explicit(small, steps, inner)
    assert not next(ours).vector.any()
    for _, iterate in islice(zip(explicit.walk(np.random.default_rng(7), sampling), ours, strict=False), 25):
        np.testing.assert_allclose(iterate.vector, explicit.w(), rtol=1e-8, atol=1e-9)
        assert iterate.scale == 1 / C
        assert iterate.visits == explicit.visits
        assert iterate.dual.conjugate == pytest.approx(explicit.losses.sum(), rel=1e-9)
        assert iterate.notes["gap_estimate"] == pytest.approx(explicit.gaps.sum(), rel=1e-8, abs=1e-9)


@with_cliques
@both_steps
def test_dual_variables_stay_distributions(name, steps):
    """mu_i is a mean of outputs; w(u) and E[e], kept up to date for hundreds of visits, are those of mu."""
    small = case(name, seed=2)
    state = frank_wolfe._State(Objective(small.split, "hinge", 0.1), steps == "pairwise", 3)
    for _ in islice(frank_wolfe._blocks(state, np.random.default_rng(0), "gap", 1.5), 600):
        pass
    w, losses = np.zeros_like(state.w), []
    for i, e in enumerate(small.examples):
        kept = state.u[state.starts[i] : state.starts[i + 1]]
        outputs = e.cliques if steps == "pairwise" else e.outputs
        weights, residual = nnls(np.vstack([outputs.T, np.ones(len(outputs))]), np.append(kept, 1))
        assert residual < 1e-9
        w += (e.gold - weights @ e.outputs) @ e.features
        losses.append(weights @ e.losses)
    np.testing.assert_allclose(state.w, w, atol=1e-9)
    np.testing.assert_allclose(state.losses, losses, atol=1e-9)
    assert max(losses) > 0.01


@with_cliques
def test_batch_steps_know_the_gap_and_the_best_step_size(name):
    small = case(name)
    run = first(20, "frank-wolfe", small.split, "hinge", 0.8, mode="batch")
    for before, point in pairwise(run[1:]):
        assert point.notes["gap_before"] == pytest.approx(before.value.primal - before.value.dual, rel=1e-8)
        best = [int(np.argmax(e.losses + e.outputs @ (e.features @ before.weights))) for e in small.examples]
        corner = sum((e.gold - e.outputs[y]) @ e.features for e, y in zip(small.examples, best, strict=True))
        losses = sum(e.losses[y] for e, y in zip(small.examples, best, strict=True))
        for gamma in np.linspace(0, 1, 101):
            w = (1 - gamma) * 0.8 * before.weights + gamma * corner
            dual = (1 - gamma) * before.conjugate + gamma * losses - w @ w / (2 * 0.8)
            assert dual <= point.value.dual + 1e-10


@pytest.mark.parametrize("mode", ["block", "batch"])
def test_weights_of_the_average_grow_with_the_power(mode):
    split = case("chain-dense").split
    runs = [
        list(islice(start("frank-wolfe", split, "hinge", C, mode=mode, average=power)[1], 20)) for power in (1, 3)
    ]
    plain = first(20, "frank-wolfe", split, "hinge", C, mode=mode)[1:]
    k = np.arange(1.0, 20)
    for run, shares in zip(runs, (k, k * (k + 1) * (k + 2)), strict=True):
        weights = np.average([point.weights for point in plain], axis=0, weights=shares)
        np.testing.assert_allclose(run[-1].vector * run[-1].scale, weights, rtol=1e-9)
        assert run[-1].dual.conjugate == plain[-1].conjugate
        np.testing.assert_allclose(run[-1].dual.weights, plain[-1].weights * C, rtol=1e-12)


def test_examples_without_gap_are_left_alone_until_the_next_pass():
    """Everything is settled: only passes over all examples make visits."""
    split = case("multiclass-dense", density=1.0, lengths=(1, 1)).split
    run = first(200, "frank-wolfe", split, "hinge", 50.0)
    assert run[-1].notes["gap_estimate"] == 0
    assert run[-1].visits - run[-2].visits == 1
    assert run[-1].relative_gap < 1e-12
