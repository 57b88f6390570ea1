"""The words of the pages, and what a browser is told to keep them to."""

import pytest

from structbench.bench.report import pages


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (None, 4, "-"),
        (0, 4, "0"),
        (7.5, 4, "7.5"),
        (18569.14987, 8, "18,569.15"),
        (18569.14987, 3, "18,569"),
        (100.0, 4, "100"),
        (0.0052589, 3, "0.00526"),
        (3.0739e-9, 3, "3.07e-09"),
        (-12.3456, 4, "-12.35"),
        (2.5e12, 4, "2.5e+12"),
    ],
)
def test_numbers_are_short(value, digits, text):
    assert pages.number(value, digits) == text


def test_commits_durations_counts_and_classes_are_words():
    assert (pages.short("0123456789abcdef"), pages.short("0123456789abcdef+")) == ("0123456789", "0123456789+")
    assert [pages.duration(seconds) for seconds in (3.21, 150, 7265)] == ["3.2 s", "2 min", "2 h 1 min"]
    assert [pages.plural(count, "run") for count in (0, 1, 12345)] == ["0 runs", "1 run", "12,345 runs"]
    assert pages.named('not "reproduced"') == "not--reproduced-"


def test_a_browser_is_told_to_fetch_nothing(tmp_path):
    page = tmp_path / "page.html"
    pages.write(page, "policy.html")
    policy = page.read_text()
    assert "default-src 'none'" in policy and "http" not in policy.replace("http-equiv", "")


def test_a_caption_shows_two_lines_and_folds_the_others():
    assert pages.folded("One. Two.") == ("One. Two.", "")
    first, second = "A" * 150 + ", e.g. this.", "B" * 60 + "."
    assert pages.folded(f"{first} {second} Three.") == (first, f"{second} Three.")
    assert pages.folded("C" * 300 + ". D.") == ("C" * 300 + ".", "D.")
