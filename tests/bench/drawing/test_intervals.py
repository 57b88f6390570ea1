"""Resampled F1 against what is known of it."""

import numpy as np
import pytest

from structbench.bench.drawing.intervals import SAMPLES, percentiles, resampled
from structbench.bench.drawing.ranking import in_points

SENTENCES = 400


def counts(share: float, seed: int) -> np.ndarray:
    """Four chunks a sentence, each found with this share."""
    found = np.random.default_rng(seed).binomial(4, share, size=SENTENCES)
    return np.stack([found, np.full(SENTENCES, 4), np.full(SENTENCES, 4)], axis=1)


def test_the_first_is_of_the_sentences_themselves() -> None:
    one, other = counts(0.9, 0), counts(0.8, 1)
    samples = resampled([one, other], "way")
    assert samples.shape == (1 + SAMPLES,)
    assert samples[0] == pytest.approx((one[:, 0].mean() + other[:, 0].mean()) / 8)
    few = np.full((SENTENCES, 3), (4, 5, 20))  # precision 0.8, recall 0.2: neither is F1
    np.testing.assert_allclose(resampled([few], "way"), 8 / 25)


def test_the_interval_is_that_of_the_sampling_distribution() -> None:
    samples = resampled([counts(0.9, 0)], "way")
    deviation = np.sqrt(0.9 * 0.1 / (4 * SENTENCES))
    assert samples[1:].std() == pytest.approx(deviation, rel=0.1)
    mean, low, high = percentiles(samples)
    assert (high - low) / 2 == pytest.approx(1.96 * deviation, rel=0.15)
    assert low < mean < high


def test_sentences_are_the_same_for_all_and_seeds_are_not() -> None:
    made = [counts(0.9, seed) for seed in range(5)]
    assert not (resampled(made[:1], "a") - resampled(made[:1], "b")).any()
    apart = resampled(made, "a") - resampled(made, "b")
    assert apart[0] == 0 and apart[1:].std() > 0
    assert not (resampled(made, "a") - resampled(made, "a")).any()


def test_seeds_that_differ_widen_the_interval() -> None:
    alike, unlike = [counts(0.9, 0)] * 5, [counts(share, 0) for share in (0.85, 0.88, 0.9, 0.92, 0.95)]
    narrow, wide = (percentiles(resampled(made, "way")) for made in (alike, unlike))
    assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low)


def test_the_interval_leaves_out_one_sample_in_forty_at_each_end() -> None:
    assert percentiles(np.concatenate([[0.5], np.linspace(0, 1, SAMPLES)])) == (0.5, 0.025, 0.975)


def test_what_is_not_known_has_no_end() -> None:
    assert percentiles(np.full(5, np.nan))[1:] == (-np.inf, np.inf)
    few = percentiles(resampled([counts(0.9, 0)[:9]], "way"))
    assert np.isfinite(few.mean) and few[1:] == (-np.inf, np.inf)
    assert few.points().endswith("[?] points") and in_points(few).endswith(" [too few examples] points")
    nothing = np.zeros((SENTENCES, 3), int)
    assert percentiles(resampled([nothing], "way"))[1:] == (-np.inf, np.inf)
