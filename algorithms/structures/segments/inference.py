"""Inference on segments, over parts and over cliques."""

import numpy as np

from structbench.algorithms.runtime.vector_math import copy_to
from structbench.algorithms.structures.cliques import add_pairs, blocked
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.segments import cliques as segment_cliques
from structbench.algorithms.structures.segments import semi_markov
from structbench.algorithms.structures.segments.k_best import add_segmentation, best_segmentations
from structbench.algorithms.structures.segments.model import Segments
from structbench.algorithms.structures.segments.views import shape_of, split, split_cliques


@implements(Segments)
def marginals(c, i, s, mu):
    segments, transitions = split(c, i, s)
    mu_segments, mu_transitions = split(c, i, mu)
    no_pairs = np.empty((0, c.num_labels, c.num_labels))
    return semi_markov.marginals(segments, transitions, shape_of(c, i), mu_segments, mu_transitions, no_pairs)


@implements(Segments)
def argmax(c, i, s, y):
    segments, transitions = split(c, i, s)
    y_segments, y_transitions = split(c, i, y)
    no_edges = np.empty((0, c.num_labels, c.num_labels))
    return semi_markov.viterbi(segments, transitions, no_edges, shape_of(c, i), y_segments, y_transitions)


@implements(Segments)
def k_best(c, i, s, Y, values):
    segments, transitions = split(c, i, s)
    found, origin, tails, carried = best_segmentations(segments, transitions, shape_of(c, i), Y.shape[0], values)
    Y[:] = 0.0
    for r in range(found):
        add_segmentation(origin, tails, carried, r, Y[r])
    return found


@implements(Segments)
def num_cliques(c, i):
    K = c.num_labels
    return (c.row_starts[i + 1] - c.row_starts[i] + (c.starts[i + 1] - c.starts[i] - 1) * K) * K


@implements(Segments)
def clique_marginals(c, i, s, b):
    segments, transitions = split(c, i, s)
    b_segments, b_pairs = split_cliques(c, i, b)
    tied = np.empty_like(transitions)
    return semi_markov.marginals(segments, transitions, shape_of(c, i), b_segments, tied, b_pairs)


@implements(Segments)
def cliques_of_output(c, i, y, b):
    segments, _ = split(c, i, y)
    b_segments, b_pairs = split_cliques(c, i, b)
    copy_to(segments, b_segments)
    b_pairs[:] = 0.0
    found = segment_cliques.boundaries(segments, shape_of(c, i))
    for t in range(found.shape[0]):
        if found[t] >= 0:
            b_pairs[t, found[t] // c.num_labels, found[t] % c.num_labels] = 1.0


@implements(Segments)
def parts_of_cliques(c, i, b, mu):
    b_segments, b_pairs = split_cliques(c, i, b)
    segments, transitions = split(c, i, mu)
    copy_to(b_segments, segments)
    add_pairs(b_pairs, transitions)


@implements(Segments)
def separators(c, i, b, out):
    """The labels that end, and the labels that begin, at each inner boundary."""
    _, pairs = split_cliques(c, i, b)
    count = 2 * pairs.shape[0] * c.num_labels
    ends = out[:count].reshape((2, pairs.shape[0], c.num_labels))
    segment_cliques.sum_ends(pairs, ends[0], ends[1])
    return 0, count


@implements(Segments)
def argmin_in_support(c, i, s, b, floor, y):
    segments, transitions = split(c, i, s)
    b_segments, b_pairs = split_cliques(c, i, b)
    y_segments, y_transitions = split(c, i, y)
    within, pairs = blocked(segments, transitions, b_pairs[:0], b_segments, b_pairs, floor)
    none = np.zeros_like(transitions)
    value = -semi_markov.viterbi(within, none, pairs, shape_of(c, i), y_segments, y_transitions)
    if value == np.inf:
        y[:] = 0.0
    return value


@implements(Segments)
def log_conditionals(c, i, b, s):
    b_segments, b_pairs = split_cliques(c, i, b)
    segments, transitions = split(c, i, s)
    segment_cliques.log_conditionals(b_segments, b_pairs, segments, transitions, shape_of(c, i))
