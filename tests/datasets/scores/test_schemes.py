"""Schemes of tags: which are detected, and the chunks of conlleval and of the strict mode, counted slowly."""

import math
from collections.abc import Collection

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structbench.datasets.problems.labels import coded
from structbench.datasets.problems.problem import Judged, Problem
from structbench.datasets.scores import attributes, chunks, factorial, joint
from structbench.datasets.scores.labels import schemes, table

Found = set[tuple[int, int, str]]


def known(labels: Collection[str]) -> schemes.Scheme:
    found = schemes.scheme_of(labels)
    assert found
    return found


def loosely(tags: list[str]) -> Found:
    """The chunks of one sentence as conlleval finds them: does one end, does one begin, at each token?"""
    found, start, before, kind_before = set(), None, "O", ""
    for t, tag in enumerate([*tags, "O"]):
        place, _, kind = tag.partition("-")
        ends = before in "ES" or (before in "BI" and place in "BSO") or (before != "O" and kind != kind_before)
        begins = place in "BS" or (before in "OES" and place in "IE") or (place != "O" and kind != kind_before)
        if ends and start is not None:
            found.add((start, t - 1, kind_before))
            start = None
        start = t if begins else start
        before, kind_before = place, kind
    return found


def strictly(tags: list[str], end: str = "E", single: str = "S", inside: str = "I") -> Found:
    """The chunks of one sentence in the strict mode: S alone, or B, some I and E, all of one type."""
    found = set()
    for t, tag in enumerate(tags):
        place, _, kind = tag.partition("-")
        last = t
        while place == "B" and last + 1 < len(tags) and tags[last + 1] == f"{inside}-{kind}":
            last += 1
        if place == "B" and last + 1 < len(tags) and tags[last + 1] == f"{end}-{kind}":
            found.add((t, last + 1, kind))
        if place == single:
            found.add((t, t, kind))
    return found


def judged(predicted: list[list[str]], gold: list[list[str]], labels: tuple[str, ...]) -> Judged:
    """Tags of sentences, of which training saw these labels."""
    flat = [[tag for tags in sentences for tag in tags] for sentences in (predicted, gold)]
    right, unseen = coded(flat[1], labels)
    problem = Problem(None, None, labels, unseen=unseen)
    return Judged(problem, "test", coded(flat[0], labels)[0], right, np.cumsum([0, *map(len, gold)]), [])


IOB = ("O", "B-X", "I-X", "B-Y")
BIOES = ("O", "B-X", "I-X", "E-X", "S-X", "B-Y")
CASES = {  # what training saw, what only the test split has, and who counts
    "IOB": (IOB, ("I-Y", "I-Z", "B-Z", "E-X", "S-Z"), loosely),
    "IOB1 without B": (("O", "I-X", "I-Y"), ("B-X", "I-Z"), loosely),
    "IOE": (("O", "I-X", "E-X"), ("I-Y", "E-Y"), loosely),
    "BIOES": (BIOES, ("E-Y", "S-Y", "I-Y"), strictly),
    "BILOU": (("O", "B-X", "I-X", "L-X", "U-X"), ("B-Y", "L-Y", "U-Y"), lambda tags: strictly(tags, "L", "U")),
    "BMES": (("O", "B-X", "M-X", "E-X", "S-X"), ("M-Y", "E-Y"), lambda tags: strictly(tags, inside="M")),
}


