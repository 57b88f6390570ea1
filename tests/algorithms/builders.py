"""All builders, with small inputs that they take and mistakes: see ``building.Builder``.

Here are those of dependency trees, lists, pairs and forests.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from structbench.algorithms.structures import candidates, dependency, matching, nonprojective
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures.forest import model as forest
from structbench.algorithms.structures.grammar import forests, rules
from tests.algorithms.builders_of_labels import LABELS
from tests.algorithms.building import Arguments, Builder, K, lengths_of, rows, starts_of, with_entry
from tests.algorithms.heads import is_projective, is_tree

# ---- trees over sentences --------------------------------------------------------------------------


def _dependency(build: Callable, projective: bool, apart: bool) -> Builder:
    """``apart``: the trees that are learned are given by themselves, beside others with any roots and arcs."""
    name = "training_heads" if apart else "heads"

    def drawn(rng: np.random.Generator) -> Arguments:
        lengths, heads = np.append(lengths_of(rng), 4), []
        for T in lengths:
            while True:
                found = tuple(int(h) for h in rng.integers(T + 1, size=T))
                if is_tree(found) and found.count(0) == 1 and (is_projective(found) or not projective):
                    break
            heads += found
        others = {"heads": np.array([*heads[:-4], 3, 4, 0, 0])} if apart else {}
        return {"x": rows(int((lengths**2).sum())), "lengths": lengths, name: np.array(heads)} | others

    def ranges(given: Arguments) -> dict[str, tuple[Any, Any]]:
        most = np.repeat(given["lengths"], given["lengths"])
        return dict.fromkeys({name, "heads"}, (0, most))

    def last(name: str, *heads: int) -> Callable[[Arguments], Arguments]:
        return lambda given: given | {name: with_entry(given[name], slice(-4, None), heads)}

    spoilt = {
        "a token below itself": last(name, 0, 1, 3, 1),
        "a cycle": last(name, 0, 3, 2, 3),
        "nothing under the root": last(name, 2, 3, 4, 1),
        "a second root": last(name, 0, 1, 0, 3),
    }
    if apart:
        spoilt["a cycle of the others"] = last("heads", 0, 3, 2, 3)
    if projective:
        spoilt["arcs that cross"] = last(name, 3, 4, 0, 3)
        spoilt["an arc over the root's"] = last(name, 3, 0, 2, 2)
    return Builder(build, drawn, ranges, tuple({name, "heads"}), ("lengths",), spoilt)


# ---- lists, pairs, forests -------------------------------------------------------------------------


def _candidates(rng: np.random.Generator) -> Arguments:
    counts = lengths_of(rng)
    lengths = rng.integers(1, 4, size=len(counts))
    return {
        "x": rows(int(counts.sum())),
        "counts": counts,
        "losses": rng.normal(size=counts.sum()),
        "listed": rng.integers(K, size=(lengths * counts).sum()),
        "right": rng.integers(-1, K, size=lengths.sum()),
        "lengths": lengths,
    }


CANDIDATES = {
    "labels without the right ones": lambda given: given | {"right": None},
    "a loss that is no number": lambda given: given | {"losses": with_entry(given["losses"], 0, np.nan)},
    "a loss without an end": lambda given: given | {"losses": with_entry(given["losses"], 0, np.inf)},
}


def _matching(rng: np.random.Generator) -> Arguments:
    sources, targets = rng.integers(1, 4, size=(2, 3))
    links = [(i, rng.integers(J), rng.integers(L)) for i, (J, L) in enumerate(zip(sources, targets, strict=True))]
    return {"x": rows(int((sources * targets).sum())), "sources": sources, "targets": targets, "links": links}


def _matching_ranges(given: Arguments) -> dict[str, tuple[Any, Any]]:
    return {"links": (0, np.column_stack([np.full(3, 2), given["sources"] - 1, given["targets"] - 1]))}


MATCHINGS = {
    "links of two numbers": lambda given: given | {"links": np.array(given["links"])[:, :2]},
    "a pair without its target": lambda given: given | {"targets": given["targets"][:-1]},
}


def _forest(x: ft.Features, left: np.ndarray, **fields: np.ndarray) -> forest.Forest:
    """A forest of an example of one edge, and of the one that has these fields."""
    one = forest.Derivations(*map(np.array, ([0, 1], [[-1, -1]], [0.0], [1], [0], [1], [1])))
    return forest.build(x, [one, forest.Derivations(**fields)], left)


def _derivations(rng: np.random.Generator) -> Arguments:
    """Two leaf edges into each of two nodes, one edge that puts these together, one into the goal."""
    return {
        "x": rows(7),
        "first": np.array([0, 2, 4, 5, 6]),
        "tails": np.array([[-1, -1], [-1, -1], [-1, -1], [-1, -1], [0, 1], [2, -1]]),
        "losses": rng.random(6),
        "gold": rng.integers(2, size=6),
        "decisions": np.array([0, 0, 1, 1, 0, 1]),
        "labels": rng.integers(K, size=6),
        "right": rng.integers(-1, K, size=2),
        "left": rng.integers(2, size=2),
    }


def _derivation_ranges(given: Arguments) -> dict[str, tuple[Any, Any]]:
    big = 2**31 - 1
    before = np.array([0, 0, 1, 1, 2, 3])[:, None] - 1
    return {
        "tails": (-1, np.broadcast_to(before, (6, 2))),
        "gold": (0, 1),
        "decisions": (-1, 1),
        "labels": (0, big),
        "right": (-1, big),
        "left": (0, big),
        "first": (np.array([0, 0, 2, 4, 6]), np.array([0, 4, 5, 6, 6])),
    }


FORESTS = {
    "a node reached twice from one edge": lambda given: given | {"tails": with_entry(given["tails"], 4, [0, 0])},
    "a node reached twice on two ways": lambda given: given | {"tails": with_entry(given["tails"], 5, [2, 1])},
    "no nodes": lambda given: given | {"first": np.array([0])},
    "three tails": lambda given: given | {"tails": np.full((6, 3), -1)},
    "a loss without an end": lambda given: given | {"losses": with_entry(given["losses"], 0, np.inf)},
    "no derivation and no decision": lambda given: given | {
        "gold": np.zeros(6), "right": np.empty(0, int), "decisions": np.full(6, -1)
    },
    "more left sides than columns": lambda given: given | {"left": np.zeros(3, int)},
}  # fmt: skip


def _rules(rng: np.random.Generator) -> Arguments:
    return {
        "binary": rng.integers(K, size=(3, 3)),
        "lexical": np.column_stack([rng.integers(K, size=2), rng.integers(2, size=2)]),
        "roots": rng.integers(K, size=2),
        "num_symbols": K,
        "num_terminals": 2,
    }


def _rule_ranges(given: Arguments) -> dict[str, tuple[Any, Any]]:
    return {"binary": (0, K - 1), "lexical": (0, np.array([[K - 1, 1]] * 2)), "roots": (0, K - 1)}


GRAMMAR = rules.build(np.array([(0, 0, 1), (1, 1, 1)]), np.array([(0, 0), (1, 0), (1, 1)]), np.array([0]), 2, 2)


def _sentence(rng: np.random.Generator) -> Arguments:
    T = int(rng.integers(1, 4))
    cells = T * (T + 1) // 2
    tree = {"symbols": rng.integers(-1, 2, size=cells), "splits": np.full(cells, -1)}
    return {"p": rng.random(rules.num_rules(GRAMMAR)), "words": rng.integers(-1, 2, size=T), **tree}


def _pruned(p: np.ndarray, words: np.ndarray, symbols: np.ndarray, splits: np.ndarray) -> forests.RulesInPlace:
    return forests.pruned(GRAMMAR, p, words, 0.1, forests.RightTree(symbols, splits))


SENTENCES = {
    "no words": lambda given: given | {name: np.empty(0, int) for name in ("words", "symbols", "splits")},
    "a negative probability": lambda given: given | {"p": with_entry(given["p"], 0, -0.1)},
    "a probability that is no number": lambda given: given | {"p": with_entry(given["p"], 0, np.nan)},
}


def _compressed(rng: np.random.Generator) -> Arguments:
    indptr = np.array(starts_of(rng.integers(1, 4, size=3)))
    indices = rng.integers(4, size=indptr[-1])
    values = rng.normal(size=len(indices))
    return {"indptr": indptr, "indices": indices, "values": values, "counts": np.bincount(indices, minlength=4)}


ROWS = {
    "rows that do not begin": lambda given: given | {"indptr": with_entry(given["indptr"], 0, 1)},
    "a row that ends before it begins": lambda given: given | {
        "indptr": with_entry(given["indptr"], 1, given["indptr"][-1] + 1)
    },
}  # fmt: skip


BUILDERS: dict[str, Builder] = LABELS | {
    "dependency": _dependency(dependency.build, projective=True, apart=False),
    "dependency-learned": _dependency(dependency.build, projective=True, apart=True),
    "nonprojective": _dependency(nonprojective.build, projective=False, apart=False),
    "nonprojective-learned": _dependency(nonprojective.build, projective=False, apart=True),
    "candidates": Builder(
        candidates.build,
        _candidates,
        lambda given: {"listed": (0, 2**31 - 1), "right": (-1, 2**31 - 1)},
        ("losses", "listed", "right"),
        ("counts", "lengths"),
        CANDIDATES,
    ),
    "matching": Builder(matching.build, _matching, _matching_ranges, (), ("sources", "targets"), MATCHINGS),
    "forest": Builder(
        _forest,
        _derivations,
        _derivation_ranges,
        ("tails", "losses", "gold", "decisions", "labels"),
        (),
        FORESTS,
    ),
    "grammar": Builder(rules.build, _rules, _rule_ranges),
    "grammar-forest": Builder(
        _pruned,
        _sentence,
        lambda given: {"words": (-1, 1), "symbols": (-1, 1)},
        ("p", "symbols", "splits"),
        (),
        SENTENCES,
    ),
    "features": Builder(
        ft.compressed, _compressed, lambda given: {"indices": (0, 3)}, ("indices", "values"), (), ROWS
    ),
}
