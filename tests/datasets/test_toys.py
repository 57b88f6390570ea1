"""The toys of klein2011: points that are separable or not, as they say; documents and lights as on the slides."""

import numpy as np
import pytest
from scipy.optimize import linprog

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.datasets import toy_documents, toy_stoplights


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
        problem = datasets.build(f"toy-points:kind={kind},classes={classes},seed={seed}")
        assert separable(problem) == (kind == "separable")
        assert set(problem.train.y) == set(range(classes)) == set(problem.test.y)
        assert (problem.train.x.dense[:, 2] == 1).all() and problem.train.x.dense.shape == (60, 3)


@pytest.mark.parametrize("margin", [0.0, 0.1, 0.3])
def test_no_separable_point_is_nearer_to_a_border_than_the_margin(margin):
    """Of two classes the border is the line between them: the distance is half the difference of the scores."""
    problem = datasets.build(f"toy-points:margin={margin},points=400,seed=3")
    x, y = problem.train.x.dense[:, :2], problem.train.y
    turn = 2 * np.pi * np.random.default_rng([3, 2]).random()
    along = x @ [np.cos(turn), np.sin(turn)]
    assert np.abs(along).min() >= margin and np.abs(along).min() < margin + 0.02
    np.testing.assert_array_equal(along > 0, y == 0)
    assert np.linalg.norm(x, axis=1).max() <= 1


def test_seeds_differ_and_repeat():
    one, same, other = (datasets.build(f"toy-points:seed={seed}").train.x.dense for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("toy-points:points=1", "points must be 2 or more, not 1"),
        ("toy-points:classes=1", "classes must be 2 or more, not 1"),
        ("toy-points:seed=-1", "seed must be 0 or more, not -1"),
        ("toy-points:margin=0.6", "margin must lie in 0 .. 0.5, not 0.6"),
        ("toy-stoplights:broken=0", "broken must be 1 or more, not 0"),
    ],
)
def test_a_wrong_option_is_refused(text, said):
    with pytest.raises(UserError, match=said):
        datasets.build(text)


def test_documents_score_as_on_the_slide():
    """klein2011, "Linear Models: Scoring" and "Decision Rule": 0, 2 and -3 for "win the election"."""
    problem = datasets.build("toy-documents")
    weights = np.array([[1, 1, -1, -2], [1, -1, 1, -2], [-2, -1, -1, 1]])
    scores = problem.train.x.dense @ weights.T
    assert dict(zip(toy_documents.CLASSES, scores[0], strict=True)) == {"SPORTS": 0, "POLITICS": 2, "OTHER": -3}
    np.testing.assert_array_equal(scores.argmax(axis=1), problem.train.y)


@pytest.mark.parametrize(("broken", "share"), [(1, 1 / 7), (6, 1 / 2)])
def test_stoplights_have_the_slides_shares(broken, share):
    problem = datasets.build(f"toy-stoplights:broken={broken}")
    x, y = problem.train.x.dense, problem.train.y
    is_broken = y == toy_stoplights.LABELS.index("broken")
    assert is_broken.mean() == pytest.approx(share)
    assert (x[is_broken] == [2, 0, 1]).all() and (x[~is_broken] == [1, 1, 1]).all()
