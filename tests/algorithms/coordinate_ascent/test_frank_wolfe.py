"""Frank-Wolfe against explicit steps on enumerated outputs."""

from collections.abc import Iterator
from itertools import islice, pairwise

import numpy as np
import pytest

from structbench.algorithms.learning import objective
from structbench.algorithms.learning.sampling import one_pass
from tests.algorithms.coordinate_ascent.explicit import Explicit, first_of_ties
from tests.algorithms.oracle import Case, case, with_cliques
from tests.algorithms.solvers import dual_weights, first, recomputed_dual, start
from tests.narrowing import not_none

C = 0.5


class Blocks(Explicit):
    """The block-coordinate method."""

    def __init__(self, small: Case, steps: str, inner: int) -> None:
        super().__init__(small, C)
        self.steps, self.inner, self.gaps = steps, inner, np.zeros(len(small.examples))

    def visit(self, i: int) -> None:
        e = self.examples[i]
        for step in range(self.inner):
            self.visits += 1
            values = self.gradient(i)
            y = int(np.argmax(values))
            gap = values[y] - self.losses[i] - self.mu[i] @ (e.features @ self.w()) / C
            gap = 0.0 if gap < 1e-12 else gap
            if step == 0:
                self.gaps[i] = gap
            if gap == 0 or (step > 0 and gap <= 0.1 * self.gaps[i]):
                return
            if self.steps == "pairwise":
                self.visits += 1
                z = self.worst(i, values, 1e-13)
                curvature = self.curvature(i, e.outputs[y] - e.outputs[z])
                self.move(i, y, z, min(self.mass(i, y, z), (values[y] - values[z]) / max(curvature, 1e-300)))
            else:
                gamma = min(1.0, gap / max(self.curvature(i, e.outputs[y] - self.mu[i]), 1e-300))
                self.mu[i] = self.mu[i] + gamma * (e.outputs[y] - self.mu[i])
                self.losses[i] += gamma * (e.losses[y] - self.losses[i])

    def walk(self, rng: np.random.Generator, sampling: str) -> Iterator[None]:
        n = len(self.examples)
        while True:
            kind = ("cyclic" if self.visits else "permuted") if sampling == "gap" else sampling
            for i in one_pass(rng, n, kind):
                self.visit(i)
                yield
            if sampling == "gap":
                for share in rng.random(round(1.5 * n)):
                    self.visit(int(np.searchsorted(np.cumsum(self.gaps), share * self.gaps.sum(), side="right")))
                    yield


@first_of_ties
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
def test_steps_are_the_papers(name, steps, sampling, inner, monkeypatch):
    monkeypatch.setattr(objective, "MAX_PARTS_IN_MEMORY", 1)  # the dual is recomputed in several blocks
    small = case(name, seed=1, density=1.0)  # six examples: ours yields after every visit, too
    _, ours = start("frank-wolfe", small.split, "hinge", C, seed=7, steps=steps, sampling=sampling, inner=inner)
    explicit = Blocks(small, steps, inner)
    assert not next(ours).vector.any()
    for _, iterate in islice(zip(explicit.walk(np.random.default_rng(7), sampling), ours, strict=False), 25):
        conjugate, w = recomputed_dual(iterate)
        for each in (iterate.vector, w):
            np.testing.assert_allclose(each, explicit.w(), rtol=1e-8, atol=1e-9)
        assert conjugate == pytest.approx(not_none(iterate.dual).conjugate, rel=1e-9)
        assert iterate.scale == 1 / C
        assert iterate.visits == explicit.visits
        assert not_none(iterate.dual).conjugate == pytest.approx(explicit.losses.sum(), rel=1e-9)
        assert iterate.notes["gap_estimate"] == pytest.approx(explicit.gaps.sum(), rel=1e-8, abs=1e-9)


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
        assert not_none(run[-1].dual).conjugate == plain[-1].conjugate
        np.testing.assert_allclose(dual_weights(run[-1]), plain[-1].weights * C, rtol=1e-12)


def test_examples_without_gap_are_left_alone_until_the_next_pass():
    """Everything is settled: only passes over all examples make visits."""
    split = case("multiclass-dense", density=1.0, lengths=(1, 1)).split
    run = first(200, "frank-wolfe", split, "hinge", 50.0)
    assert run[-1].notes["gap_estimate"] == 0
    assert run[-1].visits - run[-2].visits == 1
    assert run[-1].relative_gap < 1e-12
