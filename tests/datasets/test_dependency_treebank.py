"""English dependency trees: an archive of the same shape, damage, and the real one."""

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.datasets import dependency_treebank

FILE = "Ann\tNNP\t2\nsleeps\tVBZ\t0\n\nGo\tVB\t0\n"


@pytest.fixture
def load(load_zipped, kept_trees):
    """``load(**options)`` reads an archive; ``first=...`` takes the place of its first file."""

    def build(first: str | bytes | None = FILE, **options):
        members: dict[str, str | bytes | None] = {}
        members |= {dependency_treebank.MEMBER.format(number): FILE for number in range(1, 200)}
        members[dependency_treebank.MEMBER.format(1)] = first
        return load_zipped(dependency_treebank, members, **options)

    return build


def test_the_split_is_that_of_treebank(load):
    problem = load()
    assert (len(problem.train.lengths), len(problem.test.lengths)) == (2 * 130, 2 * 39)
    assert len(load(tune=True).test.lengths) == 2 * 30
    fewer = load(sentences=3, test_sentences=1)
    assert (fewer.train.lengths.tolist(), fewer.test.lengths.tolist()) == ([2, 1, 2], [2])
    assert fewer.train.heads.tolist() == [2, 0, 0, 2, 0]
    with pytest.raises(UserError, match="the test split of dependency-treebank has 78 sentences"):
        load(test_sentences=79)


def test_tokens_have_words_and_both_parts_of_speech():
    first, second = dependency_treebank.read_heads(FILE.replace("\n", "\r\n"), "x")
    assert (first.words, first.coarse, first.tags) == (("Ann", "sleeps"), ("NN", "VB"), ("NNP", "VBZ"))
    assert second.heads.tolist() == [0]


@pytest.mark.parametrize(
    ("first", "message"),
    [
        (None, "has no member dependency_treebank/wsj_0001.dp"),
        ("\na\tN\n", "wsj_0001.dp, line 2: expected a word, its part of speech and the number of its head, found"),
        ("\tN\t0\n", "line 1: expected a word, its part"),
        ("a\tN\t0\t_\n", "line 1: expected a word, its part"),
        ("\n", "has no sentences: expected a token a line"),
        ("a\tN\t0\nb\tN\t0\n", "line 2: expected one token with head 0"),
        ("a\tN\t5\n", "line 1: expected a head from 0 to 1"),
        ("a\tN\tx\n", "line 1: expected a word, its part of speech and the number of its head"),
        (b"\xe9\tN\t0\n", "line 1: expected UTF-8 text, found byte 0xe9"),
        ("a\tN\t0\n" + " " * 2**20, "is larger than the 1048576 bytes"),
    ],
)
def test_malformed(load, first, message):
    with pytest.raises(UserError, match=message):
        load(first)


@pytest.mark.corpus(dependency_treebank.CORPUS)
def test_the_real_trees(kept_trees):
    made = [datasets.build(f"dependency-treebank{tune}") for tune in ("", ":tune=true")]
    splits = made[0].train, made[1].test, made[0].test
    assert [len(split.lengths) for split in splits] == [2_967, 434, 513]
    assert [int(split.lengths.sum()) for split in splits] == [71_633, 10_305, 12_146]
    for split in splits:
        assert split.single_root
        np.testing.assert_array_equal(split.heads, split.learned)
