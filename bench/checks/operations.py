"""Call all operations of a structure on one example in compiled code, for checks and tests to compare."""

from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import dot
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import prediction
from structbench.algorithms.structures.cliques import entropy, movable_mass, slopes_of_difference


class Answers(NamedTuple):
    """What the operations say of one example, for weights w and any two part vectors s and v."""

    log_z: float
    mu: np.ndarray
    right: np.ndarray  # gold labels
    scores: np.ndarray
    best: np.ndarray
    top: float
    best_labels: np.ndarray
    worst: np.ndarray  # loss-augmented argmax
    worst_top: float
    gold: np.ndarray
    moved: np.ndarray  # w + 0.5 * sum_r v_r f(x_i, r)
    norm: float  # || sum_r v_r f(x_i, r) ||^2
    augmented: np.ndarray  # v + 2 e_i
    gram: np.ndarray  # s + 2 (f(x_i, r) . sum_q v_q f(x_i, q))_r
    both: float  # norm, found with ``within``
    within: np.ndarray  # moved, as the norm is not above the limit
    beyond: np.ndarray  # w, as it is above the limit


def operations(split: Any, i: int, w: np.ndarray, s: np.ndarray, v: np.ndarray) -> Answers:
    """Of a structure without marginals, these and log_z are NaN."""
    pointers = parts.compiled(split)
    _, right, starts = prediction.label_room(pointers)
    right = right[starts[i] : starts[i + 1]]
    if not parts.has(split, parts.marginals):
        return Answers(np.nan, np.full(len(s), np.nan), right, *without_sums(pointers, i, w, s, v))
    log_z, mu, others = _operations(pointers, i, w, s, v)
    return Answers(log_z, mu, right, *others)


@kernel
def _operations(split, i, w, s, v):
    mu = np.empty(parts.num_parts(split, i))
    log_z = parts.marginals(split, i, s, mu)
    return log_z, mu, without_sums(split, i, w, s, v)


@kernel
def without_sums(split, i, w, s, v):
    """The answers of all operations except marginals, in the order of ``Answers``."""
    m, outputs = parts.num_parts(split, i), parts.num_decisions(split, i)
    scores, best = np.empty(m), np.empty(m)
    parts.prefetch(split, i)
    parts.scores(split, i, w, scores)
    top = parts.argmax(split, i, s, best)
    best_labels = np.empty(outputs, np.int32)
    parts.labels(split, i, best, best_labels)
    costly, worst = s.copy(), np.empty(m)
    parts.add_costs(split, i, 1.0, costly)
    worst_top = parts.argmax(split, i, costly, worst)
    gold = np.empty(m)
    parts.gold(split, i, gold)
    moved = w.copy()
    parts.add_features(split, i, 0.5, v, moved)
    augmented = v.copy()
    parts.add_costs(split, i, 2.0, augmented)
    norm = parts.squared_norm(split, i, v)
    gram = s.copy()
    parts.add_gram(split, i, 2.0, v, gram)
    within, beyond = w.copy(), w.copy()
    along = dot(scores, v)
    both = parts.add_features_if_short(split, i, 0.5, v, along, norm + 1.0, within)
    parts.add_features_if_short(split, i, 0.5, v, along, norm - 1.0, beyond)
    first = scores, best, top, best_labels, worst, worst_top, gold, moved, norm, augmented, gram
    return (*first, both, within, beyond)


class CliqueAnswers(NamedTuple):
    """What the operations say of two distributions p(s) and p(v) of one example, as clique marginals."""

    b: np.ndarray  # of p(s)
    log_z: float
    entropy: float
    mixed: np.ndarray  # share * b + (1 - share) * those of p(v)
    mu: np.ndarray  # parts of the mixture
    mixed_entropy: float
    slopes: tuple[float, float]  # of the entropy at the mixture, towards b
    back: np.ndarray  # clique marginals of p(log_conditionals(b))
    one: np.ndarray  # cliques of the output that is best for s
    least: np.ndarray  # argmin_in_support of v over the cliques of p(s) above the floor
    least_value: float
    smallest: float  # of b, over the cliques of the best output for s that the best for v has not
    stored: np.ndarray  # what pack stores of the mixture, as unpack reads it


def cliques(split: Any, i: int, s: np.ndarray, v: np.ndarray, share: float, floor: float) -> CliqueAnswers:
    """What a structure with cliques answers for the scores s and v of example i."""
    return CliqueAnswers(*_cliques(parts.compiled(split), i, s, v, share, floor))


@kernel
def _cliques(split, i, s, v, share, floor):
    m, c = parts.num_parts(split, i), parts.num_cliques(split, i)
    b, other = np.empty(c), np.empty(c)
    log_z = parts.clique_marginals(split, i, s, b)
    parts.clique_marginals(split, i, v, other)
    mixed, mu = share * b + (1 - share) * other, np.empty(m)
    parts.parts_of_cliques(split, i, mixed, mu)
    sums, changes = np.empty(c), np.empty(c)
    silent, count = parts.separators(split, i, mixed, sums)
    parts.separators(split, i, b - other, changes)
    slopes = slopes_of_difference(mixed[silent:], (b - other)[silent:], sums[:count], changes[:count])
    scores, back = np.empty(m), np.empty(c)
    parts.log_conditionals(split, i, b, scores)
    parts.clique_marginals(split, i, scores, back)
    y, z, one = np.empty(m), np.empty(m), np.empty(c)
    parts.argmax(split, i, s, y)
    parts.argmax(split, i, v, z)
    parts.cliques_of_output(split, i, y, one)
    smallest, _ = movable_mass(split, i, z, y, b, np.empty((2, c)))
    least = np.empty(m)
    least_value = parts.argmin_in_support(split, i, v, b, floor, least)
    b_entropy, mixed_entropy = entropy(split, i, b, sums), entropy(split, i, mixed, sums)
    memory, stored = np.empty(c), np.empty(c)
    parts.pack(split, i, mixed.copy(), memory)
    parts.unpack(split, i, memory, stored)
    return b, log_z, b_entropy, mixed, mu, mixed_entropy, slopes, back, one, least, least_value, smallest, stored


def k_best(split: Any, i: int, s: np.ndarray, k: int) -> tuple[int, np.ndarray, np.ndarray]:
    """How many outputs the operation finds, their parts and their scores."""
    Y, values = np.full((k, len(s)), np.nan), np.full(k, np.nan)
    return _k_best(parts.compiled(split), i, s, Y, values), Y, values


@kernel
def _k_best(split, i, s, Y, values):
    return parts.k_best(split, i, s, Y, values)
