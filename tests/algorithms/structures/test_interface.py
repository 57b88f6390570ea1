"""Every structure against the oracle that writes all outputs out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.vector_math import total_score
from structbench.algorithms.structures import interface as parts
from tests.algorithms.cases import entropy
from tests.algorithms.compiled import operations
from tests.algorithms.oracle import STRUCTURES, Shape

every_structure = pytest.mark.parametrize("name", STRUCTURES)
few = settings(max_examples=25, deadline=None, derandomize=True)
seeds = st.integers(0, 2**32 - 1).map(np.random.default_rng)
shapes = st.builds(
    Shape,
    num_labels=st.integers(1, 4),
    lengths=st.lists(st.integers(1, 4), min_size=1, max_size=3).map(tuple),
    columns=st.integers(1, 4),
    density=st.sampled_from([0.0, 0.5, 1.0]),
    unseen=st.sampled_from([0.0, 0.0, 0.5]),
)
scales = st.sampled_from([0.0, 1e-3, 1.0, 100.0, 1e4])
scores = st.tuples(scales, st.booleans(), st.sampled_from([0.0, 0.0, 0.2, 0.5]))  # for ``drawn``


def drawn(rng: np.random.Generator, size: int, scale: float, ties: bool, forbidden: float) -> np.ndarray:
    """Scores of a scale; with ``ties`` many are equal; a share ``forbidden`` is minus infinity."""
    s = scale * (rng.integers(-1, 2, size=size) if ties else rng.normal(size=size))
    return np.where(rng.random(size) < forbidden, -np.inf, s)


@every_structure
@few
@given(shapes, seeds, scales)
def test_scores_and_gold_parts_are_those_of_the_features(name, shape, rng, scale):
    case = STRUCTURES[name](shape, rng)
    w = scale * rng.normal(size=parts.num_weights(case.split))
    for i, example in enumerate(case.examples):
        got = operations(case.split, i, w, np.zeros(len(example.gold)), np.zeros(len(example.gold)))
        np.testing.assert_allclose(got.scores, example.features @ w, rtol=1e-12, atol=1e-12 * (1 + scale))
        np.testing.assert_array_equal(got.gold, example.gold)
        np.testing.assert_array_equal(got.right, example.right)


@every_structure
@settings(few, max_examples=60)
@given(shapes, seeds, scores)
def test_inference_is_that_of_all_outputs_written_out(name, shape, rng, kind):
    """log Z, marginals, entropy, argmax and loss-augmented argmax."""
    case = STRUCTURES[name](shape, rng)
    w = np.zeros(parts.num_weights(case.split))
    for i, example in enumerate(case.examples):
        s = drawn(rng, len(example.gold), *kind)
        got, totals, p = (
            operations(case.split, i, w, s, np.zeros_like(s)),
            example.totals(s),
            example.distribution(s),
        )
        if totals.max() == -np.inf:
            assert got.log_z == got.top == got.worst_top == -np.inf
            assert not any(each.any() for each in (got.mu, got.best, got.worst, got.best_labels))
            continue
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
@given(shapes, seeds)
def test_losses_of_parts_add_up_to_those_of_outputs(name, shape, rng):
    case = STRUCTURES[name](shape, rng)
    w = np.zeros(parts.num_weights(case.split))
    for i, example in enumerate(case.examples):
        v = rng.normal(size=len(example.gold))
        added = operations(case.split, i, w, v, v).augmented - v
        np.testing.assert_allclose(example.outputs @ added, 2 * example.losses, atol=1e-12)


@every_structure
@few
@given(shapes, seeds)
def test_features_of_a_part_vector_and_their_norm(name, shape, rng):
    case = STRUCTURES[name](shape, rng)
    w = rng.normal(size=parts.num_weights(case.split))
    for i, example in enumerate(case.examples):
        v = rng.normal(size=len(example.gold))
        got = operations(case.split, i, w, v, v)
        f = v @ example.features
        np.testing.assert_allclose(got.moved, w + 0.5 * f, atol=1e-12)
        assert got.norm == pytest.approx(f @ f, rel=1e-10, abs=1e-12)
        np.testing.assert_allclose(got.gram, v + 2 * example.features @ f, atol=1e-10)
        assert got.both == got.norm
        np.testing.assert_array_equal(got.within, got.moved)
        np.testing.assert_array_equal(got.beyond, w)


@every_structure
@few
@given(shapes, seeds)
def test_expected_features_have_the_same_bits_for_any_number_of_threads(name, shape, rng):
    case = STRUCTURES[name](shape, rng)
    offsets = parts.offsets(case.split)
    assert list(np.diff(offsets)) == [len(example.gold) for example in case.examples]
    mu = rng.normal(size=offsets[-1])
    found = []
    for threads in (1, 2, 3):
        parallel.set_threads(threads)
        out = np.ones(parts.num_weights(case.split))
        parts.add_expected_features(case.split, offsets, mu, out)
        found.append(out)
    want = sum(v @ e.features for v, e in zip(np.split(mu, offsets[1:-1]), case.examples, strict=True))
    np.testing.assert_allclose(found[0] - 1, want, atol=1e-12)
    np.testing.assert_array_equal(found[1], found[0])
    np.testing.assert_array_equal(found[2], found[0])


@every_structure
@few
@given(shapes, seeds, st.data())
def test_taken_examples_answer_as_they_did_before(name, shape, rng, data):
    case = STRUCTURES[name](shape, rng)
    n = len(case.examples)
    chosen = data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=4))
    taken = parts.take(case.split, np.array(chosen))
    assert type(taken) is type(case.split)
    assert [type(field) for field in taken] == [type(field) for field in case.split]
    assert parts.num_examples(taken) == len(chosen)
    assert parts.num_weights(taken) == parts.num_weights(case.split)
    w = rng.normal(size=parts.num_weights(case.split))
    for new, old in enumerate(chosen):
        s = rng.normal(size=len(case.examples[old].gold))
        for got, want in zip(operations(taken, new, w, s, s), operations(case.split, old, w, s, s), strict=True):
            np.testing.assert_array_equal(got, want)


@every_structure
@few
@given(shapes, seeds, st.data())
def test_a_block_of_examples_answers_as_they_did_before(name, shape, rng, data):
    case = STRUCTURES[name](shape, rng)
    n = len(case.examples)
    first = data.draw(st.integers(0, n - 1))
    last = data.draw(st.integers(first + 1, n))
    block = parts.block(case.split, first, last)
    assert parts.num_examples(block) == last - first
    w = rng.normal(size=parts.num_weights(case.split))
    for new, old in enumerate(range(first, last)):
        s = rng.normal(size=len(case.examples[old].gold))
        for got, want in zip(operations(block, new, w, s, s), operations(case.split, old, w, s, s), strict=True):
            np.testing.assert_array_equal(got, want)
    mu = [rng.normal(size=len(e.gold)) for e in case.examples[first:last]]
    out = np.zeros(parts.num_weights(case.split))
    parts.add_expected_features(block, parts.offsets(block), np.concatenate(mu), out)
    want = sum(v @ e.features for v, e in zip(mu, case.examples[first:last], strict=True))
    np.testing.assert_allclose(out, want, atol=1e-12)
