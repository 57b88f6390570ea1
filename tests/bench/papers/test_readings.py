"""Readings: what decides is the interval over seeds, and what was not reached is told from what is not known."""

import numpy as np
import pytest

from structbench.bench.papers.readings import Reading, at_least, at_most, judged, longer, most, near, verdict

YES, NO, OPEN = "reproduced", "not reproduced", "inconclusive"


def of(values: list[float], **kind: bool) -> list[Reading]:
    """At least 2, not below 1."""
    return [at_least("it", value, 2.0, 1.0, **kind) for value in values]


@pytest.mark.parametrize(
    ("values", "kind", "said"),
    [
        ([2.4, 2.5, 2.6], {}, YES),
        ([2.0, 2.5, 3.0], {}, OPEN),  # each is good, their interval is not
        ([1.4, 1.5, 1.6], {}, OPEN),
        ([0.5, 0.6, 0.7], {}, NO),
        ([9.0, 9.0], {}, OPEN),  # two seeds
        ([9.0], {"exact": True}, YES),
        ([np.inf] * 3, {"ratio": True}, YES),
        ([np.inf, np.inf, 3.0], {"ratio": True}, YES),
        ([np.inf, np.inf, 1.5], {"ratio": True}, OPEN),
        ([0.0, 0.5, 0.5], {"ratio": True}, NO),
        ([9.0, 9.0, np.nan], {}, OPEN),
        ([2.1, 2.2, 40.0], {"ratio": True}, OPEN),
    ],
)
def test_the_interval_over_seeds_decides(values: list[float], kind: dict, said: str) -> None:
    assert verdict(of(values, **kind)) == said


def test_less_may_be_better() -> None:
    assert verdict([at_most("it", value, 1.0, 2.0) for value in (0.7, 0.75, 0.8)]) == YES
    assert verdict([at_most("it", value, 1.0, 2.0) for value in (2.7, 2.8, 2.9)]) == NO
    assert verdict([at_most("it", np.inf, 1.0, 2.0, ratio=True)] * 3) == NO


@pytest.mark.parametrize(
    ("other", "mine", "limit", "value"),
    [
        (30.0, 10.0, 40.0, 3.0),
        (np.inf, 10.0, 40.0, np.inf),
        (np.inf, 30.0, 40.0, np.nan),  # it ended too soon to tell
        (10.0, np.inf, 40.0, 0.0),
        (np.inf, np.inf, 40.0, np.nan),
        (np.nan, 10.0, 40.0, np.nan),
        (10.0, np.nan, 40.0, np.nan),
    ],
)
def test_how_many_times_as_long(other: float, mine: float, limit: float, value: float) -> None:
    reading = longer("it", other, mine, "much", limit)
    assert reading.value == pytest.approx(value, nan_ok=True)
    assert (reading.good, reading.bad) == (2.0, pytest.approx(2 / 1.2))


def test_near_a_number_of_theirs() -> None:
    assert near("it", 5.0, 10.0, "around").value == near("it", 20.0, 10.0, "around").value == 2.0
    assert near("it", 5.0, 10.0, "around")[2:4] == (2.0, 2.4)  # from which on it is good, and bad
    assert np.isinf(near("it", np.inf, 10.0, "around").value)
    assert np.isnan(near("it", np.nan, 10.0, "around").value)


def test_all_readings_must_hold_or_most() -> None:
    by_seed = [[at_least(name, value, 2.0, 1.0) for name, value in (("a", 3), ("b", 3), ("c", 0))]] * 3
    said, numbers, each = judged(by_seed)
    assert (said, each) == (NO, {"a": YES, "b": YES, "c": NO})
    assert numbers == "a: 3, b: 3, c: 0"
    assert judged(by_seed, most)[0] == YES
    assert most([YES, OPEN, NO]) == OPEN
    assert most([YES, NO, NO]) == NO
    assert judged([])[0] == OPEN


def test_numbers_carry_their_interval() -> None:
    by_seed = [[at_least("a", value, 2.0, 1.0, told="of 5")] for value in (2.0, 3.0, 4.0)]
    assert judged(by_seed)[1] == "a: 3 [0.516, 5.48] (of 5)"
