"""Builders of classes, labelled nodes and sequences, with small inputs and mistakes: see ``building.Builder``."""

from collections.abc import Callable
from typing import Any

import numpy as np

from structbench.algorithms.structures import joint, multiclass, parse_trees, strings, subclasses
from structbench.algorithms.structures.chain import model as chain
from structbench.algorithms.structures.field import model as field
from structbench.algorithms.structures.segments import model as segments
from structbench.algorithms.structures.tree import model as tree
from tests.algorithms.building import Arguments, Builder, K, lengths_of, rows, starts_of, with_entry
from tests.algorithms.segment_cases import drawn_pieces
from tests.algorithms.segmentations import tags_of

# ---- classes ---------------------------------------------------------------------------------------


def _classes(
    build: Callable,
    examples: Callable[[np.random.Generator, int], Any],
    wrong: dict[str, Callable[[Arguments], Arguments]] | None = None,
    **more: int,
) -> Builder:
    def drawn(rng: np.random.Generator) -> Arguments:
        n = int(rng.integers(1, 5))
        return {"examples": examples(rng, n), "y": rng.integers(-1, K, size=n), "num_labels": K, **more}

    def built(examples: Any, **other: Any) -> Any:
        return build(examples, **other)

    spoilt = {"no labels": lambda given: given | {"y": np.full(len(given["y"]), -1), "num_labels": 0}}
    return Builder(built, drawn, lambda given: {"y": (-1, K - 1)}, ("y",), (), spoilt | (wrong or {}))


def _parse_trees(rng: np.random.Generator, n: int) -> list[parse_trees.Nodes]:
    shapes = [[()], [(), (0,)], [(), (), (0, 1)], [(), (0,), (), (1, 2)]]
    chosen = [shapes[rng.integers(len(shapes))] for _ in range(n - 1)] + [shapes[3]]
    return [parse_trees.Nodes([int(rng.integers(4)) for _ in each], list(each)) for each in chosen]


def _with_last_tree(productions: list[int], children: list[tuple[int, ...]]) -> Callable[[Arguments], Arguments]:
    return lambda given: given | {"examples": [*given["examples"][:-1], parse_trees.Nodes(productions, children)]}


NOTHING_HIDDEN = {"nothing hidden": lambda given: given | {"num_hidden": 0}}
NO_TREES = {
    "a child after its parent": _with_last_tree([0, 0], [(1,), ()]),
    "a node below itself": _with_last_tree([0, 0], [(), (1,)]),
    "a node reached twice": _with_last_tree([0, 0, 0], [(), (0,), (0, 1)]),
    "a child named twice": _with_last_tree([0, 0], [(), (0, 0)]),
    "a node that nothing reaches": _with_last_tree([0, 0], [(), ()]),
    "a negative child": _with_last_tree([0, 0], [(), (-1,)]),
    "a negative production": _with_last_tree([0, -1], [(), (0,)]),
    "a large production": _with_last_tree([0, 2**31], [(), (0,)]),
    "more nodes than productions": _with_last_tree([0], [(), (0,)]),
    "no nodes": _with_last_tree([], []),
}


# ---- nodes with labels -----------------------------------------------------------------------------


def _chain(rng: np.random.Generator) -> Arguments:
    lengths = lengths_of(rng)
    T = int(lengths.sum())
    return {"x": rows(T), "lengths": lengths, "y": rng.integers(-1, K, size=T), "num_labels": K}


def _tree(rng: np.random.Generator) -> Arguments:
    given = _chain(rng)
    parents = [int(rng.integers(t)) if t else -1 for T in given["lengths"] for t in range(T)]
    return given | {"parents": np.array(parents)}


def _tree_ranges(given: Arguments) -> dict[str, tuple[Any, Any]]:
    own = np.concatenate([np.arange(T) for T in given["lengths"]])
    return {"y": (-1, K - 1), "parents": (np.where(own == 0, -1, 0), own - 1)}


def _cycle_of_parents(given: Arguments) -> Arguments:
    """Two nodes after the root, or the one that is there with itself."""
    second, T = int(given["lengths"][0]) - 1, given["lengths"][0]
    return given | {"parents": with_entry(with_entry(given["parents"], 1, second), T - 1, 1)}


def _field(rng: np.random.Generator) -> Arguments:
    given = _chain(rng)
    joined = [(t, t + 1) for T in given["lengths"] for t in range(T - 1)]
    counts = rng.integers(1, K + 1, size=len(given["y"]))
    return given | {
        "y": rng.integers(-1, counts),
        "ends": np.array(joined),
        "edge_counts": given["lengths"] - 1,
        "kinds": rng.integers(2, size=len(joined)),
        "counts": counts,
        "num_kinds": 2,
    }


def _field_ranges(given: Arguments) -> dict[str, tuple[Any, Any]]:
    last = np.repeat(given["lengths"], given["edge_counts"])[:, None] - 1
    return {
        "y": (-1, given["counts"] - 1),
        "ends": (0, np.broadcast_to(last, given["ends"].shape)),
        "kinds": (0, 1),
        "counts": (1, K),
    }


