"""A shortened SVG draws what Matplotlib drew: each outline at its place, in its look, and with its words."""

import io
import re
from xml.etree import ElementTree as ET

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

from structbench.bench.report.short_svg import short_svg

LOOKS = ("clip-path", "style", "opacity")  # what a group hands down
NUMBER = re.compile(r"-?\d+\.?\d*(?:e-?\d+)?")


def figure(fonttype: str) -> str:
    """A line with a hole, marks, bars, hatches, a logarithmic axis, mathematics and a turned label."""
    drawing = Figure(figsize=(4, 3))
    left, right = drawing.subplots(1, 2)
    left.plot([1, 10, 100], [1e-3, np.nan, 4], label="a & b")
    left.scatter(np.arange(1, 9) / 7, np.arange(8) / 3, c=np.arange(8))
    left.set(xscale="log", ylabel="seconds <CPU>")
    left.legend()
    right.bar([0, 1], [1 / 3, 2 / 3], hatch="//", clip_on=False)
    right.set_title("$C^{2}$ — 5 %", fontweight="bold")
    right.annotate("there", (0, 0.2), (0.5, 0.5), arrowprops={"arrowstyle": "->"})
    with mpl.rc_context({"svg.fonttype": fonttype, "svg.hashsalt": "salt"}):
        drawing.savefig(file := io.StringIO(), format="svg", metadata={"Date": None})
    return file.getvalue()


def drawn(element: ET.Element, outer: str = "") -> list[tuple[str, list[float]]]:
    """Each element that holds no other, in order: its words, also of its groups, and the numbers in them."""
    place = element.get("transform", "")
    if "x" in element.attrib and element.tag.endswith("use"):  # as the move that it stands for
        place += f"translate({element.get('x')} {element.get('y')})"
    outer = " ".join([outer, place, *(element.get(name, "") for name in LOOKS)])
    if len(element) or element.tag.endswith("}g"):
        held = [child for child in element if isinstance(child.tag, str) and not child.tag.endswith("metadata")]
        return [one for child in held for one in drawn(child, outer)]
    links = [value for name, value in element.items() if name.endswith("href")]
    said = " ".join([element.tag, outer, element.get("d", ""), *links, element.text or ""])
    said = re.sub(r"\s*([:;])\s*", r"\1", said.replace("DejaVuSans-", "g"))
    return [(" ".join(NUMBER.sub(" 0 ", said).split()), [float(one) for one in NUMBER.findall(said)])]


@pytest.mark.parametrize("fonttype", ["path", "none"])
def test_it_draws_the_same_in_fewer_bytes(fonttype):
    whole = figure(fonttype)
    short = short_svg(whole)
    assert len(short) < 0.85 * len(whole) and short_svg(short) == short
    before, after = drawn(ET.fromstring(whole)), drawn(ET.fromstring(short))
    assert len(before) > 50 and [words for words, _ in before] == [words for words, _ in after]
    for (_, numbers), (_, rounded) in zip(before, after, strict=True):
        np.testing.assert_allclose(rounded, numbers, atol=0.0051)
    assert "there" in short and "a &amp; b" in short.replace("a & b", "a &amp; b")


def test_a_drawing_of_nothing_stays():
    assert short_svg("<svg/>") == "<svg/>"
