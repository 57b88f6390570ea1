"""Dual variables whose scores are minus infinity: what has no probability keeps none, and sums stay numbers."""

import numpy as np
import pytest

from structbench.algorithms.exponentiated_gradient.dual_variables import State, scores_and_marginals, sweep
from structbench.algorithms.learning.objective import Objective
from tests.algorithms.cases import entropy
from tests.algorithms.oracle import case, every_structure


@every_structure
@pytest.mark.parametrize("loss", ["log", "hinge", "smoothed-hinge-0.5"])
@pytest.mark.parametrize("eta", [0.5, 1.0, 1.5])
def test_what_has_no_probability_keeps_none(name, loss, eta):
    small, rng, first = case(name, seed=1), np.random.default_rng(0), []
    for e in small.examples:
        kept = e.outputs[rng.integers(len(e.outputs))] > 0
        forbidden = ~kept & (rng.random(len(kept)) < 0.3)
        first.append(np.where(forbidden, -np.inf, rng.normal(size=len(kept))))
    objective = Objective(small.split, loss, 0.5)
    state = State(objective, 0.0, eta, np.concatenate(first))
    for _ in range(2):
        sweep(objective, 0.5, state, np.arange(6), adaptive=False, grow=1.0, measure=True)
    divergence = 0.0
    for i, (e, before) in enumerate(zip(small.examples, first, strict=True)):
        s, mu = scores_and_marginals(state.u, state.offsets, i)
        np.testing.assert_array_equal(s == -np.inf, before == -np.inf)
        p = e.distribution(s)
        np.testing.assert_allclose(mu, p @ e.outputs, atol=1e-9)
        assert state.conjugate(objective, np.array([i])) == pytest.approx(e.dual_term(p, loss), abs=1e-9)
        divergence += np.log(len(p)) - entropy(p)  # from the uniform distribution
    assert np.isfinite(state.w).all() and np.isfinite(state.gaps).all()
    assert state.divergence() == pytest.approx(divergence, abs=1e-8)
