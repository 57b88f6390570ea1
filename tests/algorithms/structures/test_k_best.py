"""The k best outputs of every structure that lists them, against the oracle that sorts all outputs."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from algorithms.structures import interface as parts
from tests.algorithms.compiled import k_best, operations
from tests.algorithms.oracle import STRUCTURES, able, case, each_of
from tests.algorithms.structures.test_interface import few, scales, seeds, shapes

every_lister = each_of(name for name in STRUCTURES if able(name, "k-best"))


@every_lister
@few
@given(shapes, seeds, scales, st.booleans(), st.sampled_from([1, 2, 7, 1000]))
def test_they_are_the_first_of_a_sorted_list_and_the_first_is_argmax(name, shape, rng, scale, ties, k):
    drawn = STRUCTURES[name](shape, rng)
    w = np.zeros(parts.num_weights(drawn.split))
    for i, example in enumerate(drawn.examples):
        m = len(example.gold)
        s = rng.integers(-1, 2, size=m).astype(float) if ties else scale * rng.normal(size=m)
        count, Y, values = k_best(drawn.split, i, s, k)
        every = np.sort(example.outputs @ s)[::-1]
        assert count == min(k, len(every))
        np.testing.assert_allclose(values[:count], every[:count], rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(Y[:count] @ s, values[:count], rtol=1e-11, atol=1e-11)
        assert not Y[count:].any() and (values[count:] == -np.inf).all()
        np.testing.assert_array_equal(Y[0], operations(drawn.split, i, w, s, s).best)
        outputs = {tuple(y) for y in example.outputs}
        found = {tuple(y) for y in Y[:count]}
        assert len(found) == count and found <= outputs


@every_lister
def test_outputs_of_no_score_are_left_out(name):
    split, examples, _, _ = case(name, seed=1, lengths=(3,))
    rng = np.random.default_rng(0)
    s = rng.normal(size=len(examples[0].gold))
    s[rng.integers(len(s), size=len(s) // 3 + 1)] = -np.inf
    outputs, allowed = examples[0].outputs, s > -np.inf
    totals = np.where(outputs @ ~allowed > 0, -np.inf, outputs @ np.where(allowed, s, 0.0))
    count, _, values = k_best(split, 0, s, 1000)
    assert count == (totals > -np.inf).sum()
    np.testing.assert_allclose(values[:count], np.sort(totals)[::-1][:count])
    assert k_best(split, 0, np.full_like(s, np.nan), 5)[0] == 0
    assert k_best(split, 0, np.full_like(s, -np.inf), 5)[0] == 0
