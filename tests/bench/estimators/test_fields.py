"""The estimator of graphs and grids, against all labellings of small ones."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from structbench import ChainCRF, FieldCRF
from structbench.algorithms.runtime.errors import UserError

RNG = np.random.default_rng(3)
EDGES = [(0, 1), (1, 2), (2, 0), (3, 2)]  # a triangle and a node beside it
GRAPHS: Any = [(RNG.normal(size=(4, 2)), EDGES, RNG.normal(size=(4, 2))) for _ in range(12)]
GRAPHS.append((RNG.normal(size=(2, 2)), [], np.empty((0, 2))))
LABELS = [[("a", "b", "c")[k] for k in RNG.integers(3, size=len(each[0]))] for each in GRAPHS]
GRIDS = [RNG.normal(size=(2, 3, 2)) for _ in range(8)]
OF_GRIDS = [(grid[:, :, 0] > 0).astype(int) for grid in GRIDS]


def enumerated(model, nodes, pairs):
    """All labellings of a graph and their probabilities; ``pairs``: of each edge, its ends and its scores."""
    K = len(model.classes_)
    outputs = [*product(range(K), repeat=len(nodes))]
    of_nodes = nodes @ model.coef_.T
    scores = np.array(
        [sum(of_nodes[t, k] for t, k in enumerate(y)) + sum(W[y[u], y[v]] for (u, v), W in pairs) for y in outputs]
    )
    return np.array(outputs), np.exp(scores - np.logaddexp.reduce(scores))


def check(model, X, graphs):
    """Predictions, probabilities and the objective are those of the enumerated labellings."""
    for found, best, (nodes, pairs) in zip(model.predict_proba(X), model.predict(X), graphs, strict=True):
        outputs, chances = enumerated(model, nodes, pairs)
        K = found.shape[-1]
        expected = np.array([[chances[outputs[:, t] == k].sum() for k in range(K)] for t in range(len(nodes))])
        np.testing.assert_allclose(found.reshape(expected.shape), expected, atol=1e-9)
        place = [[*model.classes_].index(label) for label in np.ravel(best)]
        assert chances[(outputs == place).all(axis=1)] == pytest.approx(chances.max())


def test_graphs_are_predicted_as_all_their_labellings_say():
    model = FieldCRF(0.5, tol=1e-7, max_passes=1000).fit(GRAPHS, LABELS)
    assert model.certificate_.relative_gap <= 1e-7
    graphs = []
    for nodes, ends, features in GRAPHS:
        scores = model.transitions_[0] + np.tensordot(features, model.edge_coef_, 1)
        graphs.append((nodes, [*zip(ends, scores, strict=True)]))
    check(model, GRAPHS, graphs)
    losses = 0.0
    for labels, (nodes, pairs) in zip(LABELS, graphs, strict=True):
        outputs, chances = enumerated(model, nodes, pairs)
        losses -= np.log(chances[(outputs == [[*model.classes_].index(k) for k in labels]).all(axis=1)].item())
    assert losses + 0.5 * np.sum(model._weights**2) / 2 == pytest.approx(model.certificate_.primal)
    right = np.concatenate(model.predict(GRAPHS)) == np.concatenate(LABELS)
    assert model.score(GRAPHS, LABELS) == np.mean(right)
    assert model.predict([]) == []


def test_grids_have_transitions_of_rows_and_of_columns():
    model = FieldCRF(0.1).fit(GRIDS, OF_GRIDS)
    assert model.transitions_.shape == (2, 2, 2) and model.edge_coef_.shape == (0, 2, 2)
    along, down = ([(0, 1), (1, 2), (3, 4), (4, 5)], [(0, 3), (1, 4), (2, 5)])
    graphs = []
    for grid in GRIDS:
        pairs = [(ends, model.transitions_[kind]) for kind, each in enumerate((along, down)) for ends in each]
        graphs.append((grid.reshape(6, 2), pairs))
    check(model, GRIDS, graphs)
    (found,) = model.predict(GRIDS[:1])
    assert found.shape == (2, 3) and found.dtype == OF_GRIDS[0].dtype
    assert model.predict_proba(GRIDS)[0].shape == (2, 3, 2) and model.score(GRIDS, OF_GRIDS) > 0.9


def test_a_path_is_a_chain_whatever_describes_its_nodes():
    sentences = [[{"w": "the"}, {"w": "dog"}, {"w": "barks"}], [["a"], ["cat"]]]
    tags = [["D", "N", "V"], ["D", "N"]]
    paths = [(each, [(t, t + 1) for t in range(len(each) - 1)]) for each in sentences]
    chain, path = ChainCRF(tol=1e-8).fit(sentences, tags), FieldCRF(tol=1e-8).fit(paths, tags)
    assert path.certificate_.primal == pytest.approx(chain.certificate_.primal, rel=1e-7)
    np.testing.assert_allclose(path.transitions_[0], chain.transitions_, atol=1e-3)
    assert path.predict(paths) == chain.predict(sentences)
    assert FieldCRF(loss="hinge").fit(paths, tags).predict(paths) == tags


def test_a_grid_of_ten_rows_has_width_ten():
    model = FieldCRF(max_passes=1, tol=1.0)
    X = [RNG.normal(size=(10, 12, 1))]
    model.fit(X, [(X[0][:, :, 0] > 0).astype(int)])
    with pytest.raises(UserError, match="of 120 nodes, has width 10: expected at most 9"):
        model.set_params(max_width=9).fit(X, [np.eye(10, 12, dtype=int)])


def test_a_weight_of_two_is_the_graph_twice():
    once = FieldCRF(tol=1e-8).fit(GRAPHS[:2], LABELS[:2], sample_weight=[1, 2])
    twice = FieldCRF(tol=1e-8).fit([*GRAPHS[:2], GRAPHS[1]], [*LABELS[:2], LABELS[1]])
    assert once.certificate_.primal == pytest.approx(twice.certificate_.primal, rel=1e-7)


NODES = np.eye(2)


@pytest.mark.parametrize(
    "X, y, sentence",
    [
        (3, [], "expected a list of graphs, found int"),
        ([NODES], [["a", "b"]], "example 0: expected \\(nodes, edges\\)"),
        (
            [(NODES, [(0, 1, 1)])],
            [["a", "b"]],
            "example 0: expected edges of shape \\(edges, 2\\), found \\(1, 3\\)",
        ),
        ([(NODES, [(0, 2)])], [["a", "b"]], "end of edge 0 of graph 0 must lie in 0 .. 1, not 2"),
        ([(NODES, [(1, 1)])], [["a", "b"]], "must join two nodes, not node 1 with itself"),
        ([(NODES, [(0, 1)])], [["a"]], "example 0 has 2 tokens: expected as many labels in y, found 1 labels"),
        (
            [(NODES, [(0, 1)]), (NODES, [(0, 1)], NODES[:1])],
            [["a", "b"]] * 2,
            "example 1: all graphs need features",
        ),
        ([(["red", "blue"], [(0, 1)])], [["a", "b"]], "expected rows of numbers, dicts or lists of attributes"),
        ([(NODES[:0], [])], [[]], "example 0 has no nodes"),
        ([(NODES, [(0, 1)], [])], [["a", "b"]], "example 0 has 1 edges: expected features of as many"),
    ],
)
def test_what_is_no_graph_is_one_sentence(X, y, sentence):
    with pytest.raises(UserError, match=sentence):
        FieldCRF().fit(X, y)
    with pytest.raises(NotFittedError):
        FieldCRF().predict([(NODES, [(0, 1)])])


def test_a_model_of_graphs_takes_no_grids_of_two_kinds():
    model = FieldCRF().fit([(NODES, [(0, 1)])], [["a", "b"]])
    with pytest.raises(UserError, match="example 0 is a grid"):
        model.predict([np.ones((2, 2, 2))])
    with pytest.raises(UserError, match="max_width must be a whole number above 0"):
        FieldCRF(max_width=0).fit([(NODES, [(0, 1)])], [["a", "b"]])


@pytest.mark.parametrize(
    "labels, found",
    [
        (np.eye(3, 2, dtype=int), "the shape \\(3, 2\\)"),  # of the transpose, with as many labels
        (np.array([0, 1, 0, 1, 0, 1]), "the shape \\(6,\\)"),
        ([[0, 1, 0], [1, 0]], "\\[\\[0, 1, 0\\], \\[1, 0\\]\\]"),
        (["aba", "bab"], "\\['aba', 'bab'\\]"),
        (1, "1$"),
    ],
)
def test_labels_of_a_grid_have_its_shape(labels, found):
    model = FieldCRF(max_passes=1, tol=1.0).fit(GRIDS, OF_GRIDS)
    message = f"example 1 is a grid: expected labels of the shape \\(2, 3\\) in y, found {found}"
    for method in (model.fit, model.score):
        with pytest.raises(UserError, match=message):
            method(GRIDS[:2], [OF_GRIDS[0], labels])


@pytest.mark.parametrize(
    ("X", "y", "sentence"),
    [
        ([], [], "expected graphs to learn from, found none in X"),
        ([(np.eye(3), [(0, 1), (1, 2, 0)])], [["a", "b", "a"]], "example 0: expected two nodes for each edge"),
        ([(3, [(0, 1)])], [["a", "b", "a"]], "example 0: expected a list of nodes, found 3"),
        ([(NODES, [(0, 1)], 5)], [["a", "b"]], "example 0: expected a list of features of edges, found 5"),
        ([(NODES, [(0, 1)], (e for e in [{}, {}]))], [["a", "b"]], "has 1 edges: expected features of as many"),
    ],
)
def test_graphs_that_are_none(X, y, sentence):
    with pytest.raises(UserError, match=sentence):
        FieldCRF().fit(X, y)


def test_grids_in_one_array_have_k_best_labellings():
    model = FieldCRF(max_width=np.int64(4)).fit(np.array(GRIDS), np.array(OF_GRIDS))
    assert [len(each) for each in model.predict_k_best(np.array(GRIDS), 2)] == [2] * len(GRIDS)


def test_a_warm_start_refuses_other_features_of_edges():
    def graph(name):
        return [{"k": "1"}, {"k": "2"}], [(0, 1)], [{name: 1.0}]

    model = FieldCRF(warm_start=True).fit([graph("near")] * 2, [["a", "b"]] * 2)
    model.fit([graph("near")] * 2, [["a", "b"]] * 2)
    with pytest.raises(UserError, match="labels or features differ from the last fit"):
        model.fit([graph("far")] * 2, [["a", "b"]] * 2)


def test_the_first_graph_need_have_no_edges():
    first = [(np.ones((1, 2)), []), *GRAPHS[:6]]
    model = FieldCRF().fit(first, [["a"], *LABELS[:6]])
    assert model.edge_coef_.shape[0] == 2 and len(model.predict(first)) == 7


def test_graphs_may_come_one_after_another():
    model = FieldCRF(max_passes=1, tol=1.0).fit(iter(GRAPHS), iter(LABELS))
    assert [*map(len, model.predict_k_best(iter(GRAPHS), 2))] == [2] * len(GRAPHS)
    assert model.predict(iter(GRAPHS)) == model.predict(GRAPHS)


def test_the_width_may_change_after_fit_if_it_is_a_number():
    model = FieldCRF(max_passes=1, tol=1.0).fit(GRIDS, OF_GRIDS)
    wide = [RNG.normal(size=(4, 4, 2))]
    with pytest.raises(UserError, match="has width 4: expected at most 3"):
        model.set_params(max_width=3).predict(wide)
    assert model.set_params(max_width=4).predict(wide)[0].shape == (4, 4)
    with pytest.raises(UserError, match="max_width must be a whole number above 0, not None"):
        model.set_params(max_width=None).predict(wide)
