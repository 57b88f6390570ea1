"""What the tests of papers share."""

import pytest

from structbench.bench.drawing import draw


@pytest.fixture(autouse=True)
def no_images(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures are drawn and laid out but not written: files of each kind are proven with one in test_draw.py."""
    monkeypatch.setattr(draw, "UNDATED", {})
