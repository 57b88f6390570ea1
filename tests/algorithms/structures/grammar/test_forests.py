"""Charts and pruned forests against all trees of small random grammars, written out."""

from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structbench.algorithms.structures import hypergraph
from structbench.algorithms.structures.grammar import forests, rules
from structbench.algorithms.structures.grammar.chart import cell, posteriors

few = settings(max_examples=25, deadline=None, derandomize=True)
seeds = st.integers(0, 2**32 - 1).map(np.random.default_rng)
InPlace = tuple[int, int, int, int]  # rule, begin, split, end


class Drawn(NamedTuple):
    """A random grammar, weights of its rules and a sentence."""

    g: rules.Grammar
    p: np.ndarray
    words: np.ndarray


def drawn(rng: np.random.Generator, T: int, K: int = 3, size: int = 5) -> Drawn:
    """So many binary rules; each terminal has a symbol or two."""
    binary = rng.integers(0, K, size=(size, 3))
    lexical = [(int(A), a) for a in range(2) for A in rng.integers(0, K, size=2)]
    g = rules.build(binary, np.array(lexical), rng.integers(0, K, size=2), K, 2)
    return Drawn(g, rng.random(rules.num_rules(g)), rng.integers(0, 2, size=T))


def trees(d: Drawn, A: int, s: int, e: int) -> list[frozenset[InPlace]]:
    """All trees of symbol A over the words s .. e - 1, each as its rules in place."""
    first = len(d.g.binary)
    if e == s + 1:
        return [
            frozenset([(first + r, s, -1, e)]) for r, (B, a) in enumerate(d.g.lexical) if (A, d.words[s]) == (B, a)
        ]
    return [
        frozenset([(r, s, m, e)]) | left | right
        for m in range(s + 1, e)
        for r, (head, B, C) in enumerate(d.g.binary)
        if head == A
        for left, right in product(trees(d, B, s, m), trees(d, C, m, e))
    ]


def every_tree(d: Drawn) -> list[frozenset[InPlace]]:
    first, T = len(d.g.binary) + len(d.g.lexical), len(d.words)
    return [tree | {(first + r, 0, -1, T)} for r, A in enumerate(d.g.roots.tolist()) for tree in trees(d, A, 0, T)]


def in_place(found: forests.RulesInPlace) -> list[InPlace]:
    return list(zip(*(each.tolist() for each in found[2:]), strict=True))


def derivations(found: forests.RulesInPlace) -> list[frozenset[InPlace]]:
    """All of a hypergraph."""
    edges, ways = in_place(found), {-1: [frozenset()]}
    for v in range(len(found.first) - 1):
        ways[v] = [
            frozenset([edges[e]]) | left | right
            for e in range(found.first[v], found.first[v + 1])
            for left, right in product(ways[found.tails[e, 0]], ways[found.tails[e, 1]])
        ]
    return ways[len(found.first) - 2]


def probability(d: Drawn, tree: frozenset[InPlace]) -> float:
    return float(np.prod([d.p[rule] for rule, *_ in tree]))


def items(d: Drawn, tree: frozenset[InPlace]) -> set[tuple[int, int]]:
    """(cell, symbol) of all nodes."""
    left, first_root = rules.left_sides(d.g), len(d.g.binary) + len(d.g.lexical)
    return {(cell.python(len(d.words), s, e), int(left[r])) for r, s, _, e in tree if r < first_root}


def share(d: Drawn, every: list, of: Callable, what: object) -> float:
    """The probability that a tree, one of these, has something."""
    weights = np.array([probability(d, tree) for tree in every])
    return float(weights[[what in of(d, tree) for tree in every]].sum() / weights.sum())


@settings(few, max_examples=40)
@given(seeds, st.integers(1, 6), st.sampled_from([0.0, 0.0, 0.3]))
def test_the_unpruned_forest_holds_all_trees_and_no_others(rng, T, impossible):
    """None with a rule of probability 0; the best of them is that of exhaustive parsing."""
    d = drawn(rng, T) if not impossible else drawn(rng, min(T, 4), K=2, size=7)
    d.p[rng.random(len(d.p)) < impossible] = 0.0
    found = forests.pruned(d.g, d.p, d.words, 0.0)
    every = [tree for tree in every_tree(d) if probability(d, tree) > 0]
    assert sorted(map(sorted, derivations(found))) == sorted(map(sorted, every))
    assert set(in_place(found)) == set().union(*every)
    assert (found.tails.max(axis=1) < np.repeat(np.arange(len(found.first) - 1), np.diff(found.first))).all()
    theta = rng.normal(size=len(found.rules))  # of rules in place
    score = dict(zip(in_place(found), theta, strict=True))
    top = hypergraph.best(found.first, found.tails, theta, np.empty(len(theta)))
    assert top == pytest.approx(max((sum(score[edge] for edge in tree) for tree in every), default=-np.inf))


@few
@given(seeds, st.integers(1, 6), st.sampled_from([1.0, 1e-90, 1e60]))
def test_posteriors_of_the_chart_are_sums_over_all_trees(rng, T, size):
    """A sentence's probability may lie far beyond what a number can hold."""
    d = drawn(rng, T)
    every = every_tree(d)
    weights = np.array([probability(d, tree) for tree in every])
    log_z, found = posteriors(d.g, size * d.p, d.words)
    if not every:
        assert log_z == -np.inf
        assert not found.any()
        return
    assert log_z == pytest.approx(np.log(weights.sum()) + 2 * T * np.log(size), rel=1e-10)
    want = np.zeros(found.shape)
    for tree, weight in zip(every, weights / weights.sum(), strict=True):
        for place in items(d, tree):
            want[place] += weight
    np.testing.assert_allclose(found, want, atol=1e-12)


