"""Builders of classes, labelled nodes and sequences, with a small input and mistakes: see ``building.Builder``."""

from collections.abc import Callable
from typing import Any

import numpy as np

from structbench.algorithms.structures import joint, multiclass, parse_trees, strings, subclasses
from structbench.algorithms.structures.chain import model as chain
from structbench.algorithms.structures.field import model as field
from structbench.algorithms.structures.segments import model as segments
from structbench.algorithms.structures.tree import model as tree
from tests.algorithms.building import Arguments, Builder, K, rows, with_entry
from tests.algorithms.segment_cases import drawn_pieces

# ---- classes ---------------------------------------------------------------------------------------


def _classes(build: Callable, examples: Any, mistakes: dict[str, Arguments] | None = None, **more: int) -> Builder:
    def built(examples: Any, **other: Any) -> Any:
        return build(examples, **other)

    given = {"examples": examples, "y": np.array([0, -1, 2, 1]), "num_labels": K, **more}
    wrong = {"no labels": {"y": np.full(4, -1), "num_labels": 0}} | (mistakes or {})
    return Builder(built, given, {"y": (-1, K - 1)}, ("y",), (), wrong)


TREES = [
    parse_trees.Nodes(productions, children)
    for productions, children in (
        ([0], [()]),
        ([1, 2], [(), (0,)]),
        ([0, 1, 2], [(), (), (0, 1)]),
        ([3, 2, 1, 0], [(), (0,), (), (1, 2)]),
    )
]
NO_TREES: dict[str, tuple[list[int], list[tuple[int, ...]]]] = {
    "a child after its parent": ([0, 0], [(1,), ()]),
    "a node below itself": ([0, 0], [(), (1,)]),
    "a node reached twice": ([0, 0, 0], [(), (0,), (0, 1)]),
    "a child named twice": ([0, 0], [(), (0, 0)]),
    "a node that nothing reaches": ([0, 0], [(), ()]),
    "a negative child": ([0, 0], [(), (-1,)]),
    "a negative production": ([0, -1], [(), (0,)]),
    "a large production": ([0, 2**31], [(), (0,)]),
    "more nodes than productions": ([0], [(), (0,)]),
    "no nodes": ([], []),
}
WRONG_TREES = {name: {"examples": [*TREES[:3], parse_trees.Nodes(*last)]} for name, last in NO_TREES.items()}

# ---- nodes with labels -----------------------------------------------------------------------------

LENGTHS = np.array([3, 2, 4])
OF_NODES = {"x": rows(9), "lengths": LENGTHS, "num_labels": K}
CHAIN = OF_NODES | {"y": np.array([2, -1, 2, 0, 1, 0, 2, -1, 0])}
OWN = np.concatenate([np.arange(T) for T in LENGTHS])
ENDS = np.array([(0, 1), (1, 2), (0, 1), (0, 1), (1, 2), (2, 3)])
COUNTS = np.array([3, 2, 3, 1, 2, 3, 3, 2, 1])
FIELD = CHAIN | {
    "ends": ENDS,
    "edge_counts": LENGTHS - 1,
    "kinds": np.array([0, 1, 1, 0, 0, 1]),
    "counts": COUNTS,
    "num_kinds": 2,
}
FIELD_BOUNDS = {
    "y": (-1, COUNTS - 1),
    "ends": (0, np.repeat([[2], [1], [3]], LENGTHS - 1, axis=0).repeat(2, axis=1)),
    "kinds": (0, 1),
    "counts": (1, K),
}
NO_FIELDS = {
    "an edge from a node to itself": {"ends": with_entry(ENDS, 0, [1, 1])},
    "ends one by one": {"ends": ENDS.ravel()},
    "edges of more graphs": {"edge_counts": np.array([2, 1, 3, 0])},
    "no kinds": {"num_kinds": 0, "kinds": np.full(6, -1)},
}

