"""Evidence: what a number with its interval says of a sentence, and what would decide it."""

import json
import math

import numpy as np
import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.papers.claim_rows import Part
from structbench.bench.papers.evidence import COMPARISONS, OUTCOMES, Evidence
from structbench.bench.papers.measured import over_seeds, times, together_of
from structbench.bench.runs import records
from tests.bench.papers.helpers import condition

INF, NAN = math.inf, math.nan
ABOVE, SIZED = {}, {"size": 2.0}
POINTS = {"kind": "difference", "none": 0.0, "band": 0.2}
EQUAL, NUMBER = {"claimed": "equal"}, {"claimed": "number", "none": 10.0, "band": 1.5}
AT_MOST, AT_LEAST = (
    {"claimed": "at most", "none": 5.0, "band": 1.0},
    {"claimed": "at least", "none": 5.0, "band": 1.0},
)
SAME = {"claimed": "same", "kind": "category", "count": 3}


@pytest.mark.parametrize(
    ("given", "value", "low", "high", "outcome"),
    [
        (ABOVE, 1.5, 1.2, 1.8, "holds"),
        (ABOVE, 1.05, 1.01, 1.09, "no difference"),  # the band comes first
        (ABOVE, 1.2, 0.99, 1.4, "open"),
        (ABOVE, 1.08, 1.01, 1.15, "open"),  # more repetitions may find no difference
        (SIZED, 1.08, 1.01, 1.15, "too small"),  # all of the interval is below a third of the size: 2^(1/3) = 1.26
        (SIZED, 1.2, 1.12, 1.28, "too small"),
        (SIZED, 1.2, 0.99, 1.28, "open"),
        (SIZED, 1.27, 1.12, 1.4, "weaker"),
        (SIZED | {"theirs": 8.0}, 1.9, 1.7, 2.1, "too small"),  # a third of the paper's own effect is 2
        (ABOVE | {"theirs": 8.0}, 1.9, 1.7, 2.1, "too small"),  # without an adverb, too
        (ABOVE | {"theirs": 8.0}, 2.1, 1.7, 2.5, "holds"),
        (ABOVE, 0.8, 0.7, 0.9, "opposite"),
        (ABOVE, 0.93, 0.88, 0.98, "open"),  # on the other side, but reaching into the band
        (SIZED, 2.5, 1.2, 5.0, "holds"),  # certainty is asked of the direction, the size of the estimate
        (SIZED, 1.5, 1.2, 1.8, "weaker"),
        (SIZED, 2.5, 0.9, 5.0, "open"),
        (ABOVE | {"bound": "at least"}, 1.35, 1.35, INF, "holds"),
        (SIZED | {"bound": "at least"}, 1.35, 1.35, INF, "side only"),
        (SIZED | {"bound": "at least"}, 2.0, 2.0, INF, "holds"),
        (SIZED | {"bound": "at least"}, 0.9, 0.9, INF, "open"),
        (ABOVE | {"bound": "at least"}, 1.05, 1.05, INF, "open"),
        (ABOVE | {"bound": "at most"}, 0.5, -INF, 0.5, "opposite"),
        (ABOVE | {"bound": "at most"}, 0.95, -INF, 0.95, "open"),
        (SIZED | {"bound": "at most"}, 1.2, -INF, 1.2, "too small"),
        (SIZED | {"bound": "at most"}, 1.3, -INF, 1.3, "open"),
        (ABOVE, NAN, -INF, INF, "open"),
        (ABOVE, 9.0, -INF, INF, "open"),
        (POINTS, 0.5, 0.1, 0.9, "holds"),
        (POINTS, -0.5, -0.9, -0.1, "open"),
        (POINTS, -0.5, -0.7, -0.3, "opposite"),
        (POINTS, 0.0, -0.2, 0.2, "no difference"),
        (POINTS | {"size": 1.5}, 0.4, 0.3, 0.5, "too small"),
        (POINTS | {"size": 1.5}, 0.5, 0.3, 0.7, "weaker"),
        (EQUAL, 1.0, 0.95, 1.05, "holds"),
        (EQUAL, 1.3, 1.2, 1.4, "differs"),
        (EQUAL, 0.8, 0.7, 0.9, "differs"),
        (EQUAL, 1.05, 0.9, 1.2, "open"),
        (EQUAL | {"bound": "at least"}, 1.5, 1.5, INF, "differs"),
        (EQUAL | {"bound": "at least"}, 1.0, 1.0, INF, "open"),
        (NUMBER, 12.0, 9.0, 15.0, "holds"),
        (NUMBER, 20.0, 16.0, 25.0, "differs"),
        (NUMBER, 14.0, 12.0, 17.0, "open"),
        (AT_MOST, 4.0, 3.0, 5.0, "holds"),
        (AT_MOST, 6.0, 5.5, 6.5, "differs"),
        (AT_MOST, 5.0, 4.5, 5.5, "open"),
        (AT_MOST | {"bound": "at least"}, 4.0, 4.0, INF, "open"),
        (AT_MOST | {"bound": "at least"}, 6.0, 6.0, INF, "differs"),
        (AT_LEAST, 6.0, 5.0, 7.0, "holds"),
        (AT_LEAST, 4.0, 3.0, 4.9, "differs"),
        (AT_LEAST | {"bound": "at least"}, 6.0, 6.0, INF, "holds"),
        (SAME, 1.0, 1.0, 1.0, "holds"),
        (SAME, 0.0, 0.0, 0.0, "differs"),
        (SAME, 2 / 3, 0.6, 0.6, "open"),
        (SAME | {"count": 1}, 1.0, 1.0, 1.0, "open"),
    ],
)
def test_the_outcome(given: dict, value: float, low: float, high: float, outcome: str) -> None:
    found = condition(value=value, low=low, high=high, **given)
    assert found.outcome == outcome
    spoiled = condition(value=value, low=low, high=high, state="C at the end of its grid", **given)
    assert spoiled.outcome == ("open" if outcome in ("holds", "too small", "opposite", "differs") else outcome)
    assert (
        json.loads(json.dumps(found.record()))["outcome"]
        == records.made(Evidence, found.record()).outcome
        == outcome
    )


