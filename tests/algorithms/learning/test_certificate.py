"""Dual values that are computed from stored clique marginals."""

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
