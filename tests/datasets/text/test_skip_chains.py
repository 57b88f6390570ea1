"""Skip chains: which mentions are joined, the graph that results, and features of links."""

import numpy as np
import pytest

from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures.clique_tree.layout import SEPARATOR
from structbench.datasets.text import ner, skip_chains
from structbench.datasets.text.skip_chains import NEIGHBOURS, SKIPS, links

TEXT = """Green NP B-PER
met V O
Robert NP B-PER
Green NP I-PER
and C O
Green NP B-PER
. Fp O

Madrid NP B-LOC
Madrid NP I-LOC
a SP O
Madrid NP B-LOC
"""


def read(text=TEXT):
    return ner.read(text, ("w", "pos", "tag"), "x")


def test_each_mention_is_joined_with_the_next_one():
    assert links(["Green", "met", "Robert", "Green", "and", "Green", "."], 3) == [(0, 3), (3, 5)]
    assert links(["the", "the", "The", "X", "X"], 3) == []  # not capitalised, one letter, once only
    assert links(["Madrid", "Madrid", "a", "Madrid"], 3) == [(1, 3)]  # neighbours are joined as they are


def test_links_that_make_it_too_wide_are_left_out():
    words = [word for k in range(4) for word in ["Aa", "Bb", "Cc", "Dd"]]
    assert len(links(words, 10)) == 12
    few = links(words, 2)
    assert 0 < len(few) < 12 and set(few) <= set(links(words, 10))
    assert links(words, 1) == []


def test_the_graph_of_a_sentence():
    one = skip_chains.problem(read(), read())
    split = one.train
    assert split.edge_starts.tolist() == [0, 8, 12]
    edges = {tuple(map(int, pair)): int(kind) for pair, kind in zip(split.ends[:8], split.kinds[:8], strict=True)}
    assert edges == {(t, t + 1): NEIGHBOURS for t in range(6)} | {(0, 3): SKIPS, (3, 5): SKIPS}
    assert [one.labels[k] for k in split.y[:7]] == ["B-PER", "O", "B-PER", "I-PER", "O", "B-PER", "O"]
    assert split.num_kinds == 2


def test_neighbours_have_no_features_but_their_transitions():
    split = skip_chains.problem(read(), None).train
    rows = ft.as_matrix(split.edges).toarray()
    assert not rows[split.kinds == NEIGHBOURS].any()
    by_pair = {tuple(map(int, pair)): row for pair, row in zip(split.ends[:8], rows[:8], strict=True)}
    # shape, suffix and what stands before and after; the first link begins the sentence
    assert by_pair[0, 3].sum() == 5 and by_pair[3, 5].sum() == 4
    assert by_pair[0, 3] @ by_pair[3, 5] == 2  # the shape and the suffix of Green
    assert skip_chains.problem(read(), None).test is None


@pytest.mark.parametrize("width", [1, 3])
def test_no_sentence_is_wider_than_it_may_be(width):
    split = skip_chains.problem(read(), None, max_width=width).train
    assert np.diff(split.cliques.nodes[:, SEPARATOR]).max() <= width
    assert (split.kinds == SKIPS).any() == (width > 1)