def test_every_outcome_and_comparison_is_tried() -> None:
    cases = next(mark for mark in test_the_outcome.pytestmark if mark.name == "parametrize").args[1]
    assert {case[-1] for case in cases} == {*OUTCOMES}
    assert {case[0].get("claimed", "above") for case in cases} == {*COMPARISONS}


@pytest.mark.parametrize(
    ("given", "needs"),
    [
        ({"value": 1.5, "low": 1.2, "high": 1.8}, ""),
        ({"value": 1.2, "low": 0.9, "high": 1.6}, "5 repetitions"),  # Student's t has 4.3, later 2.8
        ({"value": 0.0, "low": -0.25, "high": 0.25, "count": 3, **POINTS}, "4 repetitions"),  # no difference
        ({"value": -0.2, "low": -0.7, "high": 0.3, "claimed": "at most", **POINTS}, "4 repetitions"),
        ({"value": 2 / 3, "low": 2 / 3, "high": 2 / 3, **SAME}, "not decidable: repetitions choose differently"),
        ({"value": 1.1, "low": 0.8, "high": 1.5}, "not decidable by 100 repetitions"),
        ({"value": 1.2, "low": 0.9, "high": 1.6, "source": "test sentences", "count": 2012},
         "not decidable on 2,012 test sentences"),
        ({"value": 9.0, "low": -INF, "high": INF, "count": 1}, "3 repetitions or more"),
        ({"bound": "at least", "count": 2}, "3 repetitions or more"),
        ({"bound": "at least", "count": 1, "source": "exact"}, ""),
        ({"value": 9.0, "low": -INF, "high": INF}, "more repetitions"),
        ({"value": NAN, "low": NAN, "high": NAN}, "more passes"),
        ({"value": 1.35, "low": 1.35, "high": INF, "bound": "at least", "size": 2.0}, "more passes"),
        ({"value": 3.0, "low": 2.0, "high": 4.0, "state": "a C beyond 1000"}, "a C beyond 1000"),
    ],
)  # fmt: skip
def test_what_would_decide(given: dict, needs: str) -> None:
    assert condition(**given).needs == needs


