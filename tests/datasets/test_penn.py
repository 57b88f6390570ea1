"""A user's own trees in brackets."""

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import interface as parts
from structbench.datasets import penn

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
    alone = penn.load(None, path=path)
    assert (alone.test, len(alone.brackets)) == (None, len(problem.train.right))
    assert parts.num_examples(penn.load(None, path=path, max_length=3).train) == 1


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
        ("(S (NN a)\n", "line 1: expected brackets that match"),
        ("(S (NN a))\n)", r"line 2: expected a tree in brackets, found '\)'"),
        (b"((NP (-NONE- *)))", "has no trees with words"),
    ],
)
def test_malformed(written, data, message):
    good, bad = written(TRAIN), written(data, "bad")
    for train, test in ((bad, None), (good, bad)):
        with pytest.raises(UserError, match=message) as caught:
            penn.load(None, path=train, test=test)
        assert str(caught.value).startswith(bad)
