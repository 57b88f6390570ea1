"""OCR letters: folds and options on a small file, and the real one."""

import itertools
import pickle

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features
from structbench.algorithms.structures import interface as parts
from structbench.datasets import data_ref, ocr
from structbench.datasets.problems import new_examples
from tests.datasets.matrices import array_of


@pytest.fixture
def files(tmp_path):
    """A stand-in for the fetcher: 20 words of 1 to 3 letters, two words a fold."""
    rng = np.random.default_rng(0)
    lengths = rng.integers(1, 4, 20)
    letters = {
        "data": [rng.integers(0, 2, (length, 128), np.uint8) for length in lengths],
        "labels": [rng.integers(0, 26, length) for length in lengths],
        "folds": list(range(10)) * 2,
    }
    (tmp_path / "letters.pickle").write_bytes(pickle.dumps(letters))

    def path(file):
        return tmp_path / file.name

    path.letters = letters
    return path


def indices(files, split):
    """Of the words of a split in the file: all of them differ."""
    rows = array_of(split.x)
    words = [rows[a:b].tobytes() for a, b in itertools.pairwise(split.starts)]
    own = [word.astype(rows.dtype).tobytes() for word in files.letters["data"]]
    assert len(set(own)) == len(own)
    return [own.index(word) for word in words]


def test_one_fold_is_held_out_or_trained_on(files):
    of_fold, others = [3, 13], [i for i in range(20) if i % 10 != 3]
    problem = ocr.load(files, fold=3)
    assert (indices(files, problem.train), indices(files, problem.test)) == (others, of_fold)
    assert problem.test.y.tolist() == np.concatenate([files.letters["labels"][i] for i in of_fold]).tolist()
    problem = ocr.load(files, fold=3, train="one")
    assert (indices(files, problem.train), indices(files, problem.test)) == (of_fold, others)
    problem = ocr.load(files, fold=3, words=5)
    assert (indices(files, problem.train), indices(files, problem.test)) == (others[:5], of_fold)


@pytest.mark.parametrize(("bias", "columns"), [("ends", 2), ("all", 3)])
def test_first_and_last_letters_have_weights_of_their_own(files, bias, columns):
    plain, with_bias = ocr.load(files, fold=3), ocr.load(files, fold=3, bias=bias)
    assert parts.num_weights(with_bias.train) == 26 * (128 + columns) + 26 * 26
    for split, other in zip(with_bias[:2], plain[:2], strict=True):
        x, starts = array_of(split.x), split.starts
        np.testing.assert_array_equal(x[:, :128], array_of(other.x))
        for column, ones in zip(x[:, 128:].T, (starts[:-1], starts[1:] - 1, np.arange(len(x))), strict=False):
            assert np.flatnonzero(column).tolist() == ones.tolist()
    words = [files.letters["data"][i] for i in (3, 13)]
    new = ocr.encode(ocr.written(words).encode(), "new", tuple("abcdefghijklmnopqrstuvwxyz"), {}, bias=bias)
    np.testing.assert_array_equal(array_of(new.split.x), array_of(with_bias.test.x))


def test_words_of_each_fold(files):
    drawn = [ocr.load(files, fold=fold, from_each=1, train="one", seed=5) for fold in range(10)]
    kept = [indices(files, problem.train) for problem in drawn]
    assert [[i % 10 for i in own] for own in kept] == [[fold] for fold in range(10)]
    for own, problem in zip(kept, drawn, strict=True):
        assert indices(files, problem.test) == sorted(i for other in kept if other != own for i in other)
    assert indices(files, ocr.load(files, fold=3, from_each=2, train="one").train) == [3, 13]
    held_out = ocr.load(files, fold=3, from_each=1, seed=5)
    assert (indices(files, held_out.test), len(held_out.train.starts) - 1) == (kept[3], 9)


