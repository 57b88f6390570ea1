"""Reranking: lists of sentences by models that never saw them, features and losses as counted by hand."""

from collections import Counter

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.learning.objective import Objective
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.prediction import predictions
from structbench.bench.runs import driver
from structbench.bench.runs.spec import make
from structbench.datasets import toy_english
from structbench.datasets.problems.problem import Judged
from structbench.datasets.problems.storage import fingerprint
from structbench.datasets.scores import chunks, lists
from structbench.datasets.text import chunk_candidates, chunking, first_stage
from tests.algorithms.solvers import solved

TINY = "reranking:corpus=toy-english,sentences=30,test_sentences=12,k=6,folds=3"


@pytest.fixture(scope="module")
def problem():
    return datasets.build(TINY)


@pytest.fixture(scope="module")
def corpora():
    return [chunking.read(toy_english.text(n, 0, part), part) for n, part in ((30, "train"), (12, "test"))]


def units(tags):
    """Type, first and last token of chunks and of tokens outside."""
    found, before = [], None
    for t, tag in enumerate(tags):
        kind = tag[2:] or "O"
        if kind == "O" or tag.startswith("B-") or kind != before:
            found.append([kind, t, t])
        else:
            found[-1][2] = t
        before = kind
    return [tuple(unit) for unit in found]


def counted(words, pos, tags):
    """The features of a tagging by their names."""
    found, row = [("first", units(tags)[0][0])], units(tags)
    kind_at = {t: kind for kind, a, b in row for t in range(a, b + 1)}
    around = ["", *pos, ""]
    for u, (kind, a, b) in enumerate(row):
        after, behind = (*(unit[0] for unit in row[u + 1 : u + 3]), "", "")[:2]
        found += [("2", kind, after), ("3", kind, after, behind), ("length", kind, min(b - a, 9))]
        found += [("pos", kind, *pos[a : b + 1]), ("words", kind, words[a], words[b])]
        found += [("around", kind, around[a], around[b + 2], min(b - a, 9))]
        found += [("context", kind, around[a], *pos[a : b + 1], around[b + 2])]
        if u + 1 < len(row):
            last = row[u + 1][2]
            found += [("ends", kind, words[b], after, words[last]), ("tags", kind, pos[b], after, pos[last])]
    for t in range(len(words)):
        for v in range(t):
            if (words[t], pos[t]) == (words[v], pos[v]):
                found.append(("same", kind_at[t] == kind_at[v], pos[t]))
    return Counter(found)


def test_features_are_the_differences_from_the_first_candidate_and_losses_wrong_chunks(problem, corpora):
    split, sentences, labels = problem.train, corpora[0], problem.labels
    assert len(split.y) == 30 and (np.diff(split.starts) == 6).all()
    rows, ends, names = ft.as_matrix(split.x), np.cumsum(sentences.lengths), {}
    for i, (end, length) in enumerate(zip(ends, sentences.lengths, strict=True)):
        words, pos, right = (sentences.columns[name][end - length : end] for name in ("w", "pos", "chunk"))
        listed = split.listed[split.listed_starts[i] : split.listed_starts[i + 1]].reshape(-1, length)
        taggings = [[labels[k] for k in each] for each in listed]
        assert len({*map(tuple, taggings)}) == len(taggings)
        first, wrong = counted(words, pos, taggings[0]), []
        for r, tags in enumerate(taggings):
            own = counted(words, pos, tags)
            want = {f: own[f] - first[f] for f in own | first if own[f] != first[f]}
            row = rows[[split.starts[i] + r]]
            got = dict(zip(row.indices, row.data, strict=True))
            assert (got.pop(0, 0.0) < 0) == (r > 0)
            assert sorted(got.values()) == sorted(want.values())
            for value in want.values():  # each feature has one column
                if list(want.values()).count(value) == 1:
                    f, column = (next(k for k, v in each.items() if v == value) for each in (want, got))
                    assert names.setdefault(f, column) == column
            kept = [{u for u in units(each) if u[0] != "O"} for each in (tags, right)]
            wrong.append(len(kept[0] ^ kept[1]))
        losses = split.losses[split.starts[i] : split.starts[i + 1]]
        np.testing.assert_array_equal(losses, np.array(wrong) - min(wrong))
    assert len(names) > 5


def test_the_weight_of_the_log_probability_alone_gives_the_first_stage(problem):
    w = np.zeros(problem.test.num_features)
    w[0] = 1.0
    predicted, right, starts = predictions(problem.test, w)
    np.testing.assert_array_equal(predicted, lists.chosen_labels(problem.test, np.zeros_like(problem.test.y)))
    judged = Judged(problem, "test", predicted, right, starts)
    scores = lists.scores(judged)
    assert scores.first_f1 == chunks.scores(judged).f1
    assert scores.first_error == np.mean(predicted != right)
    assert scores.oracle_f1 > scores.first_f1 and scores.oracle_error < scores.first_error


def test_a_run_reports_what_its_lists_allow(problem):
    row = driver.run(make(TINY, None, None, "perceptron", passes=3), problem).rows[-1]
    scores = lists.scores(Judged(problem, "test", *[None] * 3))
    assert {name: row[f"test_{name}"] for name in scores._fields} == scores._asdict()
    assert row["test_error"] >= scores.oracle_error and 0 < row["test_f1"] <= scores.oracle_f1


def test_a_sentence_s_own_tags_do_not_change_its_list(corpora):
    train = chunking.chunking_problem(*corpora).train
    lists = first_stage.crossed(train, 4, 3)
    own = slice(0, 4 * int(lists.lengths[0]))
    y = train.y.copy()
    y[: lists.lengths[0]] = (y[: lists.lengths[0]] + 1) % train.num_labels
    other = first_stage.crossed(train._replace(y=y), 4, 3)
    np.testing.assert_array_equal(other.scores[:4], lists.scores[:4])
    np.testing.assert_array_equal(other.labels[own], lists.labels[own])
    assert (other.scores[4:] != lists.scores[4:]).any()


def test_the_first_stage_is_near_the_optimum(corpora):
    train = chunking.chunking_problem(*corpora).train
    objective = Objective(train, "log", first_stage.C)
    primal = objective.evaluate(first_stage.trained(train), None).primal
    best = solved("lbfgs", train, "log", first_stage.C, 1e-3).value.primal
    assert primal < 1.15 * best < 0.3 * objective.evaluate(np.zeros(parts.num_weights(train)), None).primal


def test_the_same_problem_each_time(problem):
    assert fingerprint(datasets.build(TINY)) == fingerprint(problem)


def test_features_are_numbered_by_how_often_training_lists_have_them(problem):
    counts = problem.train.x.counts[1:]
    assert counts.min() >= 1 and (np.diff(counts) <= 0).all()
    assert len(counts) < chunk_candidates.BUCKETS / 100


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("k=0", "k must be 1 or more, not 0"),
        (
            "corpus=toy-english,sentences=3,folds=4",
            r"folds must be 2 \.\. 3, the number of training sentences, not 4",
        ),
        (
            "corpus=toy-english,sentences=3,folds=1",
            r"folds must be 2 \.\. 3, the number of training sentences, not 1",
        ),
    ],
)
def test_options_out_of_range_are_refused(options, message):
    with pytest.raises(UserError, match=message):
        datasets.build(f"reranking:{options}")
