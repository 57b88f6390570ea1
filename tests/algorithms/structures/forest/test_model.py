"""Forests: what is learnable, examples without a derivation; the rest is in the generic tests."""

from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structbench.algorithms.learning.objective import Objective, require_labels
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures.forest import model as forest
from structbench.bench.checks.operations import cliques, operations
from tests.algorithms.hypergraphs import Hypergraph, drawn

# Two leaf edges into each of two nodes, one edge that puts these together, one into the goal.
GOOD = {
    "first": [0, 2, 4, 5, 6],
    "tails": [[-1, -1], [-1, -1], [-1, -1], [-1, -1], [0, 1], [2, -1]],
    "losses": [0, 1, 0, 1, 0.5, 0],
    "gold": [1, 0, 1, 0, 1, 1],
    "decisions": [0, 0, 1, 1, -1, -1],
    "labels": [1, 2, 1, 2, 0, 0],
    "right": [1, 1],
}


def example(**changed) -> forest.Derivations:
    return forest.Derivations(**{name: np.array(value) for name, value in (GOOD | changed).items()})


def rows(count: int) -> ft.Features:
    return ft.dense(np.eye(count))


@pytest.mark.parametrize(
    ("gold", "learnable"),
    [
        ([1, 0, 1, 0, 1, 1], True),
        ([1, 0, 1, 0, 1, 0], False),  # nothing at the goal
        ([1, 0, 0, 0, 1, 1], False),  # nothing at a tail
        ([1, 1, 1, 0, 1, 1], False),  # two at a tail
    ],
)
def test_the_right_derivation_may_not_be_there(gold, learnable):
    split = forest.build(rows(12), [example(), example(gold=gold)])
    assert split.y.tolist() == [1, 1, *([1, 1] if learnable else [-1, -1])]
    assert split.right.tolist() == [1, 1, 1, 1]
    assert Objective(split, "log", 1.0).all_known == learnable
    with nullcontext() if learnable else pytest.raises(UserError, match="needs a known label everywhere"):
        require_labels(split, "x")


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.integers(0, 2**32 - 1), st.integers(2, 9), st.sampled_from([0, 60]), st.booleans())
def test_only_what_no_derivation_comes_to_twice_is_taken(seed, nodes, others, spoil):
    """With 60 nodes before them, which nothing leads to, node numbers are more than a word has bits."""
    rng = np.random.default_rng(seed)
    whole = drawn(nodes, rng)
    first, tails = whole.first, whole.tails
    if spoil and len(tails):
        e = rng.integers(len(tails))
        tails[e] = rng.integers(-1, np.searchsorted(first, e, side="right") - 1, size=2)
    into = [[(int(a), int(b)) for a, b in tails[first[v] : first[v + 1]]] for v in range(nodes)]
    moved = [[tuple(t + others if t >= 0 else -1 for t in pair) for pair in pairs] for pairs in into]
    graph = Hypergraph([[(-1, -1)]] * others + moved)
    twice = [len(set(graph.heads[each])) < len(each) for each in graph.derivations(others + nodes - 1)]
    m = graph.size
    fields = graph.first, graph.tails, np.zeros(m), np.zeros(m), np.full(m, -1), np.zeros(m), np.zeros(1)
    with pytest.raises(UserError, match="leads to a node twice") if any(twice) else nullcontext():
        split = forest.build(rows(m), [forest.Derivations(*fields)])
        s = rng.normal(size=m)
        best = (graph.outputs @ s).max() if len(graph.outputs) else -np.inf
        assert operations(split, 0, np.zeros(m), s, s).top == pytest.approx(best)


def test_decisions_that_a_derivation_does_not_make_are_0():
    split = forest.build(rows(6), [example(decisions=[0, -1, 1, 1, -1, -1])])
    s = np.array([0, 1, 0, 1, 0, 0], float)
    assert operations(split, 0, np.zeros(6), s, s).best_labels.tolist() == [0, 2]


def test_an_example_without_a_derivation():
    """A sentence that the grammar cannot parse: no edges, or none into the goal."""
    none = example(first=[0, 0], tails=np.empty((0, 2), int), losses=[], gold=[], decisions=[], labels=[])
    split = forest.build(rows(6), [none, example()])
    got = operations(split, 0, np.ones(6), np.empty(0), np.empty(0))
    assert got.log_z == got.top == -np.inf
    assert got.best_labels.tolist() == [0, 0]
    assert got.right.tolist() == [1, 1]
    assert cliques(split, 0, np.empty(0), np.empty(0), 0.5, 0.0).least_value == np.inf
    assert operations(split, 1, np.ones(6), np.zeros(6), np.zeros(6)).log_z == pytest.approx(np.log(4))
    fields = {name: GOOD[name][:5] for name in ("tails", "losses", "gold", "decisions", "labels")}
    dead = forest.build(rows(5), [example(first=[0, 2, 4, 5, 5], **fields)])
    got = operations(dead, 0, np.ones(5), np.zeros(5), np.zeros(5))
    assert got.log_z == got.top == -np.inf
    assert not (got.mu.any() or got.best.any())
