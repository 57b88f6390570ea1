"""Judge a claim by readings: numbers, one per seed, with an interval over seeds.

A rule gives readings. Each says from which value on it supports the claim, and from which on it contradicts it. It
decides if the whole 95 % interval of the mean over seeds lies on one side; for ratios, the geometric mean. So
noise decides nothing. Fewer than three seeds give no interval and decide nothing.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from structbench.bench.papers.intervals import Interval, interval
from structbench.bench.papers.judging import (
    INCONCLUSIVE,
    NOT_REPRODUCED,
    RATIOS,
    REPRODUCED,
    graded,
    unanimous,
    worst,
)

FEWEST = 3  # seeds


class Reading(NamedTuple):
    """A number of one seed that decides a claim; made by ``at_least`` and its like.

    Attributes:
        name: What is read, or where, such as ``C=10``. All seeds have the same names.
        value: NaN if it is not known; infinite if it is beyond all that was seen.
        good: From here on it supports the claim.
        bad: From here on it contradicts the claim.
        larger: Whether more is better.
        ratio: Whether it is a ratio.
        exact: Whether it is free of noise, as nothing that it compares is random.
        told: The numbers behind it, for a reader.
    """

    name: str
    value: float
    good: float
    bad: float
    larger: bool
    ratio: bool = False
    exact: bool = False
    told: str = ""

    def grade(self, low: float, high: float) -> str:
        """Return the verdict if the value is known to lie between ``low`` and ``high``."""
        if self.larger:
            return graded(low >= self.good, high < self.bad)
        return graded(high <= self.good, low > self.bad)


def at_least(
    name: str, value: float, good: float, bad: float, ratio: bool = False, exact: bool = False, told: str = ""
) -> Reading:
    """Make a reading that is good from ``good`` up, and bad below ``bad``."""
    return Reading(name, float(value), good, bad, True, ratio, exact, told)


def at_most(
    name: str, value: float, good: float, bad: float, ratio: bool = False, exact: bool = False, told: str = ""
) -> Reading:
    """Make a reading that is good up to ``good``, and bad above ``bad``."""
    return Reading(name, float(value), good, bad, False, ratio, exact, told)


def longer(name: str, other: float, mine: float, adverb: str, limit: float, exact: bool = False) -> Reading:
    """Read how many times as long ``other`` takes as ``mine``, in passes or seconds, for "longer" by an adverb.

    A value is infinite if it was not reached within ``limit``. The ratio is not known if neither was reached, or
    if the limit came too soon to tell. It is bad if it falls short of the adverb's ratio by more than the spacing
    of checkpoints.
    """
    least = RATIOS[adverb]
    if math.isnan(mine) or math.isnan(other):
        value = np.nan
    elif math.isinf(mine):
        value = 0.0 if math.isfinite(other) else np.nan
    elif math.isinf(other):
        value = np.inf if limit >= least * mine else np.nan
    else:
        value = other / mine if mine > 0 else np.inf if other > 0 else 1.0
    told = f"{said(other)} / {said(mine)}"
    return at_least(name, value, least, least / RATIOS["slower"], ratio=True, exact=exact, told=told)


def near(name: str, ours: float, theirs: float, adverb: str) -> Reading:
    """Read by which factor a number is off the paper's."""
    off = max(ours / theirs, theirs / ours) if not ours <= 0 else np.inf
    least = RATIOS[adverb]
    return at_most(name, off, least, RATIOS["slower"] * least, ratio=True, told=said(ours))


def judged(
    by_seed: Sequence[Iterable[Reading]], combine: Callable[[list[str]], str] = worst
) -> tuple[str, str, dict[str, str]]:
    """Return the verdict on a claim, the numbers for a reader, and the verdict on each reading."""
    together: dict[str, list[Reading]] = {}
    for readings in by_seed:
        for reading in readings:
            together.setdefault(reading.name, []).append(reading)
    verdicts = {name: verdict(found) for name, found in together.items()}
    numbers = ", ".join(f"{name}: {numbers_of(found)}" for name, found in together.items())
    return combine(list(verdicts.values())), numbers, verdicts


def verdict(found: list[Reading]) -> str:
    """Return the verdict on one reading from its values of all seeds."""
    values = [reading.value for reading in found]
    if any(math.isnan(value) for value in values):
        return INCONCLUSIVE
    if all(reading.exact for reading in found):
        return unanimous([reading.grade(reading.value, reading.value) for reading in found])
    if len(found) < FEWEST:
        return INCONCLUSIVE
    around = _interval(found)
    if around is None:  # some are infinite, beyond all that was seen: each counts by itself
        return unanimous([reading.grade(reading.value, reading.value) for reading in found])
    return found[0].grade(around.low, around.high)


def numbers_of(found: list[Reading]) -> str:
    """Format the mean, its interval, and the numbers behind it."""
    values = [reading.value for reading in found]
    told = "; ".join(dict.fromkeys(reading.told for reading in found if reading.told))
    aside = f" ({told})" if told else ""
    if any(math.isnan(value) for value in values):
        return f"not known{aside}"
    around = _interval(found)
    if len(found) < FEWEST or around is None or len(set(values)) == 1:
        return " to ".join(dict.fromkeys(said(v) for v in (min(values), max(values)))) + aside
    return f"{around}{aside}"


def most(verdicts: list[str]) -> str:
    """Return the verdict on a claim that must hold in most of several cases."""
    good, bad = verdicts.count(REPRODUCED), verdicts.count(NOT_REPRODUCED)
    return graded(2 * good > len(verdicts), 2 * (len(verdicts) - bad) <= len(verdicts))


def said(value: float) -> str:
    """Format a number for a reader."""
    return "not known" if math.isnan(value) else f"{value:.3g}" if math.isfinite(value) else "never"


def _interval(found: list[Reading]) -> Interval | None:
    """Return the interval of the mean over seeds; None if a value, or the logarithm of a ratio, is infinite."""
    values = np.array([reading.value for reading in found])
    if not found[0].ratio:
        return interval(values, FEWEST) if np.isfinite(values).all() else None
    if not (np.isfinite(values) & (values > 0)).all():
        return None
    around = interval(np.log(values), FEWEST)
    with np.errstate(over="ignore"):
        return Interval(*(float(np.exp(each)) for each in around))
