"""Exponentials and logarithms of kernels beside those of numpy."""

import numpy as np

from structbench.algorithms.runtime import vector_math


def test_they_are_numpy_s_to_a_last_place_or_two():
    x = -np.concatenate([[0.0], np.geomspace(1e-17, 354, 3000)])
    np.testing.assert_allclose([vector_math.exp(each) for each in x], np.exp(x), rtol=1e-15)
    x = np.append(2 * x, [-708.0, -708.1, -1e300, -np.inf, np.nan])
    found = [vector_math.exp_or_zero(each) for each in x]
    np.testing.assert_allclose(found, np.where(x <= -708, 0.0, np.exp(x)), rtol=2e-15)
    x = np.concatenate([np.geomspace(1e-307, 1e307, 3000), 1 + np.linspace(-0.5, 1, 3000)])
    np.testing.assert_allclose([vector_math.log(each) for each in x], np.log(x), rtol=1e-15, atol=1e-17)


def test_sums_of_exponentials_and_scores_that_are_forbidden():
    v, none = np.array([1.0, -np.inf, 1000.0, 999.0]), np.full(3, -np.inf)
    assert vector_math.log_sum_exp(v) == vector_math.normalise(v.copy()) == 1000 + np.log1p(np.exp(-1))
    assert vector_math.log_sum_exp(none) == vector_math.normalise(none) == -np.inf and not none.any()
    vector_math.normalise(v)
    np.testing.assert_allclose(v, np.array([0, 0, np.e, 1]) / (np.e + 1), rtol=1e-14)
    s = np.array([2.0, -np.inf, 3.0])
    assert vector_math.total_score(s, np.array([0.5, 0.0, 1.0])) == 4.0
    assert vector_math.total_score(s, np.array([0.5, 0.1, 1.0])) == -np.inf


def test_the_logarithm_in_single_precision():
    x = np.exp(np.random.default_rng(0).uniform(-80, 80, size=2000)).astype(np.float32)
    found = [vector_math.short_log(each) for each in x]
    np.testing.assert_allclose(found, np.log(x.astype(float)), rtol=2e-7, atol=1e-7)
    assert vector_math.short_log(np.float32(1.0)) == 0.0
