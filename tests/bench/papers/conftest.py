"""What the tests of papers share."""

import csv
import io
from collections.abc import Iterator
from typing import Any

import pytest

from structbench.bench.drawing import draw, plotted
from tests.bench.drawing import texts


@pytest.fixture(autouse=True)
def no_images(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures are drawn and laid out but not written: files of each kind are proven with one in test_draw.py."""
    monkeypatch.setattr(draw, "USUAL", ())


@pytest.fixture(autouse=True)
def figures_can_be_read(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """In figures that tests draw no texts overlap, none is cut or longer than its axis, each series is named."""
    faults, read = [], plotted.as_csv

    def looked_at(figure: Any) -> str:
        titles = " | ".join(axes.get_title("left") for axes in figure.axes)
        faults.extend(f"{fault} in {titles}" for fault in texts.faults(figure))
        numbers = read(figure)
        rows = [*csv.DictReader(io.StringIO(numbers))]
        nameless = {f"{row['kind']} without a name" for row in rows if not row["series"] and row["kind"] != "cell"}
        shown = [label for axes in figure.axes for label in axes.get_legend_handles_labels()[1]]
        unkept = {f"{label} without its numbers" for label in {*shown} - {row["series"] for row in rows}}
        faults.extend(f"{fault} in {titles}" for fault in sorted(nameless | unkept))
        return numbers

    monkeypatch.setattr(plotted, "as_csv", looked_at)
    yield
    assert not faults, "\n".join(faults)
