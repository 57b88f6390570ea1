"""Pickles: arrays pass, anything else is refused and not run."""

import os
import pickle

import numpy as np
import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.datasets.fetching import unpickle


@pytest.mark.parametrize("protocol", range(5))
def test_arrays_pass(protocol):
    value = {"a": [np.arange(6).reshape(2, 3), np.zeros(0)], "b": (b"bytes", "text", 1.5, np.float32(2))}
    read = unpickle.load(pickle.dumps(value, protocol), "test")
    np.testing.assert_equal(read, value)
    assert read["a"][0].dtype == value["a"][0].dtype


class Evil:
    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


@pytest.mark.parametrize("protocol", range(5))
@pytest.mark.parametrize("function", [os.system, eval, getattr, np.load, np.fromfile])
def test_malicious_pickle_is_refused_and_not_run(tmp_path, protocol, function):
    target = tmp_path / "evil"
    arguments = {os.system: f"touch {target}", eval: f"open({str(target)!r}, 'w')"}
    data = pickle.dumps([np.arange(3), Evil(function, arguments.get(function, str(target)))], protocol)
    with pytest.raises(UserError, match=r"test is not .* only numpy arrays are admitted"):
        unpickle.load(data, "test")
    assert not target.exists()


def test_array_of_evil_objects_is_refused(tmp_path):
    array = np.array([Evil(os.system, f"touch {tmp_path / 'evil'}"), None], dtype=object)
    with pytest.raises(UserError):
        unpickle.load(pickle.dumps(array), "test")
    assert not (tmp_path / "evil").exists()


def test_text_can_only_be_encoded_as_latin1():
    data = b"c_codecs\nencode\n(Vtext\nVrot13\ntR."
    with pytest.raises(UserError, match="rot13"):
        unpickle.load(data, "test")


@pytest.mark.parametrize("data", [b"", b"no pickle", pickle.dumps(np.arange(10))[:-9], b"\x80\x04."])
def test_damaged_pickle(data):
    with pytest.raises(UserError, match="test is not a pickle of numpy arrays"):
        unpickle.load(data, "test")
