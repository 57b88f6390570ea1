"""Scores that are not finite, or lie far apart, in every structure: no wild memory is read.

The kernels' ``exp`` looks powers of 2 up in a table, which a NaN or a large number would miss. A score of minus
infinity is no such case but a constraint that is kept exactly; NaN and infinity may leave NaN.
"""

from functools import cache

import numpy as np
import pytest

from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.cliques import entropy_of, slopes_of
from structbench.bench.checks.operations import cliques, operations
from tests.algorithms.cases import Case
from tests.algorithms.oracle import STRUCTURES, able, case

every_structure = pytest.mark.parametrize("name", STRUCTURES)


@cache
def drawn(name: str) -> Case:
    """One example, of three tokens or, of candidates, three of them."""
    return case(name, seed=4, lengths=(1,) if name.startswith("multiclass") else (3,))


def asked(name: str, value: float, last: int = 5):
    """Places of a value, scores with it, the example, and what the kernels say of it, and of cliques, if any."""
    one = drawn(name)
    size = len(one.examples[0].gold)
    ends = (0, 1), (1, 2), (size // 2, size // 2 + 1), (size - 1, size), (0, size)
    for place in (slice(*each) for each in ends[:last]):
        s, quiet = np.linspace(-1, 1, size), np.zeros(size)
        s[place] = value
        got = operations(one.split, 0, np.zeros(parts.num_weights(one.split)), s, quiet)
        yield place, s, one.examples[0], got, able(name, "cliques") and cliques(one.split, 0, s, quiet, 0.5, 0.01)


def in_range(mu: np.ndarray) -> bool:
    return bool(np.isnan(mu).any() or ((mu >= 0) & (mu <= len(mu))).all())


@every_structure
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_no_number_leaves_none(name, bad):
    for place, _, example, got, of_cliques in asked(name, bad):
        touched = example.outputs[:, place].any()
        assert np.isfinite(got.log_z) == (not touched), place
        assert in_range(got.mu)
        assert got.best_labels.min() >= 0
        assert got.best_labels.max() <= example.labels.max()
        if of_cliques:
            assert np.isfinite(of_cliques.log_z) == (not touched), place
            assert in_range(of_cliques.b)
            assert np.isnan(of_cliques.entropy) == np.isnan(of_cliques.b).any()


@every_structure
@pytest.mark.parametrize("far", [353.0, 355.0, 1e4, 1.7e308])
def test_scores_that_lie_far_apart(name, far):
    for value in (far, -far):
        for _, s, example, got, of_cliques in asked(name, value, last=4):
            if far > 1e4:
                assert in_range(got.mu)
                continue
            p = example.distribution(s)
            assert got.log_z == pytest.approx(example.log_z(s), rel=1e-12)
            np.testing.assert_allclose(got.mu, p @ example.outputs, atol=1e-11)
            if of_cliques:
                np.testing.assert_allclose(of_cliques.b, p @ example.cliques, atol=1e-11)


def test_entropies_of_nan_are_nan():
    b, d = np.array([0.5, np.nan, 0.0]), np.array([0.1, -0.1, 0.0])
    assert np.isnan(entropy_of(b))
    assert np.isnan(slopes_of(b, d)[0])
