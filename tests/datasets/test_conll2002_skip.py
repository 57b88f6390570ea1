"""Skip chains of CoNLL-2002: the sentences of ``conll2002``, and the real corpus."""

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.datasets import conll2002, conll2002_skip


def test_a_width_below_that_of_a_chain():
    with pytest.raises(UserError, match="max_width=0: expected 1 or more"):
        conll2002_skip.load(None, max_width=0)


@pytest.mark.corpus(conll2002.CORPUS)
def test_the_first_real_sentences():
    one, chains = (
        datasets.build(f"{name}:sentences=60,test_sentences=20") for name in ("conll2002-skip", "conll2002")
    )
    np.testing.assert_array_equal(one.train.y, chains.train.y)
    np.testing.assert_array_equal(one.test.starts, chains.test.starts)
    assert one.train.num_node_features == chains.train.num_node_features
    assert (one.train.kinds == 1).sum() > 0
    assert datasets.structure("conll2002-skip") == one.train.id == "field"
