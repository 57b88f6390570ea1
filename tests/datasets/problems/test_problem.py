"""Which labels are those of chunks or entities."""

import pytest

from structbench.datasets.problems.problem import is_bio


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (("B-X", "I-X", "O"), True),
        (("B-X", "I-X"), True),
        (("I-X", "O"), False),
        (("B-X", "O", "N"), False),
        (("O",), False),
        ((), False),
    ],
)
def test_is_bio(labels, expected):
    assert is_bio(labels) is expected
