"""All builders, with a small input that they take and mistakes: see ``building.Builder``.

Here are those of dependency trees, lists, pairs and forests.
"""

from collections.abc import Callable

import numpy as np

from structbench.algorithms.structures import candidates, dependency, matching, nonprojective
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures.forest import model as forest
from structbench.algorithms.structures.grammar import forests, rules
from tests.algorithms.builders_of_labels import LABELS
from tests.algorithms.building import Builder, K, rows, with_entry

BIG = 2**31 - 1

# ---- trees over sentences --------------------------------------------------------------------------

HEADS = np.array([0, 1, 2, 0, 2, 2, 0, 2, 3])


def _dependency(build: Callable, projective: bool, apart: bool) -> Builder:
    """``apart``: the trees that are learned are given by themselves, beside others with any roots and arcs."""
    name = "training_heads" if apart else "heads"
    lengths = np.array([2, 3, 4])
    given = {"x": rows(29), "lengths": lengths, name: HEADS}
    wrong = {
        "a token below itself": (0, 1, 3, 1),
        "a cycle": (0, 3, 2, 3),
        "nothing under the root": (2, 3, 4, 1),
        "a second root": (0, 1, 0, 3),
    }
    if projective:
        wrong |= {"arcs that cross": (3, 4, 0, 3), "an arc over the root's": (3, 0, 2, 2)}
    mistakes = {fault: {name: np.append(HEADS[:5], last)} for fault, last in wrong.items()}
    if apart:
        given["heads"] = np.append(HEADS[:5], (3, 4, 0, 0))
        mistakes["a cycle of the others"] = {"heads": np.append(HEADS[:5], (0, 3, 2, 3))}
    bounds = dict.fromkeys({name, "heads"}, (0, np.repeat(lengths, lengths)))
    return Builder(build, given, bounds, tuple({name, "heads"}), ("lengths",), mistakes)


# ---- lists, pairs, forests -------------------------------------------------------------------------

LOSSES = np.array([0.5, -1.0, 2.0, 0.0, 1.5, 3.0, -0.5])
CANDIDATES = {
    "x": rows(7),
    "counts": np.array([2, 3, 2]),
    "losses": LOSSES,
    "listed": np.arange(14) % K,
    "right": np.array([0, -1, 2, 1, 1, 0]),
    "lengths": np.array([1, 2, 3]),
}
NO_CANDIDATES = {
    "labels without the right ones": {"right": None},
    "a loss that is no number": {"losses": with_entry(LOSSES, 0, np.nan)},
    "a loss without an end": {"losses": with_entry(LOSSES, 0, np.inf)},
}

LINKS = np.array([(0, 1, 0), (1, 0, 1), (2, 2, 0)])
MATCHING = {"x": rows(13), "sources": np.array([2, 1, 3]), "targets": np.array([1, 2, 3]), "links": LINKS}
NO_MATCHINGS = {
    "links of two numbers": {"links": LINKS[:, :2]},
    "a pair without its target": {"targets": np.array([1, 2])},
}


def _forest(x: ft.Features, left: np.ndarray, **fields: np.ndarray) -> forest.Forest:
    """A forest of an example of one edge, and of the one that has these fields."""
    one = forest.Derivations(*map(np.array, ([0, 1], [[-1, -1]], [0.0], [1], [0], [1], [1])))
    return forest.build(x, [one, forest.Derivations(**fields)], left)


