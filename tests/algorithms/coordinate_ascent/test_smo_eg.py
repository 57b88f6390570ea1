"""The hybrid of SMO and EG: what the switch keeps, and what it notes."""

import numpy as np
import pytest

from structbench.algorithms.coordinate_ascent import smo
from structbench.algorithms.coordinate_ascent.smo_eg import scores_of
from structbench.algorithms.learning.objective import Objective
from structbench.algorithms.structures import interface as parts
from structbench.bench.checks.operations import cliques
from tests.algorithms.oracle import case
from tests.algorithms.solvers import first
from tests.narrowing import number

EXACT = ("multiclass-dense", "chain-binary-edges", "chain-sparse-edges")
TIED = ("chain-dense", "chain-binary", "segments-dense", "segments-binary", "segments-sparse")


def after_smo(split, passes: float = 6.0) -> smo.Duals:
    state, n = smo.at_gold(parts.compiled(split)), len(split.y)
    objective, rng = Objective(split, "hinge", 0.8), np.random.default_rng(0)
    for point in smo.passes(state, objective, rng, "permuted", 5, True, 1.0):
        if point.visits >= passes * n:
            break
    return state


@pytest.mark.parametrize("name", EXACT)
def test_scores_stand_for_the_smoothed_marginals(name):
    split, eps = case(name).split, 0.05
    state = after_smo(split)
    scores, _ = scores_of(parts.compiled(split), state, eps, scaling=0)
    end = 0
    for i in range(len(state.losses)):
        s = scores[end : (end := end + len(case(name).examples[i].gold))]
        uniform = cliques(split, i, np.zeros_like(s), np.zeros_like(s), 1.0, 0.0).b
        wanted = (1 - eps) * state.b[state.starts[i] : state.starts[i + 1]] + eps * uniform
        np.testing.assert_allclose(cliques(split, i, s, s, 1.0, 0.0).b, wanted, atol=1e-9)
    assert end == len(scores)


@pytest.mark.parametrize("name", TIED)
def test_scaling_brings_the_part_marginals_near(name):
    """Tied parts: no scores have these clique marginals, but the parts' can be approached."""
    small, eps = case(name), 0.05
    state = after_smo(small.split)
    off = []
    for scaling in (0, 200):
        scores, calls = scores_of(parts.compiled(small.split), state, eps, scaling)
        assert calls == len(state.losses) * (1 + scaling) or scaling
        end, worst = 0, 0.0
        for i, example in enumerate(small.examples):
            s = scores[end : (end := end + len(example.gold))]
            uniform = cliques(small.split, i, np.zeros_like(s), np.zeros_like(s), 1.0, 0.0).b
            mixed = (1 - eps) * state.b[state.starts[i] : state.starts[i + 1]] + eps * uniform
            wanted = np.linalg.lstsq(example.cliques.T, mixed)[0] @ example.outputs  # what of a mean of outputs
            worst = max(worst, np.abs(example.distribution(s) @ example.outputs - wanted).max())
        off.append(worst)
    assert off[1] < 0.1 * off[0]


@pytest.mark.parametrize("name", EXACT)
def test_the_switch_costs_the_less_the_smaller_eps(name):
    lost = []
    for eps in (1e-1, 1e-3, 1e-5):
        run = first(80, "smo-eg", case(name).split, "hinge", 0.8, eps=eps, smo_passes=4.0)
        lost.append(abs(number(run[-1].notes, "switch_loss")))
        assert number(run[-1].notes, "switch") * len(case(name).examples) <= run[-1].visits
    assert lost[0] > lost[1] > lost[2]
    assert lost[2] < 1e-3
