"""Read labelled HTML pages as trees of boxes, and refuse pages that are too large, too deep or unlabelled.

The parser is lxml's. It follows no link, expands no entity of a page's own and stops at a depth of 256.
"""

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from structbench.algorithms.runtime.errors import UserError
from structbench.datasets.web.boxes import Box

if TYPE_CHECKING:  # a listing need not wait for it
    from lxml.etree import _Element

LARGEST = 8 * 2**20  # bytes of a page
MOST = 2000  # elements of an example: the inner products of all pairs of them are kept
OTHER, ABOVE = "(other)", "(above)"
LEFT_OUT = ("head", "script", "style", "template", "noscript")
KEPT = f"not({' or '.join(f'ancestor-or-self::{tag}' for tag in LEFT_OUT)})"
BOLD = ("b", "strong", "th", "h1", "h2", "h3", "h4", "h5", "h6")

ELEMENT = re.compile(r"<[a-zA-Z]")
META = re.compile(rb"<meta[^>]{1,200}?charset\s*=\s*[\"']?\s*([\w.:+-]+)", re.IGNORECASE)
MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
ENCODING = re.compile(
    r"utf-?8|(us-)?ascii|(iso-?8859|latin|windows|cp)-?\d+|koi8-[ru]|gbk|gb2312|gb18030|big5|euc-(jp|kr)|shift_jis",
    re.IGNORECASE,
)


class Marks(NamedTuple):
    """The names of the attributes that say an element's label, and that it is an example of its own."""

    label: str
    record: str


def examples(file: Path, marks: Marks) -> list[Box]:
    """The examples of a page: its elements with the attribute ``marks.record``, or, without any, the page.

    A box's label is what its attribute says. Without one it is ``ABOVE`` if a box in it has a label, else
    ``OTHER``. Its words are the element's own. For an image they are its alternative text.

    Raises:
        UserError: The page cannot be read, is no HTML, is over ``LARGEST`` or too deep. It has no label, or one
            outside of all examples. An example lies in another, or has more than ``MOST`` elements.
    """
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue] - a C module without types

    parser = etree.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
    text = decoded(_bytes(file), str(file))
    if not ELEMENT.search(text):
        raise UserError(f"{file}: expected a page in HTML, found no element")
    root = etree.fromstring(text.encode(), parser)
    for error in parser.error_log:
        if error.level == etree.ErrorLevels.FATAL:
            why = "elements in elements, at most 255 deep" if "depth" in error.message else "HTML"
            raise UserError(f"{file}, line {error.line}: expected {why}, but: {error.message}")
    if root is None:
        raise UserError(f"{file}: expected a page in HTML, found nothing but comments")
    own = root.xpath(f"//*[@*[name() = $record]][{KEPT}]", record=marks.record)
    found = own or [root]
    _refuse_misplaced(root, set(own), marks, file)
    for element in found:
        count = int(element.xpath(f"count(descendant-or-self::*[{KEPT}])"))
        if count > MOST:
            what = f"element {element.tag} of {marks.record}" if own else f"page (no element has {marks.record})"
            raise UserError(f"{file}: expected at most {MOST} elements in an example, but the {what} has {count}")
    return [_box(element, marks.label) for element in found]


def _refuse_misplaced(root: "_Element", records: "set[_Element]", marks: Marks, file: Path) -> None:
    labelled = root.xpath("//*[@*[name() = $label]]", label=marks.label)
    if not labelled:
        raise UserError(
            f"{file}: expected elements with the attribute {marks.label}, which names a label; found none"
        )
    for element in labelled:
        line, label = element.sourceline, (element.get(marks.label) or "").strip()
        around = [element, *element.iterancestors()]
        if not label or label in (OTHER, ABOVE):
            raise UserError(f"{file}, line {line}: expected the name of a label as {marks.label}, found {label!r}")
        if any(each.tag in LEFT_OUT for each in around):
            raise UserError(
                f"{file}, line {line}: the label {label!r} is on an element that is left out, as all in "
                f"{', '.join(LEFT_OUT)} are: expected it on one that shows"
            )
        if records and not records.intersection(around):
            raise UserError(
                f"{file}, line {line}: the label {label!r} is on an element outside of all with the attribute "
                f"{marks.record}: expected it in one of them"
            )
    for element in records:
        if records.intersection(element.iterancestors()):
            raise UserError(
                f"{file}, line {element.sourceline}: an element with {marks.record} lies in another one: "
                "expected one beside the other"
            )


def _box(element: "_Element", marked: str) -> Box:
    children = tuple(_box(child, marked) for child in element if child.tag not in LEFT_OUT)
    inside = any(child.label != OTHER for child in children)
    texts = [element.get("alt") if element.tag == "img" else element.text, *(child.tail for child in element)]
    return Box(
        (element.get(marked) or "").strip() or (ABOVE if inside else OTHER),
        element.tag,
        " ".join((element.get("class") or "").split()),
        tuple(word for text in texts if text for word in text.split()),
        _pixels(element.get("width")),
        _pixels(element.get("height")),
        bold=element.tag in BOLD,
        children=children,
    )


def _pixels(said: str | None) -> int:
    found = re.fullmatch(r"\s*(\d{1,4})(px)?\s*", said or "", re.ASCII)
    return int(found[1]) if found else 0


def _bytes(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            data = opened.read(LARGEST + 1)
            size = file.stat().st_size
    except OSError as error:
        raise UserError(f"{file}: expected a readable page, but: {error.strerror}") from None
    if len(data) > LARGEST:
        raise UserError(f"{file}: expected a page of at most {LARGEST >> 20} MB, found {size / 2**20:.0f} MB")
    return data


def decoded(data: bytes, source: str) -> str:
    """The text of a page: in the encoding of its byte order mark, of its first meta element, or UTF-8.

    Raises:
        UserError: The bytes are not in that encoding, it is none of the web's, or they are no text.
    """
    said = META.search(data[:1024])
    marked = next((name for mark, name in MARKS if data.startswith(mark)), None)
    name = marked or (said[1].decode("ascii", "replace") if said else "utf-8")
    if not marked and not ENCODING.fullmatch(name):
        raise UserError(f"{source}: expected an encoding such as utf-8 or iso-8859-1, found charset={name}")
    try:
        text = data.decode(name)
    except LookupError:
        raise UserError(f"{source}: expected an encoding such as utf-8, found charset={name}") from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UserError(
            f"{source}, line {line}: expected text in {name}, found byte 0x{data[error.start]:02x}"
        ) from None
    if "\0" in text:
        raise UserError(
            f"{source}, line {text[: text.index(chr(0))].count(chr(10)) + 1}: expected text, found byte 0x00"
        )
    return text