@pytest.mark.parametrize("case", CASES)
@settings(max_examples=150, deadline=None, derandomize=True)
@given(data=st.data())
def test_chunks_are_those_of_conlleval_or_of_the_strict_mode(case, data):
    """Whether training saw a gold tag or not."""
    labels, others, slowly = CASES[case]
    tag, any_tag = st.sampled_from(labels), st.sampled_from(labels + others)
    drawn = data.draw(
        st.lists(st.lists(st.tuples(tag, st.none() | any_tag), min_size=1, max_size=7), max_size=3, min_size=1)
    )
    predicted = [[p for p, _ in sentence] for sentence in drawn]
    gold = [[p if r is None else r for p, r in sentence] for sentence in drawn]
    given_tags = judged(predicted, gold, labels)
    found = chunks.scores(given_tags)
    assert given_tags.counts
    pairs = [(slowly(p), slowly(g)) for p, g in zip(predicted, gold, strict=True)]
    counts = [[len(p & g), len(p), len(g)] for p, g in pairs]
    assert given_tags.counts[0].tolist() == counts
    both, ours, theirs = np.sum(counts, axis=0).tolist()
    assert found.f1 == pytest.approx(2 * both / (ours + theirs) if ours + theirs else math.nan, nan_ok=True)
    rows = chunks.by_label(given_tags).rows
    for kind in "XYZ":
        slow = [sum(each[2] == kind for found in column for each in found) for column in zip(*pairs, strict=True)]
        right = sum(each[2] == kind for p, g in pairs for each in p & g)
        assert [right, *slow] == ([*rows[kind][5:], *rows[kind][3:5]] if kind in rows else [0, 0, 0])


@pytest.mark.parametrize(
    ("predicted", "gold", "counts"),
    [
        (["B-PP", "O", "O"], ["B-PP", "I-PP", "O"], [0, 1, 1]),  # a wrong chunk counted as right
        (["O", "O", "O"], ["B-LST", "I-LST", "O"], [0, 0, 1]),
        (["B-PP", "B-NP", "O"], ["I-PP", "B-NP", "O"], [2, 2, 2]),
    ],
)
def test_gold_tags_that_training_never_saw_count_as_written(predicted, gold, counts):
    given_tags = judged([predicted], [gold], ("O", "B-PP", "B-NP", "I-NP"))
    assert chunks.counted(given_tags, known(IOB)).of_sentences.tolist() == [counts]


@pytest.mark.parametrize(
    ("labels", "name"),
    [
        (IOB, "IOB"), (("I-X", "O"), "IOB"), (("B-X", "O"), "IOB"), (("O", "B", "I"), "IOB"), (("B", "I"), "IOB"),
        (("O", "X-B", "X-I"), "IOB"), (("O", "B_X", "I_X"), "IOB"), (("O", "B-x-y", "I-x-y"), "IOB"),
        (("O", "I-X", "E-X"), "IOE"), (BIOES, "BIOES"), (("S-X", "O"), "BIOES"), (("O", "X-S"), "BIOES"),
        (("O", *"BIES"), "BIOES"), (("O", "U_X", "B_X", "L_X"), "BILOU"), (("U-X", "O"), "BILOU"),
        ((*"BMES",), "BMES"), ((*"BES",), "BIOES"), (("O", "B-X", "M-X", "E-X"), "BMES"), ((*"BIMES",), None),
        (("NN", "VB"), None), (("O",), "IOB"), ((), None), (("B-X", "O", "N"), None), (("B-X", "I_X", "O"), None),
        (("O", "B-X", "E-X", "L-X"), None), ((0, 1), None), (("S", "O"), None), (("A", "B"), None),
    ],
)  # fmt: skip
def test_schemes_are_detected_by_labels_alone(labels, name):
    found = schemes.scheme_of(labels)
    assert (found.name if found else None) == name


@pytest.mark.parametrize(
    ("tags", "name"),
    [
        ("B-X I-X O B-X", "IOB2"), ("I-X I-X O I-Y", "IOB1"), ("I-X B-X I-X O", "IOB1"), ("B-X O I-X", "IOB"),
        ("B-X B-Y", "IOB2"), ("I-X B-Y", "IOB"), ("B-X B-X I-Y", "IOB"), ("I-X E-X", "IOE"), ("B-X E-X", "BIOES"),
    ],
)  # fmt: skip
def test_iob1_and_iob2_are_told_apart_by_their_chunks(tags, name):
    names = tags.split()
    assert schemes.variant(known(names), names, np.arange(len(names)), np.array([0, len(names)])) == name


