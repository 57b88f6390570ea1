"""Dual values that are computed from stored clique marginals, and the best of several."""

import numpy as np
import pytest

from structbench.algorithms.learning import certificate, objective
from structbench.algorithms.structures import interface as parts
from tests.algorithms.linear import conjugate_and_weights
from tests.algorithms.oracle import case


@pytest.mark.parametrize("name", ["multiclass-dense", "chain-binary"])
@pytest.mark.parametrize("loss", ["log", "hinge"])
def test_the_dual_point_is_the_same_however_the_examples_are_cut(name, loss, monkeypatch):
    """One block, and blocks of one example or a few."""
    small = case(name)
    w = np.random.default_rng(1).normal(size=parts.num_weights(small.split))
    u = [e.distribution(e.features @ w) for e in small.examples]
    b = [distribution @ e.cliques for distribution, e in zip(u, small.examples, strict=True)]
    starts = np.cumsum([0, *map(len, b)])
    conjugate, dual_weights = conjugate_and_weights(small, u, loss)
    for size in (2**21, 13, 1):
        monkeypatch.setattr(objective, "MAX_PARTS_IN_MEMORY", size)
        found = certificate.of_cliques(objective.Objective(small.split, loss, 1.0), starts, np.concatenate(b))
        assert found[0] == pytest.approx(conjugate, rel=1e-12)
        np.testing.assert_allclose(found[1], dual_weights, atol=1e-12)


@pytest.mark.parametrize(("penalty", "unseen"), [("l2", 0.0), ("l2", 0.5), ("l1", 0.0)])
def test_the_best_of_some_points_and_of_their_averages(penalty, unseen):
    """Each mixed with the right outputs, if these are known, as far as that is best."""
    small, rng, best, points = case("multiclass-dense", unseen=unseen), np.random.default_rng(0), -np.inf, []
    problem = objective.Objective(small.split, "hinge", 0.3, penalty)
    made = certificate.Certificate(problem)
    for t in range(1, 8):
        u = [rng.dirichlet(np.full(len(e.outputs), 0.3)) for e in small.examples]
        points.append(conjugate_and_weights(small, u, "hinge"))
        made.add(*points[-1])
        weights = np.arange(1, t + 1) ** 2 / (np.arange(1, t + 1) ** 2).sum()
        mean = [sum(weight * point[k] for weight, point in zip(weights, points, strict=True)) for k in range(2)]
        for share in np.linspace(1 if unseen else 0, 1, 301):
            for conjugate, dual_weights in (points[-1], mean):
                best = max(best, problem.dual_value(share * conjugate, share * dual_weights))
        assert made.dual_value == pytest.approx(best, rel=1e-4)
        assert problem.dual_value(made.conjugate, made.dual_weights) == pytest.approx(made.dual_value, rel=1e-12)
    assert made.count == 7 and made.dual[:2] == (made.conjugate, made.dual_weights)
