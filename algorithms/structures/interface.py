"""The operations on part vectors that structures implement, and the capability each belongs to.

An output y of example i is a vector of counts over the parts of that example. Counts are 0 or 1, except for tied
parts, which count how often they occur. So f(x_i, y) = sum_r y_r f(x_i, r) (eg2008, section 4). An algorithm that
uses the operations below runs on every structure that has them.

A score of minus infinity forbids its part, in every structure. An output with that part has probability 0 and is
never the best one. In s . y and s . mu, 0 times minus infinity is 0. If all outputs are forbidden, log Z and the
best score are minus infinity; marginals, clique marginals and the best y are all 0. Scores that are NaN or plus
infinity may leave NaN, or any output as the best one.

A structure is a ``NamedTuple`` of arrays that describes a whole data split, with an ``id``. Its field ``y`` is
int32, with a number below 0 where training never saw what a gold output consists of. It has the gold labels of all
decisions, unless these are in a field ``right``. Implementations of operations bear the names of the operations
(``compiled.implements``). A structure has the *capabilities* all of whose operations it implements. An algorithm
says which it needs. An operation with a body here is the default of every structure that does not bring its own.
"""

from typing import Any

import numpy as np

from structbench.algorithms.runtime.arrays import Floats, Ints, Labels, Matrix
from structbench.algorithms.structures.compiled import capabilities, has, implements, kind_of, operation
from structbench.algorithms.structures.handles import compiled, unwrap
from structbench.algorithms.structures.whole_splits import *  # the other operations, and the capabilities

__all__ = ["capabilities", "compiled", "has", "implements", "kind_of", "unwrap"]  # with the operations below


# ---- compiled: one example's vector of parts -------------------------------------------------------


@operation(EXAMPLES, counts=True)
def num_examples(structure) -> int:
    """Number of examples."""
    ...


@operation(PARTS, counts=True)
def num_parts(structure, i: int) -> int:
    """Length of the part vector of example i."""
    ...


@operation(EXAMPLES, counts=True)
def num_decisions(structure, i: int) -> int:
    """Number of single decisions in the output of example i (1 for a class, the tokens of a chain)."""
    ...


@operation(PARTS)
def scores(structure, i: int, w: Floats, out: Floats) -> None:
    """out[r] = w . f(x_i, r)."""


@operation(PARTS)
def add_costs(structure, i: int, c: float, out: Floats) -> None:
    """out[r] += c * e_{i,r}, the cost of part r, Hamming by default."""


@operation(MARGINALS)
def marginals(structure, i: int, s: Floats, mu: Floats) -> float:
    """mu_r = E_{p(s)}[y_r] under p_y(s) = exp(s . y) / Z; returns log Z.

    Minus infinity, and mu = 0, if all outputs are forbidden.
    """
    ...


@operation(ARGMAX)
def argmax(structure, i: int, s: Floats, y: Floats) -> float:
    """y = the parts of argmax_y s . y (ties: the smallest labels); returns the maximum.

    Minus infinity, and y = 0, if all outputs are forbidden.
    """
    ...


@operation(PARTS)
def gold(structure, i: int, y: Floats) -> None:
    """y = the parts of the gold output y_i."""


@operation(PARTS)
def add_features(structure, i: int, c: float, mu: Floats, w: Floats) -> None:
    """w += c * sum_r mu_r f(x_i, r)."""


@operation(PARTS)
def feature_support(structure, i: int, mu: Floats, out: Ints) -> int:
    """Write to ``out`` the indices of the weights that ``add_features`` changes; returns their number.

    Exactly those of parts with mu_r != 0 and of features other than 0. Indices may repeat. If there are more than
    ``out`` has room for, it holds the first of them.
    """
    ...


@operation(PARTS)
def squared_norm(structure, i: int, mu: Floats) -> float:
    """|| sum_r mu_r f(x_i, r) ||^2, without using w."""
    ...


@operation(PARTS)
def add_gram(structure, i: int, c: float, mu: Floats, out: Floats) -> None:
    """out[r] += c * f(x_i, r) . sum_q mu_q f(x_i, q): the scores' change as w moves by c sum_q mu_q f(x_i, q)."""


@operation(PARTS)
def labels(structure, i: int, y: Floats, out: Labels) -> None:
    """out[t] = the label at decision t of the output whose parts are y; 0 if y = 0."""


# ---- compiled: one example's distribution as clique marginals --------------------------------------
#
# A distribution over outputs that is not p(s) for any scores s, such as a mixture of two of them, is kept as
# the probabilities of the cliques of the structure's graph, whose entropy is known in closed form. They
# determine the part vector, not the other way round: tied parts are counted over many cliques. ``cliques`` derives
# from these operations the entropy, its slopes along a direction, and how much mass can move between two outputs.


@operation(CLIQUES, counts=True)
def num_cliques(structure, i: int) -> int:
    """Length of the vector of clique marginals of example i."""
    ...