# two leaf edges into each of two nodes, one edge that puts these together, one into the goal
TAILS = np.array([(-1, -1), (-1, -1), (-1, -1), (-1, -1), (0, 1), (2, -1)])
FOREST = {
    "x": rows(7),
    "first": np.array([0, 2, 4, 5, 6]),
    "tails": TAILS,
    "losses": np.arange(6) / 4,
    "gold": np.array([1, 0, 1, 0, 1, 1]),
    "decisions": np.array([0, 0, 1, 1, 0, 1]),
    "labels": np.array([0, 1, 2, 0, 1, 2]),
    "right": np.array([0, -1]),
    "left": np.array([0, 1]),
}
FOREST_BOUNDS = {
    "tails": (-1, np.array([(-1, -1), (-1, -1), (0, 0), (0, 0), (1, 1), (2, 2)])),
    "gold": (0, 1),
    "decisions": (-1, 1),
    "labels": (0, BIG),
    "right": (-1, BIG),
    "left": (0, BIG),
    "first": (np.array([0, 0, 2, 4, 6]), np.array([0, 4, 5, 6, 6])),
}
NO_FORESTS = {
    "a node reached twice from one edge": {"tails": with_entry(TAILS, 4, [0, 0])},
    "a node reached twice on two ways": {"tails": with_entry(TAILS, 5, [2, 1])},
    "no nodes": {"first": np.array([0])},
    "three tails": {"tails": np.full((6, 3), -1)},
    "a loss without an end": {"losses": np.full(6, np.inf)},
    "no derivation and no decision": {
        "gold": np.zeros(6),
        "right": np.empty(0, int),
        "decisions": np.full(6, -1),
    },
    "more left sides than columns": {"left": np.zeros(3, int)},
}

RULES = {
    "binary": np.array([(0, 1, 2), (1, 0, 0), (2, 2, 1)]),
    "lexical": np.array([(0, 0), (2, 1)]),
    "roots": np.array([0, 2]),
    "num_symbols": K,
    "num_terminals": 2,
}
GRAMMAR = rules.build(np.array([(0, 0, 1), (1, 1, 1)]), np.array([(0, 0), (1, 0), (1, 1)]), np.array([0]), 2, 2)
P = np.linspace(0.1, 0.9, rules.num_rules(GRAMMAR))
SENTENCE = {
    "p": P,
    "words": np.array([0, -1]),
    "symbols": np.array([0, 1, -1]),
    "splits": np.full(3, -1),
}
NO_SENTENCES = {
    "no words": {name: np.empty(0, int) for name in ("words", "symbols", "splits")},
    "a negative probability": {"p": with_entry(P, 0, -0.1)},
    "a probability that is no number": {"p": with_entry(P, 0, np.nan)},
}


def _pruned(p: np.ndarray, words: np.ndarray, symbols: np.ndarray, splits: np.ndarray) -> forests.RulesInPlace:
    return forests.pruned(GRAMMAR, p, words, 0.1, forests.RightTree(symbols, splits))


INDICES = np.array([0, 3, 1, 2, 0])
ROWS = {
    "indptr": np.array([0, 2, 3, 5]),
    "indices": INDICES,
    "values": np.arange(1.0, 6.0),
    "counts": np.bincount(INDICES, minlength=4),
}
NO_ROWS = {
    "rows that do not begin": {"indptr": np.array([1, 2, 3, 5])},
    "a row that ends before it begins": {"indptr": np.array([0, 6, 3, 5])},
}

BUILDERS: dict[str, Builder] = LABELS | {
    "dependency": _dependency(dependency.build, projective=True, apart=False),
    "dependency-learned": _dependency(dependency.build, projective=True, apart=True),
    "nonprojective": _dependency(nonprojective.build, projective=False, apart=False),
    "nonprojective-learned": _dependency(nonprojective.build, projective=False, apart=True),
    "candidates": Builder(
        candidates.build,
        CANDIDATES,
        {"listed": (0, BIG), "right": (-1, BIG)},
        ("losses", "listed", "right"),
        ("counts", "lengths"),
        NO_CANDIDATES,
    ),
    "matching": Builder(
        matching.build,
        MATCHING,
        {"links": (0, np.array([(2, 1, 0), (2, 0, 1), (2, 2, 2)]))},
        (),
        ("sources", "targets"),
        NO_MATCHINGS,
    ),
    "forest": Builder(
        _forest, FOREST, FOREST_BOUNDS, ("tails", "losses", "gold", "decisions", "labels"), (), NO_FORESTS
    ),
    "grammar": Builder(
        rules.build, RULES, {"binary": (0, K - 1), "lexical": (0, np.array([(K - 1, 1)] * 2)), "roots": (0, K - 1)}
    ),
    "grammar-forest": Builder(
        _pruned, SENTENCE, {"words": (-1, 1), "symbols": (-1, 1)}, ("p", "symbols", "splits"), (), NO_SENTENCES
    ),
    "features": Builder(ft.compressed, ROWS, {"indices": (0, 3)}, ("indices", "values"), (), NO_ROWS),
}
