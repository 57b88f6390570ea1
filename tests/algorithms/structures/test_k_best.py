"""The k best outputs of every structure that lists them, against the oracle that sorts all outputs."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from structbench.algorithms.structures import interface as parts
from tests.algorithms.compiled import k_best, operations
from tests.algorithms.oracle import STRUCTURES, able, case, each_of
from tests.algorithms.structures.test_interface import drawn, few, scores, seeds, shapes

every_lister = each_of(name for name in STRUCTURES if able(name, "k-best"))


@every_lister
@settings(few, max_examples=40)
@given(shapes, seeds, scores, st.sampled_from([1, 2, 7, 1000]))
def test_they_are_the_first_of_a_sorted_list_and_the_first_is_argmax(name, shape, rng, kind, k):
    made = STRUCTURES[name](shape, rng)
    w = np.zeros(parts.num_weights(made.split))
    for i, example in enumerate(made.examples):
        s = drawn(rng, len(example.gold), *kind)
        count, Y, values = k_best(made.split, i, s, k)
        every = np.sort(example.totals(s))[::-1]
        assert count == min(k, (every > -np.inf).sum())
        np.testing.assert_allclose(values[:count], every[:count], rtol=1e-11, atol=1e-11)
        assert not Y[count:].any() and (values[count:] == -np.inf).all()
        np.testing.assert_array_equal(Y[0], operations(made.split, i, w, s, np.zeros_like(s)).best)
        total = dict(zip(map(tuple, example.outputs), example.totals(s), strict=True))
        found = list(map(tuple, Y[:count]))
        assert len(set(found)) == count
        np.testing.assert_allclose([total[y] for y in found], values[:count], rtol=1e-11, atol=1e-11)


@every_lister
def test_outputs_whose_score_is_no_number_are_left_out(name):
    split, examples, _, _ = case(name, seed=1, lengths=(3,))
    assert k_best(split, 0, np.full(len(examples[0].gold), np.nan), 5)[0] == 0
