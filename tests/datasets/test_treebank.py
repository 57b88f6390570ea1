"""The WSJ sample: a small archive of the same shape, and the real corpus. A user's own trees in brackets."""

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.options import defaults
from structbench.algorithms.structures import interface as parts
from structbench.datasets import penn, treebank
from structbench.datasets.fetching.download import Fetcher

TREE = "( (S (NP-SBJ (NN grass)) (VP (VBZ grows)) (. .)) )\n"


@pytest.fixture
def load(load_zipped):
    """``load(numbers, **options)`` reads an archive with these files, a sentence each."""

    def build(changed=None, **options):
        numbers = [*treebank.TRAIN, *treebank.VALIDATION, *treebank.TEST]
        members = dict.fromkeys(map(treebank.MEMBER.format, numbers), TREE) | (changed or {})
        return load_zipped(treebank, members, **options)

    return build


def test_splits_are_files(load):
    problem = load()
    splits = problem.train, problem.test, load(tune=True).test
    assert [parts.num_examples(split) for split in splits] == [130, 39, 30]
    assert problem.labels == ("none", "NP", "S", "VP")
    assert treebank.CORPUS.max_bytes == 2**21
    assert not set(treebank.TRAIN) & set(treebank.VALIDATION) | set(treebank.VALIDATION) & set(treebank.TEST)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (None, {}, "treebank.zip has no member treebank/combined/wsj_0007.mrg"),
        (TREE[:-4], {}, "zip:treebank/combined/wsj_0007.mrg, line 1: expected brackets that match"),
        (b"(S (NN \xf1))", {}, "wsj_0007.mrg, line 1: expected UTF-8 text, found byte 0xf1"),
        (TREE + " " * 2**20, {}, "wsj_0007.mrg in treebank.zip is larger than the 1048576 bytes"),
        (TREE, {"max_length": 2}, "data set treebank has no sentences of at most 2 tokens"),
    ],
)
def test_what_is_refused(load, text, options, message):
    with pytest.raises(UserError, match=message):
        load({treebank.MEMBER.format(7): text}, **options)


@pytest.mark.corpus(treebank.CORPUS)
def test_real():
    problem = datasets.build("treebank")
    assert (parts.num_examples(problem.train), parts.num_examples(problem.test)) == (719, 110)
    assert (parts.num_weights(problem.train), len(problem.labels)) == (16_547, 36)
    assert problem.train.y.min() >= 0, "every right tree is in its forest"
    sizes = np.diff(parts.offsets(problem.train))
    assert 150 < sizes.mean() < 220
    assert (np.diff(parts.offsets(problem.test)) == 0).sum() < 10
    with Fetcher("") as files:
        path = files(treebank.CORPUS)
    splits = treebank.TRAIN, treebank.VALIDATION, treebank.TEST
    assert sum(len(treebank.read(path, numbers)) for numbers in splits) == 3_914


# ---- the user's own trees ---------------------------------------------------------------------------


TRAIN = """( (S (NP-SBJ (DT The) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (DT the) (NN mat)))) (. .)) )
(S (NP (NN grass)) (VP (VBD grew))
  (. .))
"""
TEST = "(S (NP (DT a) (NN tree)) (VP (VBD grew)) (. !))\n(S (VP (FW xyz)))\n"


def test_labels_spans_and_sizes(written):
    path = written(TRAIN)
    problem = penn.load(None, path=path, test=written(TEST, "test"))
    assert problem.labels == ("none", "NP", "PP", "S", "VP", "S+VP")
    assert np.diff(problem.train.output_starts).tolist() == [7 * 8 // 2, 3 * 4 // 2]
    right = problem.train.right[-6:]  # the spans 0-1, 0-2, 0-3, 1-2, 1-3, 2-3 of the second sentence
    assert [problem.labels[k] for k in right] == ["NP", "none", "S", "VP", "none", "none"]
    assert problem.train.y.min() >= 0
    assert problem.test.y.min() == -1
    assert problem.brackets[28:34].tolist() == [0, 1, 1, 2, 2, -1]
    assert np.diff(parts.offsets(problem.test)).tolist()[1] == 0, "a sentence without a parse has no parts"
    assert parts.num_decisions(problem.test, 1) == 1
    assert defaults(treebank.load).items() > defaults(penn.load).items() - {("test", None)}, "the same options"
    alone = penn.load(None, path=path)
    assert (alone.test, len(alone.brackets)) == (None, len(problem.train.right))
    assert parts.num_examples(penn.load(None, path=path, max_length=3).train) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("max_length=2", "has no sentences of at most 2 tokens"),
        ("max_length=101", r"max_length must be at most 100, not '101'"),
        ("horizontal=-1", "horizontal must be at least 0, not '-1'"),
        ("vertical=0", "vertical must be at least 1, not '0'"),
        ("prune=1", "prune must be below 1, not '1'"),
        ("factor=up", "factor must be one of right, left, head, not 'up'"),
    ],
)
def test_options_out_of_range(written, options, message):
    with pytest.raises(UserError, match=message):
        datasets.build(f"penn:{written(TRAIN)},{options}")


def test_sentences_that_are_too_long_for_own_trees_are_counted(written, capsys):
    text = 2 * TREE + TREE.replace("(NN grass)", "(NN grass) (NN grass)")
    datasets.build(f"penn:{written(text)},max_length=3")
    said = capsys.readouterr().err
    assert "1 of 3 sentences have over 3 tokens and are left out: max_length=3" in said
    datasets.build(f"penn:{written(text)}")
    assert "left out" not in capsys.readouterr().err


def test_own_trees_without_words_are_counted(written, capsys):
    datasets.build(f"penn:{written(TREE + '(S (NP (-NONE- *)))')}")
    assert "data: 1 of 2 trees have no words and are left out" in capsys.readouterr().err


@pytest.mark.parametrize(
    "option", ["max_length=14", "factor=head", "horizontal=2", "vertical=3", "prune=0", "head_tags=true"]
)
def test_attachments_take_no_option_of_brackets(option):
    name = option.partition("=")[0]
    with pytest.raises(UserError, match=f"treebank: {name} is an option of task=brackets only, not of task=att"):
        datasets.build(f"treebank:task=attachments,{option}")