def test_a_tag_follows_none_of_the_sentence_before():
    names, tags = ["I-X", "B-X"], np.arange(2)
    assert schemes.variant(known(names), names, tags, np.array([0, 1, 2])) == "IOB"
    assert schemes.variant(known(names), names, tags, np.array([0, 2])) == "IOB1"


def test_labels_without_a_scheme_are_named():
    assert "'NN' is no tag" in schemes.why_none(["O", "B-X", "NN"])
    assert "'I_X' is no tag" in schemes.why_none(["B-X", "I_X"])  # each is one, together they are not


def test_bare_and_suffixed_tags_have_chunks():
    bare = judged([["B", "I", "B", "O"]], [["B", "I", "I", "O"]], ("O", "B", "I"))
    assert chunks.scores(bare) == (0, 0, 0) and [*chunks.by_label(bare).rows] == ["chunk"]
    inside = judged([["O", "I", "I", "O", "I"]], [["O", "I", "I", "O", "O"]], ("O", "B", "I"))
    assert chunks.scores(inside) == (1 / 2, 1, 2 / 3)  # a bare I begins a chunk, too
    suffixed = judged([["X-B", "X-I", "Y-B"]], [["X-B", "X-I", "Z-B"]], ("O", "X-B", "X-I", "Y-B"))
    assert chunks.scores(suffixed).f1 == 0.5
    assert {kind: row.f1 for kind, row in chunks.by_label(suffixed).rows.items() if kind != "Z"} == {
        "X": 1,
        "Y": 0,
    }


# ---- scores of other problems ----------------------------------------------------------------------


def test_one_unseen_label_of_a_token_leaves_its_other_label_alone():
    """Parts of speech N, V and chunk tags O, B-X, at once and in turn; FW and I-X are new."""
    labels, tags = ("O", "B-X"), ("N", "V")
    predicted, right, starts = np.array([1, 2, 0]), np.array([1, -1, -1]), np.array([0, 3])  # N B-X, V O, N O
    problem = Problem(None, None, labels, tags=tags, unseen=("FW O", "N I-X"))
    of_both = joint.scores(Judged(problem, "test", predicted, right, starts))
    assert (of_both.tag_error, of_both.chunk_error, of_both.f1) == pytest.approx((1 / 3, 1 / 3, 2 / 3))
    predicted, right = np.array([0, 1, 1, 0, 0, 0]), np.array([0, 1, -1, 0, 0, -1])
    in_turn = problem._replace(unseen=("FW", "I-X"))
    again = factorial.scores(Judged(in_turn, "test", predicted, right, 2 * starts))
    assert again == pytest.approx((2 / 3, *of_both))


def test_attributes_that_training_never_saw_are_missed():
    problem = Problem(None, None, ("none", "a"), attributes=(1,), key_attributes=(1,), unseen=("b",))
    given_labels = Judged(problem, "test", np.array([1, 0]), np.array([1, -1]), np.array([0, 1, 2]))
    assert attributes.scores(given_labels) == (0.5, 0.5)
    assert attributes.scores(given_labels._replace(problem=problem._replace(key_attributes=()))).average_f1 == 0.5


def test_decisions_that_are_no_numbers_of_labels_have_no_table():
    heads = Judged(Problem(None, None, ()), "test", np.array([2, 0]), np.array([2, 1]), np.array([0, 2]))
    assert table.of_decisions(heads).rows == {}
    classes = heads._replace(problem=Problem(None, None, ("a", "b", "c"), unseen=()))
    assert {label: row[3:] for label, row in table.of_decisions(classes).rows.items()} == {
        "a": (1, 0, 0), "b": (0, 1, 0), "c": (1, 1, 1),
    }  # fmt: skip
