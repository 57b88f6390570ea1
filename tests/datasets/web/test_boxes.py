"""Trees of boxes as problems: order, features of a small page by hand, both structures, both kinds of features."""

import numpy as np
import pytest

from structbench.datasets import webpages
from structbench.datasets.problems.storage import fingerprint
from structbench.datasets.toy import product_records
from structbench.datasets.web import boxes
from structbench.datasets.web.boxes import Box, Kind, Structure

LABELS = ("Name", "Price", "Note", "Record")


def page(price="Price"):
    name = Box("Name", "h3", "title", ("Red", "Shoe"), 200, 20, 16, True)
    below = Box(price, "span", "", ("$12.99",), 100, 16, 12, False)
    row = Box("Note", "div", "", children=(below, Box("Note", "img", "", (), 16, 16)), width=100, height=32)
    return Box("Record", "div", "", children=(name, row), width=200, height=52)


def problem(structure: Structure = "tree", features: Kind = "sparse", test=None):
    return boxes.page_problem(
        [page(), page()], [test or page()], LABELS, LABELS[:2], LABELS[:1], structure, features
    )


@pytest.mark.parametrize(
    ("structure", "kind", "nodes", "expected"),
    [
        ("tree", "sparse", (), "3517fd6e1e1ff1e8"),
        ("tree", "sparse", webpages.NODES, "812005767411e372"),
        ("tree", "dense", (), "e71a4c2ac8600436"),
        ("chain", "sparse", (), "a554d47a62d10118"),
    ],
)
def test_the_same_problems_everywhere(structure, kind, nodes, expected):
    """A change of a problem changes every result on it: make it on purpose, and this sum with it."""
    learn, evaluate = (list(product_records.records(part, 0))[::50] for part in ("train", "test"))
    names = product_records.LABELS, product_records.ATTRIBUTES, product_records.ATTRIBUTES[:2]
    made = boxes.page_problem(learn, evaluate, *names, structure, kind, nodes)
    assert fingerprint(made).startswith(expected)


def test_nodes_in_the_order_of_the_document():
    one = problem()
    assert one.train.parents.tolist() == [-1, 0, 0, 2, 2] * 2
    assert [LABELS[k] for k in one.train.y[:5]] == ["Record", "Name", "Note", "Price", "Note"]
    assert (one.attributes, one.key_attributes) == ((0, 1), (0,))
    assert problem(test=page("Description")).test.y.tolist() == [3, 0, 2, -1, 2]


@pytest.mark.parametrize(
    ("box", "wanted"),
    [
        (Box("", "img", "", (), 100, 100), "large"),
        (Box("", "img", "", (), 100, 12), "small"),
        (Box("", "b", "", ("$9.99",)), "price"),
        (Box("", "b", "", ("USD", "9.99")), "price"),
        (Box("", "b", "", ("1234",)), "number"),
        (Box("", "b", "", ("sku", "b-1")), "short"),
        (Box("", "b", "", ("more",)), "word"),
        (Box("", "p", "", tuple("abcdefghi")), "long"),
        (Box("", "p", "", ()), "none"),
    ],
)
def test_what_a_leaf_looks_like(box, wanted):
    assert boxes.pattern(box) == wanted


def test_dense_features_know_no_words():
    one = problem(features="dense", test=page()._replace(children=page().children[:1]))
    assert one.train.x.dense.shape == (10, boxes.DENSE)
    looks = [1, 1, 0, 0, *[0, 0, 0, 0, 0, 1, 0], 1, 0.4, 1 / 3, 1, 1 / 4, 1 / 8, 2 / 8]  # of "Red Shoe"
    np.testing.assert_allclose(one.train.x.dense[1], looks)
    assert one.train.x.dense[:5, -1].tolist() == [0, 0.25, 0, 0, 0]  # capitals, where there are words
    edges = one.train.edges.dense
    assert edges.shape[1] == boxes.EDGE and not edges[0].any() and edges[1].any()
    other = page()._replace(children=(page().children[0]._replace(words=("Nul", "Sand")), page().children[1]))
    same = boxes.page_problem([page()], [other], LABELS, LABELS[:2], LABELS[:1], "tree", "dense")
    np.testing.assert_array_equal(same.train.x.dense, same.test.x.dense)
