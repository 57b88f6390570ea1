"""What claims of several papers measure: means over seeds with intervals, and passes or seconds to a level."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from structbench.bench.drawing import curves
from structbench.bench.drawing.curves import Curve
from structbench.bench.drawing.intervals import FEWEST, Interval, interval
from structbench.bench.papers.evidence import CERTIFIED, EXACT, FACTORS, Evidence, Where
from structbench.bench.runs.store import Run

PASSES, SECONDS = "passes", "cpu_seconds"
POINT, POINTS = 0.01, "points of error"
SHARE = 0.03  # of an error: nearer is level
CERTAIN = 0.1  # of a level: so well an optimum has to be known


def points(where: Where, difference: float, unit: str = POINTS, **more: Any) -> Evidence:
    """Return a difference of errors, or of other shares, in points."""
    return Evidence(where, difference / POINT, "difference", unit, **more)


def shown_only(found: Iterable[Evidence], choice: str = "") -> list[Evidence]:
    """Return numbers that the verdict does not read, as controls or of another choice."""
    return [each._replace(counted=False, choice=choice) for each in found]


def over_seeds(by_seed: Sequence[Iterable[Evidence]]) -> list[Evidence]:
    """Put values of the same setting and choice together, in the order of the first seed."""
    together: dict[tuple, list[Evidence]] = {}
    for values in by_seed:
        for each in values:
            together.setdefault((*each.where.items(), each.choice, each.kind), []).append(each)
    return [together_of(found) for found in together.values()]


def together_of(found: Sequence[Evidence], source: str = "seeds") -> Evidence:
    """Return the mean of values, geometric for factors, with the interval of Student's t.

    A bound among them makes a bound of the mean; bounds in both directions leave it unknown. Fewer than three
    values give no interval. Details that several values share stand once, with their number where others differ.
    """
    first, values = found[0], np.array([each.value for each in found])
    state = next((each.state for each in found if each.state), "")
    told = Counter(each.told for each in found if each.told)
    details = "; ".join(f"{text} ({n} times)" if n > 1 and len(told) > 1 else text for text, n in told.items())
    bounds = [each.bound for each in found if each.bound]
    if len({*bounds}) > 1:
        around, bounds = Interval(math.nan, -math.inf, math.inf), []
    elif bounds and not np.isnan(values).any():
        around = _bounded(values, bounds[0] == "at least", len(bounds) == len(found), first.kind in FACTORS)
        source = EXACT if first.source == EXACT else source
    elif first.source == CERTIFIED:
        around, source = Interval(float(values.max()), 0.0, float(values.max())), CERTIFIED
    elif first.kind == "category":
        around = Interval(float(values.mean()), float(values.mean()), float(values.mean()))
    elif first.source == EXACT and len(set(values)) == 1:
        around, source = Interval(*[float(values[0])] * 3), EXACT
    else:
        around = _mean(values, first.kind in FACTORS)
    about = {"source": source, "count": len(found), "bound": bounds[0] if bounds else ""}
    return first._replace(value=around.mean, low=around.low, high=around.high, state=state, told=details, **about)


def _bounded(values: np.ndarray, below: bool, every: bool, factor: bool) -> Interval:
    """Return what bounds the mean, and the end of its interval on that side; of bounds alone the worst one."""
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


def times(where: Where, took: Sequence[float], limits: Sequence[float], source: str = "seeds") -> Evidence:
    """Return how many times as long another run took as mine, in passes or seconds.

    Args:
        took: What the other and mine took; infinite if the level was not reached.
        limits: Where the two runs ended; what was not reached takes longer.
    """
    other, mine = took
    found = Evidence(where, math.nan, told=f"{_said(other)} / {_said(mine)}", source=source)
    nothing = math.isnan(other) or math.isnan(mine) or (math.isinf(other) and math.isinf(mine))
    if nothing or (other != mine and min(other, mine) <= 0):  # at the start, one of them is there already
        return found
    if math.isinf(other):
        return found._replace(value=limits[0] / mine, bound="at least")
    if math.isinf(mine):
        return found._replace(value=other / limits[1], bound="at most")
    return found._replace(value=other / mine if mine > 0 else 1.0)


def times_until(
    where: Where, pair: tuple[Run, Run], until: Callable[[Run], float], clock: str = PASSES, source: str = "seeds"
) -> Evidence:
    """Return how many times as long the first run takes as the second until something."""
    return times(where, [*map(until, pair)], [ticks(run, clock)[-1] for run in pair], source)


def _said(value: float) -> str:
    return "?" if math.isnan(value) else f"{value:.3g}" if math.isfinite(value) else "not reached"


def last(run: Run, column: str) -> float:
    """Return the last value of a column."""
    return float(run.curve[column].iloc[-1])


def whole_passes(run: Run) -> np.ndarray:
    """Tell which checkpoints are at the end of a pass; the last one counts as such."""
    passes = run.curve["passes"].to_numpy()
    whole = (passes > 0) & (passes == np.floor(passes))
    whole[-1] = True
    return whole


def ends(run: Run) -> Curve:
    """Return the checkpoints at the ends of passes, indexed by passes."""
    return run.curve.loc[whole_passes(run)].drop_duplicates("passes", keep="last").set_index("passes")


def ticks(run: Run, clock: str) -> np.ndarray:
    """Return passes, or seconds from the first checkpoint on, after the algorithm's set-up."""
    values = run.curve[clock].to_numpy()
    return values if clock == PASSES else values - values[0]


