"""Grammars by counts: relative frequencies, and the most likely tree of all."""

from itertools import product

import numpy as np
import pytest

from structbench.algorithms.generative import pcfg
from structbench.algorithms.generative.frequencies import LEAST
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import interface as parts
from structbench.bench.runs import catalogue, driver
from structbench.bench.runs.spec import make
from structbench.datasets.constituency.problem import Options, parsing_problem
from structbench.datasets.text import brackets
from tests.algorithms.compiled import operations
from tests.algorithms.oracle import case
from tests.algorithms.solvers import start

TREES = """(S (NP (DT a) (NN b)) (VP (VB c) (NP (DT a) (NN b))))
(S (NP (NN b)) (VP (VB c)))
(S (NP (NN b)) (VP (VB c) (NP (NN b)) (PP (IN d) (NP (DT a) (NN b)))))
(S (NP (NP (NN b)) (PP (IN d) (NP (NN b)))) (VP (VB c)))
"""


@pytest.fixture(scope="module")
def problem():
    trees = brackets.read(TREES, "x")
    return parsing_problem(trees, trees, Options(prune=0.0))


def weights(problem, **params) -> np.ndarray:
    _, solver = start("pcfg", problem.train, "none", 1.0, penalty="none", **params)
    assert not next(solver).vector.any()
    found = next(solver)
    assert found.visits == parts.num_examples(problem.train)
    assert next(solver, None) is None
    return found.vector


def test_probabilities_of_each_left_side_add_up_to_one(problem):
    w, left = weights(problem), parts.choices(problem.train)
    np.testing.assert_allclose(np.bincount(left, np.exp(w[: len(left)])), 1)
    assert not w[len(left) :].any()
    assert len(w) > len(left) > 8


def test_relative_frequencies(problem):
    """NP -> NN five times in nine, DT NN thrice, NP PP once; VP -> VB twice in four, VB NP and VB @VP once."""
    p = np.exp(weights(problem))[: len(parts.choices(problem.train))]
    sometimes = [5 / 9, 3 / 9, 1 / 9, 2 / 4, 1 / 4, 1 / 4]
    always = 8 * [1.0]  # ROOT -> S, S -> NP VP, @VP -> NP PP, PP -> IN NP, and DT, NN, VB and IN
    assert sorted(p) == pytest.approx(sorted(sometimes + always))


def test_the_best_output_is_the_most_likely_tree(problem):
    """Written out: the product over the rules of each tree."""
    w = weights(problem)
    split = problem.train
    for i in range(parts.num_examples(split)):
        none = np.zeros(parts.num_parts(split, i))
        s = operations(split, i, w, none, none).scores
        got = operations(split, i, w, s, s)
        first = split.first[split.node_starts[i] : split.node_starts[i + 1]]
        tails = split.tails[split.edge_starts[i] : split.edge_starts[i + 1]]
        ways = {-1: [0.0]}
        for v in range(len(first) - 1):
            ways[v] = [
                s[e] + a + b
                for e in range(first[v], first[v + 1])
                for a, b in product(ways[tails[e, 0]], ways[tails[e, 1]])
            ]
        assert got.top == pytest.approx(max(ways[len(first) - 2]))
        assert np.exp(got.log_z) <= 1 + 1e-12, "a probability"


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


def test_other_structures_are_refused():
    with pytest.raises(UserError, match="choices"):
        catalogue.check_fit("pcfg", {}, case("chain-dense").split)


def test_without_features_that_are_all_0_the_rules_are_known(problem):
    w = weights(problem)
    rules = len(parts.choices(problem.train))
    w[np.arange(len(w)) % 5 > 0] = 0.0
    narrower, v = parts.with_used_features(problem.train, w)
    if narrower is not problem.train:
        np.testing.assert_array_equal(parts.choices(narrower), problem.train.left[w[:rules] != 0])
        assert len(v) == np.count_nonzero(w)
