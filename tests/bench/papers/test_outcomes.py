"""What an interval says of a sentence is what the numbers in it would say, the edges of the band included."""

import math
from itertools import combinations_with_replacement

import numpy as np
import pandas as pd
import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.papers import panels, wording
from structbench.bench.papers.claim_rows import Part, rows
from structbench.bench.papers.evidence import Evidence
from tests.bench.papers.helpers import condition

INF = math.inf
KINDS = {"ratio": (2.0, 1.25, 1.6, 2.5), "difference": (2.0, 0.25, 1.75, 2.25)}  # none, band, and its edges


def said(outcomes: set[bool]) -> str:
    return {frozenset({True}): "holds", frozenset({False}): "differs"}.get(frozenset(outcomes), "open")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("claimed", ["equal", "number", "at most", "at least"])
def test_a_sentence_holds_or_fails_if_it_does_for_each_number_of_the_interval(kind, claimed):
    none, band, least, most = KINDS[kind]
    true = {"at most": lambda x: x <= most, "at least": lambda x: x >= least}.get(
        claimed, lambda x: least <= x <= most
    )
    numbers = [1e-9, least - 1e-6, least, none, most, most + 1e-6, 1e9]
    for low, high in combinations_with_replacement(numbers, 2):
        given = {"claimed": claimed, "kind": kind, "none": none, "band": band}
        inside = {true(x) for x in numbers if low <= x <= high}
        assert condition(value=low, low=low, high=high, **given).outcome == said(inside), (low, high)
    for end in numbers[1:-1]:
        above, below = ({true(x) for x in numbers if way * x >= way * end} for way in (1, -1))
        for bound, inside, low, high in (("at least", above, end, INF), ("at most", below, -INF, end)):
            found = condition(value=end, low=low, high=high, bound=bound, **given)
            assert found.outcome == said(inside), (bound, end)


@pytest.mark.parametrize("kind", KINDS)
def test_a_number_is_above_if_the_estimate_leaves_the_band_and_the_interval_no_effect(kind):
    none, band, least, most = KINDS[kind]
    numbers = [1e-9, least - 1e-6, least, none, none + 1e-6, most, most + 1e-6, 1e9]
    for low, value, high in combinations_with_replacement(numbers, 3):
        given = {"low": low, "value": value, "high": high, "kind": kind, "none": none, "band": band}
        expected = "holds" if low > none and value > most else "open"
        if least <= low and high <= most:
            expected = "no difference"
        if high < least:
            expected = "opposite"
        assert condition(**given).outcome == expected, given
        for size in (each for each in (value - 1e-6, value, value + 1e-6, 5.0) if each > none):
            third = none * (size / none) ** (1 / 3) if kind == "ratio" else none + (size - none) / 3
            sized = expected
            if expected == "holds" and size > value:
                sized = "weaker" if value >= third else "too small"
            if expected == "open" and high < third:
                sized = "too small"
            assert condition(size=size, **given).outcome == sized
    for end in numbers:
        given = {"value": end, "kind": kind, "none": none, "band": band}
        over = condition(low=end, high=INF, bound="at least", **given).outcome
        under = condition(low=-INF, high=end, bound="at most", **given).outcome
        assert (over == "holds", under == "opposite") == (end > most, end < least)
        assert {over, under} <= {"holds", "opposite", "open"}


def test_errors_in_percent_and_columns_after_the_first_update():
    curve = pd.DataFrame({"passes": [0.0, 0.5, 1], "test_error": [0.9, 0.5, 0.25], "train_error": [0.8, 0.3, 0.1]})
    assert panels.percent(curve).tolist() == [90, 50, 25]
    np.testing.assert_array_equal(panels.later("test_error")(curve), [np.nan, 0.5, 0.25])
    np.testing.assert_array_equal(panels.later(panels.percent, 25)(curve), [np.nan, 50, np.nan])


@pytest.mark.parametrize(
    ("kind", "compare", "band"),
    [("ratio", "above", 1.1), ("count", "above", 1.5), ("ratio", "number", 1.2), ("count", "number", 1.5)],
)
def test_usual_bands(kind, compare, band):
    """docs/reference/protocol.md says them."""
    assert Part("m", "{}", compare, number=40.0).condition(Evidence({}, 3.0, kind, low=2.0, high=4.0)).band == band


@pytest.mark.parametrize("word", ["size", "band", "none", "number"])
@pytest.mark.parametrize("value", ["true", '"2"'])
def test_a_row_refuses_what_is_no_number(tmp_path, word, value):
    row = '[[claim]]\nid = "a"\nwhere = "Table 1"\ntext = "It is."\nmeasure = "m"\nsays = "{}"\n'
    (file := tmp_path / "claims.toml").write_text(f"{row}{word} = {value}\n")
    with pytest.raises(UserError, match=f"claim 'a': {word} is (True|'2'), expected a number"):
        rows(file)


def test_a_sentence_needs_a_place_for_its_number():
    with pytest.raises(
        UserError, match=r"a claim says 'it is faster': expected a text with \{\} where the number"
    ):
        wording.phrase([condition(value=1.0, low=0.5, high=2.0)], "certain", "it is faster")
