"""Vowpal Wabbit, where it is not installed, and the lines that it would read."""

import numpy as np
import pytest

from algorithms.runtime.errors import UserError
from algorithms.structures import features as ft
from algorithms.structures import interface as parts
from bench.measure import vowpal


def test_where_it_is_not_installed_a_sentence_says_what_to_do(monkeypatch):
    monkeypatch.setattr(vowpal.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(
        UserError, match=r"Vowpal Wabbit is not there: `uv pip install --group vowpal` installs it"
    ):
        next(vowpal.rows())


def test_examples_are_written_with_labels_from_1_and_without_zeros():
    x = ft.dense(np.array([[0.0, 0.5, 0.0], [1.0, 0.0, -2.0]]))
    lines = vowpal._lines(parts.Classes(x, np.array([0, 2], np.int32), 3))
    assert [*lines] == ["1 | 1:0.5", "3 | 0:1 2:-2"]
