"""CoNLL-2000 with CRF++'s template: as many weights as the published table says, objectives like its."""

import pytest

from structbench import datasets
from structbench.algorithms.structures import interface as parts
from structbench.datasets import bottou
from tests.datasets.packed import zipped

SENTENCE = "He PRP B-NP\nsleeps VBZ B-VP\n\n"


def test_attributes_that_occur_less_than_three_times_are_left_out(tmp_path):
    """Of three sentences of two tokens each attribute occurs three times, of two none."""
    for count, columns in ((3, 38), (2, 0)):
        members = {"conll2000/train.txt": SENTENCE * count, "conll2000/test.txt": SENTENCE}
        path = zipped(tmp_path / f"{count}.zip", members)
        problem = bottou.load(lambda file, path=path: path)
        assert parts.num_weights(problem.train) == 2 * columns + 4
        assert problem.labels == ("B-NP", "B-VP")


@pytest.mark.corpus
def test_real():
    problem = datasets.build("bottou")
    assert parts.num_weights(problem.train) == 1_679_700  # 76,328 attributes x 22 tags + 22 x 22
    assert (parts.num_examples(problem.train), parts.num_examples(problem.test)) == (8936, 2012)
