"""MNIST: the idx format, and the real files."""

import struct

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features
from structbench.datasets import mnist
from structbench.datasets.fetching.download import Fetcher
from tests.datasets.matrices import array_of


def idx(array):
    return bytes([0, 0, 8, array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape) + array.tobytes()


@pytest.fixture
def files(tmp_path):
    """A stand-in for the fetcher: 6 and 4 images of 2 x 3 pixels."""
    rng = np.random.default_rng(0)
    for images, labels, count in (
        (mnist.TRAIN_IMAGES, mnist.TRAIN_LABELS, 6),
        (mnist.TEST_IMAGES, mnist.TEST_LABELS, 4),
    ):
        (tmp_path / images.name).write_bytes(idx(rng.integers(0, 256, (count, 2, 3), np.uint8)))
        (tmp_path / labels.name).write_bytes(idx(rng.integers(0, 10, count, np.uint8)))
    return lambda file: tmp_path / file.name


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "file is not an idx file of 3-dimensional bytes: it begins with nothing"),
        (b"\x1f\x8b\x08\x00" + bytes(20), "begins with 1f8b0800, expected 00000803 and 3 sizes"),
        (idx(np.zeros(4, np.uint8)), "begins with 00000801, expected 00000803"),
        (idx(np.zeros((2, 3, 4), np.uint8))[:10], "expected 00000803 and 3 sizes"),
        (idx(np.zeros((2, 3, 4), np.uint8))[:-1], r"file has 39 bytes, but its sizes \(2, 3, 4\) ask for 40"),
        (idx(np.zeros((2, 3, 4), np.uint8)) + b"x", "file has 41 bytes"),
    ],
)
def test_malformed_idx(data, message):
    with pytest.raises(UserError, match=message):
        mnist.read_idx(data, 3, "file")


def test_pixels_are_scaled_and_the_last_fifth_of_the_training_images_can_be_held_out(files):
    whole, tuned = mnist.load(files, train=6, test=4), mnist.load(files, train=6, tune=True)
    raw = np.frombuffer(files(mnist.TRAIN_IMAGES).read_bytes(), np.uint8, offset=16).reshape(6, 6)
    for part, rows in ((whole.train, slice(0, 6)), (tuned.train, slice(0, 5)), (tuned.test, slice(5, 6))):
        np.testing.assert_array_equal(array_of(part.x), raw[rows] / 255)
        np.testing.assert_array_equal(part.y, whole.train.y[rows])
    assert (len(whole.test.y), whole.labels) == (4, tuple("0123456789"))
    assert len(mnist.load(files, train=5, test=3).train.y) == 5
    with pytest.raises(UserError, match="with tune=true train must be 5 or more, not 4"):
        mnist.load(files, train=4, tune=True)
    with pytest.raises(UserError, match="with tune=true the test split is training images: no test"):
        mnist.load(files, test=3, tune=True)
    assert len(mnist.load(files, train=5, tune=True).test.y) == 1


def test_digits_with_hidden_ways_to_write_them_are_the_same_images(files):
    plain, hidden = (mnist.load(files, train=6, test=4, hidden=k) for k in (1, 3))
    for one, other in ((plain.train, hidden.train), (plain.test, hidden.test)):
        np.testing.assert_array_equal(array_of(one.x), array_of(other.x))
        np.testing.assert_array_equal(one.y, other.y)
    assert (plain.train.id, hidden.train.id, hidden.train.num_hidden) == ("multiclass", "subclasses", 3)
    assert [datasets.data_ref(f"mnist:hidden={k}").structure for k in (1, 3)] == ["multiclass", "subclasses"]


@pytest.mark.parametrize(("option", "most"), [("train", 6), ("test", 4)])
@pytest.mark.parametrize("count", [0, -1, 7])
def test_more_images_than_there_are(files, option, most, count):
    counts = {"train": 6, "test": 4, option: count}
    with pytest.raises(UserError, match=rf"{option} must lie in 1 \.\. {most}, not {count}"):
        mnist.load(files, **counts)


@pytest.mark.corpus(*mnist.SOURCES)
def test_real():
    problem = datasets.build("mnist")
    assert len(problem.train.y) == 59_000
    assert len(problem.test.y) == 10_000
    assert features.shape(problem.train.x) == (59_000, 784)
    assert problem.train.y[:5].tolist() == [5, 0, 4, 1, 9]
    assert np.bincount(problem.test.y).tolist() == [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]
    assert problem.train.x.values.max() == 1
    with Fetcher() as fetched:
        assert all(fetched(file).stat().st_size == file.max_bytes for file in mnist.SOURCES)
