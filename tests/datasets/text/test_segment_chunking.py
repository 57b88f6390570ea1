"""Chunks as segments: features against names that are spelt out; problems; options of data sets that have them."""

from collections import Counter
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.segments import model as segments
from structbench.algorithms.structures.segments.tags import num_too_long
from structbench.datasets import conll2000
from structbench.datasets.problems import storage as store
from structbench.datasets.text import chunking, segment_features, word_features
from structbench.datasets.text.columns import Sentences
from structbench.datasets.text.segment_chunking import segments_problem
from tests.algorithms.segment_cases import summed
from tests.datasets.matrices import array_of

TRAIN = """He PRP B-NP
sleeps VBZ B-VP
. . O

The DT B-NP
old JJ I-NP
bank NN I-NP
fell VBD B-VP
. . O

They PRP B-NP
sleep VBP B-VP
"""
TEST = """Well UH B-INTJ
well UH I-INTJ
, , O
the DT B-NP
bank NN I-NP
sleeps VBZ B-VP
now RB B-ADVP
"""


def problem(train: str = TRAIN, test: str = TEST, most: int = 3) -> store.Problem:
    return segments_problem(
        chunking.read_chunks(train, "train"), chunking.read_chunks(test, "test"), max_length=most
    )


def test_labels_tags_and_chunks_that_are_too_long():
    made, short = problem(), problem(most=2)
    assert made.labels == ("B-NP", "I-NP", "B-VP", "I-VP", "O", "O")
    assert made.train.y.tolist() == short.train.y.tolist() == [0, 2, 4, 0, 1, 1, 2, 4, 0, 2]
    assert made.test.y.tolist() == [-1, -1, 4, 0, 1, 2, -1]
    assert (made.train.num_labels, made.train.outside, made.train.max_length) == (3, 2, 3)
    assert made.train.num_features == made.test.num_features
    assert (num_too_long(short.train), num_too_long(short.test)) == (1, 0)
    assert short.train.target.tolist() == [0, 2, 4, 0, 1, 0, 2, 4, 0, 2]
    bare = problem("a DT B-NP\nb NN I-NP\n", "a DT B-NP\nb NN O\n")  # no token is outside
    assert (bare.labels, bare.test.y.tolist()) == (("B-NP", "I-NP", "O", "O"), [0, 2])


def test_a_type_of_chunks_may_be_called_o():
    """It is no token outside of chunks."""
    made = problem(TRAIN.replace("-VP", "-O"), TEST.replace("-VP", "-O"))
    assert made.labels == ("B-NP", "I-NP", "B-O", "I-O", "O", "O")
    assert made.train.y.tolist() == problem().train.y.tolist()
    assert made.test.y.tolist() == problem().test.y.tolist()


@pytest.mark.parametrize(
    ("train", "test", "message"),
    [
        ("a DT I-NP\n", TEST, r"train, line 1: chunk tag I-NP continues nothing: expected B-NP or I-NP before it"),
        (TRAIN, "a DT B-NP\nb NN I-X\n", "test, line 2: chunk tag I-X continues nothing"),
    ],
)
def test_tags_that_break_bio(train, test, message):
    with pytest.raises(UserError, match=message):
        problem(train, test)


# ---- options of data sets --------------------------------------------------------------------------


@pytest.fixture
def load(load_zipped):
    """``load(**options)``: conll2000 with these sentences in its archive."""
    members = {"conll2000/train.txt": TRAIN, "conll2000/test.txt": TEST}
    return partial(load_zipped, conll2000, members)


def test_the_same_problem_from_an_archive(load):
    made = load(task="segments", max_length=2)
    assert isinstance(made.train, segments.Segments)
    assert store.fingerprint(made) == store.fingerprint(problem(most=2))
    assert store.fingerprint(load(task="segments", max_length=3)) == store.fingerprint(problem())


@pytest.mark.parametrize("task", ["chunks", "segments"])
def test_the_last_tenth_is_held_out(load, task):
    held = load(task=task, tune=True)
    assert held.train.starts.tolist() == [0, 3, 8]
    assert held.test.starts.tolist() == [0, 2]
    assert [held.labels[k] for k in held.test.y] == ["B-NP", "B-VP"]
    fewer = load(task=task, tune=True, sentences=2)
    assert (fewer.train.starts.tolist(), fewer.test.starts.tolist()) == ([0, 3], [0, 5])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_length": 5}, "max_length is an option of task=segments only, not of task=chunks"),
        (
            {"tune": True, "sentences": 1},
            "the training split of conll2000 has 1 sentence: holding out a tenth needs 2 or more",
        ),
        ({"tune": True, "test_sentences": 1}, "with tune=true the test split is training sentences"),
    ],
)
def test_options_that_make_no_sense(load, options, message):
    with pytest.raises(UserError, match=message):
        load(**options)


@pytest.mark.corpus
def test_real():
    made = datasets.build("conll2000:task=segments,sentences=2000,test_sentences=500")
    assert (parts.num_examples(made.train), len(made.train.y)) == (2_000, 47_589)
    assert (made.train.num_labels, made.train.num_features) == (11, 294_413)
    assert (num_too_long(made.train), num_too_long(made.test)) == (10, 4)
    assert not (made.test.y == -1).any()


# ---- features ---------------------------------------------------------------------------------------


BASE = ["w", "pos", "pos1", "lower", "stem", "ending", "case", "lists"]
BASE += [f"{end}{n}" for end in ("first", "last") for n in (1, 2, 3)]


