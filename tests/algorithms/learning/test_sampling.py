"""The examples of a pass, and draws in proportion to weights that change."""

from itertools import pairwise
from types import SimpleNamespace
from typing import cast

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


@pytest.mark.parametrize(("n", "count"), [(1, 1), (7, 1), (13, 4), (200, 20)])
def test_chances_are_the_papers_up_to_1(n, count):
    weights = np.random.default_rng(n).random(n) ** 4
    chances = sampling.by_weight(weights, count)
    paper = 0.2 / n + 0.8 * weights / weights.sum()
    if count == 1:
        np.testing.assert_allclose(chances, paper, rtol=1e-13)
    assert chances.sum() == pytest.approx(count) and chances.max() <= 1
    rest = chances < 1
    np.testing.assert_allclose(chances[rest], chances[rest].sum() * paper[rest] / paper[rest].sum(), rtol=1e-12)
    assert np.array_equal(np.argsort(chances[rest]), np.argsort(weights[rest]))
    np.testing.assert_array_equal(sampling.by_weight(np.zeros(n), count), np.full(n, count / n))


@pytest.mark.parametrize(("n", "count"), [(1, 1), (7, 1), (13, 4), (203, 20)])
def test_by_rank_four_fifths_are_those_of_the_largest_weights(n, count):
    weights = np.random.default_rng(n).random(n)
    middles = (np.arange(10) + 0.5) / 10
    found = np.array([sampling.by_rank(weights, count, u) for u in middles])
    assert found.sum(axis=1) == pytest.approx(count)
    largest = (found == 1).sum(axis=1) if n > count else np.array([0.8 * count])
    assert largest.mean() == pytest.approx(0.8 * count)
    for chances in found:
        rest = chances < 1
        assert len({*chances[rest]}) <= 1 and (rest.all() or weights[rest].max(initial=0) < weights[~rest].min())


@pytest.mark.parametrize("kind", ["weight", "rank"])
@pytest.mark.parametrize(("n", "count"), [(1, 1), (3, 3), (7, 1), (13, 4), (60, 7)])
def test_a_sample_has_each_example_once_at_most_and_with_its_chance(n, count, kind):
    """Summed over all places where the draws can begin: between two of them the sample is the same."""
    weights = np.random.default_rng(n).random(n) ** 4
    chances = sampling.by_weight(weights, count) if kind == "weight" else sampling.by_rank(weights, count, 0.3)
    begins = np.unique(np.r_[0.0, np.mod(np.cumsum(chances) * count / chances.sum(), 1.0), 1.0])
    total = np.zeros(n)
    for begin, end in pairwise(begins):
        middle = SimpleNamespace(random=lambda at=(begin + end) / 2: at, permutation=lambda drawn: drawn)
        times = np.bincount(sampling.sample(chances, count, cast(np.random.Generator, middle)), minlength=n)
        assert times.max() == 1 or end - begin < 1e-12
        total += (end - begin) * times
    np.testing.assert_allclose(total, chances, atol=1e-12)


@pytest.mark.parametrize("order", ["gap", "importance", "gap-importance", "largest-gap"])
def test_ticks_draw_by_what_their_order_says(order):
    """As the paper: one example at a time, of few; the gaps change between draws."""
    n, same, gaps = 6, np.random.default_rng(3), np.zeros(6)
    constants = np.array([1.0, 5.0, 2.0, 9.0, 1.0, 3.0])
    ticks = sampling.ticks(np.random.default_rng(3), n, order, gaps, importance=constants)
    assert np.array_equal(np.concatenate([next(ticks) for _ in range(n)]), same.permutation(n))
    for k in range(40):
        gaps[:] = np.random.default_rng(k).random(n)
        if order == "largest-gap":
            paper = np.eye(n)[gaps.argmax()] if same.random() >= 0.2 else np.full(n, 1 / n)
        else:
            weights = {"gap": gaps, "importance": constants, "gap-importance": gaps * constants}[order]
            paper = 0.2 / n + 0.8 * weights / weights.sum()
        (i,) = next(ticks)
        assert i == np.searchsorted(np.cumsum(paper), same.random())


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
@pytest.mark.parametrize("weights", [[1.0], [0.1, 0.1, 0.1], [np.inf, 1.0, 2.0], [np.inf, np.inf, 0.0]])
def test_a_sample_of_all_examples_has_each_once(weights):
    n, rng = len(weights), np.random.default_rng(0)
    for _ in range(50):
        assert sorted(sampling.sample(sampling.by_weight(np.array(weights), n), n, rng)) == [*range(n)]


@pytest.mark.filterwarnings("error")
def test_a_chance_that_rounding_raises_above_1_is_1():
    rng = np.random.default_rng(0)
    assert all(sampling.by_weight(np.array([weight]), 1).tolist() == [1.0] for weight in rng.random(200))
