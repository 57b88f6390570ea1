"""Reranking of parses: lists by parsers that never saw the sentence, features and losses as counted by hand."""

from collections import Counter

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features as ft
from structbench.bench.runs import driver
from structbench.bench.runs.spec import make
from structbench.datasets import toy_english
from structbench.datasets.problems.problem import Judged
from structbench.datasets.problems.storage import fingerprint
from structbench.datasets.scores import lists
from structbench.datasets.text import dependencies, tree_candidates

TINY = "reranking-trees:corpus=toy-english,sentences=40,test_sentences=15,k=6,folds=3"
NONE = "no tag"


@pytest.fixture(scope="module")
def problem():
    return datasets.build(TINY)


@pytest.fixture(scope="module")
def sentences():
    return dependencies.read(toy_english.text(40, 0, "train", "dependencies"), "train", single_root=True)


def counted(sentence, heads):
    """The features of a tree by their names, token by token and head by head."""
    tags, words, heads = ("ROOT", *sentence.tags), ("ROOT", *sentence.words), (0, *heads)
    tokens, found = range(1, len(tags)), []
    for m in tokens:
        h, tag, side = heads[m], tags[m], m > heads[m]
        nearer = [s for s in tokens if heads[s] == h and s != m and min(h, m) < s < max(h, m)]
        s = tags[max(nearer) if side else min(nearer)] if nearer else NONE
        g, depth, up = tags[heads[h]] if h else NONE, 0, h
        while up:
            depth, up = min(depth + 1, 6), heads[up]
        found += [("sibling", tags[h], s, tag, side), ("tags", s, tag, side), ("head", words[h], s, tag, side)]
        found += [("grand", g, tags[h], tag, side), ("grand word", g, words[h], tag)]
        found += [("both", g, tags[h], s, tag, side), ("deep", tag, depth), ("right", side), ("depth", depth)]
    for h in (0, *tokens):
        row = [m for m in tokens if heads[m] == h]
        if row:
            left, right = (min(sum((m > h) == after for m in row), 6) for after in (False, True))
            found += [("valency", tags[h], left, right), ("word valency", words[h], left, right)]
            found += [("row", tags[h], *(tags[m] for m in row))]
    return Counter(found)


def test_features_are_the_differences_from_the_first_candidate_and_losses_wrong_heads(problem, sentences):
    split, rows, names = problem.train, ft.as_matrix(problem.train.x), {}
    for i, sentence in enumerate(sentences):
        listed = split.listed[split.listed_starts[i] : split.listed_starts[i + 1]].reshape(-1, len(sentence.words))
        assert len({tuple(heads) for heads in listed}) == len(listed) <= 6
        first = counted(sentence, listed[0])
        for r, heads in enumerate(listed):
            own = counted(sentence, heads)
            want = {f: own[f] - first[f] for f in own | first if own[f] != first[f]}
            row = rows[[split.starts[i] + r]]
            got = dict(zip(row.indices, row.data, strict=True))
            assert (got.pop(0, 0.0) < 0) == (r > 0)
            assert sorted(got.values()) == sorted(want.values())
            for value in want.values():  # each feature has one column
                if list(want.values()).count(value) == 1:
                    f, column = (next(k for k, v in each.items() if v == value) for each in (want, got))
                    assert names.setdefault(f, column) == column
        wrong = (listed != sentence.heads).sum(axis=1)
        losses = split.losses[split.starts[i] : split.starts[i + 1]]
        np.testing.assert_array_equal(losses, wrong - wrong.min())
    assert len(names) > 5


def test_a_run_has_attachment_scores_between_those_that_the_lists_allow(problem):
    row = driver.run(make(TINY, None, None, "perceptron", passes=3), problem).rows[-1]
    scores = lists.scores(Judged(problem, "test", *[None] * 3))
    assert scores.oracle_error < scores.first_error < 0.8
    assert scores.oracle_error <= row["test_error"] == pytest.approx(1 - row["test_attachment"])
    assert row["test_first_error"] == scores.first_error


def test_the_same_problem_each_time_whatever_the_blocks(problem, monkeypatch):
    monkeypatch.setattr(tree_candidates, "BLOCK", 1)
    assert fingerprint(datasets.build(TINY)) == fingerprint(problem)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("k=0", "data set reranking-trees: k must be 1 or more, not 0"),
        ("corpus=toy-english,sentences=3,folds=4", r"folds must be 2 \.\. 3, .* not 4"),
        ("corpus=toy-english,sentences=3,folds=1", r"folds must be 2 \.\. 3, .* not 1"),
    ],
)
def test_options_out_of_range_are_refused(options, message):
    with pytest.raises(UserError, match=message):
        datasets.build(f"reranking-trees:{options}")
