"""Measured numbers: values of several repetitions put together, with their interval."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from structbench.bench.papers.evidence import FACTORS
from structbench.bench.papers.intervals import FEWEST, Interval, interval


class Value(NamedTuple):
    """A number of one repetition.

    Attributes:
        where: The paper's setting; values of one setting and choice are put together.
        value: NaN if it is not known.
        kind, unit, bound, state, choice, counted, told: As a ``Condition`` has them.
        exact: Whether it is free of noise, as nothing that it compares is random.
        largest: Whether the largest of the repetitions counts, a certified bound, and not their mean.
        band, theirs: Of this setting; NaN for those of the claim's row.
    """

    where: Mapping[str, Any]
    value: float
    kind: str = "ratio"
    unit: str = ""
    bound: str = ""
    state: str = ""
    choice: str = ""
    counted: bool = True
    told: str = ""
    exact: bool = False
    largest: bool = False
    band: float = math.nan
    theirs: float = math.nan


class Estimate(NamedTuple):
    """A number over all repetitions, with its interval; fields as a ``Condition`` has them."""

    where: Mapping[str, Any]
    value: float
    low: float
    high: float
    kind: str = "ratio"
    source: str = "seeds"
    count: int = 1
    unit: str = ""
    bound: str = ""
    state: str = ""
    choice: str = ""
    counted: bool = True
    told: str = ""
    band: float = math.nan
    theirs: float = math.nan


def over_seeds(by_seed: Sequence[Iterable[Value]], source: str = "seeds") -> list[Estimate]:
    """Put values of the same setting and choice together, in the order of the first seed."""
    together: dict[tuple, list[Value]] = {}
    for values in by_seed:
        for each in values:
            together.setdefault((*each.where.items(), each.choice, each.kind), []).append(each)
    return [together_of(found, source) for found in together.values()]


def together_of(found: Sequence[Value], source: str = "seeds") -> Estimate:
    """Return the mean of values, geometric for factors, with the interval of Student's t.

    A bound among them makes a bound of the mean; bounds in both directions leave it unknown. Fewer than three
    values give no interval.
    """
    first, values = found[0], np.array([each.value for each in found])
    state = next((each.state for each in found if each.state), "")
    told = "; ".join(dict.fromkeys(each.told for each in found if each.told))
    bounds = [each.bound for each in found if each.bound]
    if len({*bounds}) > 1:
        around, bounds = Interval(math.nan, -math.inf, math.inf), []
    elif bounds and not np.isnan(values).any():
        around = _bounded(values, bounds[0] == "at least", len(bounds) == len(found), first.kind in FACTORS)
        source = "exact" if first.exact else source
    elif first.largest:
        around, source = Interval(float(values.max()), 0.0, float(values.max())), "certified"
    elif first.kind == "category":
        around = Interval(float(values.mean()), float(values.mean()), float(values.mean()))
    elif first.exact and len(set(values)) == 1:
        around, source = Interval(*[float(values[0])] * 3), "exact"
    else:
        around = _mean(values, first.kind in FACTORS)
    return Estimate(
        first.where, around.mean, around.low, around.high, first.kind, source, len(found), first.unit,
        bounds[0] if bounds else "", state, first.choice, first.counted, told, first.band, first.theirs,
    )  # fmt: skip


def _bounded(values: np.ndarray, below: bool, every: bool, factor: bool) -> Interval:
    """Return what bounds the mean from below or above, and the end of its interval on that side.

    If every value is a bound, that is the worst of them.
    """
    if every:
        worst = float(values.min() if below else values.max())
        return Interval(worst, worst, math.inf) if below else Interval(worst, -math.inf, worst)
    mean, low, high = _mean(values, factor)
    return Interval(mean, low, math.inf) if below else Interval(mean, -math.inf, high)


def _mean(values: np.ndarray, factor: bool) -> Interval:
    if not factor:
        return interval(values, FEWEST)
    if not (np.isfinite(values) & (values > 0)).all():
        return Interval(float(np.mean(values)), -math.inf, math.inf)
    around = interval(np.log(values), FEWEST)
    with np.errstate(over="ignore"):
        return Interval(*(float(np.exp(each)) for each in around))


def times(
    where: Mapping[str, Any], other: float, mine: float, limits: tuple[float, float], exact: bool = False
) -> Value:
    """Return how many times as long ``other`` takes as ``mine``, in passes or seconds.

    Args:
        other, mine: Infinite if the level was not reached.
        limits: Where the two runs ended; what was not reached takes longer.
    """
    told = f"{_said(other)} / {_said(mine)}"
    nothing = math.isnan(other) or math.isnan(mine) or (math.isinf(other) and math.isinf(mine))
    if nothing or (other != mine and min(other, mine) <= 0):  # at the start, one of them is there already
        return Value(where, math.nan, told=told, exact=exact)
    if math.isinf(other):
        return Value(where, limits[0] / mine, bound="at least", told=told, exact=exact)
    if math.isinf(mine):
        return Value(where, other / limits[1], bound="at most", told=told, exact=exact)
    return Value(where, other / mine if mine > 0 else 1.0, told=told, exact=exact)


def _said(value: float) -> str:
    return "?" if math.isnan(value) else f"{value:.3g}" if math.isfinite(value) else "not reached"
