"""The sequential dual method: what it keeps of outputs, against all outputs written out."""

from functools import partial
from itertools import islice

import numpy as np
import pytest

from structbench.algorithms.cutting_planes import kept_outputs as kept
from tests.algorithms.oracle import case, every_structure
from tests.algorithms.solvers import start
from tests.narrowing import not_none

C = 0.3


@every_structure
@pytest.mark.parametrize("patience", [1, 5])
def test_kept_outputs_are_a_distribution_and_known_by_parts_cost_and_inner_products(name, patience):
    small = case(name, seed=1)
    _, run = start("sequential-dual", small.split, "hinge", C, average=False, patience=patience)
    next(run)
    most = 0
    for iterate in islice(run, 40):
        recompute = not_none(iterate.dual).recompute
        assert isinstance(recompute, partial)
        outputs, w = recompute.args[-1], 0.0
        for i, e in enumerate(small.examples):
            listed = kept.of_example(outputs, i)
            y = np.array([np.bincount(row[row >= 0].astype(int), minlength=len(e.gold)) for row in listed.part])
            y = y[: len(listed.alpha)]
            which = [np.flatnonzero((e.outputs == each).all(axis=1)) for each in y]
            assert len({each[0] for each in which}) == len(y), "an output is kept twice"
            np.testing.assert_allclose(listed.costs, [e.losses[each[0]] for each in which])
            f = y @ e.features
            np.testing.assert_allclose(listed.gram[: len(y), : len(y)], f @ f.T, rtol=1e-9, atol=1e-12)
            assert listed.alpha.min() >= 0
            assert listed.alpha.sum() == pytest.approx(1)
            w += (e.gold - listed.alpha @ y) @ e.features
            most = max(most, len(y))
        np.testing.assert_allclose(not_none(not_none(iterate.dual).weights), w, rtol=1e-9, atol=1e-9)
    assert most > 1 + (patience > 1)
