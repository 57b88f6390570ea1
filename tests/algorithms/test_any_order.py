"""A search problem that a test brings along: all that searches and learns within search runs on it as it is."""

import numpy as np
import pytest

from tests.algorithms import learners
from tests.algorithms.any_order import RUNS, made, results
from tests.algorithms.learners import alma, passes


@pytest.fixture
def uncompiled(plain):
    return plain["any order"]


@pytest.mark.parametrize("run", [run for run in RUNS if run[0] == "laso"], ids=str)
def test_laso_compares_right_paths_of_different_pasts(uncompiled, run):
    """Siblings are several here, and go on together after an update."""
    _, beam, params = run
    rule, problem = alma() if params["update"] == "alma" else None, made()
    expected = passes(problem, lambda i, w: learners.laso(problem, i, beam, w), rule, 0)
    found = uncompiled[RUNS.index(run)]
    for w, updates, weights in zip(found["weights"], found["updates"], expected, strict=False):
        assert updates == len(weights.differences)
        np.testing.assert_allclose(w, weights.w, atol=1e-9)
    assert updates > 0


def test_it_is_learned(uncompiled):
    assert np.bincount(made().y).min() > 0.3 * len(made().y), "a constant label would be good"
    for (algorithm, beam, _), found in zip(RUNS, uncompiled, strict=True):
        if algorithm == "laso":
            assert found["error"] < 0.1, (algorithm, beam)


def test_compiled_code_does_the_same(uncompiled):
    for run, one, other in zip(RUNS, uncompiled, results(), strict=True):
        assert one["updates"] == other["updates"], run
        np.testing.assert_allclose(one["weights"], other["weights"], atol=1e-9)
