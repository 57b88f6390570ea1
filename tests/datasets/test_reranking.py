"""Reranking: lists by models that never saw the sentence; features and losses of chunks and of trees, by hand."""

import hashlib
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

from structbench import datasets
from structbench.algorithms.learning.objective import Objective
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import part_rows
from structbench.algorithms.structures.prediction import predictions
from structbench.bench.runs import driver
from structbench.bench.runs.spec import make
from structbench.datasets import conll2007, reranking, reranking_trees, toy_english
from structbench.datasets.problems.problem import Judged
from structbench.datasets.problems.storage import fingerprint
from structbench.datasets.scores import chunks, lists
from structbench.datasets.text import chunk_candidates, chunking, dependencies, first_stage, tree_candidates
from tests.algorithms.solvers import solved
from tests.narrowing import UNUSED

OPTIONS = {"corpus": "toy-english", "sentences": 40, "test_sentences": 15, "k": 6, "folds": 3}
TINY = ",".join(f"{name}={value}" for name, value in OPTIONS.items())
NONE = "no tag"


@pytest.fixture(scope="module")
def problem():
    return datasets.build(f"reranking:{TINY}")


@pytest.fixture(scope="module")
def trees():
    return datasets.build(f"reranking-trees:{TINY}")


@pytest.fixture(scope="module")
def corpora():
    return [chunking.read_chunks(toy_english.text(n, 0, part), part) for n, part in ((40, "train"), (15, "test"))]


# ---- features --------------------------------------------------------------------------------------


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


def of_tagging(words, pos, tags):
    """The features of a tagging by their names."""
    row = units(tags)
    found: list[tuple] = [("first", row[0][0])]
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


def of_tree(sentence, heads):
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


def check(split, counted, wrong):
    """Features are the differences from the first candidate, costs what more is ``wrong`` than at least."""
    rows, names = sp.csr_array(ft.as_matrix(part_rows.all_columns(split))), {}
    lengths = np.diff(split.output_starts)
    for i, (begin, end) in enumerate(pairwise(split.listed_starts)):
        listed = split.listed[begin:end].reshape(-1, lengths[i])
        assert len({*map(tuple, listed.tolist())}) == len(listed) <= 6
        every = [counted(i, each) for each in listed]
        for r, own in enumerate(every):
            want = {f: own[f] - every[0][f] for f in own | every[0] if own[f] != every[0][f]}
            row = rows[[split.part_starts[i] + r]]
            got = dict(zip(row.indices, row.data, strict=True))
            assert (got.pop(0, 0.0) < 0) == (r > 0)
            assert sorted(got.values()) == sorted(want.values())
            for value in want.values():  # each feature has one column
                if list(want.values()).count(value) == 1:
                    f, column = (next(k for k, v in each.items() if v == value) for each in (want, got))
                    assert names.setdefault(f, column) == column
        costs = np.array([wrong(i, each) for each in listed])
        np.testing.assert_array_equal(
            split.losses[split.part_starts[i] : split.part_starts[i + 1]], costs - costs.min()
        )
    assert len(names) > 5


def test_features_and_costs_of_chunks(problem, corpora):
    sentences, labels, ends = corpora[0], problem.labels, np.cumsum(corpora[0].lengths)

    def cells(i, name):
        return sentences.columns[name][ends[i] - sentences.lengths[i] : ends[i]]

    def counted(i, listed):
        return of_tagging(cells(i, "w"), cells(i, "pos"), [labels[k] for k in listed])

    def wrong(i, listed):
        given = [labels[k] for k in listed], cells(i, "chunk")
        found, right = ({u for u in units(tags) if u[0] != "O"} for tags in given)
        return len(found ^ right)

    check(problem.train, counted, wrong)
    assert len(problem.train.y) == 40 and (np.diff(problem.train.part_starts) == 6).all()


def test_features_and_costs_of_trees(trees):
    sentences = dependencies.read_trees(
        toy_english.text(40, 0, "train", "dependencies"), "train", single_root=True
    )
    check(trees.train, lambda i, t: of_tree(sentences[i], t), lambda i, t: (t != sentences[i].heads).sum())


