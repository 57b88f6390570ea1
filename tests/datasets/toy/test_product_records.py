"""The generated shops: the paper's numbers, labels that follow from the layout; shares; options out of range."""

import hashlib

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.datasets import web_records
from structbench.datasets.toy.product_records import ATTRIBUTES, records

SHA256 = "79b4cdbaea2148b30653ed9ba74947a95b452cb72a1f72d0e2719233b7b156e7"


def walk(box):
    yield box
    for child in box.children:
        yield from walk(child)


@pytest.fixture(scope="module")
def train():
    return list(records("train", 0))


def test_the_papers_records_are_the_same_everywhere(train):
    """A change of the shops changes every result on them: make it on purpose, and this sum with it."""
    test = list(records("test", 0))
    assert (len(train), len(test)) == (1585, 3391)
    assert hashlib.sha256(repr((train, test)).encode()).hexdigest() == SHA256
    assert list(records("train", 0)) == train
    assert next(records("train", 1)) != train[0] != test[0]


def test_labels_follow_from_the_layout(train):
    for record in train:
        assert record.label == "Record"
        for box in list(walk(record))[1:]:
            below = {each.label for each in walk(box)}
            if box.children:
                assert box.label == ("Block" if below & set(ATTRIBUTES) else "Wrapper")
            else:
                assert box.label in (*ATTRIBUTES, "Note")
            assert (box.tag == "img") <= (not box.words)


def test_shares_and_test_records():
    one = web_records.load(None, share=5, test_records=20)
    assert len(one.train.starts) - 1 == 79
    assert len(one.test.starts) - 1 == 20
    other = web_records.load(None, share=5, draw=1, test_records=20)
    np.testing.assert_array_equal(one.test.y, other.test.y)
    assert not np.array_equal(one.train.starts, other.train.starts)
    assert [one.labels[k] for k in one.key_attributes] == ["Name", "Image", "Price"]
    for each in ("tree", "chain"):
        assert datasets.data_ref(f"web-records:structure={each}").structure == each


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("seed=-1", "seed must be at least 0, not '-1'"),
        ("test_records=4000", r"test_records must be 0 \(all\) to 3391, not 4000"),
        ("share=0", "share must be at least 1, not '0'"),
    ],
)
def test_what_is_out_of_range(options, message):
    with pytest.raises(UserError, match=message):
        datasets.build(f"web-records:{options}")
