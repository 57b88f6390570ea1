"""Grids and loops: edges, laws of the labels by enumeration, widths, and that edges are worth learning."""

from itertools import product

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures.clique_tree.layout import SEPARATOR
from structbench.bench.runs import driver, spec
from structbench.datasets import toy_grid, toy_loops
from structbench.datasets.toy import potts


def test_labellings_follow_the_potts_model():
    ends = np.array([(0, 1), (1, 2), (2, 0), (2, 3)])
    every = np.array(list(product(range(2), repeat=4)))
    wanted = np.exp(0.8 * (every[:, ends[:, 0]] == every[:, ends[:, 1]]).sum(axis=1))
    drawn = potts.labellings(20_000, 4, ends, 2, 0.8, np.random.default_rng(0))
    found = np.bincount(drawn @ [8, 4, 2, 1], minlength=16) / len(drawn)
    np.testing.assert_allclose(found, wanted / wanted.sum(), atol=0.012)


def test_a_grid_has_edges_of_two_kinds():
    one = toy_grid.load(None, rows=2, columns=3, grids=2, test_grids=1).train
    pairs = {tuple(pair): kind for pair, kind in zip(one.ends[:7].tolist(), one.kinds[:7].tolist(), strict=True)}
    across = {(0, 1): 0, (1, 2): 0, (3, 4): 0, (4, 5): 0}
    assert pairs == across | {(0, 3): 1, (1, 4): 1, (2, 5): 1}
    assert np.diff(one.edge_starts).tolist() == [7, 7] and one.num_kinds == 2
    assert np.diff(one.cliques.nodes[:, SEPARATOR]).max() == 2


@pytest.mark.parametrize("labels", [3, 6])
def test_a_loop(labels):
    one = toy_loops.load(None, nodes=5, labels=labels, loops=3, test_loops=1)
    assert sorted(map(sorted, one.train.ends[:5].tolist())) == [[0, 1], [0, 4], [1, 2], [2, 3], [3, 4]]
    assert len(one.labels) == labels and one.train.num_labels == labels
    assert np.diff(one.train.cliques.nodes[:, SEPARATOR]).max() == 2


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("toy-grid:rows=5,columns=6", "graph 0, of 30 nodes, has width 5: expected at most 4"),
        ("toy-grid:rows=1", "rows must be at least 2, not '1'"),
        ("toy-loops:nodes=2", "nodes must be at least 3, not '2'"),
        ("toy-loops:labels=21", "labels must be at most 20, not '21'"),
    ],
)
def test_what_is_refused(data, message):
    with pytest.raises(UserError, match=message):
        datasets.build(data)


def test_seeds_repeat_and_neighbours_help():
    """A field's labels are better than those that its nodes' features alone tell."""
    problem, same, other = (toy_grid.load(None, grids=60, test_grids=100, seed=seed) for seed in (0, 0, 2))
    np.testing.assert_array_equal(problem.train.x.dense, same.train.x.dense)
    assert not np.array_equal(problem.train.y, other.train.y)
    made = spec.make("toy-grid:grids=60,test_grids=100", "log", 1.0, "lbfgs", passes=15)
    error = driver.run(made, problem).rows[-1]["test_error"]
    alone = np.mean(problem.test.x.dense[:, :3].argmax(axis=1) != problem.test.y)
    assert error < alone - 0.05
    noise = problem.train.x.dense - np.eye(4)[[3]] - np.eye(3, 4)[problem.train.y]
    assert noise[:, :3].std() == pytest.approx(0.8, rel=0.05) and not noise[:, 3].any()
