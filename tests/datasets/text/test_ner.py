"""Named entities: tags of either convention, what a word gives, features of nodes and edges; skip chains."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.clique_tree.layout import SEPARATOR
from structbench.datasets import data_ref
from structbench.datasets.problems import new_examples
from structbench.datasets.text import ner, skip_chains
from structbench.datasets.text.skip_chains import NEIGHBOURS, SKIPS, links
from tests.datasets.matrices import array_of
from tests.datasets.text.named_attributes import attributes

NAMES = ("w", "tag")
TEXT = "Mr. O\nBlair B-PER\nmet O\nU.N.-led B-MISC\n1,000 O\n\nRome B-LOC\n\n"


def problem(train=TEXT, test=TEXT):
    return ner.ner_problem(ner.read(train, NAMES, "train"), ner.read(test, NAMES, "test"))


# ---- tags ------------------------------------------------------------------------------------------


def iob1(tags, lengths):
    """IOB2 to IOB1: B- only behind a chunk of the same type."""
    starts = {0, *np.cumsum(lengths).tolist()}
    kinds = [tag[2:] for tag in tags]
    return [
        f"I-{kind}" if tag[0] == "B" and (t in starts or kinds[t - 1] != kind) else tag
        for t, (tag, kind) in enumerate(zip(tags, kinds, strict=True))
    ]


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(st.lists(st.sampled_from(ner.LABELS), min_size=1, max_size=8), min_size=1, max_size=4))
def test_both_conventions_give_the_same_chunks(sentences):
    """I- begins a chunk where no chunk of its type is before it in the sentence."""
    lengths = np.array([len(sentence) for sentence in sentences])
    pairs = [pair for sentence in sentences for pair in pairwise(["O", *sentence])]
    tags = ner.iob2([tag for _, tag in pairs], lengths)
    assert tags == [f"B{tag[1:]}" if tag[0] == "I" and tag[1:] != before[1:] else tag for before, tag in pairs]
    assert ner.iob2(tags, lengths) == tags
    assert ner.iob2(iob1(tags, lengths), lengths) == tags


# ---- words -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "capitalisation", "shape", "digits"),
    [
        ("Blair", "initial", "Xx", None),
        ("A", "initial", "X", None),
        ("BBC", "upper", "X", None),
        ("McDonald", "mixed", "XxXx", None),
        ("iPod", "mixed", "xXx", None),
        ("met", "lower", "x", None),
        ("U.N.", "upper", "X.X.", None),
        ("Boeing-747", "initial", "Xx-0", "some"),
        ("1,000.5", None, "0,0.0", "all"),
        ("2:1", None, "0:0", "all"),
        ("...", None, ".", None),
        ("Ángel", "initial", "Xx", None),
        ("ÁNGEL", "upper", "X", None),
        ("año", "lower", "x", None),
        ("16º", None, "0x", "some"),
        ("中国", None, "x", None),
    ],
)
def test_what_a_word_looks_like(word, capitalisation, shape, digits):
    assert ner.capitalisation(word) == capitalisation
    assert ner.shape(word) == shape
    assert ner.digits(word) == digits


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("Roma", ("ro", "rom", "ma", "oma", None)),
        ("del", ("de", None, "el", None, None)),
        ("de", (None, None, None, None, None)),
        ("hispano-luso", ("hi", "his", "so", "uso", "inside")),
        ("-", (None, None, None, None, None)),
        ("-con", ("-c", "-co", "on", "con", None)),
    ],
)
def test_affixes_and_hyphens(word, expected):
    names = ("prefix2", "prefix3", "suffix2", "suffix3", "hyphen")
    assert tuple(ner.MORPHOLOGY[name](word) for name in names) == expected


# ---- features --------------------------------------------------------------------------------------


def test_the_attributes_of_a_token_by_hand():
    sentences = ner.read("El O\nBBC-4 B-ORG\n2 O\n", NAMES, "x")
    made = attributes(ner.with_morphology(sentences), ner.NODES)
    assert set(next(made)[1]) == {
        *("w[-1]=El", "capitalisation[-1]=initial", "shape[-1]=Xx"),
        *("w[0]=BBC-4", "capitalisation[0]=upper", "shape[0]=X-0", "digits[0]=some", "hyphen[0]=inside"),
        *("prefix2[0]=bb", "prefix3[0]=bbc", "suffix2[0]=-4", "suffix3[0]=c-4"),
        *("w[1]=2", "shape[1]=0", "digits[1]=all"),
    }


def test_the_edges_of_a_token_by_hand():
    sentences = ner.read("El O\nBBC B-ORG\n2 O\n", NAMES, "x")
    made = attributes(ner.with_morphology(sentences), ner.EDGES)
    assert set(next(made)[1]) == {
        *("w[-1]=El", "capitalisation[-1]=initial", "shape[-1]=Xx", "w[1]=2"),
        *("w[0]=BBC", "capitalisation[0]=upper", "shape[0]=X", "prefix2[0]=bb", "suffix2[0]=bc"),
    }


def test_problem():
    made, alone = problem(), ner.ner_problem(ner.read(TEXT, NAMES, "train"), None)
    assert made.labels == ner.LABELS
    assert made.train.starts.tolist() == [0, 5, 6]
    assert [made.labels[y] for y in made.train.y] == ["O", "B-PER", "O", "B-MISC", "O", "B-LOC"]
    nodes, pairs = made.train.num_node_features, made.train.num_edge_features
    assert parts.num_weights(made.train) == 9 * nodes + 81 + 81 * pairs
    assert (made.test.num_node_features, made.test.num_edge_features) == (nodes, pairs)
    edges = array_of(made.train.edges)
    assert edges.shape == (6, pairs)
    assert not edges[[0, 5]].any(), "the first tokens of both sentences"
    # attributes of the words themselves: Mr. 5, Blair 7, met 5, U.N.-led 8, 1,000 7; and the words around
    assert edges.sum(axis=1).tolist() == [0, 5 + 7 + 1, 7 + 5 + 2, 5 + 8 + 2, 8 + 7 + 1, 0]
    assert alone.test is None
    np.testing.assert_array_equal(array_of(alone.train.x), array_of(made.train.x))
    new = problem(test="Xq O\nqx B-ORG\n").test  # words that training never saw have no columns
    assert features.shape(new.x) == (2, nodes)
    assert features.as_matrix(new.x).sum(axis=1).tolist() == [5, 5], "both words' looks, and first or last"


# ---- files -----------------------------------------------------------------------------------------


def test_article_marks_are_no_tokens():
    marked = "-DOCSTART- -X-\n\n" + TEXT.replace("Rome", "-DOCSTART- O\nRome") + "-DOCSTART- -X- -X- O\n"
    read, plain = ner.read(marked, NAMES, "x"), ner.read(TEXT, NAMES, "x")
    assert read.columns == plain.columns
    assert read.lengths.tolist() == [5, 1]
    assert read.lines == [3, 4, 5, 6, 7, 10]
    assert ner.read(marked, NAMES, "x", 1).lengths.tolist() == [5]


@pytest.mark.parametrize("end", ["", "-DOCSTART- -X- O\n\n-DOCSTART- O\n\n"])
def test_article_marks_of_new_text_stay_where_they_are(end):
    text = "-DOCSTART-\tO\r\n\r\nEl\tO\n\n-DOCSTART-\n\nRome\tO\n\n" + end
    made = ner.encode(text.encode(), "new", ner.LABELS, problem().vocabulary or {}, names=NAMES)
    whole = [f"{before}O{after}\n\n" for before, after in zip(made.before, made.after, strict=True)]
    assert "".join(whole) == text.replace("\r", "")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("-DOCSTART- O\n\n", r"file has no sentences: expected lines of 2 columns \(w tag\)"),
        ("a E-PER\n", "PER, ORG, LOC, MISC, found 'E-PER'"),
        pytest.param("a O\n" * 100_001, "100,001 tokens: expected at most 100,000; an empty line ends", id="long"),
    ],
)
def test_malformed(text, message):
    with pytest.raises(UserError, match=message):
        ner.read(text, NAMES, "file")


# ---- skip chains ------------------------------------------------------------------------------------


MENTIONS = """Green NP B-PER
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