def drawn(seed: int, sentences: int, part: str) -> Sentences:
    """Random sentences, some of one token, over few words that come again; chunks of up to 6 tokens."""
    rng = np.random.default_rng(seed)
    lines = []
    words = ["The", "the", "bank", "banks", "in", "Inc.", "U.S.", "May", "sleeping", "1990s"]
    for _ in range(sentences):
        left = int(rng.integers(1, 9))
        while left:
            size = int(rng.integers(1, min(left, 6) + 1))
            kind = ("NP", "VP", "O")[rng.integers(3)]
            size = 1 if kind == "O" else size
            for k in range(size):
                tag = "O" if kind == "O" else f"{'I' if k else 'B'}-{kind}"
                lines.append(f"{words[rng.integers(len(words))]} {('NN', 'NP', 'V')[rng.integers(3)]} {tag}")
            left -= size
        lines.append("")
    return chunking.read_chunks("\n".join(lines), part)


def names(cells: dict[str, list], s: int, n: int) -> Counter:
    """What the candidate of n tokens from s on has; ``cells``: the base features of one sentence."""
    found = Counter([f"length={n}"])
    for name in BASE:
        f = [None, *cells[name], None]  # token t is at t + 1
        end = len(f) - 1
        inside = f[s + 1 : s + n + 1]
        for i, value in enumerate(inside):
            if value is not None:
                found[f"{name}[{i}]={value}"] += 1
        for where, t in (("before", s), ("after", s + n + 1)):
            if f[t] is not None or t in (0, end):
                found[f"{name} {where}={'*' if t in (0, end) else '=' + f[t]}"] += 1
        if inside[-1] is not None:
            found[f"{name} last={inside[-1]}"] += 1
        if None not in inside:
            found[f"{name} all={inside}"] += 1
        for size in (2, 3):
            for t in range(n - size + 1):
                gram = inside[t : t + size]
                if None not in gram:
                    found[f"{name} gram={gram}"] += 1
    return found


def written_out(train: Sentences, test: Sentences, most: int) -> tuple[np.ndarray, np.ndarray]:
    """The candidates' features in both splits, columns in any order, as ``names`` has them."""
    lists = word_features.learn_lists(train)
    rows, right, counts = [], set(), []
    for sentences in (train, test):
        cells = word_features.add_columns(sentences, lists).columns
        cells["pos1"] = [tag[0] for tag in cells["pos"]]
        starts = np.concatenate([[0], np.cumsum(sentences.lengths)]).tolist()
        for a, b in pairwise(starts):
            here = {name: cells[name][a:b] for name in BASE}
            chunks, t = set(), 0
            while t < b - a:  # right chunks, those that are too long in parts
                n = 1
                while t + n < b - a and n < most and cells["chunk"][a + t + n].startswith("I-"):
                    n += 1
                chunks.add((t, n))
                t += n
            for s in range(b - a):
                for n in range(1, min(most, b - a - s) + 1):
                    rows.append(names(here, s, n))
                    if sentences is train and (s, n) in chunks:
                        right |= set(rows[-1])
        counts.append(len(rows))
    number = {name: k for k, name in enumerate(sorted(right))}
    made = np.zeros((len(rows), len(number)))
    for r, row in enumerate(rows):
        for name, count in row.items():
            if name in number:
                made[r, number[name]] = count
    return made[: counts[0]], made[counts[0] :]


def extracted(train: Sentences, test: Sentences, most: int) -> tuple[segment_features.Pieces, ...]:
    pieces, vocabulary = segment_features.learn_pieces(train, most)
    return pieces, segment_features.encode_pieces(test, vocabulary, most)


def in_order(columns: np.ndarray) -> np.ndarray:
    return columns[:, np.lexsort(columns)]


def candidates_of(sentences: Sentences, pieces: segment_features.Pieces, most: int) -> np.ndarray:
    x = array_of(pieces.x)
    return summed(x, tuple(sentences.lengths.tolist()), most, pieces.grown, pieces.own, pieces.piece_starts)


@pytest.mark.parametrize(("seed", "most"), [(0, 4), (1, 1), (2, 2), (3, 8)])
def test_features_as_spelt_out(seed, most):
    train, test = drawn(seed, 25, "train"), drawn(seed + 100, 12, "test")
    found = extracted(train, test, most)
    got = np.concatenate(
        [candidates_of(part, pieces, most) for part, pieces in zip((train, test), found, strict=True)]
    )
    want = np.concatenate(written_out(train, test, most))
    assert got.shape == want.shape
    np.testing.assert_array_equal(in_order(got), in_order(want))


def test_what_is_stored():
    """No empty pieces; the columns that most pieces of training store come first, and none of them nowhere."""
    train, test = drawn(5, 30, "train"), drawn(6, 10, "test")
    for pieces in extracted(train, test, 4):
        assert np.diff(pieces.x.indptr).min() > 0
        assert pieces.piece_starts[-1] == features.shape(pieces.x)[0]
        for numbers in (pieces.grown, pieces.own):
            assert numbers.dtype == np.int32
    counts = extracted(train, test, 4)[0].x.counts
    assert (np.diff(counts) <= 0).all()
    assert counts[-1] > 0
    pieces = segment_features.learn_pieces(train, 6)[0]
    assert features.as_matrix(pieces.x).sum() < 0.5 * candidates_of(train, pieces, 6).sum(), (
        "candidates share them"
    )