@operation(CLIQUES)
def clique_marginals(structure, i: int, s: Floats, b: Floats) -> float:
    """b = the clique marginals of p(s); returns log Z. Minus infinity, and b = 0, if all outputs are forbidden."""
    ...


@operation(CLIQUES)
def cliques_of_output(structure, i: int, y: Floats, b: Floats) -> None:
    """b = the cliques of the output whose parts are y."""


@operation(CLIQUES)
def parts_of_cliques(structure, i: int, b: Floats, mu: Floats) -> None:
    """mu = E[y] of the distribution with clique marginals b."""


@operation(CLIQUES)
def separators(structure, i: int, b: Floats, out: Floats) -> tuple[int, int]:
    """out = the probabilities of separators; returns how many cliques have no entropy, and how many separators.

    Each separator's probability is a sum over cliques. The first cliques may have no entropy, where others say the
    same. H = that of the other cliques less that of the separators: of all distributions with clique marginals b,
    the one of most entropy has this H. ``out`` is as long as b.
    """
    ...


@operation(CLIQUES)
def argmin_in_support(structure, i: int, s: Floats, b: Floats, floor: float, y: Floats) -> float:
    """y = the parts of argmin s . y over the outputs all of whose cliques have b > floor; returns the minimum.

    Infinite if there is no such output; y is then all 0. Outputs that s forbids are the least of all: minus
    infinity.
    """
    ...


@operation(CLIQUES)
def log_conditionals(structure, i: int, b: Floats, s: Floats) -> None:
    """Scores s with p(s) = the distribution with clique marginals b, minus infinity where these are 0.

    If parts are tied, no such s may exist. Then the scores come from averages over the tied parts.
    """


# ---- compiled: several outputs of one example ------------------------------------------------------


@operation(K_BEST)
def k_best(structure, i: int, s: Floats, Y: Matrix, values: Floats) -> int:
    """Y[r] = the parts of the output with the r-th largest score s . y, values[r] that score; returns how many.

    Y is (k, num_parts), values (k,): at most k outputs, and only those whose score is above minus infinity. Unused
    rows of Y are 0, unused values minus infinity. Y[0] is the output of ``argmax``. Others that tie are in any
    fixed order.
    """
    ...


# ---- compiled: two operations in one ----------------------------------------------------------------


@operation(PARTS, default=True)
def add_features_if_short(structure, i: int, c: float, mu: Floats, along: float, limit: float, w: Floats) -> float:
    """w += c * sum_r mu_r f(x_i, r), unless the squared norm of that sum is above ``limit``; returns that square.

    It saves structures from going through the same features for ``squared_norm`` and again for ``add_features``.
    ``along``: w . sum_r mu_r f(x_i, r), for structures that add first and see by how much ||w||^2 grows. Their w
    may then differ by rounding even if they take the sum away again.
    """
    square = squared_norm(structure, i, mu)
    if not square > limit:
        add_features(structure, i, c, mu, w)
    return square


# ---- for speed alone ----------------------------------------------------------------------------------


@operation(PARTS, default=True)
def prefetch(structure, i: int) -> None:
    """Have the processor read the features of example i into its cache, because example i is visited soon.

    It changes nothing, and does nothing by default.
    """


# ---- compiled: distributions in less memory ----------------------------------------------------------


@operation(CLIQUES, compiled=False, default=True)
def num_packed(structure: Any, i: Any) -> Any:
    """How many numbers ``pack`` writes for example i, or for each of an array of examples."""
    return num_cliques(structure, i)


@operation(CLIQUES, default=True)
def pack(structure, i: int, b: Floats, memory: Floats) -> None:
    """Store the distribution with clique marginals b, rounded; b becomes what is stored, still a distribution."""
    for c in range(b.shape[0]):
        memory[c] = b[c]


@operation(CLIQUES, default=True)
def unpack(structure, i: int, memory: Floats, b: Floats) -> None:
    """b = the clique marginals of the distribution that ``pack`` stored."""
    for c in range(b.shape[0]):
        b[c] = memory[c]


# ---- derived ----------------------------------------------------------------------------------------


def gold_labels(structure: Any) -> np.ndarray:
    """The gold label at each decision, int32, example after example; -1 where training never saw it."""
    structure = unwrap(structure)
    return getattr(structure, "right", structure.y)


def offsets(structure: Any) -> np.ndarray:
    """Where each example's parts begin in one array of all parts; shape (num_examples + 1,)."""
    return starts(num_parts, structure)


def starts(count: Any, structure: Any) -> np.ndarray:
    """Where each example's parts begin in one array of all, or decisions, or cliques: what ``count`` counts."""
    n = num_examples(structure)
    found = np.zeros(n + 1, np.int64)
    found[1:] = count(structure, np.arange(n))
    return np.cumsum(found, out=found)
