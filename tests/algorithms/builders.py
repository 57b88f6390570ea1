"""All builders: small inputs that they take, the range of each number in these, and what is refused how."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.structures import (
    candidates,
    dependency,
    joint,
    matching,
    multiclass,
    nonprojective,
    parse_trees,
    strings,
    subclasses,
)
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures.chain import model as chain
from structbench.algorithms.structures.field import model as field
from structbench.algorithms.structures.forest import model as forest
from structbench.algorithms.structures.grammar import forests, rules
from structbench.algorithms.structures.segments import model as segments
from structbench.algorithms.structures.tree import model as tree

Arguments = dict[str, Any]
BIG, INF, NAN = 2**31 - 1, np.inf, np.nan


class Builder(NamedTuple):
    """``given``: arguments that ``build`` takes. ``refused``: others, and a pattern of what is said of them.

    ``ranges``: the least and the most that each entry of an argument may be. ``counted``: arguments with one entry
    for each example, token or the like. ``lengths``: arguments that say how many of these an example has.
    """

    build: Callable[..., Any]
    given: Arguments
    refused: tuple[tuple[Arguments, str], ...]
    ranges: dict[str, tuple[Any, Any]] = {"y": (-1, 2)}  # noqa: RUF012 - never changed
    counted: tuple[str, ...] = ("y",)
    lengths: tuple[str, ...] = ()


def rows(count: int) -> ft.Features:
    return ft.dense(np.ones((count, 2)))


# ---- classes ---------------------------------------------------------------------------------------

CLASSES = {"y": [0, -1, 2], "num_labels": 3}
NO_CLASSES = (
    ({"y": [-1, -1, -1], "num_labels": 0}, "num_labels must be a whole number, 1 or more, not 0"),
    ({"y": [0, 1]}, "3 (feature rows|strings|trees) but 2 labels"),
    ({"y": [0, 3, 1]}, r"label of example 1 must lie in -1 \.\. 2, not 3"),
)
TREES = ([3, 1], [(), (0,)]), ([2], [()]), ([0, 1, 2, 3], [(), (0,), (), (1, 2)])
NO_TREES = tuple(
    ({"trees": (*TREES[:2], (productions, children))}, message)
    for productions, children, message in (
        ([0, 0], [(1,), ()], "child of node 0 of tree 2 cannot be 1: there is none to choose"),
        ([0, 0], [(), (1,)], "child of node 1 of tree 2 must be 0, not 1"),
        ([0, 0, 0], [(), (0,), (0, 1)], "node 0 of tree 2 must be the child of one node, not of 2"),
        ([0, 0], [(), ()], "node 0 of tree 2 must be the child of one node, not of 0"),
        ([0, -1], [(), (0,)], r"production of node 1 of tree 2 must lie in 0 \.\. 2147483647, not -1"),
        ([0], [(), (0,)], "tree 2 has 2 nodes but 1 productions"),
        ([], [], "tree 2 has no nodes: expected 1 or more"),
    )
)

# ---- nodes with labels, one tree or graph of three nodes and one of two ----------------------------

NODES = {"x": rows(5), "lengths": [3, 2], "y": [0, -1, 2, 1, 0], "num_labels": 3}
NO_NODES = (
    ({"lengths": [5, 0]}, "example 1 has no nodes: expected 1 or more"),
    ({"lengths": [3, 1]}, "the examples have 4 nodes, but there are 5 rows and 5 labels"),
    ({"y": [0, -1, 2, 1, 3]}, r"label of node 1 of example 1 must lie in -1 \.\. 2, not 3"),
    ({"edges": rows(5)}, "node 0 of example 0 has no edge"),
    ({"edges": rows(6)}, "have 5 nodes, but there are 6 rows of edge features"),
)
TREE = NODES | {"parents": [-1, 0, 1, -1, 0]}
TREE_RANGES = {"y": (-1, 2), "parents": ([-1, 0, 0, -1, 0], [-1, 0, 1, -1, 0])}
NO_PARENTS = (
    ({"parents": [-1, 0]}, "the trees have 5 nodes, but there are 2 parents"),
    ({"parents": [-1, 0, -1, -1, 0]}, r"parent of node 2 of tree 0 must lie in 0 \.\. 1, not -1"),
    ({"parents": [-1, 0, 1, -1, 1]}, "parent of node 1 of tree 1 must be 0, not 1"),
    ({"parents": [-1, 2, 1, -1, 0]}, "parent of node 1 of tree 0 must be 0, not 2"),  # a cycle
    ({"parents": [-1, 0, 1, 0, 0]}, "parent of node 0 of tree 1 must be -1, not 0"),
)
ENDS = [(0, 1), (1, 2), (0, 1)]
FIELD = NODES | {"y": [0, -1, 1, 1, 0], "ends": ENDS, "edge_counts": [2, 1], "kinds": [0, 1, 0]}
FIELD |= {"counts": [1, 3, 2, 3, 2], "num_kinds": 2}
FIELD_RANGES = {
    "y": (-1, [0, 2, 1, 2, 1]),
    "ends": (0, [(2, 2), (2, 2), (1, 1)]),
    "kinds": (0, 1),
    "counts": (1, 3),
}
NO_FIELD = (
    ({"edge_counts": [2, 0]}, "the graphs have 2 edges, but there are 3 pairs of ends and 3 kinds"),
    ({"edge_counts": [2, 1, 0]}, "there are 2 graphs, but 3 edge_counts"),
    ({"y": [0, -1, 1, 1, 2]}, r"label of node 1 of graph 1 must lie in -1 \.\. 1, not 2"),
    ({"kinds": [0, 2, 0]}, r"kind of edge 1 of graph 0 must lie in 0 \.\. 1, not 2"),
    ({"ends": [*ENDS[:2], (0, 2)]}, r"end of edge 0 of graph 1 must lie in 0 \.\. 1, not 2"),
    ({"ends": [*ENDS[:2], (1, 1)]}, "edge 0 of graph 1 must join two nodes, not node 1 with itself"),
    ({"ends": [(0, 1), (1, 0), (0, 1)], "kinds": [1, 1, 0]}, r"edge 1 of graph 0 joins nodes \[1 0\] once more"),
    ({"ends": [0, 1, 1, 2, 0, 1]}, r"ends must have shape \(n, 2\), not \(6,\)"),
)

# ---- sequences -------------------------------------------------------------------------------------

TAGS = [0, -1, 2, 4, 5, 5, 5]  # of a sequence of three tokens, and of one segment of four, which is too long
SEGMENTS = {"x": rows(15), "lengths": [3, 4], "y": TAGS, "num_labels": 3, "max_length": 3, "outside": 0}
NO_SEGMENTS = (
    ({"y": [*TAGS[:6], 6]}, r"tag of token 3 of sequence 1 must lie in -1 \.\. 5, not 6"),
    ({"y": [*TAGS[:5], 3, -1]}, "token 2 of sequence 1: tag 3 continues no segment: the tag before is 5"),
    ({"y": [0, -1, 3, *TAGS[3:]]}, "token 2 of sequence 0: tag 3 continues no segment: the tag before is -1"),
    ({"y": [*TAGS[:3], 3, 3, 3, 3]}, "token 0 of sequence 1: tag 3 continues no segment: the tag before is -1"),
    ({"y": [0, 1, *TAGS[2:]]}, "token 1 of sequence 0: tag 1 continues a segment of the label outside, 0"),
    ({"outside": 3}, r"outside must be a label in 0 \.\. 2, or -1 for none, not 3"),
    ({"max_length": 0}, "max_length must be a whole number, 1 or more, not 0"),
    ({"x": rows(14), "grown": None, "own": None, "piece_starts": None}, "have 15 segments .* there are 14 rows"),
)
GROWN, OWN = [[1]] * 6 + [[-1]] * 9, [[0, -1]] * 6 + [[2, 1]] * 9
PIECES = SEGMENTS | {"x": rows(5), "grown": GROWN, "own": OWN, "piece_starts": [0, 2, 5]}
PIECE_RANGES = {"y": (-1, 5)} | {name: (-1, [[1]] * 6 + [[2]] * 9) for name in ("grown", "own")}
NO_PIECES = (
    ({"grown": None}, "of grown, own and piece_starts, give all or none"),
    ({"grown": GROWN[:14]}, "have 15 segments of at most 3 tokens, but there are 14 rows"),
    ({"own": OWN[:14]}, r"own must have a row .* of the 15 candidates, not the shape \(14, 2\)"),
    ({"grown": [0] * 15}, r"grown must have a row .* not the shape \(15,\)"),
    ({"own": [*OWN[:7], [3, 1], *OWN[8:]]}, r"piece in own of candidate 1 of sequence 1 .* -1 \.\. 2, not 3"),
    *(
        ({"piece_starts": starts}, "piece_starts must be 3 numbers that rise from 0 to the 5 rows")
        for starts in ([0, 2, 6], [1, 2, 5], [0, 6, 5], [0, 5])
    ),
)
CONTINUES = [[True, True], [True, False], [True, False]]
JOINT = {"x": rows(5), "lengths": [3, 2], "y": [0, -1, 1, 2, 3], "num_tags": 2, "num_chunk_tags": 2}
JOINT |= {"continues": CONTINUES}
NO_JOINT = (
    ({"y": [0, -1, 1, 2]}, "the sentences have 5 tokens, but there are 5 rows and 4 codes"),
    ({"y": [0, -1, 1, 2, 4]}, r"code of token 1 of sentence 1 must lie in -1 \.\. 3, not 4"),
    ({"y": [0, 1, 3, 2, 3]}, "token 2 of sentence 0: chunk tag 1 may not follow 1"),
    ({"y": [0, 1, -1, 3, 2]}, "token 0 of sentence 1: chunk tag 1 may not follow 2"),
    ({"continues": CONTINUES[:2]}, r"continues must have shape \(3, 2\), not \(2, 2\)"),
)

# ---- trees over sentences --------------------------------------------------------------------------

HEADS = [2, 0, 2, 0, 2, 3]
HEAD_RANGE = (0, [2, 2, 4, 4, 4, 4])
NO_TREE = "must be a tree, but from token {} its heads lead back to it"
NO_HEADS = (
    ((0, 1, 3, 1), NO_TREE.format(3)),
    ((0, 3, 2, 3), NO_TREE.format(2)),
    ((2, 3, 4, 1), NO_TREE.format(1)),
    ((0, 1, 0, 3), "must have one token under the root, not tokens 1 and 3"),
)
CROSSING = (
    ((3, 4, 0, 3), "must be projective, but the arcs 3 -> 1 and 4 -> 2 cross"),
    ((3, 0, 2, 2), "must be projective, but the arcs 3 -> 1 and 0 -> 2 cross"),
)


def _dependency(build: Callable, faults: tuple[tuple[tuple[int, ...], str], ...], name: str = "heads") -> Builder:
    """``name``: of the heads that must be a tree of the structure; the others may be any tree."""
    given = {"x": rows(20), "lengths": [2, 4], "heads": [0, 0, 3, 4, 0, 0], name: HEADS}
    refused = [({name: [*HEADS[:2], *heads]}, f"{name} of sentence 1 {message}") for heads, message in faults]
    refused += [
        ({"heads": [*HEADS[:2], 0, 3, 2, 3]}, NO_TREE.format(2)),
        ({"heads": [*HEADS[:5], 5]}, r"heads: the head of token 4 of sentence 1 must lie in 0 \.\. 4, not 5"),
        ({"lengths": [2, 3]}, "the sentences have 5 tokens, but there are 6 heads"),
        ({"x": rows(19)}, "sentences of these lengths have 20 arcs, but there are 19 rows"),
    ]
    names = tuple({name, "heads"})
    return Builder(build, given, tuple(refused), dict.fromkeys(names, HEAD_RANGE), names, ("lengths",))


# ---- lists, pairs, forests -------------------------------------------------------------------------

LISTS = {"x": rows(5), "counts": [2, 3], "losses": [1, 0.5, 0, 2, 0], "listed": [0, 1, 2, 2, 5, 6, 7]}
LISTS |= {"right": [2, -1, 7], "lengths": [2, 1]}
LIST_RANGES = {"listed": (0, BIG), "right": (-1, BIG)}
NO_LISTS = (
    ({"right": None}, "of listed, right and lengths, give all or none"),
    ({"lengths": None}, "of listed, right and lengths, give all or none"),
    ({"losses": [1, 0.5, 0, INF, 0]}, "loss of candidate 1 of example 1 must be finite, not inf"),
    ({"right": [2]}, "2 lengths, 1 right labels and 7 listed ones do not fit 2 examples with 5 candidates"),
)
PAIRS = {"x": rows(8), "sources": [2, 1], "targets": [3, 2], "links": [(0, 1, 2), (1, 0, 1)]}
PAIR_RANGES = {"links": (0, [(1, 1, 2), (1, 0, 1)])}
NO_PAIRS = (
    ({"sources": [0, 1]}, "pair 0 has no source words"),
    ({"targets": [0, 2]}, "pair 0 has no target words"),
    ({"targets": [3]}, "there are 2 source sentences, but 1 target sentences"),
    ({"targets": [2, 2]}, "sentences of these lengths have 6 edges, but there are 8 rows"),
    ({"links": [(0, 0, 3)]}, r"target word of link 0, of pair 0, must lie in 0 \.\. 2, not 3"),
    ({"links": [(0, 0, 0), (1, 1, 0)]}, "source word of link 1, of pair 1, must be 0, not 1"),
    ({"links": [(0, 0, 0), (2, 0, 0)]}, r"pair of link 1 must lie in 0 \.\. 1, not 2"),
    ({"links": [(0, 0), (1, 0)]}, r"links must have shape \(n, 3\), not \(2, 2\)"),
)


def _forest(x: ft.Features, left: np.ndarray, **fields: np.ndarray) -> forest.Forest:
    """A forest of an example of one edge, and of the one that has these fields."""
    one = forest.Derivations(*map(np.array, ([0, 1], [[-1, -1]], [0.0], [1], [0], [1], [1])))
    return forest.build(x, [one, forest.Derivations(**fields)], left)


# two leaf edges into each of two nodes, one edge that puts these together, one into the goal
TAILS = [(-1, -1)] * 4 + [(0, 1), (2, -1)]
FOREST = {"x": rows(7), "left": [0, 1], "first": [0, 2, 4, 5, 6], "tails": TAILS, "losses": [0, 1, 0, 1, 0.5, 0]}
FOREST |= {"gold": [1, 0, 1, 0, 1, 1], "decisions": [0, 0, 1, 1, 0, 1], "labels": [1, 2, 1, 2, 0, 0]}
FOREST |= {"right": [1, -1]}
FOREST_RANGES = {"tails": (-1, [(-1, -1), (-1, -1), (0, 0), (0, 0), (1, 1), (2, 2)]), "gold": (0, 1)}
FOREST_RANGES |= {"decisions": (-1, 1), "labels": (0, BIG), "right": (-1, BIG), "left": (0, BIG)}
FOREST_RANGES |= {"first": ([0, 0, 2, 4, 6], [0, 4, 5, 6, 6])}
NO_FOREST = (
    ({"tails": [*TAILS[:4], (0, 0), (2, -1)]}, "edge 4 of example 1 leads to a node twice, from both .* 0 and 0"),
    ({"tails": [*TAILS[:5], (2, 1)]}, "edge 5 of example 1 leads to a node twice, from both .* 2 and 1"),
    ({"tails": [*TAILS[:4], (0, 2), (2, -1)]}, "tail of edge 4 of example 1 must come before its head, node 2"),
    ({"tails": [(-1, -1, -1)] * 6}, r"example 1: tails must have shape \(n, 2\), not \(6, 3\)"),
    ({"first": [0]}, "example 1 has 1 node bounds: expected 2 or more"),
    ({"first": [[0, 2, 4, 5, 6]] * 2}, "example 1: first and right must have one dimension"),
    ({"right": [[1, -1]]}, "example 1: first and right must have one dimension"),
    ({"first": [0, 2, 4, 5, 5]}, "example 1: first must rise from 0 to the number of edges, 6"),
    ({"losses": [INF, 1, 0, 1, 0.5, 0]}, "loss of edge 0 of example 1 must be finite, not inf"),
    ({"losses": [0]}, r"example 1: losses, gold, decisions and labels must have shape \(6,\)"),
    ({"decisions": [0, 0, 1, 2, 0, 1]}, r"decision of edge 3 of example 1 must lie in -1 \.\. 1, not 2"),
    ({"gold": [0] * 6, "right": [], "decisions": [-1] * 6}, "gold edges of example 1, .* must be a derivation"),
    ({"left": [0, 0, 0]}, "there are 3 left sides of rules, but 2 columns of features"),
    ({"x": rows(6)}, "the examples have 7 edges, but there are 6 rows of features"),
)

RULES = {"binary": [(0, 0, 1), (1, 2, 1)], "lexical": [(0, 0), (1, 1)], "roots": [0, 2]}
RULES |= {"num_symbols": 3, "num_terminals": 2}
RULE_RANGES = {"binary": (0, 2), "lexical": (0, [(2, 1), (2, 1)]), "roots": (0, 2)}
NO_RULES = (
    ({"binary": [(0, 0, 1), (1, 3, 1)]}, r"symbol of binary rule 1 must lie in 0 \.\. 2, not 3"),
    ({"num_terminals": 1}, "terminal of lexical rule 1 must be 0, not 1"),
    ({"binary": [(0, 1)]}, r"binary rules must have shape \(n, 3\), not \(1, 2\)"),
)
GRAMMAR = rules.build(np.array([(0, 0, 1), (1, 1, 1)]), np.array([(0, 0), (1, 0), (1, 1)]), np.array([0]), 2, 2)
SENTENCE = {"p": [0.5, 0.0, 1.0, 0.3, 0.7, 1.0], "words": [0, -1], "symbols": [-1, 1, 0], "splits": [-1, 1, -1]}
SENTENCE_RANGES = {"words": (-1, 1), "symbols": (-1, 1)}
NO_SENTENCE = (
    ({"words": [], "symbols": [], "splits": []}, "a sentence to parse must have a word"),
    ({"p": [-0.1, *SENTENCE["p"][1:]]}, "probability of rule 0 must be finite, and 0 or more, not -0.1"),
    ({"p": [NAN, *SENTENCE["p"][1:]]}, "probability of rule 0 must be finite, and 0 or more, not nan"),
    ({"p": [0.5]}, "there are 6 rules, but 1 probabilities"),
    ({"splits": [-1]}, "the right tree of 2 words has 3 cells, but there are 3 symbols and 1 splits"),
)


def _pruned(symbols: np.ndarray, splits: np.ndarray, **sentence: np.ndarray) -> forests.RulesInPlace:
    return forests.pruned(GRAMMAR, **sentence, threshold=0.1, right=forests.RightTree(symbols, splits))


COMPRESSED = {"indptr": [0, 2, 3, 3], "indices": [1, 3, 0], "values": [0.3, 0.1, 1], "counts": [1, 1, 0, 1]}
NO_ROWS = (
    ({"indptr": [1, 2, 3, 3]}, "indptr must rise from 0 to the 3 stored values"),
    ({"indptr": [0, 4, 3, 3]}, "indptr must rise from 0 to the 3 stored values"),
    ({"indptr": [0, 2, 2, 2]}, "indptr must rise from 0 to the 3 stored values"),
    ({"values": [0.3]}, r"indices and values must have one shape, not \(3,\) and \(1,\)"),
)


CHOICES = {
    name: {**CLASSES, name: each} for name, each in (("x", rows(3)), ("texts", ("ab", "a", "b")), ("trees", TREES))
}
NO_HIDDEN = (*NO_CLASSES, ({"num_hidden": 0}, "num_hidden must be a whole number, 1 or more, not 0"))


def _parse_trees(trees: Any, **more: Any) -> parse_trees.ParseTrees:
    return parse_trees.build([parse_trees.Nodes(*each) for each in trees], **more)


BUILDERS: dict[str, Builder] = {
    "multiclass": Builder(multiclass.build, CHOICES["x"], NO_CLASSES),
    "subclasses": Builder(subclasses.build, CHOICES["x"] | {"num_hidden": 2}, NO_HIDDEN),
    "strings": Builder(strings.build, CHOICES["texts"], NO_CLASSES),
    "parse-trees": Builder(_parse_trees, CHOICES["trees"], NO_CLASSES + NO_TREES),
    "chain": Builder(chain.build, NODES, NO_NODES, lengths=("lengths",)),
    "tree": Builder(tree.build, TREE, NO_NODES + NO_PARENTS, TREE_RANGES, ("y", "parents"), ("lengths",)),
    "field": Builder(
        field.build, FIELD, NO_FIELD, FIELD_RANGES, ("y", "ends", "kinds", "counts"), ("lengths", "edge_counts")
    ),
    "segments": Builder(segments.build, SEGMENTS, NO_SEGMENTS, {"y": (-1, 5)}, lengths=("lengths",)),
    "segments-pieces": Builder(
        segments.build,
        PIECES,
        NO_SEGMENTS + NO_PIECES,
        PIECE_RANGES,
        ("y", "grown", "own", "piece_starts"),
        ("lengths",),
    ),
    "joint": Builder(joint.build, JOINT, NO_JOINT, {"y": (-1, 3)}, lengths=("lengths",)),
    "dependency": _dependency(dependency.build, NO_HEADS + CROSSING),
    "dependency-learned": _dependency(dependency.build, NO_HEADS + CROSSING, "training_heads"),
    "nonprojective": _dependency(nonprojective.build, NO_HEADS),
    "nonprojective-learned": _dependency(nonprojective.build, NO_HEADS, "training_heads"),
    "candidates": Builder(
        candidates.build, LISTS, NO_LISTS, LIST_RANGES, ("losses", "listed", "right"), ("counts", "lengths")
    ),
    "matching": Builder(matching.build, PAIRS, NO_PAIRS, PAIR_RANGES, (), ("sources", "targets")),
    "forest": Builder(
        _forest, FOREST, NO_FOREST, FOREST_RANGES, ("tails", "losses", "gold", "decisions", "labels")
    ),
    "grammar": Builder(rules.build, RULES, NO_RULES, RULE_RANGES, ()),
    "grammar-forest": Builder(_pruned, SENTENCE, NO_SENTENCE, SENTENCE_RANGES, ("p", "symbols", "splits")),
    "features": Builder(ft.compressed, COMPRESSED, NO_ROWS, {"indices": (0, 3)}, ("indices", "values")),
}
