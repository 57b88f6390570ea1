"""Toy English: its grammar is sound, its text the same everywhere, its chunks well formed and worth learning."""

import hashlib
from itertools import islice

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import interface as parts
from structbench.bench.runs import driver, spec
from structbench.datasets import toy_english
from structbench.datasets.problems.storage import fingerprint
from structbench.datasets.text import brackets, chunking, dependencies, ner
from structbench.datasets.text.trees import leaves
from structbench.datasets.toy import english

SHA256 = {
    "chunks": "5ba8528ac27a9f81e0dd18856fa96dec5460808f4ae626177f5012b8b39bd766",
    "dependencies": "4b4d4c851151a03f3209e4f2307d120098ff8b8fa93783cdb7b89f3a5f517749",
    "entities": "40ae1dd65813524587fcacb669a89f4038e557e0e4891b64ad6dfd1b4bf45040",
    "brackets": "7766ca8d8489d15bc87797c8672d5bcc6549a7b50240752415e9947cf0db5d2d",
}

PROBLEMS = {
    "task=chunks": "17de2856c2f20337",
    "task=entities": "d68afa5e960bf874",
    "task=segments": "ab46302ee8f96b60",
    "task=joint": "f2ea085c7b6014e0",
    "task=skip-chains": "55fe9ff0fb1f53b6",
    "task=factorial": "c6d8a0635d1567b5",
    "tagset=universal,task=factorial": "9a4b61a2195097cf",
    "task=dependencies": "6668b971372cbd60",
    "features=rich,structure=nonprojective,task=dependencies": "58fdb0a08d1ab15c",
    "task=brackets": "8f69c529846c82fe",
    "task=words": "feb88bf014494698",
    "task=attachments": "81c73e29256ccb71",
}

# ---- the text --------------------------------------------------------------------------------------


@pytest.mark.parametrize("task", SHA256)
def test_the_same_text_everywhere(task):
    """A change of the language changes every result on it: make it on purpose, and this sum with it."""
    text = toy_english.text(200, 0, "train", task)
    assert hashlib.sha256(text.encode()).hexdigest() == SHA256[task]
    assert text.startswith(toy_english.text(40, 0, "train", task))


def test_seeds_and_parts_differ():
    texts = {toy_english.text(20, seed, part) for seed in (0, 1) for part in ("train", "test")}
    assert len(texts) == 4


def test_the_tagger_errs_on_ambiguous_words_only():
    count = 500
    sentences = chunking.read_chunks(toy_english.text(count, 0, "train"), "x")
    right = [leaf for tree in islice(english.trees(0, "train"), count) for leaf in leaves(tree)]
    wrong = [(leaf, tag) for leaf, tag in zip(right, sentences.columns["pos"], strict=True) if leaf.tag != tag]
    known = english.grammar().tags()
    assert all(tag in known[leaf.word] for leaf, tag in wrong)
    assert 0.01 < len(wrong) / len(right) < english.TAGGER_ERRORS


# ---- the data set ----------------------------------------------------------------------------------


@pytest.mark.parametrize("options", PROBLEMS)
def test_the_same_problems_everywhere(options):
    """A change of a problem changes every result on it: make it on purpose, and this sum with it."""
    problem = datasets.build(f"toy-english:{options},sentences=60,test_sentences=20")
    assert fingerprint(problem).startswith(PROBLEMS[options])


def test_all_tasks_have_the_same_words_and_brackets_right_parts_of_speech():
    chunks = chunking.read_chunks(toy_english.text(200, 0, "train"), "x").columns
    entities = ner.read(toy_english.text(200, 0, "train", "entities"), ner.COLUMNS, "x").columns
    assert [entities[name] for name in ("w", "pos")] == [chunks[name] for name in ("w", "pos")]
    sentences = dependencies.read_trees(toy_english.text(200, 0, "train", "dependencies"), "x")
    assert [word for each in sentences for word in each.words] == chunks["w"]
    assert [tag for each in sentences for tag in each.tags] == chunks["pos"]
    trees = brackets.read_brackets(toy_english.text(200, 0, "train", "brackets"), "x")
    assert [leaf.word for tree in trees for leaf in leaves(tree)] == chunks["w"]
    tags = [leaf.tag for tree in islice(english.trees(0, "train"), 200) for leaf in leaves(tree)]
    assert [leaf.tag for tree in trees for leaf in leaves(tree)] == tags
    assert {tree.label for tree in trees} == {"S"}


