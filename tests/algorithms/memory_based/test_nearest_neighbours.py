"""Nearest neighbours against a look at all pairs, one by one."""

import numpy as np
import pytest

from structbench.algorithms.memory_based import nearest_neighbours
from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import multiclass
from structbench.bench.runs import catalogue, driver, spec
from structbench.datasets.problems.problem import Problem
from tests.algorithms import oracle
from tests.algorithms.drawn_features import rows_of
from tests.algorithms.solvers import start
from tests.narrowing import not_none

FAR = {
    "euclidean": lambda x, z: ((x - z) ** 2).sum(),
    "cosine": lambda x, z: -(x @ z) / (np.linalg.norm(z) or 1.0),
}


def model_of(split, **params):
    _, solver = start("nearest-neighbours", split, "none", 1.0, penalty="none", **params)
    *_, last = solver
    return last


@pytest.mark.parametrize("name", ["multiclass-dense", "multiclass-sparse"])
@pytest.mark.parametrize("similarity", FAR)
@pytest.mark.parametrize("k", [1, 3, 4, 30])
def test_most_of_the_nearest_have_the_label(name, similarity, k, monkeypatch):
    monkeypatch.setattr(nearest_neighbours, "BLOCK", 90)
    here, there = (oracle.case(name, seed, lengths=(1,) * 30, num_labels=4).split for seed in (1, 2))
    mine, theirs = rows_of(here.x), rows_of(there.x)
    last = model_of(here, k=k, similarity=similarity)
    expected = []
    for x in theirs:
        near = np.argsort([FAR[similarity](x, z) for z in mine], kind="stable")[:k]
        votes = np.bincount(here.y[near], minlength=4)
        expected.append(next(here.y[i] for i in near if votes[here.y[i]] == votes.max()))
    for threads in (1, 2):
        with parallel.using(threads):
            predicted, right, starts = not_none(not_none(last.hints.model).predictions(there, last.vector))
            np.testing.assert_array_equal(predicted, expected)
            np.testing.assert_array_equal(right, there.y)
            np.testing.assert_array_equal(starts, np.arange(31))
    assert k == 30 or len(set(expected)) > 1


def test_of_equally_near_examples_the_first_are_the_neighbours():
    here = multiclass.build(ft.dense(np.array([[1.0], [0.0], [0.0], [0.0], [1.0]])), np.array([0, 2, 1, 1, 0]), 3)
    there = multiclass.build(ft.dense(np.zeros((1, 1))), np.zeros(1), 3)
    for k, found in ((1, 2), (2, 2), (3, 1), (5, 1)):  # of 0 0 and 1 1 those nearer
        last = model_of(here, k=k)
        assert not_none(not_none(last.hints.model).predictions(there, last.vector))[0] == [found]


def test_its_run_has_errors_but_no_objective():
    small = oracle.case("multiclass-dense", 1, lengths=(1,) * 30)
    problem = Problem(small.split, small.split, ("a", "b", "c"))
    result = driver.run(spec.make("toy-points", None, None, "nearest-neighbours", {"k": "1"}), problem)
    assert result.summary["status"] == "finished"
    assert (result.summary["test_error"], result.summary["passes"]) == (0.0, 1.0)
    assert np.isnan(result.summary["train_error"])
    assert result.summary["num_weights"] == 30
    assert result.rows[0]["test_error"] > 0, "nothing is known yet"


def test_impossible_numbers_of_neighbours_are_refused():
    with pytest.raises(UserError, match="nearest-neighbours: k must be at least 1, not '0'"):
        spec.make("synthetic", None, None, "nearest-neighbours", {"k": "0"})
    small = oracle.case("multiclass-dense")
    with pytest.raises(
        UserError, match="nearest-neighbours: k must be at most 6, the number of training examples"
    ):
        catalogue.check_fit("nearest-neighbours", {"k": 7}, small.split)
    with pytest.raises(
        UserError, match=r"nearest-neighbours needs .*feature rows.*, which forest problems do not"
    ):
        catalogue.check_fit("nearest-neighbours", {}, oracle.case("forest-dense").split)