@few
@given(seeds, st.integers(3, 6), st.sampled_from([1e-3, 0.05, 0.3]))
def test_posteriors_are_too_low_by_no_more_than_what_is_neglected(rng, T, least):
    d = drawn(rng, T)
    exact, found = (posteriors(d.g, d.p, d.words, each)[1] for each in (0.0, least))
    neglected = exact[found < least].sum()
    assert (found <= exact + 1e-12).all()
    assert (found >= exact - neglected - 1e-12).all()
    if not ((exact > 0) & (exact < least)).any():
        np.testing.assert_array_equal(found, exact)


def test_a_symbol_far_less_likely_than_its_neighbours_is_not_lost():
    """<0 -> 0 0> with words of symbol 0, and a chain of rules with tiny weights beside it."""
    g = rules.build(np.array([(0, 0, 0), (1, 1, 1)]), np.array([(0, 0), (1, 0)]), np.array([0, 1]), 2, 1)
    p = np.ones(rules.num_rules(g))
    p[1] = 1e-30  # <1 -> 1 1>
    for T in (3, 8, 9):
        ways = {3: 2, 8: 429, 9: 1430}[T]  # Catalan
        log_z, found = posteriors(g, p, np.zeros(T, int))
        assert log_z == pytest.approx(np.log(ways))
        assert found[cell.python(T, 0, T), 1] == pytest.approx(1e-30 ** (T - 1), rel=1e-9)


@few
@given(seeds, st.integers(2, 6), st.sampled_from([1e-3, 0.05, 0.3]))
def test_what_is_left_out_is_unlikely_and_the_right_tree_stays(rng, T, threshold):
    d = drawn(rng, T)
    every = every_tree(d)
    if not every:
        return
    right = every[int(rng.integers(len(every)))]
    symbols, splits = np.full((2, T * (T + 1) // 2), -1)
    for c, A in items(d, right):
        symbols[c] = A
    for _, s, m, e in right:
        if m >= 0:
            splits[cell.python(T, s, e)] = m
    tree = forests.RightTree(symbols, splits)
    found = forests.pruned(d.g, d.p, d.words, threshold, tree)
    kept = set(in_place(found))
    assert right <= kept
    likely = [
        each
        for each in every
        if all(share(d, every, items, place) >= threshold for place in items(d, each) - items(d, right))
    ]
    for edge in set().union(*every):
        stays = edge in right or (
            edge in set().union(*likely) and share(d, likely, lambda _, tree: tree, edge) >= threshold
        )
        assert stays or edge not in kept
        if any(each <= kept | {edge} for each in every if edge in each):  # else no tree could have it
            assert (edge in kept) == stays
    assert set(map(frozenset, derivations(found))) == {each for each in every if each <= kept}
    spans_it, whole = forests.right_rules(d.g, found, tree)
    assert [edge in right for edge in in_place(found)] == whole.tolist()
    heads = [(cell.python(T, s, e), int(rules.left_sides(d.g)[r])) for r, s, _, e in in_place(found)]
    inner = found.rules < len(d.g.binary) + len(d.g.lexical)
    assert [head in items(d, right) for head in heads] == (spans_it & inner).tolist()


@pytest.mark.parametrize("words", [[0, 1], [0, -1], [-1]], ids=["no rule", "unknown word", "nothing known"])
def test_a_sentence_without_a_parse_has_a_forest_without_edges(words):
    g = rules.build(np.array([(0, 0, 0)]), np.array([(0, 0), (1, 1)]), np.array([0]), 2, 2)
    found = forests.pruned(g, np.ones(rules.num_rules(g)), np.array(words), 1e-4)
    assert len(found.rules) == 0
    assert found.first.tolist() == [0, 0]
    assert hypergraph.marginals(found.first, found.tails, np.empty(0), np.empty(0)) == -np.inf


def test_rules_are_sorted_and_found_again():
    binary, lexical = np.array([(2, 1, 0), (0, 1, 0), (1, 0, 2), (2, 1, 0)]), np.array([(1, 1), (2, 0)])
    g = rules.build(binary, lexical, np.array([2, 0]), 3, 2)
    assert g.binary.tolist() == [[1, 0, 2], [0, 1, 0], [2, 1, 0]]
    assert g.left_starts.tolist() == [0, 1, 3, 3]
    assert g.lexical.tolist() == [[2, 0], [1, 1]]
    assert rules.left_sides(g).tolist() == [1, 0, 2, 2, 1, 3, 3]
    asked = np.array([(2, 1, 0), (2, 2, 2)]), np.array([(1, 1)]), np.array([1, 2])
    assert rules.rule_numbers(g, *asked).tolist() == [2, -1, 4, -1, 6]


def test_relative_frequencies_of_each_left_side_add_up_to_one():
    g = rules.build(np.array([(0, 1, 1), (0, 0, 1)]), np.array([(1, 0), (0, 0), (1, 1)]), np.array([0]), 3, 2)
    p = rules.relative_frequencies(g, np.array([3.0, 1.0, 0.0, 4.0, 0.0, 7.0]))
    np.testing.assert_allclose(p, [3 / 4, 1 / 4, 0, 1, 0, 1])
