"""Features of words, by hand."""

import pytest

from structbench.datasets.text import word_features


@pytest.mark.parametrize(
    ("word", "stem", "ending"),
    [("running", "run", "ning"), ("went", "go", "~nt"), ("plan", "plan", ""), ("a", "be", "~a")],
)
def test_an_ending_is_what_the_stem_leaves(word: str, stem: str, ending: str):
    assert word_features._ending(word, stem) == ending


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("The", "stop"), ("Paris", "city"), ("paris", None), ("U.S.", "abbreviation"), (".", None), ("...", None),
        ("3.5", None), ("St.", "city+abbreviation"),
    ],
)  # fmt: skip
def test_the_lists_that_a_word_is_in(word: str, expected: str | None):
    assert word_features._memberships(word, {"stop": {"the"}, "city": {"Paris", "St."}}) == expected


@pytest.mark.parametrize(
    ("word", "pattern"), [("Mid-1990s", "Aa-0a"), ("USA", "A"), ("e.g.", "a-a-"), ("A0a", "A0a"), ("é", "-")]
)
def test_runs_of_a_kind_are_one_sign(word: str, pattern: str):
    assert word_features.case_pattern(word) == pattern
