"""Every structure against the oracle that writes all outputs out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structbench.algorithms.runtime.vector_math import total_score
from structbench.algorithms.structures import interface as parts
from structbench.bench.checks.operations import k_best, operations
from tests.algorithms.cases import entropy
from tests.algorithms.drawn_features import dense, sparse
from tests.algorithms.matchings import of_shape
from tests.algorithms.oracle import COVERING, STRUCTURES, Shape, able
from tests.algorithms.structures.test_hypergraph import forest_case

EVERY = STRUCTURES | {"matching-dense": of_shape(dense), "matching-sparse": of_shape(sparse)}
EVERY |= {"forest-any": forest_case}
every_structure = pytest.mark.parametrize("name", EVERY)
few = settings(max_examples=20, deadline=None, derandomize=True)
seeds = st.integers(0, 2**32 - 1).map(np.random.default_rng)
shapes = st.builds(
    Shape,
    num_labels=st.integers(1, 4),
    lengths=st.lists(st.integers(1, 4), min_size=1, max_size=3).map(tuple),
    columns=st.integers(1, 4),
    density=st.sampled_from([0.0, 0.5, 1.0]),
    unseen=st.sampled_from([0.0, 0.0, 0.5]),
)
scales = st.sampled_from([0.0, 2.0**-10, 1.0, 100.0, 1e4])  # ties are exact
scores = st.tuples(scales, st.booleans(), st.sampled_from([0.0, 0.0, 0.2, 0.5]))  # for ``drawn``


def drawn(rng: np.random.Generator, size: int, scale: float, ties: bool, forbidden: float) -> np.ndarray:
    """Scores of a scale; with ``ties`` many are equal; a share ``forbidden`` is minus infinity."""
    s = scale * (rng.integers(-1, 2, size=size) if ties else rng.normal(size=size))
    return np.where(rng.random(size) < forbidden, -np.inf, s)


@every_structure
@few
@given(shapes, seeds, scales)
def test_parts_have_the_features_and_losses_of_outputs(name, shape, rng, scale):
    """Scores, right parts, losses; sums of features, their norms and products, and the weights that they touch."""
    case = EVERY[name](shape, rng)
    w = scale * rng.normal(size=parts.num_weights(case.split))
    close = {"rtol": 1e-12, "atol": 1e-12 * (1 + scale)}
    for i, example in enumerate(case.examples):
        v = rng.normal(size=len(example.gold))
        got, f = operations(case.split, i, w, v, v), v @ example.features
        np.testing.assert_allclose(got.scores, example.features @ w, **close)
        np.testing.assert_array_equal(got.gold, example.gold)
        np.testing.assert_array_equal(got.right, example.right)
        np.testing.assert_allclose(example.outputs @ (got.augmented - v), 2 * example.losses, atol=1e-12)
        np.testing.assert_allclose(got.moved, w + 0.5 * f, **close)
        assert got.norm == pytest.approx(f @ f, rel=1e-10, abs=1e-12)
        np.testing.assert_allclose(got.gram, v + 2 * example.features @ f, atol=1e-10)
        rounding = 1e-12 * (1 + np.abs(w).max()) * (1 + np.abs(v).max()) * len(v)  # of ||w||^2 and its growth
        assert got.both == pytest.approx(got.norm, rel=1e-9, abs=rounding)
        np.testing.assert_allclose(got.within, got.moved, rtol=1e-12, atol=rounding)
        np.testing.assert_allclose(got.beyond, w, rtol=1e-12, atol=rounding)
        v *= rng.random(len(v)) < 0.5
        touched = np.full(10_000, -1)  # some are there twice
        count = parts.feature_support(case.split, i, v, touched)
        assert sorted({*touched[:count]}) == np.flatnonzero((example.features[v != 0] != 0).any(axis=0)).tolist()
        short = np.full(rng.integers(0, count + 1), -1)
        assert parts.feature_support(case.split, i, v, short) == count
        np.testing.assert_array_equal(short, touched[: len(short)])


@every_structure
@settings(few, max_examples=40)
@given(shapes, seeds, scores)
def test_inference_is_that_of_all_outputs_written_out(name, shape, rng, kind):
    """log Z, marginals, entropy, argmax and loss-augmented argmax."""
    case, summed = EVERY[name](shape, rng), able(name, "marginals")
    w = np.zeros(parts.num_weights(case.split))
    for i, example in enumerate(case.examples):
        s = drawn(rng, len(example.gold), *kind)
        got, totals = operations(case.split, i, w, s, np.zeros_like(s)), example.totals(s)
        p = example.distribution(s)
        if totals.max() == -np.inf:
            assert got.top == got.worst_top == -np.inf
            assert not any(each.any() for each in (got.best, got.worst, got.best_labels))
            assert not summed or (got.log_z == -np.inf and not got.mu.any())
            continue
        if summed:
            assert got.log_z == pytest.approx(example.log_z(s), rel=1e-11, abs=1e-11)
            np.testing.assert_allclose(got.mu, p @ example.outputs, rtol=0, atol=1e-9)
            assert (got.mu >= 0).all() and (got.mu[s == -np.inf] == 0).all()
            rounding = 1e-9 + 1e-12 * np.abs(s[s > -np.inf]).sum()
            assert got.log_z - total_score(s, got.mu) == pytest.approx(entropy(p), abs=rounding)
        best, worst = example.best(s), example.best(s, cost=1.0)
        if case.first:
            np.testing.assert_array_equal(got.best, example.outputs[best])
            np.testing.assert_array_equal(got.worst, example.outputs[worst])
        found, worst_found = ((example.outputs == each).all(axis=1) for each in (got.best, got.worst))
        assert found.sum() == worst_found.sum() == 1
        np.testing.assert_array_equal(got.best_labels, example.labels[found][0])
        assert got.top == pytest.approx(totals[best]) == pytest.approx(totals[found][0])
        augmented = totals + example.losses
        assert got.worst_top == pytest.approx(augmented[worst]) == pytest.approx(augmented[worst_found][0])


@every_structure
@few
@given(shapes, seeds, st.data())
def test_chosen_examples_answer_as_they_did_before(name, shape, rng, data):
    case = EVERY[name](shape, rng)
    n = len(case.examples)
    taken = data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=4))
    w, split = rng.normal(size=parts.num_weights(case.split)), parts.take(case.split, np.array(taken))
    assert [type(field) for field in split] == [type(field) for field in case.split]
    assert parts.num_examples(split) == len(taken)
    assert parts.num_weights(split) == len(w)
    mu = [rng.normal(size=len(case.examples[old].gold)) for old in taken]
    for new, (old, s) in enumerate(zip(taken, mu, strict=True)):
        for got, want in zip(operations(split, new, w, s, s), operations(case.split, old, w, s, s), strict=True):
            np.testing.assert_array_equal(got, want)
    offsets = parts.offsets(split)
    assert np.diff(offsets).tolist() == [len(s) for s in mu]
    first = data.draw(st.integers(0, len(taken) - 1))
    last = data.draw(st.integers(first + 1, len(taken)))
    before, some, out = rng.normal(size=data.draw(st.integers(0, 2))), slice(first, last), np.ones(len(w))
    of_block = len(before) + offsets[first : last + 1] - offsets[first]
    parts.add_expected_features(split, first, of_block, np.concatenate([before, *mu[some]]), out)
    want = sum(v @ case.examples[old].features for old, v in zip(taken[some], mu[some], strict=True))
    np.testing.assert_allclose(out - 1, want, atol=1e-12)


@pytest.mark.parametrize("name", [name for name in (*COVERING, "forest-any") if able(name, "k-best")])
@settings(few, max_examples=40)
@given(shapes, seeds, scores, st.sampled_from([1, 2, 7, 1000]))
def test_the_k_best_are_the_first_of_a_sorted_list_and_the_best_is_the_first(name, shape, rng, kind, k):
    case = EVERY[name](shape, rng)
    w = np.zeros(parts.num_weights(case.split))
    for i, example in enumerate(case.examples):
        s = drawn(rng, len(example.gold), *kind)
        count, Y, values = k_best(case.split, i, s, k)
        every = np.sort(example.totals(s))[::-1]
        assert count == min(k, (every > -np.inf).sum())
        np.testing.assert_allclose(values[:count], every[:count], rtol=1e-11, atol=1e-11)
        assert not Y[count:].any() and (values[count:] == -np.inf).all()
        np.testing.assert_array_equal(Y[0], operations(case.split, i, w, s, np.zeros_like(s)).best)
        total = dict(zip(map(tuple, example.outputs), example.totals(s), strict=True))
        found = list(map(tuple, Y[:count]))
        assert len(set(found)) == count
        np.testing.assert_allclose([total[y] for y in found], values[:count], rtol=1e-11, atol=1e-11)
        assert k_best(case.split, i, np.full_like(s, np.nan), k)[0] == 0  # no score is a number