def until(run: Run, excess: np.ndarray, clock: str = PASSES) -> float:
    """Return when ``excess`` begins to stay at or below 0; infinite if it does not, NaN without seconds."""
    values = ticks(run, clock)
    return math.nan if np.isnan(values).any() else curves.settled(values, np.asarray(excess))


def until_level(run: Run, best: curves.Optimum, level: float, clock: str = PASSES) -> float:
    """Return the passes or seconds until the primal stays within a level, relative, of the optimum."""
    above = (run.curve["primal"] - best.primal).to_numpy()
    return until(run, curves.decades_above(above, level * abs(best.primal)), clock)


def until_error(run: Run, goal: float, clock: str = PASSES) -> float:
    """Return the passes or seconds until the test error stays at or below ``goal``."""
    return until(run, run.curve["test_error"].to_numpy() - goal, clock)


def longer(
    where: Where, other: Run, mine: Run, best: curves.Optimum, level: float, clock: str = PASSES,
    source: str = "seeds",
) -> Evidence:  # fmt: skip
    """Return how many times as long ``other`` takes as ``mine`` until near the optimum."""
    where = {**where, "to": f"{level:.3%}".rstrip("0%").rstrip(".") + "%"}
    if not best.relative_gap <= CERTAIN * level:
        return Evidence(where, math.nan, state="a certified optimum")
    return times_until(where, (other, mine), lambda run: until_level(run, best, level, clock), clock, source)


def distance(run: Run, best: curves.Optimum, passes: float = math.inf) -> float:
    """Return how far the primal is above the optimum after so many passes, or at the end, relative to it."""
    return float(curves.at(run.curve, "primal", passes) - best.primal) / abs(best.primal)


def above_optimum(optimum: float, examples: int, curve: Curve) -> np.ndarray:
    """Return how far the objective of an example is above the optimum at the checkpoints."""
    return (curve["primal"].to_numpy() - optimum) / examples


def farther(where: Where, other: float, mine: float, **more: Any) -> Evidence:
    """Return how many times as far ``other`` is from the optimum as ``mine``; both are distances above 0."""
    if not (mine <= curves.SMALLEST or other <= curves.SMALLEST):
        return Evidence(where, other / mine, **more)
    other, mine = (max(each, curves.SMALLEST) for each in (other, mine))  # at the optimum, to rounding
    bound = "at least" if other > mine else "at most" if mine > other else ""
    return Evidence(where, other / mine if bound else math.nan, bound=bound, **more)


def distinct(made: Mapping[float, list[Run]]) -> dict[float, list[Run]]:
    """Leave out values of a setting whose curves are an earlier one's, apart from seconds."""
    found: dict[str, tuple[float, list[Run]]] = {}
    for value, runs in made.items():
        shapes = (run.curve.filter(regex="^(?!C$|.*seconds)").to_csv() for run in runs)
        found.setdefault("".join(shapes), (value, runs))
    return dict(found.values())


def seconds_per(run: Run, units: float, less: float = 0.0) -> float:
    """Return CPU seconds of the algorithm, without its set-up and ``less``, for each of ``units``."""
    return (ticks(run, SECONDS)[-1] - less) / units if units else math.nan
