"""Pages in HTML: the boxes of a small page by hand; what is hostile, misplaced or no HTML is refused."""

import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.datasets.web import html
from structbench.datasets.web.boxes import Box
from structbench.datasets.web.html import ABOVE, OTHER, Marks

MARKS = Marks("data-label", "data-record")
PAGE = """<!DOCTYPE html>
<html><head><title>Shop</title></head><body>
<!-- a comment --><script>var x = "<b data-label=Price>1</b>";</script>
<div class=" item  big "><h3 data-label="Name">Red &amp; Shoe</h3>
<p>only <b data-label=Price>$12.99</b> today<br>while &unknown; lasts</p>
<img src=x width="120px" height=80 alt="A shoe"></div>
<footer>Caf\u00e9</footer></body></html>"""


@pytest.fixture
def read(tmp_path):
    def examples(content, marks=MARKS):
        file = tmp_path / "page.html"
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return html.examples(file, marks)

    return examples


def test_a_page_by_hand(read):
    (page,) = read(PAGE)
    assert (page.tag, page.label) == ("html", ABOVE)
    (body,) = page.children  # head and script are left out
    item, footer = body.children
    assert footer == Box(OTHER, "footer", "", ("Caf\u00e9",))
    name, text, image = item.children
    assert (item.label, item.css) == (ABOVE, "item big")
    assert name == Box("Name", "h3", "", ("Red", "&", "Shoe"), bold=True)
    assert text.words == ("only", "today", "while", "&unknown;", "lasts") and text.label == ABOVE
    assert [child.label for child in text.children] == ["Price", OTHER]
    assert image == Box(OTHER, "img", "", ("A", "shoe"), 120, 80)


def test_records_are_examples_of_their_own(read):
    row = "<li data-record><b data-label=Name>x</b></li>"
    first, second = read(f"<h1>Shop</h1><ul>{row}{row}</ul><p>more</p>")
    assert first == second == Box(ABOVE, "li", "", (), children=(Box("Name", "b", "", ("x",), bold=True),))
    (one,) = read("<p item class=x><b kind=Name>x</b></p>", Marks("kind", "item"))
    assert one.tag == "p" and one.children[0].label == "Name"


def test_a_template_holds_no_example(read, monkeypatch):
    row, pattern = "<li data-record><b data-label=Name>x</b></li>", "<li data-record><b>name</b></li>"
    monkeypatch.setattr(html, "MOST", 4)
    assert len(read(f"<template>{pattern}</template><ul>{row}</ul>")) == 1
    assert len(read(f"<head><title>a</title><script>b</script></head><body><p>{row[16:-5]}</body>")) == 1


@pytest.mark.parametrize(
    "content",
    [
        PAGE.encode("utf-8-sig"),
        PAGE.encode("utf-16"),
        PAGE.replace("<head>", "<head><meta charset=iso-8859-1>").encode("latin-1"),
        PAGE.replace("<head>", '<head><meta http-equiv=a content="text/html; charset=cp1252">').encode("cp1252"),
        PAGE.replace("\n", "\r\n"),
    ],
    ids=["BOM", "UTF-16", "latin-1", "cp1252", "CRLF"],
)
def test_the_same_page_in_other_spellings(read, content):
    assert read(content) == read(PAGE)


LABEL = "<b data-label=A>a</b>"
BOMB = "".join(f'<!ENTITY a{k + 1} "{f"&a{k};" * 10}">' for k in range(9))


def test_entities_of_a_page_are_not_expanded(read):
    (page,) = read(f'<!DOCTYPE html [<!ENTITY a0 "ha">{BOMB}]><html><body>&a9;{LABEL}</body></html>')
    assert page.children[0].words[-1].endswith("&a9;")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("<div>" * 10_000 + LABEL, "line 1: expected elements in elements, at most 255 deep, but: Exc"),
        (LABEL + "<i>" * 3000, "at most 255 deep"),
        (LABEL + " " * 50 * 2**20, "expected a page of at most 8 MB, found 50 MB"),
        (LABEL + "<p>x</p>" * 2000, r"at most 2000 elements .* page \(no element has data-record\) has 2003"),
        ("<ul data-record>" + LABEL + "<li>x" * 2000, "the element ul of data-record has 2002"),
        (b"\x89PNG\r\n\x1a\n\0\0", "line 1: expected text in utf-8, found byte 0x89"),
        (b"%PDF <b>\n\0", "line 2: expected text, found byte 0x00"),
        ("", "expected a page in HTML, found no element"),
        ("name,price\nshoe,1 < 2\n", "expected a page in HTML, found no element"),
        ("<!-- <b> -->", "found nothing but comments"),
        ("\n<p>Caf\u00e9</p>".encode("latin-1"), "line 2: expected text in utf-8, found byte 0xe9"),
        (b" " * 1010 + b"<meta charset=iso-8859-1><p>Caf\xe9</p>", "expected text in utf-8, found byte 0xe9"),
        ("\ufeff<p>x".encode("utf-16")[:-1], "expected text in utf-16"),
        ("<meta charset=zip><p>", "expected an encoding such as utf-8 or iso-8859-1, found charset=zip"),
        ("<meta charset=windows-99999><p>", "found charset=windows-99999"),
        ("<html><body><p>x</p></body></html>", "expected elements with the attribute data-label, .* found none"),
        (f"<p>\n<b data-label=' '>x</b>{LABEL}", "line 2: expected the name of a label as data-label, found ''"),
        (f"<p data-label>x</p>{LABEL}", "line 1: expected the name of a label as data-label, found ''"),
        ("<p data-label='(other)'>x", r"expected the name of a label as data-label, found '\(other\)'"),
        (f"{LABEL}<template>\n<b data-label=B>", "line 2: the label 'B' is on an element that is left out"),
        (f"<p data-record>x</p>\n{LABEL}", "line 2: the label 'A' is on an element outside of all with"),
        (f"<div data-record>\n<p data-record>{LABEL}", "line 2: an element with data-record lies in"),
    ],
)  # fmt: skip
def test_what_is_refused(read, tmp_path, content, message):
    with pytest.raises(UserError, match=message) as refused:
        read(content)
    assert str(refused.value).startswith(str(tmp_path / "page.html")) and "\n" not in str(refused.value)


def test_a_page_that_is_not_there(tmp_path):
    with pytest.raises(UserError, match=r"page.html: expected a readable page, but: No such file"):
        html.examples(tmp_path / "page.html", MARKS)