FIELDS = {
    "an edge from a node to itself": lambda given: given | {"ends": with_entry(given["ends"], 0, [1, 1])},
    "ends one by one": lambda given: given | {"ends": given["ends"].ravel()},
    "edges of more graphs": lambda given: given | {"edge_counts": np.append(given["edge_counts"], 0)},
    "no kinds": lambda given: given | {"num_kinds": 0, "kinds": np.full(len(given["ends"]), -1)},
}


# ---- sequences -------------------------------------------------------------------------------------

LONGEST, OUTSIDE = 3, 0


def _segments(rng: np.random.Generator, shared: bool = False) -> Arguments:
    lengths, y = lengths_of(rng), []
    for T in lengths:
        while T > 0:
            k = int(rng.integers(K))
            n = 1 if k == OUTSIDE else int(rng.integers(1, T + 1))  # some are too long, and cut
            y += [-1] * n if rng.random() < 0.2 else tags_of([(0, n, k)], n)
            T -= n
    pieces = drawn_pieces(tuple(lengths), LONGEST, rng) if shared else {}
    count = sum(min(LONGEST, T - t) for T in lengths for t in range(T))
    x = rows(int(pieces["piece_starts"][-1]) if shared else count)
    sizes = {"num_labels": K, "max_length": LONGEST, "outside": OUTSIDE}
    return {"x": x, "lengths": lengths, "y": np.array(y), **sizes, **pieces}


def _segment_ranges(given: Arguments) -> dict[str, tuple[Any, Any]]:
    found: dict[str, tuple[Any, Any]] = {"y": (-1, 2 * K - 1)}
    if "own" in given:
        of_sequence = [sum(min(LONGEST, T - t) for t in range(T)) for T in given["lengths"]]
        last = np.repeat(np.diff(given["piece_starts"]), of_sequence)[:, None] - 1
        found |= {name: (-1, np.broadcast_to(last, given[name].shape)) for name in ("grown", "own")}
    return found


def _tags(at: int, *tags: int) -> Callable[[Arguments], Arguments]:
    """These tags from a token of the second sequence on."""
    return lambda given: (
        given
        | {
            "y": with_entry(
                given["y"], slice(given["lengths"][0] + at, given["lengths"][0] + at + len(tags)), tags
            )
        }
    )


SEGMENTS = {
    "a segment that goes on from the sequence before": _tags(0, 3),
    "a segment that goes on as another": _tags(0, 2, 5),
    "a segment that goes on from none": _tags(0, -1, 3),
    "a long segment of the label outside": _tags(0, 2 * OUTSIDE, 2 * OUTSIDE + 1),
    "a label outside that is none": lambda given: given | {"outside": K},
    "no length": lambda given: given | {"max_length": 0},
}
PIECES = SEGMENTS | {
    "pieces without their starts": lambda given: given | {"piece_starts": None},
    "starts that fall": lambda given: given | {"piece_starts": given["piece_starts"][::-1]},
}


def _joint(rng: np.random.Generator) -> Arguments:
    """Two tags and two chunk tags, the second of which may not begin a sentence."""
    lengths = lengths_of(rng)
    starts = np.array(starts_of(lengths)[:-1])
    y = rng.integers(-1, 4, size=lengths.sum())
    y[starts] = 2 * rng.integers(2, size=len(starts))
    continues = np.array([[True, True], [True, True], [True, False]])
    sizes = {"num_tags": 2, "num_chunk_tags": 2}
    return {"x": rows(len(y)), "lengths": lengths, "y": y, **sizes, "continues": continues}


JOINT = {
    "a chunk tag that may not begin": lambda given: given | {"y": with_entry(given["y"], given["lengths"][0], 3)},
    "a chunk tag that may not follow": lambda given: given | {
        "y": with_entry(given["y"], slice(0, 2), (0, 1)),
        "continues": np.array([[True, False], [True, True], [True, False]]),
    },
    "no tags": lambda given: given | {"num_tags": 0},
    "another table": lambda given: given | {"continues": given["continues"][:2]},
}  # fmt: skip


LABELS: dict[str, Builder] = {
    "multiclass": _classes(multiclass.build, lambda rng, n: rows(n)),
    "subclasses": _classes(subclasses.build, lambda rng, n: rows(n), NOTHING_HIDDEN, num_hidden=2),
    "strings": _classes(strings.build, lambda rng, n: ["ab"] * n),
    "parse-trees": _classes(parse_trees.build, _parse_trees, NO_TREES),
    "chain": Builder(chain.build, _chain, lambda given: {"y": (-1, K - 1)}, ("y",), ("lengths",)),
    "tree": Builder(
        tree.build, _tree, _tree_ranges, ("y", "parents"), ("lengths",), {"a cycle": _cycle_of_parents}
    ),
    "field": Builder(
        field.build,
        _field,
        _field_ranges,
        ("y", "ends", "kinds", "counts"),
        ("lengths", "edge_counts"),
        FIELDS,
    ),
    "segments": Builder(segments.build, _segments, _segment_ranges, ("y",), ("lengths",), SEGMENTS),
    "segments-pieces": Builder(
        segments.build,
        lambda rng: _segments(rng, shared=True),
        _segment_ranges,
        ("y", "grown", "own", "piece_starts"),
        ("lengths",),
        PIECES,
    ),
    "joint": Builder(joint.build, _joint, lambda given: {"y": (-1, 3)}, ("y",), ("lengths",), JOINT),
}
