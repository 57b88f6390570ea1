"""The first stage of reranking against its definition, written out."""

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.structures import interface as parts
from structbench.datasets.text import first_stage


def test_a_pass_is_stochastic_gradient_on_the_penalised_log_loss():
    split = datasets.build("toy-english:sentences=4,test_sentences=4", None).train
    compiled, n = parts.compiled(split), parts.num_examples(split)
    decay, order, before = 0.3, np.array([2, 0, 3, 1]), 5
    rng = np.random.default_rng(0)
    w = rng.normal(size=parts.num_weights(split))
    ours, scale = w.copy(), 1.0
    scale = first_stage._pass(compiled, order, ours, scale, before, decay)
    for t, i in enumerate(order, before):
        step = first_stage.FIRST_STEP / (1 + first_stage.FIRST_STEP * decay * t)
        s = np.empty(parts.num_parts(compiled, i))
        mu, gold, gradient = np.empty_like(s), np.empty_like(s), np.zeros_like(w)
        parts.scores(compiled, i, w, s)
        parts.marginals(compiled, i, s, mu)
        parts.gold(compiled, i, gold)
        parts.add_features(compiled, i, 1.0, gold - mu, gradient)
        w = w + step * (gradient - decay * w)
    assert n == len(order)
    assert scale * ours == pytest.approx(w, rel=1e-9)
