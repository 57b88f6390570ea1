"""Shares of the generated records, and options out of range."""

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.datasets import web_records


def test_shares_and_test_records():
    one = web_records.load(None, share=5, test_records=20)
    assert len(one.train.starts) - 1 == 79
    assert len(one.test.starts) - 1 == 20
    other = web_records.load(None, share=5, draw=1, test_records=20)
    np.testing.assert_array_equal(one.test.y, other.test.y)
    assert not np.array_equal(one.train.starts, other.train.starts)
    assert [one.labels[k] for k in one.key_attributes] == ["Name", "Image", "Price"]
    assert datasets.structure("web-records") == one.train.id == "tree"
    assert datasets.structure("web-records:structure=chain") == "chain"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": -1}, "seed must be 0 or more, not -1"),
        ({"test_records": 4000}, r"test_records must be 0 \(all\) to 3391, not 4000"),
        ({"share": 0}, "share=0"),
    ],
)
def test_what_is_out_of_range(options, message):
    with pytest.raises(UserError, match=message):
        web_records.load(None, **options)
