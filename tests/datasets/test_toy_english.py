"""Toy English: its grammar is sound, its text the same everywhere, its chunks well formed and worth learning."""

import hashlib
import io
from itertools import islice

import numpy as np
import pycrfsuite
import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features
from structbench.algorithms.structures import interface as parts
from structbench.datasets import toy_english
from structbench.datasets.problems.problem import Judged, Problem
from structbench.datasets.scores import chunks as of_chunks
from structbench.datasets.text import brackets, chunking, dependencies, ner, templates
from structbench.datasets.text.trees import leaves
from structbench.datasets.toy import english

SHA256 = "5ba8528ac27a9f81e0dd18856fa96dec5460808f4ae626177f5012b8b39bd766"
SHA256_OF_TREES = "4b4d4c851151a03f3209e4f2307d120098ff8b8fa93783cdb7b89f3a5f517749"

# ---- the text --------------------------------------------------------------------------------------


def test_the_same_text_everywhere():
    """A change of the language changes every result on it: make it on purpose, and this sum with it."""
    text = toy_english.text(200, 0, "train")
    assert hashlib.sha256(text.encode()).hexdigest() == SHA256
    trees = toy_english.text(200, 0, "train", "dependencies")
    assert hashlib.sha256(trees.encode()).hexdigest() == SHA256_OF_TREES


def test_a_longer_text_begins_with_the_shorter_one():
    assert toy_english.text(300, 7, "train").startswith(toy_english.text(40, 7, "train"))


def test_seeds_and_parts_differ():
    texts = {toy_english.text(20, seed, part) for seed in (0, 1) for part in ("train", "test")}
    assert len(texts) == 4


def test_text_reads_back_with_well_formed_chunks():
    sentences = chunking.read(toy_english.text(500, 3, "train"), "x")
    assert len(sentences.lengths) == 500
    tags = sentences.columns["chunk"]
    starts = set(np.cumsum(sentences.lengths).tolist()) | {0}
    for t, tag in enumerate(tags):
        if tag.startswith("I-"):
            assert t not in starts
            assert tags[t - 1][2:] == tag[2:]
    assert set(tags) >= {f"{b}-{kind}" for b in "BI" for kind in ("NP", "VP", "PP", "ADVP", "ADJP")}
    assert {"B-PRT", "B-SBAR", "O"} <= set(tags)


def test_the_tagger_errs_on_ambiguous_words_only():
    count = 500
    sentences = chunking.read(toy_english.text(count, 0, "train"), "x")
    right = [leaf for tree in islice(english.trees(0, "train"), count) for leaf in leaves(tree)]
    wrong = [(leaf, tag) for leaf, tag in zip(right, sentences.columns["pos"], strict=True) if leaf.tag != tag]
    known = english.grammar().tags()
    assert all(tag in known[leaf.word] for leaf, tag in wrong)
    assert 0.01 < len(wrong) / len(right) < english.TAGGER_ERRORS


# ---- the data set ----------------------------------------------------------------------------------


def test_problem():
    problem = datasets.build("toy-english")
    assert len(problem.train.starts) - 1 == 1000
    assert len(problem.test.starts) - 1 == 500
    assert 20_000 < features.shape(problem.train.x)[1] < 100_000
    longer = datasets.build("toy-english:sentences=1200")
    assert len(longer.train.starts) - 1 == 1200
    np.testing.assert_array_equal(longer.test.starts, problem.test.starts)


def test_brackets():
    """The same sentences as trees, with right parts of speech."""
    trees = brackets.read(toy_english.text(200, 0, "train", "brackets"), "x")
    words = [leaf.word for tree in trees for leaf in leaves(tree)]
    assert words == chunking.read(toy_english.text(200, 0, "train"), "x").columns["w"]
    tags = [leaf.tag for tree in islice(english.trees(0, "train"), 200) for leaf in leaves(tree)]
    assert [leaf.tag for tree in trees for leaf in leaves(tree)] == tags
    assert {tree.label for tree in trees} == {"S"}
    problem = datasets.build("toy-english:sentences=200,task=brackets,test_sentences=50")
    assert parts.num_examples(problem.train) == 200
    assert parts.num_examples(problem.test) == 50
    assert problem.train.y.min() >= 0
    assert {"NP", "PP", "S", "VP", "NP+NX"} <= set(problem.labels)


def test_brackets_of_held_out_sentences():
    problem = datasets.build("toy-english:sentences=20,task=brackets,tune=true")
    assert (parts.num_examples(problem.train), parts.num_examples(problem.test)) == (18, 2)


def test_brackets_have_no_longest_chunk():
    with pytest.raises(UserError, match="max_length is an option of task=segments only, not of task=brackets"):
        datasets.build("toy-english:max_length=3,task=brackets")