def test_labels_of_brackets():
    problem = toy_english.load(None, sentences=200, task="brackets", test_sentences=50)
    assert problem.train.y.min() >= 0
    assert {"NP", "PP", "S", "VP", "NP+NX"} <= set(problem.labels)


def test_entities_and_their_skip_chains():
    wanted: list[tuple[toy_english.Task, int]]
    wanted = [("chunks", 3), ("entities", 3), ("skip-chains", 3), ("skip-chains", 1)]
    chunks, chains, skips, narrow = (
        toy_english.load(None, sentences=300, test_sentences=20, task=task, max_width=width)
        for task, width in wanted
    )
    for one, same in zip(chains[:2], chunks[:2], strict=True):
        np.testing.assert_array_equal(one.starts, same.starts)
    assert chains.labels == ner.LABELS
    assert chains.train.num_edge_features > 1000
    assert {ner.LABELS[y] for y in chains.train.y} == set(ner.LABELS) - {"I-LOC", "I-MISC"}
    np.testing.assert_array_equal(skips.train.y, chains.train.y)
    np.testing.assert_array_equal(skips.train.starts, chains.train.starts[::5])
    assert (skips.train.kinds == 1).sum() > 10 and not (narrow.train.kinds == 1).any()


def test_dependencies(kept_trees):
    problem, chunks = (toy_english.load(None, sentences=300, task=task) for task in ("dependencies", "chunks"))
    for trees, same in ((problem.train, chunks.train), (problem.test, chunks.test)):
        np.testing.assert_array_equal(trees.lengths, np.diff(same.starts))
        np.testing.assert_array_equal(trees.learned, trees.heads)
    held = toy_english.load(None, sentences=300, task="dependencies", structure="nonprojective", tune=True)
    assert (held.train.id, len(held.train.lengths), len(held.test.lengths)) == ("nonprojective", 270, 30)
    np.testing.assert_array_equal(np.concatenate([held.train.heads, held.test.heads]), problem.train.heads)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("sentences=0", "data set toy-english: sentences must be at least 1, not '0'"),
        ("test_sentences=-1", "data set toy-english: test_sentences must be at least 1, not '-1'"),
        ("seed=-1", "data set toy-english: seed must be at least 0, not '-1'"),
        ("max_length=3,task=brackets", "max_length is an option of task=segments only, not of task=brackets"),
        ("max_length=5,task=entities", "max_length is an option of task=segments only, not of task=entities"),
        ("max_length=-1,task=segments", "data set toy-english: max_length must be at least 1, not '-1'"),
        ("structure=nonprojective", "structure is an option of task=dependencies only, not of task=chunks"),
        ("tagset=universal,task=joint", "tagset is an option of task=factorial only, not of task=joint"),
        ("tagset=half,task=factorial", "tagset must be one of full, universal, not 'half'"),
        ("max_width=0,task=skip-chains", "max_width must be at least 1, not '0'"),
        ("sentences=1,tune=true", "the training split of toy-english has 1 sentence"),
    ],
)
def test_options_out_of_range_or_of_another_task(options, message):
    with pytest.raises(UserError, match=message):
        datasets.build(f"toy-english:{options}")


@pytest.mark.parametrize("task", ["chunks", "entities", "segments", "brackets"])
def test_the_last_tenth_is_held_out(task):
    held, every = (toy_english.load(None, sentences=50, task=task, tune=tune) for tune in (True, False))
    sizes = [[parts.num_decisions(s, i) for i in range(parts.num_examples(s))] for s in (*held[:2], every.train)]
    assert (len(sizes[0]), len(sizes[1])) == (45, 5)
    assert sizes[0] + sizes[1] == sizes[2]


def test_worth_learning():
    """A CRF finds most chunks of new sentences and not all of them."""
    made = spec.make("toy-english:sentences=400,test_sentences=400", "log", 1.0, "lbfgs", passes=40)
    assert 0.85 < driver.run(made, datasets.build(made.data)).rows[-1]["test_f1"] < 0.98
