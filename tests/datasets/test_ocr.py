"""OCR letters: folds and options on a small file, and the real one."""

import pickle

import numpy as np
import pytest

import datasets
from algorithms.structures import features
from datasets import ocr
from datasets.base.errors import UserError


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


def test_one_fold_is_held_out(files):
    letters = files.letters
    problem = ocr.load(files, fold=3)
    held_out = np.concatenate([letters["labels"][3], letters["labels"][13]])
    assert problem.test.y.tolist() == held_out.tolist()
    assert len(problem.train.starts) - 1 == 18
    pixels = np.concatenate([letters["data"][3], letters["data"][13]])
    np.testing.assert_array_equal(features.as_matrix(problem.test.x).toarray(), pixels)


def test_the_first_words(files):
    problem = ocr.load(files, words=5)
    kept = [i for i in range(20) if i % 10 != 0][:5]
    assert problem.train.y.tolist() == np.concatenate([files.letters["labels"][i] for i in kept]).tolist()
    assert len(problem.test.starts) - 1 == 2, "the test split stays"


@pytest.mark.parametrize("options", [{"fold": 10}, {"fold": -1}, {"words": -1}, {"words": 19}])
def test_options_out_of_range(files, options):
    (name,) = options
    with pytest.raises(UserError, match=f"data set ocr: {name} must lie in 0 .. "):
        ocr.load(files, **options)


def test_a_file_that_is_no_pickle(files, tmp_path):
    (tmp_path / "letters.pickle").write_bytes(b"")
    with pytest.raises(UserError, match=r"letters.pickle is not a pickle of numpy arrays"):
        ocr.load(files)


def test_real():
    problem = datasets.build("ocr")
    words = len(problem.train.starts) - 1, len(problem.test.starts) - 1
    assert sum(words) == 6_877
    assert len(problem.train.y) + len(problem.test.y) == 52_152
    assert words[1] == 626
    assert len(problem.labels) == 26
    assert isinstance(problem.train.x, features.Binary), "black and white pixels, no bias"
    assert features.shape(problem.train.x)[1] == 128
    word = "".join(problem.labels[k] for k in problem.train.y[: problem.train.starts[1]])
    assert word == "ommanding"
