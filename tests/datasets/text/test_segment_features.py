"""Features of chunks: the fast extraction against names that are spelt out, candidate by candidate."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from structbench.algorithms.structures import features
from structbench.datasets.text import chunking, segment_features, word_features
from structbench.datasets.text.columns import Sentences
from tests.algorithms.segment_cases import summed

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
    return chunking.read("\n".join(lines), part)


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


def in_order(columns: np.ndarray) -> np.ndarray:
    return columns[:, np.lexsort(columns)]


def candidates_of(sentences: Sentences, pieces: segment_features.Pieces, most: int) -> np.ndarray:
    x = features.as_matrix(pieces.x).toarray()
    return summed(x, tuple(sentences.lengths.tolist()), most, pieces.grown, pieces.own, pieces.piece_starts)


@pytest.mark.parametrize(("seed", "most"), [(0, 4), (1, 1), (2, 2), (3, 8)])
def test_features_as_spelt_out(seed, most):
    train, test = drawn(seed, 25, "train"), drawn(seed + 100, 12, "test")
    found = segment_features.extract(train, test, most)
    got = np.concatenate(
        [candidates_of(part, pieces, most) for part, pieces in zip((train, test), found, strict=True)]
    )
    want = np.concatenate(written_out(train, test, most))
    assert got.shape == want.shape
    np.testing.assert_array_equal(in_order(got), in_order(want))


def test_what_is_stored():
    """No empty pieces; the columns that most pieces of training store come first, and none of them nowhere."""
    train, test = drawn(5, 30, "train"), drawn(6, 10, "test")
    for pieces in segment_features.extract(train, test, 4):
        assert np.diff(pieces.x.indptr).min() > 0
        assert pieces.piece_starts[-1] == features.shape(pieces.x)[0]
        for numbers in (pieces.grown, pieces.own):
            assert numbers.dtype == np.int32
    counts = segment_features.extract(train, test, 4)[0].x.counts
    assert (np.diff(counts) <= 0).all()
    assert counts[-1] > 0
    pieces = segment_features.extract(train, train, 6)[0]
    assert features.as_matrix(pieces.x).sum() < 0.5 * candidates_of(train, pieces, 6).sum(), (
        "candidates share them"
    )
