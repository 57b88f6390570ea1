"""The generated shops: the paper's numbers, labels that follow from the layout, the same for the same seed."""

from collections import Counter

import pytest

from structbench.datasets.toy import product_records
from structbench.datasets.toy.product_records import ATTRIBUTES, LABELS, records


def walk(box):
    yield box
    for child in box.children:
        yield from walk(child)


@pytest.fixture(scope="module")
def train():
    return list(records("train", 0))


def test_the_papers_numbers_of_records(train):
    assert len(train) == 1585
    assert sum(1 for _ in records("test", 0)) == 3391


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


def test_what_makes_it_hard_is_there(train):
    boxes = [box for record in train for box in walk(record)]
    assert {box.label for box in boxes} == set(LABELS)
    dollars = Counter(box.label for box in boxes if any("." in word and word[-1].isdigit() for word in box.words))
    images = Counter(box.label for box in boxes if box.tag == "img")
    assert min(dollars["Price"], dollars["Note"], images["Image"], images["Note"]) > 200
    assert any(box.label == "Price" and box.words[0] == "call" for box in boxes)
    classes = {css for box in boxes if (css := box.css)}
    shared = [css for css in classes if len({box.label for box in boxes if box.css == css}) > 1]
    assert len(shared) > 5


def test_a_seed_always_draws_the_same(train):
    assert list(records("train", 0)) == train
    assert next(records("train", 1)) != train[0]
    assert next(records("test", 0)) != train[0]


def test_words_are_as_many_as_their_ranks():
    class Ranked:
        def __init__(self, share):
            self.share = share

        def random(self):
            return self.share

    shares = [k / 400 for k in range(400)]
    words = {product_records._word(3000, Ranked(share)) for share in shares}
    assert len(words) == len({int(3000**share) for share in shares})
