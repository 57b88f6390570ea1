"""Scores that are not finite, or lie far apart: inference answers with NaN or the truth, and reads no wild memory.

The kernels' ``exp`` looks powers of 2 up in a table, which a NaN or a large number would miss.
"""

import numpy as np
import pytest

from algorithms.structures import interface as parts
from algorithms.structures.cliques import entropy_of, slopes_of
from tests.algorithms.compiled import cliques, operations
from tests.algorithms.oracle import case

STRUCTURES = (
    "multiclass-dense",
    "chain-dense",
    "chain-binary-edges",
    "tree-binary",
    "tree-sparse-edges",
    "field-binary",
    "field-sparse-edges",
    "segments-binary",
    "forest-binary",
    "dependency-binary",
    "dependency-sparse",
)
every_structure = pytest.mark.parametrize("name", STRUCTURES)


def lengths(name: str) -> tuple[int, ...]:
    return (1,) if name.startswith("multiclass") else (3,)


def places(size: int) -> list[slice]:
    """The first part, one within, the last, and all of them."""
    return [slice(0, 1), slice(1, 2), slice(size // 2, size // 2 + 1), slice(size - 1, size), slice(0, size)]


def asked(name, s):
    """The example, what the kernels say of it with scores s, and of cliques."""
    one = case(name, lengths=lengths(name))
    quiet = np.zeros(len(s))
    got = operations(one.split, 0, np.zeros(parts.num_weights(one.split)), s, quiet)
    return one.examples[0], got, cliques(one.split, 0, s, quiet, 0.5, 0.01)


def size(name) -> int:
    return int(parts.offsets(case(name, lengths=lengths(name)).split)[-1])


@every_structure
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_no_number_leaves_none(name, bad):
    for place in places(size(name)):
        s = np.linspace(-1, 1, size(name))
        s[place] = bad
        example, got, of_cliques = asked(name, s)
        touched = example.outputs[:, place].any()
        assert np.isfinite(got.log_z) == np.isfinite(of_cliques.log_z) == (not touched), place
        for mu in (got.mu, of_cliques.b):
            assert np.isnan(mu).any() or ((mu >= 0) & (mu <= len(mu))).all()
        assert np.isnan(of_cliques.entropy) == np.isnan(of_cliques.b).any()
        assert got.best_labels.min() >= 0
        assert got.best_labels.max() <= example.labels.max()


@every_structure
def test_parts_that_score_minus_infinity_have_no_probability(name):
    for place in places(size(name))[:-1]:
        s = np.linspace(-1, 1, size(name))
        s[place] = -np.inf
        example, got, of_cliques = asked(name, s)
        possible = ~example.outputs[:, place].any(axis=1)
        rest = np.where(np.isinf(s), 0.0, s)
        weights = np.exp(example.outputs @ rest) * possible
        if not np.isnan(got.log_z):  # the logarithm of a sum over nothing is NaN on the way
            assert got.log_z == pytest.approx(np.log(weights.sum()), rel=1e-12)
            np.testing.assert_allclose(got.mu, weights @ example.outputs / weights.sum(), atol=1e-12)
            np.testing.assert_allclose(of_cliques.b, weights @ example.cliques / weights.sum(), atol=1e-12)
    example, got, _ = asked(name, np.full(size(name), -np.inf))
    assert not np.isfinite(got.log_z)
    assert got.best_labels.min() >= 0


@every_structure
@pytest.mark.parametrize("far", [300.0, 353.0, 355.0, 400.0, 1e4, 1e300, 1.7e308])
def test_scores_that_lie_far_apart(name, far):
    for place in places(size(name))[:-1]:
        for sign in (1.0, -1.0):
            s = np.linspace(-1, 1, size(name))
            s[place] = sign * far
            example, got, of_cliques = asked(name, s)
            if far > 1e4:
                assert np.isnan(got.mu).any() or ((got.mu >= 0) & (got.mu <= len(got.mu))).all()
                continue
            assert got.log_z == pytest.approx(example.log_z(s), rel=1e-12)
            np.testing.assert_allclose(got.mu, example.distribution(s) @ example.outputs, atol=1e-11)
            np.testing.assert_allclose(of_cliques.b, example.distribution(s) @ example.cliques, atol=1e-11)


def test_entropies_of_nan_are_nan():
    b, d = np.array([0.5, np.nan, 0.0]), np.array([0.1, -0.1, 0.0])
    assert np.isnan(entropy_of(b))
    assert np.isnan(slopes_of(b, d)[0])
