"""The operations on part vectors that every exact structure implements.

An output y of example i is a vector of counts over the parts of that example (0/1, but for tied
parts, which count how often they occur), so that f(x_i, y) = sum_r y_r f(x_i, r) (eg2008, section 4).
An algorithm that is written against the operations below runs on every structure.

A structure is a ``NamedTuple`` of arrays that describes a whole data split; an operation finds its
implementation by the type of its first argument, in Python and, at compile time, in numba kernels.
"""

import os
from collections.abc import Callable
from functools import singledispatch

import numpy as np
from numba import types
from numba.extending import overload


class Operation:
    """A function dispatched on the type of its first argument; ``implement`` adds a type."""

    def __init__(self, signature: Callable) -> None:
        implementations: dict[type, Callable] = {}

        def call(first, *rest):
            return implementations[type(first)](first, *rest)

        def resolve(first, *rest):
            if isinstance(first, types.BaseNamedTuple):
                return implementations.get(first.instance_class)
            return None

        call.__name__ = call.__qualname__ = signature.__name__
        call.__doc__ = signature.__doc__
        if not os.environ.get("NUMBA_DISABLE_JIT", "0").strip("0"):
            overload(call, strict=False, jit_options={"error_model": "numpy"})(resolve)
        self.call = call
        self.implementations = implementations


_operations: dict[Callable, Operation] = {}


def operation(signature: Callable) -> Callable:
    """Turn a documented, empty function into an operation."""
    made = Operation(signature)
    _operations[made.call] = made
    return made.call


def implements(call: Callable, cls: type) -> Callable:
    """Decorate the implementation of an operation for the structure (or features) ``cls``."""

    def register(implementation: Callable) -> Callable:
        # In cached kernels numba tells apart what has the same types by name and a number that each process counts
        # anew: if all were named _, a process could link an operation to the machine code of another one.
        implementation.__name__ = implementation.__qualname__ = call.__name__
        _operations[call].implementations[cls] = implementation
        return implementation

    return register


def has(structure, call: Callable) -> bool:
    """Whether an operation is implemented for the structure."""
    return type(structure) in _operations[call].implementations


# ---- compiled: one example's vector of parts -------------------------------------------------------


@operation
def num_examples(structure) -> int:
    """Number of examples."""


@operation
def num_parts(structure, i) -> int:
    """Length of the part vector of example i."""


@operation
def num_outputs(structure, i) -> int:
    """Number of single decisions in the output of example i (1 for a class, the tokens of a chain)."""


@operation
def scores(structure, i, w, out) -> None:
    """out[r] = w . f(x_i, r)."""


@operation
def add_losses(structure, i, c, out) -> None:
    """out[r] += c * e_{i,r}, the Hamming loss of part r."""


@operation
def marginals(structure, i, s, mu) -> float:
    """mu_r = E_{p(s)}[y_r] under p_y(s) = exp(s . y) / Z; returns log Z."""


@operation
def argmax(structure, i, s, y) -> float:
    """y = the parts of argmax_y s . y (ties: the smallest labels); returns the maximum."""


@operation
def gold(structure, i, y) -> None:
    """y = the parts of the right output y_i."""


@operation
def add_features(structure, i, c, mu, w) -> None:
    """w += c * sum_r mu_r f(x_i, r)."""


@operation
def touched(structure, i, mu, out) -> int:
    """The weights that ``add_features`` of mu may change, in ``out``, some of them maybe twice; returns how many.

    If there are more than ``out`` has room for, it holds only the first of them.
    """


@operation
def squared_norm(structure, i, mu) -> float:
    """|| sum_r mu_r f(x_i, r) ||^2, without touching w."""


@operation
def add_gram(structure, i, c, mu, out) -> None:
    """out[r] += c * f(x_i, r) . sum_q mu_q f(x_i, q): how scores change as w moves by c sum_q mu_q f(x_i, q)."""


@operation
def labels(structure, i, y, out) -> None:
    """out[t] = the label at decision t of the output whose parts are y."""


@operation
def gold_labels(structure, i, out) -> None:
    """out[t] = the right label at decision t, -1 where training never saw it."""


# ---- compiled: one example's distribution as clique marginals --------------------------------------
#
# A distribution over outputs that is not p(s) for any scores s, such as a mixture of two of them, is kept as
# the probabilities of the cliques of the structure's graph, whose entropy is known in closed form. They
# determine the part vector, not the other way round: tied parts are counted over many cliques.


@operation
def num_cliques(structure, i) -> int:
    """Length of the vector of clique marginals of example i."""


@operation
def clique_marginals(structure, i, s, b) -> float:
    """b = the clique marginals of p(s); returns log Z."""


@operation
def cliques_of_output(structure, i, y, b) -> None:
    """b = the cliques of the one output whose parts are y."""


@operation
def parts_of_cliques(structure, i, b, mu) -> None:
    """mu = E[y] of the distribution with clique marginals b."""


@operation
def entropy(structure, i, b) -> float:
    """H of the distribution with clique marginals b; of all that have them, the one with most entropy."""


@operation
def entropy_slopes(structure, i, b, d) -> tuple[float, float]:
    """First and second derivative of ``entropy`` at b along d, a difference of two clique marginals.

    Infinite where a probability of 0 would grow.
    """


@operation
def support_argmin(structure, i, s, b, floor, y) -> float:
    """y = the parts of argmin s . y over the outputs all of whose cliques have b > floor; returns the minimum.

    Infinite if there is no such output; y is then all 0.
    """


@operation
def smallest_clique(structure, i, b, y, other) -> float:
    """The least b over the cliques of output y that output ``other`` does not have (both given by parts)."""


@operation
def log_conditionals(structure, i, b, s) -> None:
    """Scores s with p(s) = the distribution with clique marginals b, all of them above 0.

    Where parts are tied there may be none: then the scores that come from averages over what is tied.
    """


# ---- Python: a whole split -------------------------------------------------------------------------


@singledispatch
def num_weights(structure) -> int:
    """Length of the weight vector."""
    raise TypeError(f"{type(structure).__name__} is not a structure")


@singledispatch
def add_expected_features(structure, offsets: np.ndarray, mu: np.ndarray, out: np.ndarray) -> None:
    """out += sum_i sum_r mu_{i,r} f(x_i, r); bit-identical for any number of threads.

    ``mu`` holds the part vectors of all examples, that of example i at offsets[i]:offsets[i + 1].
    """
    raise TypeError(f"{type(structure).__name__} is not a structure")


@singledispatch
def take(structure, examples: np.ndarray):
    """The structure that holds just these examples, in this order, with the same weights."""
    raise TypeError(f"{type(structure).__name__} is not a structure")


@singledispatch
def block(structure, first: int, last: int):
    """The structure that holds the examples first .. last - 1, on the same memory, for the operations above."""
    raise TypeError(f"{type(structure).__name__} is not a structure")


def offsets(structure) -> np.ndarray:
    """Where each example's parts begin in one array of all parts; shape (num_examples + 1,)."""
    return part_offsets(structure)


@singledispatch
def part_offsets(structure) -> np.ndarray:
    """See ``offsets``."""
    raise TypeError(f"{type(structure).__name__} is not a structure")
