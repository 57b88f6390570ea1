"""The examples of a pass, and draws in proportion to weights that change."""

import numpy as np
import pytest

from structbench.algorithms.learning import sampling


@pytest.mark.parametrize("n", [1, 4, 23])
def test_a_pass_has_n_examples_in_at_most_ten_ticks(n):
    rng = np.random.default_rng(0)
    kinds = ("random", "permuted", "cyclic")
    passes = {kind: [sampling.one_pass(rng, n, kind) for _ in range(5)] for kind in kinds}
    assert all(np.array_equal(examples, np.arange(n)) for examples in passes["cyclic"])
    assert all(np.array_equal(np.sort(examples), np.arange(n)) for examples in passes["permuted"])
    assert {i for examples in passes["random"] for i in examples} <= set(range(n))
    for kind in ("random", "permuted"):
        assert n == 1 or len({examples.tobytes() for examples in passes[kind]}) > 1
    ticks = sampling.split_pass(passes["random"][0])
    assert len(ticks) == min(n, 10)
    assert max(map(len, ticks)) - min(map(len, ticks)) <= 1
    np.testing.assert_array_equal(np.concatenate(ticks), passes["random"][0])


def test_some_draws_are_by_weight_and_the_rest_alike():
    rng = np.random.default_rng(0)
    found = np.concatenate([shares for _, shares in sampling.mixed_pass(rng, 10_000, "cyclic", 0.2)])
    assert np.mean(found < 0) == pytest.approx(0.2, abs=0.02)
    by_weight = found[found >= 0]
    np.testing.assert_allclose(np.quantile(by_weight, [0.25, 0.5, 0.75]), [0.25, 0.5, 0.75], atol=0.02)
    assert by_weight.max() < 1
    before = rng.bit_generator.state
    examples, shares = map(np.concatenate, zip(*sampling.mixed_pass(rng, 5, "cyclic", 1.0), strict=True))
    assert (shares < 0).all() and [*examples] == [*range(5)]
    assert rng.bit_generator.state == before


def test_a_sample_by_gap_has_an_example_once_at_most():
    """An example that was just visited has no gap to speak of. The others come in proportion to theirs."""
    rng, n, count = np.random.default_rng(0), 200, 20
    gaps = np.where(np.arange(n) < 5, 1e9, rng.random(n))
    found = np.array([np.bincount(sampling.by_gap(gaps, count, rng), minlength=n) for _ in range(3000)])
    assert found.max() == 1 and (found.sum(axis=1) == count).all() and (found[:, :5] == 1).all()
    rest = 0.2 / n + 0.8 * gaps[5:] / gaps.sum()
    np.testing.assert_allclose(found.mean(axis=0)[5:], (count - 5) * rest / rest.sum(), atol=0.03)
    proportional = np.mean(
        [np.bincount(sampling.by_gap(gaps[5:], 10, rng), minlength=n - 5) for _ in range(3000)], 0
    )
    np.testing.assert_allclose(proportional, 10 * (0.2 / 195 + 0.8 * gaps[5:] / gaps[5:].sum()), atol=0.03)
    assert (np.sort(sampling.by_gap(np.zeros(n), n, rng)) == np.arange(n)).all()


@pytest.mark.parametrize("n", [1, 2, 3, 8, 13])
def test_every_example_has_its_share_of_the_draws(n):
    weights = np.random.default_rng(n).integers(1, 9, size=n).astype(float)
    sums = sampling.sum_tree(weights)
    total = int(weights.sum())
    drawn = [sampling.draw(sums, (k + 0.5) / total) for k in range(total)]
    np.testing.assert_array_equal(np.bincount(drawn, minlength=n), weights)


def test_weights_change():
    rng = np.random.default_rng(0)
    weights = rng.random(11)
    sums = sampling.sum_tree(weights)
    for i in [3, 0, 10, 3, 7]:
        weights[i] = rng.random()
        sampling.change(sums, i, weights[i])
    np.testing.assert_allclose(sums, sampling.sum_tree(weights), rtol=1e-15)


def test_weight_zero_is_never_drawn_unless_there_is_no_other():
    sums = sampling.sum_tree(np.array([0.0, 0.3, 0.0, 0.1, 0.0, 0.0]))
    assert {sampling.draw(sums, u) for u in np.linspace(0, 1, 1000, endpoint=False)} == {1, 3}
    assert sampling.draw(sums, np.nextafter(1.0, 0.0)) == 3
    assert sampling.draw(sampling.sum_tree(np.zeros(5)), 0.9) in range(5)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("gaps", [[1.0], [0.1, 0.1, 0.1], [np.inf, 1.0, 2.0], [np.inf, np.inf, 0.0]])
def test_a_sample_of_all_examples_has_each_once(gaps):
    n, rng = len(gaps), np.random.default_rng(0)
    for _ in range(50):
        assert sorted(sampling.by_gap(np.array(gaps), n, rng)) == [*range(n)]
        assert len({*sampling.by_gap(np.array(gaps), 1, rng)}) == 1


@pytest.mark.filterwarnings("error")
def test_a_chance_that_rounding_raises_above_1_is_1():
    rng = np.random.default_rng(0)
    assert all(sampling.by_gap(np.array([gap]), 1, rng).tolist() == [0] for gap in rng.random(200))