@pytest.mark.parametrize(
    "part", [Part("m", "{}"), Part("m", "{}", "at most", number=1.3), Part("m", "{}", "equal")]
)
def test_so_many_repetitions_do_decide_and_fewer_do_not(part: Part) -> None:
    """Repetitions with the mean and spread of those at hand: open until the number that is asked for."""
    logs = np.log([0.9, 1.2, 1.6])
    around = (logs - logs.mean()) / logs.std(ddof=1)

    def made(count: int) -> Evidence:
        drawn = np.resize(around, count)  # then with the mean and deviation of the three
        drawn = (drawn - drawn.mean()) / drawn.std(ddof=1) * logs.std(ddof=1) + logs.mean()
        (found,) = over_seeds([[Evidence({}, float(np.exp(value)))] for value in drawn])
        return part.condition(found)

    asked = made(3).needs.split()
    count = int(asked[0]) if asked[0].isdigit() else 0
    assert count and made(count).outcome != "open" == made(count - 1).outcome


def test_factors_have_geometric_means() -> None:
    (found,) = over_seeds([[Evidence({"C": 1}, value)] for value in (2.0, 4.0, 8.0)])
    assert found.value == pytest.approx(4.0)
    assert found.low * found.high == pytest.approx(16.0)
    (points,) = over_seeds([[Evidence({}, value, "difference")] for value in (2.0, 4.0, 9.0)])
    assert points.value == 5.0
    assert points.low + points.high == pytest.approx(10.0)


@pytest.mark.parametrize(
    ("values", "value", "bound", "low", "high"),
    [
        (
            [Evidence({}, 4.0), Evidence({}, 2.0, bound="at least"), Evidence({}, 8.0)],
            4.0,
            "at least",
            0.71492425,
            INF,
        ),
        ([Evidence({}, value, bound="at least") for value in (2.0, 3.0)], 2.0, "at least", 2.0, INF),
        ([Evidence({}, value, bound="at most") for value in (0.5, 0.7)], 0.7, "at most", -INF, 0.7),
        ([Evidence({}, 3.0), Evidence({}, NAN)], NAN, "", -INF, INF),
        ([Evidence({}, 30.0, bound="at least"), Evidence({}, 3.0, bound="at most")], NAN, "", -INF, INF),
        ([Evidence({}, 3.0), Evidence({}, 3.0)], 3.0, "", 0.0, INF),  # two seeds
        ([Evidence({}, 3.0, source="exact")], 3.0, "", 3.0, 3.0),
        ([Evidence({}, 1.0, "category"), Evidence({}, 0.0, "category")], 0.5, "", 0.5, 0.5),
    ],
)
def test_what_repetitions_give(values: list[Evidence], value: float, bound: str, low: float, high: float) -> None:
    (found,) = over_seeds([[each] for each in values])
    assert (found.value, found.bound, found.low, found.high) == pytest.approx(
        (value, bound, low, high), nan_ok=True
    )


def test_settings_and_choices_are_apart() -> None:
    by_seed = [[Evidence({"C": 1}, 2.0), Evidence({"C": 10}, 3.0), Evidence({"C": 1}, 4.0, choice="from 0")]] * 3
    found = [(each.where["C"], round(each.value, 9)) for each in over_seeds(by_seed)]
    assert found == [(1, 2.0), (10, 3.0), (1, 4.0)]


