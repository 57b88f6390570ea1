"""Factorial chains: the ladder of a sentence, features of each chain, classes of tags, width, predictions."""

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.bench.runs import driver, spec
from structbench.datasets.text import chunking
from structbench.datasets.text import factorial_chains as chains
from structbench.datasets.text.factorial_chains import (
    ACROSS,
    OF_CHUNKS,
    OF_TAGS,
    coarse,
    factorial_problem,
    ladder,
)

TRAIN = "The DT B-NP\nMid-1990s NN I-NP\n. . O\n\nThey PRP B-NP\nrun VBP B-VP\n"
TEST = "It PRP B-NP\nruns VBZ B-VP\nbig JJ B-ADJP\n. . O\n"


def read(text):
    return chunking.read(text, "given")


def made(tagset="full", **options):
    return factorial_problem(read(TRAIN), read(TEST), tagset=tagset, **options)


def test_a_part_of_speech_and_a_chunk_tag_in_turn():
    one = made()
    assert (one.tags, one.labels) == ((".", "DT", "NN", "PRP", "VBP"), ("B-NP", "B-VP", "I-NP", "O"))
    assert one.train.y.reshape(-1, 2).tolist() == [[1, 0], [2, 2], [0, 3], [3, 0], [4, 1]]
    assert one.test.y.reshape(-1, 2).tolist() == [[3, 0], [-1, 1], [-1, -1], [0, 3]]
    assert one.train.counts.tolist() == [5, 4] * 5 and one.train.num_labels == 5
    assert one.train.starts.tolist() == [0, 6, 10]


def test_the_ladder_of_a_sentence():
    ends, kinds = ladder(3)
    found = {tuple(pair): kind for pair, kind in zip(ends.tolist(), kinds.tolist(), strict=True)}
    along = {(0, 2): OF_TAGS, (2, 4): OF_TAGS, (1, 3): OF_CHUNKS, (3, 5): OF_CHUNKS}
    assert found == along | {(0, 1): ACROSS, (2, 3): ACROSS, (4, 5): ACROSS}
    assert [len(part) for part in ladder(1)] == [1, 1]
    assert made().train.num_kinds == 3


def test_each_chain_has_weights_of_its_own():
    x = ft.as_matrix(made().train.x).toarray()
    half = x.shape[1] // 2
    assert not x[::2, half:].any() and not x[1::2, :half].any()
    np.testing.assert_array_equal(x[::2, :half], x[1::2, half:])
    assert x.any(axis=1).all()
    dense = np.array([[1.0, 0, 1], [0, 0, 0], [0, 1, 0]])
    rows = ft.as_matrix(chains.apart(ft.sparse(dense))).toarray()
    np.testing.assert_array_equal(rows[4:], [[0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0]])
    np.testing.assert_array_equal(rows[:2], [[1, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 1]])


def test_classes_of_tags():
    tags = ["DT", "NNPS", "VBZ", "MD", "WRB", "PRP$", "WP$", "EX", "TO", "-LRB-", "$", "CD", "JJR"]
    text = "".join(f"x {tag} O\n" for tag in tags)
    wanted = ["DET", "NOUN", "VERB", "VERB", "ADV", "PRON", "PRON", "DET", "PRT", ".", ".", "NUM", "ADJ"]
    assert coarse(read(text)).columns["pos"] == wanted
    assert made("universal").tags == (".", "DET", "NOUN", "PRON", "VERB")


def test_a_width_over_the_limit_is_refused_with_the_number():
    with pytest.raises(UserError, match="graph 0, of 6 nodes, has width 2: expected at most 1"):
        made(max_width=1)


def test_without_edges_between_the_chains_they_would_be_two_chains():
    """log Z under weights of which those across are 0 is that of both chains, by brute force."""
    split = made().train
    rng = np.random.default_rng(0)
    w = rng.normal(size=parts.num_weights(split))
    first = split.num_node_features * split.num_labels
    w[first:].reshape(3, 5, 5)[ACROSS] = 0
    scores = np.empty(parts.num_parts(split, 0))
    parts.scores(parts.compiled(split), 0, w, scores)
    nodes, transitions = scores[:30].reshape(6, 5), scores[30:].reshape(3, 5, 5)
    total = 0.0
    for layer, labels in ((0, 5), (1, 4)):
        alpha = nodes[layer, :labels]
        for t in (1, 2):
            along = alpha[:, None] + transitions[layer, :labels, :labels]
            alpha = np.logaddexp.reduce(along, axis=0) + nodes[2 * t + layer, :labels]
        total += np.logaddexp.reduce(alpha)
    assert parts.marginals(parts.compiled(split), 0, scores, np.empty_like(scores)) == pytest.approx(total)


def test_both_are_learned_and_scored_as_joint_problems_are():
    data = "toy-english:sentences=15,test_sentences=8,task=factorial,tagset=universal"
    result = driver.run(spec.make(data, "log", 1.0, "sgd", passes=3), datasets.build(data))
    first, last = result.rows[0], result.rows[-1]
    assert all(last[name] < first[name] for name in ("test_tag_error", "test_chunk_error"))
    assert last["test_error"] >= max(last["test_tag_error"], last["test_chunk_error"])
    assert last["test_f1"] > first["test_f1"] >= 0