# ---- sequences -------------------------------------------------------------------------------------

SIZES = [6, 3, 9]  # candidates of each sequence
TAGS = np.array([2, 3, 3, 0, -1, 4, 5, 5, 5])  # the last segment is too long, and cut
SEGMENTS = OF_NODES | {"x": rows(18), "y": TAGS, "max_length": 3, "outside": 0}
NO_SEGMENTS = {
    name: {"y": with_entry(TAGS, slice(3, 3 + len(tags)), tags)}
    for name, tags in {
        "a segment that goes on from the sequence before": [3],
        "a segment that goes on as another": [2, 5],
        "a segment that goes on from none": [-1, 3],
        "a long segment of the label outside": [0, 1],
    }.items()
} | {"a label outside that is none": {"outside": K}, "no length": {"max_length": 0}}
PIECES = drawn_pieces((3, 2, 4), 3, np.random.default_rng(0))
STARTS = PIECES["piece_starts"]
LAST_PIECES = np.repeat(np.diff(STARTS), SIZES)[:, None].repeat(2, axis=1) - 1
NO_PIECES = NO_SEGMENTS | {
    "pieces without their starts": {"piece_starts": None},
    "starts that fall": {"piece_starts": STARTS[::-1]},
}

# two tags and two chunk tags, the second of which may not begin a sentence
CODES, CONTINUES = np.array([0, 3, -1, 2, 1, 2, -1, 3, 0]), np.array([[True, True], [True, True], [True, False]])
JOINT = {"x": rows(9), "lengths": LENGTHS, "y": CODES, "num_tags": 2, "num_chunk_tags": 2, "continues": CONTINUES}
NO_JOINT = {
    "a chunk tag that may not begin": {"y": with_entry(CODES, 3, 3)},
    "a chunk tag that may not follow": {
        "y": with_entry(CODES, slice(0, 2), (0, 1)),
        "continues": with_entry(CONTINUES, (0, 1), False),
    },
    "no tags": {"num_tags": 0},
    "another table": {"continues": CONTINUES[:2]},
}

LABELS: dict[str, Builder] = {
    "multiclass": _classes(multiclass.build, rows(4)),
    "subclasses": _classes(subclasses.build, rows(4), {"nothing hidden": {"num_hidden": 0}}, num_hidden=2),
    "strings": _classes(strings.build, ["ab"] * 4),
    "parse-trees": _classes(parse_trees.build, TREES, WRONG_TREES),
    "chain": Builder(chain.build, CHAIN, {"y": (-1, K - 1)}, ("y",), ("lengths",)),
    "tree": Builder(
        tree.build,
        CHAIN | {"parents": np.array([-1, 0, 0, -1, 0, -1, 0, 1, 1])},
        {"y": (-1, K - 1), "parents": (np.where(OWN == 0, -1, 0), OWN - 1)},
        ("y", "parents"),
        ("lengths",),
        {"a cycle": {"parents": np.array([-1, 2, 1, -1, 0, -1, 0, 1, 1])}},
    ),
    "field": Builder(
        field.build, FIELD, FIELD_BOUNDS, ("y", "ends", "kinds", "counts"), ("lengths", "edge_counts"), NO_FIELDS
    ),
    "segments": Builder(segments.build, SEGMENTS, {"y": (-1, 2 * K - 1)}, ("y",), ("lengths",), NO_SEGMENTS),
    "segments-pieces": Builder(
        segments.build,
        SEGMENTS | PIECES | {"x": rows(int(STARTS[-1]))},
        {"y": (-1, 2 * K - 1)} | dict.fromkeys(("grown", "own"), (-1, LAST_PIECES)),
        ("y", "grown", "own", "piece_starts"),
        ("lengths",),
        NO_PIECES,
    ),
    "joint": Builder(joint.build, JOINT, {"y": (-1, 3)}, ("y",), ("lengths",), NO_JOINT),
}
