"""A user's own trees in brackets."""

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import interface as parts

TRAIN = """( (S (NP-SBJ (DT The) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (DT the) (NN mat)))) (. .)) )
(S (NP (NN grass)) (VP (VBD grew))
  (. .))
"""
TEST = "(S (NP (DT a) (NN tree)) (VP (VBD grew)) (. !))\n(S (VP (FW xyz)))\n"


def test_labels_spans_and_sizes(written):
    problem = datasets.build(f"penn:{written(TRAIN)}", written(TEST, "test"))
    assert problem.labels == ("none", "NP", "PP", "S", "VP", "S+VP")
    assert np.diff(problem.train.output_starts).tolist() == [7 * 8 // 2, 3 * 4 // 2]
    right = problem.train.right[-6:]  # the spans 0-1, 0-2, 0-3, 1-2, 1-3, 2-3 of the second sentence
    assert [problem.labels[k] for k in right] == ["NP", "none", "S", "VP", "none", "none"]
    assert problem.train.y.min() >= 0
    assert problem.test.y.min() == -1
    assert problem.brackets[28:34].tolist() == [0, 1, 1, 2, 2, -1]


def test_without_a_test_file(written):
    problem = datasets.build(f"penn:{written(TRAIN)}")
    assert problem.test is None
    assert len(problem.brackets) == len(problem.train.right)


def test_a_sentence_without_a_parse_has_no_parts(written):
    test = datasets.build(f"penn:{written(TRAIN)}", written(TEST, "test")).test
    assert np.diff(parts.offsets(test)).tolist()[1] == 0
    assert parts.num_decisions(test, 1) == 1


def test_short_sentences_alone(written):
    assert parts.num_examples(datasets.build(f"penn:{written(TRAIN)},max_length=3").train) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("max_length=2", "has no sentences of at most 2 tokens"),
        ("max_length=101", r"max_length must lie in 1 .. 100, not 101"),
        ("horizontal=-1", "horizontal must be 0 or more, not -1"),
        ("vertical=0", "vertical must be 1 or more, not 0"),
        ("prune=1", "prune must be a probability below 1, not 1"),
        ("factor=up", "factor must be one of right, left, head, not 'up'"),
    ],
)
def test_options_out_of_range(written, options, message):
    with pytest.raises(UserError, match=message):
        datasets.build(f"penn:{written(TRAIN)},{options}")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "has no trees"),
        ("(S (NN a)\n", "line 1: expected brackets that match"),
        ("(S (NN a))\n(S (NN caf\u00e9))".encode("latin-1"), "line 2: expected UTF-8 text, found byte 0xe9"),
        (b"((NP (-NONE- *)))", "has no trees with words"),
    ],
)
def test_malformed(written, data, message):
    path = written(data)
    with pytest.raises(UserError, match=message) as caught:
        datasets.build(f"penn:{path}")
    assert str(caught.value).startswith(path)


def test_a_malformed_test_file_is_the_one_named(written):
    with pytest.raises(UserError, match=r"bad, line 2: expected a tree in brackets, found '\)'"):
        datasets.build(f"penn:{written(TRAIN)}", written("(S (NN a))\n)", "bad"))


@pytest.mark.parametrize("spell", [lambda s: s.replace("\n", "\r\n"), lambda s: "\ufeff" + s], ids=["CRLF", "BOM"])
def test_the_same_problem_in_other_spellings(written, spell):
    read, plain = (datasets.build(f"penn:{written(s, 'x')}").train for s in (spell(TRAIN), TRAIN))
    np.testing.assert_array_equal(read.x.indices, plain.x.indices)
    np.testing.assert_array_equal(read.right, plain.right)
