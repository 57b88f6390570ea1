"""Shorten an SVG of Matplotlib: the same drawing in fewer bytes."""

import re
from xml.etree import ElementTree as ET

SVG, LINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
LONG = re.compile(r"-?\d+\.\d{3,}")
MOVED = re.compile(r"translate\(\S+ \S+\)")
GLYPH = re.compile(r'(?<=[#"])DejaVuSans-')  # begins the name of a letter's outline
ET.register_namespace("", SVG)
ET.register_namespace("xlink", LINK)


def short_svg(svg: str) -> str:
    """The drawing: coordinates to a hundredth of a point, one element a line, no groups that only name things.

    Comments stay: they hold the words of a figure whose letters are outlines.
    """
    root = ET.fromstring(svg, ET.XMLParser(target=ET.TreeBuilder(insert_comments=True)))
    _shorten(root)
    return GLYPH.sub("g", ET.tostring(root, encoding="unicode")).replace(" />", "/>")


def _shorten(element: ET.Element) -> None:
    """Shorten what the element holds, from the inside out."""
    kept = []
    for child in element:
        _shorten(child)
        child.tail = "\n"
        for key in {"d", "x", "y", "style", "transform"} & child.attrib.keys():
            child.set(key, _short_value(key, child.attrib[key]))
        if child.tag == f"{{{SVG}}}use" and re.fullmatch(MOVED, moved := child.get("transform", "")):
            x, y = moved.removeprefix("translate(").removesuffix(")").split()
            child.attrib |= {"x": x, "y": y}
            del child.attrib["transform"]
        if child.tag == f"{{{SVG}}}g":
            child.attrib.pop("id", None)
            kept += [child] if child.attrib and len(child) else child
        elif child.tag != f"{{{SVG}}}metadata":
            kept.append(child)
    if len(element):
        element.text = "\n"
    element[:] = kept


def _short_value(key: str, value: str) -> str:
    """An attribute with shorter numbers; the scale of a transform stays exact."""
    if key == "style":
        return value.replace(": ", ":").replace("; ", ";")
    if key == "transform":
        return MOVED.sub(lambda moved: _rounded(moved[0]), value)
    return _rounded(" ".join(value.split()))


def _rounded(numbers: str) -> str:
    return LONG.sub(lambda one: f"{float(one[0]):.2f}", numbers)
