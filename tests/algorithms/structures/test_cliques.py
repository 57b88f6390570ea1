"""Distributions as clique marginals, against the oracle that writes all outputs out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import interface as parts
from structbench.bench.checks.operations import cliques
from tests.algorithms.cases import entropy
from tests.algorithms.oracle import able
from tests.algorithms.structures.test_interface import EVERY, drawn, few, scores, seeds, shapes

every_structure = pytest.mark.parametrize("name", [name for name in EVERY if able(name, "cliques")])
EXACT = (
    *("multiclass-dense", "multiclass-sparse", "chain-binary-edges", "chain-sparse-edges", "tree-sparse-edges"),
    *("forest-dense", "forest-binary", "forest-sparse", "forest-any"),
)


@every_structure
@settings(few, max_examples=30)
@given(shapes, seeds, scores, st.floats(0.1, 0.9))
def test_of_distributions_and_their_mixtures(name, shape, rng, kind, share):
    case = EVERY[name](shape, rng)
    for i, example in enumerate(case.examples):
        s, v = (drawn(rng, len(example.gold), *kind) for _ in range(2))
        got = cliques(case.split, i, s, v, share, 0.0)
        p, q = example.distribution(s), example.distribution(v)
        u = share * p + (1 - share) * q
        every, best = example.cliques, example.totals(s) == example.totals(s).max()
        assert got.log_z == pytest.approx(example.log_z(s), rel=1e-11, abs=1e-9)
        np.testing.assert_allclose(got.b, p @ every, atol=1e-9)
        np.testing.assert_allclose(got.mixed, u @ every, atol=1e-9)
        np.testing.assert_allclose(got.mu, u @ example.outputs, atol=1e-9)
        assert got.entropy == pytest.approx(entropy(p), abs=1e-9)
        if not (p.any() and q.any()):
            continue  # there is no mixture, and no best output
        assert (got.one == every[best]).all(axis=1).any()
        assert got.mixed_entropy >= entropy(u) - 1e-9
        if len(example.right) < 3:  # up to two decisions the cliques say all
            assert got.mixed_entropy == pytest.approx(entropy(u), abs=1e-9)
        if name in EXACT or (len(example.right) < 3 and kind[0] < 100 and not name.startswith("dependency")):
            np.testing.assert_allclose(got.back, got.b, atol=1e-9)


@every_structure
@few
@given(shapes, seeds)
def test_slopes_of_the_entropy_are_its_differences(name, shape, rng):
    case, step = EVERY[name](shape, rng), 1e-4
    for i, example in enumerate(case.examples):
        s, v = rng.normal(size=(2, len(example.gold)))
        low, here, high = (cliques(case.split, i, s, v, share, 0.0) for share in (0.4 - step, 0.4, 0.4 + step))
        first = (high.mixed_entropy - low.mixed_entropy) / (2 * step)
        second = (high.mixed_entropy + low.mixed_entropy - 2 * here.mixed_entropy) / step**2
        assert here.slopes == pytest.approx((first, second), rel=1e-4, abs=1e-4)


@every_structure
@few
@given(shapes, seeds, st.sampled_from([0.0, 0.3]))
def test_the_least_output_of_the_support_and_the_smallest_clique_that_another_lacks(name, shape, rng, forbidden):
    """Also where outputs of the support score minus infinity."""
    case = EVERY[name](shape, rng)
    for i, example in enumerate(case.examples):
        s, v = (drawn(rng, len(example.gold), 1.0, False, forbidden) for _ in range(2))
        every = example.cliques
        b = example.distribution(s) @ every
        floor = float(np.quantile(b, 0.4))
        if np.isclose(b, floor, rtol=1e-6).any():
            floor *= 1 + 1e-5
        got = cliques(case.split, i, s, v, 0.5, floor)
        values = np.where((every * b + (1 - every) > floor).all(axis=1), example.totals(v), np.inf)
        assert got.least_value == pytest.approx(values.min(), abs=1e-9)
        least = example.outputs[values == values.min()] if values.min() < np.inf else np.zeros((1, len(v)))
        assert (got.least == least).all(axis=1).any()
        if min(example.totals(s).min(), example.totals(v).min()) > -np.inf:
            y, z = every[example.best(s)], every[example.best(v)]
            assert got.smallest == pytest.approx(got.b[(y > 0) & (z == 0)].min(initial=np.inf))


@kernel
def _packed(split, i, b, memory, back):
    """``memory`` has the room that the example takes. Leaves in b what is stored."""
    parts.pack(split, i, b, memory)
    parts.unpack(split, i, memory, back)


@every_structure
@few
@given(shapes, seeds, st.sampled_from([1.0, 30.0]))
def test_what_is_packed_is_a_distribution_close_to_the_one_given(name, shape, rng, scale):
    case = EVERY[name](shape, rng)
    for i, example in enumerate(case.examples):
        s = scale * rng.normal(size=len(example.gold))
        given = example.distribution(s) @ example.cliques
        stored, back = given.copy(), np.empty(len(given))
        memory = np.empty(int(parts.num_packed(case.split, i)))
        _packed(parts.compiled(case.split), i, stored, memory, back)
        np.testing.assert_array_equal(stored, back)
        np.testing.assert_allclose(stored, given, rtol=1e-4, atol=1e-12)
        if name.startswith("chain"):
            K, T = case.split.num_labels, len(example.right)
            nodes, pairs = stored[: T * K].reshape(T, K), stored[T * K :].reshape(T - 1, K, K)
            np.testing.assert_allclose(nodes.sum(axis=1), 1, rtol=1e-14)
            np.testing.assert_allclose(pairs.sum(axis=2), nodes[:-1], rtol=1e-14, atol=1e-300)
            np.testing.assert_allclose(pairs.sum(axis=1), nodes[1:], rtol=1e-14, atol=1e-300)
            assert len(memory) <= 3 * max(pairs.size, K) / 8 + 1
        else:
            np.testing.assert_array_equal(stored, given)