def test_other_seeds_draw_other_words_and_fewer_are_among_more():
    folds = np.arange(1000) % 10
    drawn = {(n, seed): ocr._drawn(folds, n, seed).tolist() for n in (10, 30) for seed in (0, 1)}
    for (count, _), words in drawn.items():
        assert np.bincount(folds[words]).tolist() == [count] * 10
        assert words == sorted(set(words))
    assert drawn[10, 0] != drawn[10, 1]
    assert set(drawn[10, 0]) < set(drawn[30, 0])


def test_a_label_never_seen_in_training_has_weights(files):
    problem = ocr.load(files, from_each=1, train="one")
    assert set(problem.test.y) - set(problem.train.y), "the test split has other letters"
    assert parts.num_weights(problem.train) == parts.num_weights(problem.test) == 128 * 26 + 26 * 26


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"words": -1}, "words must lie in 0 .. 18 for fold 0, not -1"),
        ({"words": 19}, "words must lie in 0 .. 18 for fold 0, not 19"),
        ({"from_each": 3}, "from_each must lie in 0 .. 2, the words of a fold, not 3"),
        ({"from_each": -1}, "from_each must lie in 0 .. 2, the words of a fold, not -1"),
        ({"words": 2, "train": "one", "from_each": 1}, "words must lie in 0 .. 1 for fold 0, not 2"),
    ],
)
def test_options_out_of_range(files, options, message):
    with pytest.raises(UserError, match=f"data set ocr: {message}"):
        ocr.load(files, **options)


@pytest.mark.parametrize(
    ("option", "message"),
    [("fold=10", "at most 9, not '10'"), ("fold=-1", "at least 0, not '-1'"), ("seed=-1", "at least 0, not '-1'")],
)
def test_folds_and_seeds_out_of_range(option, message):
    with pytest.raises(UserError, match=f"data set ocr: {option[:4]} must be {message}"):
        datasets.data_ref(f"ocr:{option}")


def test_a_file_that_is_no_pickle(files, tmp_path):
    (tmp_path / "letters.pickle").write_bytes(b"")
    with pytest.raises(UserError, match=r"letters.pickle is not a pickle of numpy arrays"):
        ocr.load(files)


@pytest.mark.corpus(*ocr.SOURCES)
def test_real():
    problem = datasets.build("ocr")
    words = len(problem.train.starts) - 1, len(problem.test.starts) - 1
    assert sum(words) == 6_877
    assert len(problem.train.y) + len(problem.test.y) == 52_152
    assert words[1] == 626
    assert len(problem.labels) == 26
    assert problem.train.x.kind == features.BINARY, "black and white pixels, no bias"
    assert features.shape(problem.train.x)[1] == 128
    word = "".join(problem.labels[k] for k in problem.train.y[: problem.train.starts[1]])
    assert word == "ommanding"
    assert ocr.LETTERS.max_bytes == 2**23


@pytest.mark.corpus(*ocr.SOURCES)
@pytest.mark.parametrize("words", [100, 250])
def test_the_papers_subsets(words):
    """OCR100 and OCR250 of l1m3n2009: as many words from each fold; one fold trains, the nine others test."""
    problem = datasets.build(f"ocr:from_each={words},train=one,fold=9")
    assert len(problem.train.starts) - 1 == words
    assert len(problem.test.starts) - 1 == 9 * words


@pytest.mark.parametrize("word", [np.full((1, 128), 0.9), np.zeros((0, 128)), np.full((2, 16, 8), 255)])
def test_words_of_other_values_and_empty_ones_are_refused(word):
    with pytest.raises(UserError, match="are no examples for a model of ocr"):
        new_examples.written(data_ref("ocr"), [np.ones((2, 128)), word])
    line = ocr.written([np.ones((1, 128))]).replace("\t1\t", "\t255\t", 1)
    with pytest.raises(UserError, match=r"line 1: expected .* pixels, 0 or 1, .* found the pixel '255'"):
        ocr.encode(line.encode(), "new", ("a",), {})
