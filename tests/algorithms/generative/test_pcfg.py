"""Grammars by counts: relative frequencies, and the most likely tree of all."""

import numpy as np
import pytest

from structbench.algorithms.generative import pcfg
from structbench.algorithms.generative.frequencies import LEAST
from structbench.algorithms.structures import interface as parts
from structbench.bench.runs import driver
from structbench.bench.runs.spec import make
from structbench.datasets.constituency.binarised import Options
from structbench.datasets.constituency.problem import parsing_problem
from structbench.datasets.text import brackets
from tests.algorithms.solvers import counted

TREES = """(S (NP (DT a) (NN b)) (VP (VB c) (NP (DT a) (NN b))))
(S (NP (NN b)) (VP (VB c)))
(S (NP (NN b)) (VP (VB c) (NP (NN b)) (PP (IN d) (NP (DT a) (NN b)))))
(S (NP (NP (NN b)) (PP (IN d) (NP (NN b)))) (VP (VB c)))
"""


@pytest.fixture(scope="module")
def problem():
    trees = brackets.read_brackets(TREES, "x")
    return parsing_problem(trees, trees, Options(prune=0.0))._replace(scores=("brackets",))


def weights(problem, **params) -> np.ndarray:
    return counted("pcfg", problem.train, **params)


def test_relative_frequencies(problem):
    """NP -> NN five times in nine, DT NN thrice, NP PP once; VP -> VB twice in four, VB NP and VB @VP once."""
    w, left = weights(problem), parts.choices(problem.train)
    p = np.exp(w[: len(left)])
    np.testing.assert_allclose(np.bincount(left, p), 1)
    assert not w[len(left) :].any()
    sometimes = [5 / 9, 3 / 9, 1 / 9, 2 / 4, 1 / 4, 1 / 4]
    always = 8 * [1.0]  # ROOT -> S, S -> NP VP, @VP -> NP PP, PP -> IN NP, and DT, NN, VB and IN
    assert sorted(p) == pytest.approx(sorted(sometimes + always))


def test_added_counts(problem):
    left = np.array([0, 0, 1])
    np.testing.assert_allclose(pcfg.log_frequencies(np.array([3.0, 1.0, 5.0]), left), np.log([0.75, 0.25, 1]))
    assert pcfg.log_frequencies(np.array([3.0, 0.0, 0.0]), left).tolist() == [0, LEAST, LEAST]
    plain, added = weights(problem), weights(problem, added=2.0)
    count = len(parts.choices(problem.train))
    assert np.ptp(added[:count]) < np.ptp(plain[:count])


def test_a_run(problem):
    result = driver.run(make("penn:x", "none", 1.0, "pcfg"), problem)
    assert result.summary["test_f1"] == result.summary["train_f1"] > 0.8
    assert len(result.rows) == 2
