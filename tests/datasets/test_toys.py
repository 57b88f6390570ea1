"""Toys: points and clusters as they say, documents and lights as on klein2011's slides, grids by law."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures.clique_tree.layout import SEPARATOR
from structbench.bench.runs import driver, spec
from structbench.datasets import (
    toy_documents,
    toy_grid,
    toy_pages,
    toy_points,
    toy_stoplights,
)
from tests.datasets.packed import rounded_sum

SUMS = {
    "toy-points": "e0356ba5cff84ecd",
    "toy-points:classes=3,kind=overlapping": "a963fb53ef017098",
    "toy-clusters": "c366a0ced8d08c74",
    "toy-grid": "2bb305d2a356dae7",
}


@pytest.mark.parametrize("data", SUMS)
def test_the_same_problems_everywhere(data):
    """A change of a problem changes every result on it: make it on purpose, and this sum with it."""
    assert rounded_sum(datasets.build(data)) == SUMS[data]


def separable(problem) -> bool:
    """Whether some weights put every right class ahead of every other, by a linear program."""
    x, y, K = problem.train.x.dense, problem.train.y, problem.train.num_labels
    rows = []
    for row, right in zip(x, y, strict=True):
        for other in range(K):
            if other != right:
                D = np.zeros((K, x.shape[1]))
                D[right], D[other] = row, -row
                rows.append(-D.ravel())
    found = linprog(np.zeros(K * x.shape[1]), np.array(rows), -np.ones(len(rows)), bounds=(None, None))
    return found.status == 0


@pytest.mark.parametrize("classes", [2, 3, 4])
@pytest.mark.parametrize("seed", range(3))
def test_points_are_separable_or_not_as_they_say(classes, seed):
    for kind in ("separable", "overlapping"):
        problem = toy_points.load(None, kind=kind, classes=classes, seed=seed)
        assert separable(problem) == (kind == "separable")
        assert set(problem.train.y) == set(range(classes)) == set(problem.test.y)
        assert (problem.train.x.dense[:, 2] == 1).all() and problem.train.x.dense.shape == (60, 3)
        assert problem.labels == ("class 1", "class 2", "class 3", "class 4")[:classes]


@pytest.mark.parametrize("margin", [0.0, 0.1, 0.3])
def test_no_separable_point_is_nearer_to_a_border_than_the_margin(margin):
    """Of two classes the border is the line between them: the distance is half the difference of the scores."""
    problem = toy_points.load(None, margin=margin, points=400, seed=3)
    x, y = problem.train.x.dense[:, :2], problem.train.y
    turn = 2 * np.pi * np.random.default_rng([3, 2]).random()
    along = x @ [np.cos(turn), np.sin(turn)]
    assert np.abs(along).min() >= margin and np.abs(along).min() < margin + 0.02
    np.testing.assert_array_equal(along > 0, y == 0)
    assert np.linalg.norm(x, axis=1).max() <= 1


LEASTS = (("points", 2), ("test_points", 1), ("classes", 2), ("seed", 0))


@pytest.mark.parametrize(
    ("name", "option", "least"),
    [
        *(("toy-points", *given) for given in LEASTS),
        *(("toy-clusters", *given) for given in (*LEASTS, ("clusters", 1), ("hidden", 1), ("noise", 0))),
        *(("toy-stoplights", option, 1) for option in ("broken", "working")),
    ],
)
def test_an_option_out_of_range_is_refused(name, option, least):
    assert datasets.build(f"{name}:{option}={least}").train is not None
    with pytest.raises(UserError, match=f"data set {name}: {option} must be at least {least}, not '{least - 1}'"):
        datasets.data_ref(f"{name}:{option}={least - 1}")


def test_the_margin_is_at_most_half():
    assert len(toy_points.load(None, margin=0.5).train.y) == 60
    for margin, said in ((0.6, "at most 0.5"), (-0.1, "at least 0")):
        with pytest.raises(UserError, match=f"margin must be {said}, not '{margin}'"):
            datasets.data_ref(f"toy-points:margin={margin}")


def test_pages_are_those_of_the_slide():
    """klein2011, "Example: 'Best' Web Page": the second page is the best."""
    split = toy_pages.load(None).train
    assert (split.y.tolist(), split.losses.tolist(), split.part_starts.tolist()) == ([1], [1, 0], [0, 2])


def test_documents_score_as_on_the_slide():
    """klein2011, "Linear Models: Scoring" and "Decision Rule": 0, 2 and -3 for "win the election"."""
    problem = toy_documents.load(None)
    weights = np.array([[1, 1, -1, -2], [1, -1, 1, -2], [-2, -1, -1, 1]])
    scores = problem.train.x.dense @ weights.T
    assert dict(zip(toy_documents.CLASSES, scores[0], strict=True)) == {"SPORTS": 0, "POLITICS": 2, "OTHER": -3}
    np.testing.assert_array_equal(scores.argmax(axis=1), problem.train.y)


@pytest.mark.parametrize(("broken", "share"), [(1, 1 / 7), (6, 1 / 2)])
def test_stoplights_have_the_slides_shares(broken, share):
    problem = toy_stoplights.load(None, broken=broken)
    x, y = problem.train.x.dense, problem.train.y
    is_broken = y == toy_stoplights.LABELS.index("broken")
    assert is_broken.mean() == pytest.approx(share)
    assert (x[is_broken] == [2, 0, 1]).all() and (x[~is_broken] == [1, 1, 1]).all()


# ---- grids ------------------------------------------------------------------------------------------


def test_labellings_follow_the_potts_model():
    ends = np.array([(0, 1), (1, 2), (2, 0), (2, 3)])
    every = np.array(list(product(range(2), repeat=4)))
    wanted = np.exp(0.8 * (every[:, ends[:, 0]] == every[:, ends[:, 1]]).sum(axis=1))
    drawn = toy_grid.labellings(20_000, 4, ends, 2, 0.8, np.random.default_rng(0))
    found = np.bincount(drawn @ [8, 4, 2, 1], minlength=16) / len(drawn)
    np.testing.assert_allclose(found, wanted / wanted.sum(), atol=0.012)


def test_a_grid_has_edges_of_two_kinds():
    one = toy_grid.load(None, rows=2, columns=3, grids=2, test_grids=1).train
    pairs = {tuple(pair): kind for pair, kind in zip(one.ends[:7].tolist(), one.kinds[:7].tolist(), strict=True)}
    across = {(0, 1): 0, (1, 2): 0, (3, 4): 0, (4, 5): 0}
    assert pairs == across | {(0, 3): 1, (1, 4): 1, (2, 5): 1}
    assert np.diff(one.edge_starts).tolist() == [7, 7] and one.num_kinds == 2
    assert np.diff(one.cliques.nodes[:, SEPARATOR]).max() == 2


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("toy-grid:rows=5,columns=6", "graph 0, of 30 nodes, has width 5: expected at most 4"),
        ("toy-grid:rows=1", "rows must be at least 2, not '1'"),
        ("toy-grid:labels=21", "labels must be at most 20, not '21'"),
        ("toy-loops", "unknown data set 'toy-loops': use toy-grid: its fields have loops, too; `python"),
    ],
)
def test_grids_that_are_refused(data, message):
    with pytest.raises(UserError, match=message):
        datasets.build(data)


def test_neighbours_help():
    """A field's labels are better than those that its nodes' features alone tell."""
    problem = toy_grid.load(None, grids=60, test_grids=100)
    made = spec.make("toy-grid:grids=60,test_grids=100", "log", 1.0, "lbfgs", passes=15)
    error = driver.run(made, problem).rows[-1]["test_error"]
    alone = np.mean(problem.test.x.dense[:, :3].argmax(axis=1) != problem.test.y)
    assert error < alone - 0.05


@pytest.mark.parametrize(("classes", "margin"), [(32, 0.1), (7, 0.5)])
def test_a_margin_that_no_point_has_is_refused(classes, margin):
    with pytest.raises(UserError, match=rf"margin must be below 0\.\d+ with {classes} classes, not {margin}"):
        datasets.build(f"toy-points:classes={classes},margin={margin}")
    datasets.build(f"toy-points:classes={classes},margin={margin},kind=overlapping")
