"""Operations on whole splits, implemented in plain Python by structures, and called through ``interface``."""

from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.structures.compiled import operation
from structbench.algorithms.structures.features import Features
from structbench.algorithms.structures.soft_views import soft_view

EXAMPLES, PARTS, ARGMAX, MARGINALS = "examples", "parts", "argmax", "marginals"
CLIQUES, LABEL_SEQUENCES = "cliques", "label sequences"
USED_FEATURES, CHOICES, K_BEST = "used features", "choices", "k-best"
OTHER_ROWS, FEATURE_ROWS, SINGLE_DECISIONS = "other rows", "feature rows", "single decisions"
STRINGS, TREES = "strings", "trees"
FLOAT32 = "visits in float32"


@operation(EXAMPLES, compiled=False)
def num_weights(structure: Any) -> int:
    """Length of the weight vector."""
    ...


@operation(EXAMPLES, compiled=False)
def take(structure: Any, examples: np.ndarray) -> Any:
    """The structure that holds just these examples, in this order, with the same weights; it may be empty.

    Raises:
        UserError: there is no example of such a number.
    """


@operation(PARTS, compiled=False)
def add_expected_features(
    structure: Any, first: int, offsets: np.ndarray, mu: np.ndarray, out: np.ndarray
) -> None:
    """out += sum_i sum_r mu_{i,r} f(x_i, r), of the examples from ``first`` on for which there are ``offsets``.

    ``mu`` holds their part vectors, that of example first + j at offsets[j] : offsets[j + 1]. The sums have
    the same bits for any number of threads.
    """


@operation(USED_FEATURES, compiled=False)
def with_used_features(structure: Any, w: np.ndarray) -> tuple[Any, np.ndarray]:
    """A structure and weights with the same scores for everything, without features whose weights are all 0.

    If there are few such features, both come back as they are.
    """
    ...


@operation(CHOICES, compiled=False)
def choices(structure: Any) -> np.ndarray:
    """For each of the first k weights, which belong to choices (rules of a grammar), its subject (the left side).

    int64 (k,), numbers from 0 on. The features count how often an output makes a choice.
    """
    ...


class LabelSequences(NamedTuple):
    """Feature rows with a label each, int32, -1 if unseen; sequence i is rows starts[i] .. starts[i + 1] - 1."""

    x: Features
    y: np.ndarray
    starts: np.ndarray
    num_labels: int
    num_edge_features: int


@operation(LABEL_SEQUENCES, compiled=False)
def label_sequences(structure: Any) -> LabelSequences:
    """The examples as sequences. Weights are those of (feature, label) and (label, label) pairs."""
    ...


# ---- what kernels compare ---------------------------------------------------------------------------


@operation(OTHER_ROWS, compiled=False)
def with_rows(structure: Any, x: Features) -> Any:
    """A structure with parts for the same decisions, whose features are these rows, one a decision, in order.

    Features between decisions, such as transitions, stay, and have the last of the weights.
    """


@operation(FEATURE_ROWS, compiled=False)
def rows(structure: Any) -> Features:
    """The feature row of each decision, in order."""
    ...


class Decisions(NamedTuple):
    """``y``: int32 (n,), the gold label of each example, -1 if unseen."""

    y: np.ndarray
    num_labels: int


@operation(SINGLE_DECISIONS, compiled=False)
def decisions(structure: Any) -> Decisions:
    """The labels of examples, each of which is a single decision."""
    ...


class Strings(NamedTuple):
    """Characters, int32, those of string i at starts[i] .. starts[i + 1] - 1."""

    characters: np.ndarray
    starts: np.ndarray


@operation(STRINGS, compiled=False)
def strings(structure: Any) -> Strings:
    """The string of each decision, in order."""
    ...


class Trees(NamedTuple):
    """Inner nodes of trees, children before their parents. Those of tree i are at starts[i] .. starts[i + 1] - 1.

    ``productions``: int32; two nodes have the same number if their labels and those (or the words) of all children
    are equal. The children of node v, without words, are children[first[v]] .. children[first[v + 1] - 1], from
    left to right. They count from the first node of the tree.
    """

    productions: np.ndarray
    first: np.ndarray
    children: np.ndarray
    starts: np.ndarray


@operation(TREES, compiled=False)
def trees(structure: Any) -> Trees:
    """The tree of each decision, in order."""
    ...


@operation(FLOAT32, compiled=False)
def in_float32(structure: Any) -> Any:
    """The same examples, for visits in float32.

    It has the operations that visits call. The memory that they take as w, float64 (any,), is theirs alone to
    read: ``packed(w)`` makes it of weights (num_weights,), and ``unpacked(memory)`` makes weights of it.
    """


@operation(PARTS, compiled=False, default=True)
def with_threshold(structure: Any, threshold: float) -> Any:
    """The same examples, for visits that read soft(w), the weights shrunk towards 0 by this threshold.

    ``scores`` are those of soft(w). ``add_features_if_short`` changes w by c f, and returns the square of f. It
    bounds the growth: ||soft(w + c f)||^2 is at most ||soft(w)||^2 + 2 soft(w) . c f + c^2 ||f||^2.
    """
    return soft_view(structure, threshold)


class Classes(NamedTuple):
    """Feature rows with a label each, int32, -1 if unseen."""

    x: Features
    y: np.ndarray
    num_labels: int


def classes(structure: Any) -> Classes:
    """The examples, each of which is a single decision with a feature row."""
    return Classes(rows(structure), *decisions(structure))