@pytest.mark.parametrize(
    ("other", "mine", "value", "bound"),
    [
        (30.0, 10.0, 3.0, ""),
        (INF, 10.0, 4.0, "at least"),
        (10.0, INF, 0.2, "at most"),
        (INF, INF, NAN, ""),
        (NAN, 10.0, NAN, ""),
        (10.0, NAN, NAN, ""),
        (0.0, 0.0, 1.0, ""),
        (INF, 0.0, NAN, ""),
        (10.0, 0.0, NAN, ""),
        (0.0, 10.0, NAN, ""),
    ],
)
def test_how_many_times_as_long(other: float, mine: float, value: float, bound: str) -> None:
    found = times({}, (other, mine), (40.0, 50.0))
    assert (found.value, found.bound) == pytest.approx((value, bound), nan_ok=True)


@pytest.mark.parametrize(
    ("part", "kind", "none", "band", "size"),
    [
        (Part("m", "{}"), "ratio", 1.0, 1.1, NAN),
        (Part("m", "{}", adverb="much"), "ratio", 1.0, 1.1, 2.0),
        (Part("m", "{}", adverb="much", number=1.85), "ratio", 1.0, 1.1, 1.85),  # no more than the paper shows
        (Part("m", "{}", number=1.08), "ratio", 1.0, math.sqrt(1.08), NAN),  # half of what the paper shows
        (Part("m", "{}", band=0.2, number=0.1), "difference", 0.0, 0.05, NAN),
        (Part("m", "{}", size=1.04), "ratio", 1.0, math.sqrt(1.04), 1.04),  # the band lies below the size
        (Part("m", "{}", size=0.1, band=0.2), "share", 0.0, 0.05, 0.1),
        (Part("m", "{}", "number", number=11.0), "count", 11.0, 1.5, NAN),
        (Part("m", "{}", "number", adverb="around", number=5.0), "count", 5.0, 2.0, NAN),
        (Part("m", "{}", "number", number=1.1), "ratio", 1.1, 1.2, NAN),
        (Part("m", "{}", "at most", number=5.0), "count", 5.0, 1.0, NAN),
        (Part("m", "{}", "at most", none=0.1), "share", 0.1, 0.0, NAN),
    ],
)
def test_what_a_number_is_set_against(part: Part, kind: str, none: float, band: float, size: float) -> None:
    found: Evidence = part.condition(Evidence({}, 3.0, kind, low=2.0, high=4.0))
    assert (found.none, found.band, found.size) == pytest.approx((none, band, size), nan_ok=True)


@pytest.mark.parametrize(
    ("part", "kind", "said"),
    [
        (Part("m", "{}", adverb="much"), "share", "'much' is a factor, and a share is none: give size"),
        (Part("m", "{}", "number"), "ratio", "is 'number' needs a number"),
        (Part("m", "{}", "at most"), "difference", "is 'at most' needs a number"),
        (Part("m", "{}", "number", number=-1.0), "ratio", "a ratio is never -1"),
        (Part("m", "{}", band=0.0), "ratio", "the band of a ratio is 1 or more, not 0"),
        (Part("m", "{}", band=-0.5), "share", "the band of a share is 0 or more, not -0.5"),
        (Part("m", "{}", number=0.5), "ratio", "the paper's number and the size lie above 1"),
        (Part("m", "{}", size=-0.1), "difference", "the paper's number and the size lie above 0"),
    ],
)
def test_a_row_that_does_not_fit_what_is_measured_is_refused(part: Part, kind: str, said: str) -> None:
    with pytest.raises(UserError, match=f"measure 'm', '{{}}': {said}"):
        part.condition(Evidence({}, 3.0, kind, low=2.0, high=4.0))


def test_a_measure_refuses_what_it_does_not_take() -> None:
    part = Part("m", "{}", given={"way": "a", "sise": 0.1})
    with pytest.raises(UserError, match="unknown sise"):
        part.takes("way")
    part.takes("way", "sise")


def test_details_that_values_share_stand_once_with_their_number():
    def found(*texts: str) -> str:
        return together_of([Evidence({}, 1.0, told=text) for text in texts]).told

    assert found("4 / 2", "4 / 2", "6 / 2") == "4 / 2 (2 times); 6 / 2"
    assert found("a note", "a note") == "a note" and found("", "") == ""
