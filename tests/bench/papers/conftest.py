"""What the tests of papers share."""

from collections.abc import Iterator
from typing import Any

import pytest

from structbench.bench.drawing import draw, plotted
from tests.bench.drawing import texts


@pytest.fixture(autouse=True)
def no_images(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures are drawn and laid out but not written: files of each kind are proven with one in test_draw.py."""
    monkeypatch.setattr(draw, "UNDATED", {})


@pytest.fixture(autouse=True)
def texts_lie_apart(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """In no figure that a test draws do texts overlap, and none is cut or longer than its axis."""
    faults, read = [], plotted.as_csv

    def looked_at(figure: Any) -> str:
        titles = " | ".join(axes.get_title("left") for axes in figure.axes)
        faults.extend(f"{fault} in {titles}" for fault in texts.faults(figure))
        return read(figure)

    monkeypatch.setattr(plotted, "as_csv", looked_at)
    yield
    assert not faults, "\n".join(faults)
