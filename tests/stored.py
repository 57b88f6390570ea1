"""Numbers that are stored: what a change of the code changes by the way is seen."""

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

NUMBER = re.compile(r"-?\d[\d,]*\.?\d*(?:e[-+]\d+)?")


def as_stored(file: Path, found: Mapping[str, str], rtol: float) -> None:
    """See that texts are those of a file with a line for each name, the numbers in them up to ``rtol``.

    A name that the file lacks is written there, and the test fails: read the line before you keep it.
    """
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    stored = dict(line.split(": ", 1) for line in lines)
    for name, text in found.items():
        if name not in stored:
            with file.open("a", encoding="utf-8") as opened:
                opened.write(f"{name}: {text}\n")
            pytest.fail(f"{file.name} had no {name}: read what is now in it, and keep it")
        differs = f"{name}: {text}\nis not\n{stored[name]}"
        assert NUMBER.sub("N", text) == NUMBER.sub("N", stored[name]), differs
        numbers = [[float(each.replace(",", "")) for each in NUMBER.findall(one)] for one in (text, stored[name])]
        np.testing.assert_allclose(numbers[0], numbers[1], rtol, atol=1e-9, err_msg=differs)