def test_features_are_numbered_by_how_often_training_lists_have_them(problem, trees):
    for made, expected in ((problem, "e47fcffd6601"), (trees, "f477b5b7a8f9")):
        counts = made.train.x.counts[1:]
        digits = hashlib.sha256(np.asarray(made.train.x.indices, np.int64).tobytes()).hexdigest()
        assert digits.startswith(expected), "with other numbers it is another problem"
        assert counts.min() >= 1 and (np.diff(counts) <= 0).all()
        assert len(counts) < chunk_candidates.BUCKETS / 100


def test_the_same_problem_each_time_whatever_the_blocks(problem, trees, monkeypatch):
    monkeypatch.setattr(tree_candidates, "BLOCK", 1)
    for module, made in ((reranking, problem), (reranking_trees, trees)):
        assert fingerprint(module.load(None, **OPTIONS)) == fingerprint(made)


# ---- lists and scores ------------------------------------------------------------------------------


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


def test_a_run_reports_what_its_lists_allow(problem, trees):
    for name, made in (("reranking", problem), ("reranking-trees", trees)):
        row = driver.run(make(f"{name}:{TINY}", None, None, "perceptron", passes=3), made).rows[-1]
        scores = lists.scores(Judged(made, "test", UNUSED, UNUSED, UNUSED))
        found = [row[f"test_{key}"] for key in scores._fields]
        assert found == pytest.approx([*scores], nan_ok=True)
        assert scores.oracle_error <= row["test_error"] and scores.oracle_error < scores.first_error < 0.8
        if made is problem:
            assert 0 < row["test_f1"] <= scores.oracle_f1
        else:
            assert row["test_error"] == pytest.approx(1 - row["test_attachment"])


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


def test_a_pass_is_stochastic_gradient_on_the_penalised_log_loss():
    split = toy_english.load(None, sentences=4, test_sentences=4).train
    compiled = parts.compiled(split)
    decay, order, before = 0.3, np.array([2, 0, 3, 1]), 5
    rng = np.random.default_rng(0)
    w = rng.normal(size=parts.num_weights(split))
    ours, scale = w.copy(), 1.0
    scale = first_stage._pass(compiled, order, ours, scale, before, decay)
    for t, i in enumerate(order, before):
        step = first_stage.FIRST_STEP / (1 + first_stage.FIRST_STEP * decay * t)
        s = np.empty(parts.num_parts(compiled, i))
        mu, gold, gradient = np.empty_like(s), np.empty_like(s), np.zeros_like(w)
        parts.scores(compiled, i, w, s)
        parts.marginals(compiled, i, s, mu)
        parts.gold(compiled, i, gold)
        parts.add_features(compiled, i, 1.0, gold - mu, gradient)
        w = w + step * (gradient - decay * w)
    assert scale * ours == pytest.approx(w, rel=1e-9)


@pytest.mark.parametrize(
    ("lists", "corpus"),
    [
        pytest.param("reranking", "conll2000", marks=pytest.mark.corpus),
        pytest.param("reranking-trees", "conll2007", marks=pytest.mark.corpus(conll2007.CORPUS)),
    ],
)
def test_lists_of_real_sentences(lists, corpus):
    few = "sentences=4,test_sentences=2"
    made, same = (datasets.build(f"{name},{few}") for name in (f"{lists}:folds=2,k=3", f"{corpus}:tune=false"))
    for split, other in zip(made[:2], same[:2], strict=True):
        np.testing.assert_array_equal(split.right, other.y)


@pytest.mark.parametrize("name", ["reranking", "reranking-trees"])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("k=0", "data set {name}: k must be at least 1, not '0'"),
        ("folds=4,sentences=3", r"folds must be 2 \.\. 3, the number of training sentences, not 4"),
        ("folds=1,sentences=3", "data set {name}: folds must be at least 2, not '1'"),
        ("sentences=-1", "data set {name}: sentences must be at least 0, not '-1'"),
        ("test_sentences=-5", "data set {name}: test_sentences must be at least 0, not '-5'"),
    ],
)
def test_options_out_of_range_are_refused(name, options, message):
    with pytest.raises(UserError, match=message.format(name=name)):
        datasets.build(f"{name}:corpus=toy-english,{options}")