def test_entities():
    problem = datasets.build("toy-english:task=entities,sentences=300")
    chunks = datasets.build("toy-english:sentences=300")
    np.testing.assert_array_equal(problem.train.starts, chunks.train.starts)
    np.testing.assert_array_equal(problem.test.starts, chunks.test.starts)
    assert problem.labels == ner.LABELS
    assert problem.train.num_edge_features > 1000
    found = {problem.labels[y] for y in problem.train.y}
    assert found == set(ner.LABELS) - {"I-LOC", "I-MISC"}


def test_dependencies(kept_trees):
    problem = datasets.build("toy-english:task=dependencies,sentences=300")
    chunks = datasets.build("toy-english:sentences=300")
    for trees, same in ((problem.train, chunks.train), (problem.test, chunks.test)):
        np.testing.assert_array_equal(trees.lengths, np.diff(same.starts))
        np.testing.assert_array_equal(trees.learned, trees.heads)
        assert {int((heads == 0).sum()) for heads in trees.each} == {1}
    held = datasets.build("toy-english:task=dependencies,sentences=300,structure=nonprojective,tune=true")
    assert (held.train.id, len(held.train.lengths), len(held.test.lengths)) == ("nonprojective", 270, 30)
    np.testing.assert_array_equal(np.concatenate([held.train.heads, held.test.heads]), problem.train.heads)
    assert datasets.structure("toy-english:task=dependencies") == "dependency"
    assert datasets.structure("toy-english:task=dependencies,structure=nonprojective") == "nonprojective"
    with pytest.raises(UserError, match="structure is an option of task=dependencies only, not of task=chunks"):
        datasets.build("toy-english:structure=nonprojective")


def test_dependencies_have_the_words_and_tags_of_chunks():
    sentences = dependencies.read(toy_english.text(200, 1, "train", "dependencies"), "x")
    chunks = chunking.read(toy_english.text(200, 1, "train"), "x").columns
    assert [word for each in sentences for word in each.words] == chunks["w"]
    assert [tag for each in sentences for tag in each.tags] == chunks["pos"]


def test_both_tasks_have_the_same_words():
    chunks, entities = (toy_english.text(200, 1, "train", task).split("\n") for task in ("chunks", "entities"))
    assert [line.rpartition(" ")[0] for line in chunks] == [line.rpartition(" ")[0] for line in entities]


@pytest.mark.parametrize("option", ["sentences=0", "test_sentences=-1", "seed=-1"])
def test_options_out_of_range(option):
    name, _, value = option.partition("=")
    with pytest.raises(UserError, match=f"data set toy-english: {name} must be . or more, not {value}"):
        datasets.build(f"toy-english:{option}")


def test_worth_learning(tmp_path):
    """A CRF finds most chunks of new sentences and not all of them."""
    train, test = (chunking.read(toy_english.text(400, 0, part), part) for part in ("train", "test"))

    def tokens(sentences):
        tags = iter(sentences.columns["chunk"])
        for names in templates.attributes(sentences, chunking.TEMPLATES):
            yield names, [next(tags) for _ in names]

    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.set_params({"c1": 0, "c2": 1, "max_iterations": 60})
    for names, tags in tokens(train):
        trainer.append(names, tags)
    trainer.train(str(tmp_path / "model"))
    tagger = pycrfsuite.Tagger()
    tagger.open(str(tmp_path / "model"))
    labels = tuple(sorted({*train.columns["chunk"], *test.columns["chunk"]}))
    found = [labels.index(tag) for names, _ in tokens(test) for tag in tagger.tag(names)]
    right = [labels.index(tag) for tag in test.columns["chunk"]]
    starts = np.concatenate([[0], np.cumsum(test.lengths)])
    judged = Judged(Problem(None, None, labels), "test", np.array(found), np.array(right), starts)
    assert 0.85 < of_chunks.scores(judged).f1 < 0.98


def test_written_to_a_file():
    file = io.StringIO()
    english.write_conll2000(file, 3, 5, "train")
    assert file.getvalue() == toy_english.text(3, 5, "train")
    assert file.getvalue().count("\n\n") == 3


def test_skip_chains_join_the_mentions_of_a_name():
    one = datasets.build("toy-english:task=skip-chains,sentences=300,test_sentences=20")
    chains = datasets.build("toy-english:task=entities,sentences=300,test_sentences=20")
    np.testing.assert_array_equal(one.train.y, chains.train.y)
    np.testing.assert_array_equal(one.train.starts, chains.train.starts[::5])
    assert (one.train.kinds == 1).sum() > 10
    assert datasets.structure("toy-english:task=skip-chains") == one.train.id == "field"
    narrow = datasets.build("toy-english:task=skip-chains,sentences=300,test_sentences=20,max_width=1")
    assert not (narrow.train.kinds == 1).any()
    with pytest.raises(UserError, match="max_width must be 1 or more, the width of a chain, not 0"):
        datasets.build("toy-english:task=skip-chains,max_width=0")
