"""The words and addresses of the pages, and what a browser is told to keep them to."""

import re

import pytest

from structbench.algorithms.runtime.names import plural
from structbench.bench.report import markdown, overview, pages, runs_page


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0, 4, "0"),
        (7.5, 4, "7.5"),
        (18569.14987, 8, "18,569.15"),
        (18569.14987, 3, "18,569"),
        (100.0, 4, "100"),
        (0.0052589, 3, "0.00526"),
        (3.0739e-9, 3, "3.07e-09"),
        (-12.3456, 4, "-12.35"),
        (2.5e12, 4, "2.5e+12"),
        (float("inf"), 4, "inf"),
    ],
)
def test_numbers_are_short(value, digits, text):
    assert runs_page.number(value, digits) == text


def test_commits_durations_and_counts_are_words():
    assert [runs_page.short(commit) for commit in ("0123456789abc", "0123456789abc+")] == [
        "0123456789",
        "0123456789+",
    ]
    assert [overview.duration(seconds) for seconds in (3.21, 150, 7265)] == ["3.2 s", "2 min", "2 h 1 min"]
    assert [plural(count, "run") for count in (0, 1, 12345)] == ["0 runs", "1 run", "12,345 runs"]


@pytest.mark.parametrize(
    ("markdown_", "html"),
    [
        ("README.md", "index.html"),
        ("../README.md", "../index.html"),
        ("eg2008/README.md#findings", "eg2008/index.html#findings"),
        ("figures.md", "index.html#figures"),
        ("eg2008/evidence.md#a-b", "eg2008/index.html#evidence/a-b"),
        ("../runs.md#of:eg2008/x", "../runs.html#of:eg2008/x"),
        ("../explorer.html#figure=x", "../explorer.html#figure=x"),
        ("../../reference/protocol.md#claims", ""),
    ],
)
def test_a_link_to_markdown_leads_to_its_html_or_nowhere_outside_of_the_report(markdown_, html):
    assert pages.link(markdown_) == html
    assert (f'<a href="{html}">' if html else "<a>") in pages.render(f"[x]({markdown_})")


def test_figures_have_one_scale_whatever_their_panels(tmp_path):
    for name, points in (("one", 288), ("three", 864)):
        (tmp_path / f"{name}.svg").write_text(f'<svg xmlns="x" width="{points}pt" height="72pt" version="1.1">')
    page = pages.render("![a](one.svg) ![b](three.svg) ![c](gone.svg)", "figures", tmp_path)
    assert re.findall('width="([0-9]+)" height="([0-9]+)"', page) == [("360", "90"), ("1080", "90")]


def test_markdown_holds_no_html_and_no_script():
    text = "<script>alert(1)</script> <b>x</b> [a](javascript:alert(1)) [b](data:text/html,x)\n\n<div onclick=x>\n"
    made = pages.render(text)
    assert "<script" not in made and "<b>" not in made and "<div" not in made and "href" not in made


def test_text_of_data_is_no_markup_wherever_it_stands():
    text = "<b> *a* _b_ `c` | [d](e) ![f](g) \\* &lt;"
    assert pages.render(markdown.cell(text)) == "<p>&lt;b&gt; *a* _b_ `c` | [d](e) ![f](g) \\* &amp;lt;</p>\n"
    assert "<td>&lt;b&gt; *a* _b_ `c` | [d](e) ![f](g) \\* &amp;lt;</td>" in pages.render(
        markdown.table(["x"], [[markdown.cell(text)]])
    )
    assert pages.render(markdown.code("a__b*c")) == "<p><code>a__b*c</code></p>\n"
    assert pages.render(markdown.code("a`b|c")) == "<p>a`b|c</p>\n"


def test_data_for_a_script_cannot_end_it_and_a_browser_is_told_to_fetch_nothing(tmp_path):
    (tmp_path / "README.md").write_text("# x\n")
    pages.write(tmp_path / "index.html", "<b>", [tmp_path / "README.md"], [("<i>", 'a"b')], {"a": "</script><b>"})
    page = (tmp_path / "index.html").read_text()
    assert "</script><b>" not in page and "structbench: &lt;b&gt;</title>" in page and '"a&quot;b"' in page
    assert "default-src 'none'" in page and "http" not in page.replace("http-equiv", "")
