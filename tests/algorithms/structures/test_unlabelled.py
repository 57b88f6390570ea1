"""Examples that are there to be labelled: what only dual methods read is left out, and nothing else changes."""

import numpy as np

from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import prediction
from structbench.algorithms.structures.chain import model as chain


def test_they_have_no_inner_products_and_the_same_outputs_scores_and_marginals():
    rng = np.random.default_rng(0)
    lengths, labels = np.array([3, 1, 5, 2]), 4
    x = ft.dense(rng.normal(size=(lengths.sum(), 6)))
    known, unknown = (chain.build(x, lengths, y, labels) for y in (np.full(lengths.sum(), -1), None))
    assert len(known.products.numbers) == (lengths**2).sum()
    assert len(unknown.products.numbers) == 0 and len(unknown.products.small) == 0
    w = rng.normal(size=parts.num_weights(known))
    for found, wanted in zip(prediction.k_best(unknown, w, 3), prediction.k_best(known, w, 3), strict=True):
        np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(prediction.predictions(unknown, w)[0], prediction.predictions(known, w)[0])
    np.testing.assert_array_equal(
        prediction.label_probabilities(unknown, w, 1.0, labels),
        prediction.label_probabilities(known, w, 1.0, labels),
    )


def test_weights_of_0_are_looked_for_where_it_pays(monkeypatch):
    narrowed = []
    monkeypatch.setattr(parts, "with_used_features", lambda split, w: narrowed.append(split) or (split, w))
    monkeypatch.setattr(parts, "has", lambda split, operation: True)
    for examples in (1, prediction.MANY - 1, prediction.MANY):
        lengths = np.ones(examples, np.int64)
        split = chain.build(ft.dense(np.ones((examples, 2))), lengths, None, 3)
        prediction.predictions(split, np.ones(parts.num_weights(split)))
    assert len(narrowed) == 1