@pytest.mark.parametrize(
    "data",
    [
        *("conll2002", "conll2002-skip", "conll2003:x"),
        *("toy-english:task=entities", "toy-english:task=skip-chains"),
    ],
)
def test_article_marks_are_no_examples_of_python(data):
    """Answers would not line up with the examples."""
    for examples in ([["EU"], ["-DOCSTART-"], ["Rome"]], [["EU", ("-DOCSTART--X-", "NN"), "in"]]):
        with pytest.raises(UserError, match=r"^'-DOCSTART-.*' begins an article, and is no token: leave such"):
            new_examples.written(data_ref(data), examples)
    assert new_examples.written(data_ref(data), [["x-DOCSTART-"], [("EU", "-DOCSTART-")]])
    assert new_examples.written(data_ref("columns:x"), [["-DOCSTART-"]]) == b"-DOCSTART-\n"


def mentions():
    return ner.read(MENTIONS, ("w", "pos", "tag"), "x")


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
    one = skip_chains.problem(mentions(), mentions())
    split = one.train
    assert split.edge_starts.tolist() == [0, 8, 12]
    edges = {tuple(map(int, pair)): int(kind) for pair, kind in zip(split.ends[:8], split.kinds[:8], strict=True)}
    assert edges == {(t, t + 1): NEIGHBOURS for t in range(6)} | {(0, 3): SKIPS, (3, 5): SKIPS}
    assert [one.labels[k] for k in split.y[:7]] == ["B-PER", "O", "B-PER", "I-PER", "O", "B-PER", "O"]
    assert split.num_kinds == 2


def test_neighbours_have_no_features_but_their_transitions():
    split = skip_chains.problem(mentions(), None).train
    rows = array_of(split.edges)
    assert not rows[split.kinds == NEIGHBOURS].any()
    by_pair = {tuple(map(int, pair)): row for pair, row in zip(split.ends[:8], rows[:8], strict=True)}
    # shape, suffix and what stands before and after; the first link begins the sentence
    assert by_pair[0, 3].sum() == 5 and by_pair[3, 5].sum() == 4
    assert by_pair[0, 3] @ by_pair[3, 5] == 2  # the shape and the suffix of Green
    assert skip_chains.problem(mentions(), None).test is None


@pytest.mark.parametrize("width", [1, 3])
def test_no_sentence_is_wider_than_it_may_be(width):
    split = skip_chains.problem(mentions(), None, max_width=width).train
    assert np.diff(split.cliques.nodes[:, SEPARATOR]).max() <= width
    assert (split.kinds == SKIPS).any() == (width > 1)
