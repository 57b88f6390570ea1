"""Which known name a mistyped one stands for."""

import pytest

from structbench.algorithms.runtime.names import meant

KNOWN = ["eg", "eg-path", "frank-wolfe", "eta0", "test_sentences", "C"]


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("EG", "eg"),
        ("Eg_Path", "eg-path"),
        ("frank_wolfe", "frank-wolfe"),
        ("FrankWolf", "frank-wolfe"),
        ("test-sentences", "test_sentences"),
        ("ETA", "eta0"),
        ("c", "C"),
        *((name, None) for name in ("", "magic", "-")),
    ],
)
def test_neither_case_nor_hyphens_count(name, known):
    assert meant(name, KNOWN) == (f"did you mean {known!r}? " if known else "")
