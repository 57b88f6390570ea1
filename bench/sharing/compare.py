"""What differs between two runs: in their specs, outcomes, curves and provenance.

Checkpoints are compared where both runs have made the same number of visits. Times are told apart from all other
numbers, which the same spec gives again bit for bit.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from structbench.bench.drawing import curves
from structbench.bench.drawing.curves import Curve
from structbench.bench.runs import store
from structbench.bench.sharing.columns import flat_spec

ROUNDING = 1e-9  # relative difference that sums in another order may make, over the steps of a run
OUTCOME = (
    "status", "C", "primal", "dual", "gap", "relative_gap", "passes", "visits", "wall_seconds", "cpu_seconds",
    "setup_seconds", "total_seconds", "peak_memory", "train_error", "test_error", "train_f1", "test_f1",
    "num_weights", "num_nonzero", "num_examples",
)  # fmt: skip
DERIVED = ("gap", "relative_gap")  # differences of primal and dual, which magnify their rounding
FINEST = 15  # decades: the finest level of the relative gap, 1e-15
OF_THEIR_OWN = ("started", "load")  # of provenance: differ between any two runs
SHOWN = {"others": "other_processes"}  # that ran beside the run, in the mean

Pair = list[Any]  # the first run's and the second's


class Outcome(NamedTuple):
    """What both runs came to, and the ratio of the second to the first."""

    values: Pair
    ratio: float | None


class Difference(NamedTuple):
    """Where a column first differs by more than ``ROUNDING`` of the larger value."""

    passes: float
    column: str
    values: Pair


class Largest(NamedTuple):
    """The largest relative difference of a column, and where it is."""

    relative: float
    passes: float


class Curves(NamedTuple):
    """How the curves compare where both have a checkpoint after the same number of visits."""

    checkpoints: Pair  # how many each has
    common: int  # how many both have
    first_difference: Difference | None
    largest: dict[str, Largest]  # of primal and dual


class Level(NamedTuple):
    """Passes and seconds from which on each run's own relative gap stays below a level, and their ratios."""

    relative_gap: float
    passes: Pair
    seconds: Pair
    ratios: list[float | None]


class Comparison(NamedTuple):
    """What differs between two runs."""

    runs: list[str]
    folders: list[str]
    equal: bool  # whether curves and weights are equal bit for bit, times apart
    spec: dict[str, Pair]  # a field -> both values, where they differ; so has ``provenance``
    outcome: dict[str, Outcome]
    curve: Curves
    to_gap: list[Level]
    provenance: dict[str, Pair]


def compare(first: store.Run, second: store.Run) -> Comparison:
    """Say what differs; raises a UserError if a file of a run cannot be read."""
    runs = (first, second)
    ends = {name: [run.summary.get(name) for run in runs] for name in OUTCOME}
    return Comparison(
        runs=[run.key for run in runs],
        folders=[str(run.folder) for run in runs],
        equal=_bits(first) == _bits(second),
        spec=_differing(*(flat_spec(run.spec) for run in runs)),
        outcome={name: Outcome(pair, _ratio(*pair)) for name, pair in ends.items() if pair != [None, None]},
        curve=_curves(first.curve, second.curve),
        to_gap=_to_gap(curves.own(first), curves.own(second)),
        provenance=_differing(*map(_made, runs)),
    )


def _made(run: store.Run) -> dict[str, object]:
    made = run.summary["provenance"].items()
    return {str(SHOWN.get(name, name)): value for name, value in made if name not in OF_THEIR_OWN}


def is_time(column: str) -> bool:
    """Whether a column of a curve, or a field of a summary, holds a time."""
    return column.endswith("seconds")


def _bits(run: store.Run) -> list[tuple[str, np.dtype, bytes]]:
    """The curve, times apart, and the weights."""
    columns = {name: run.curve[name].to_numpy() for name in run.curve if not is_time(name)}
    columns["weights"] = store.weights_of(run)
    return [(name, column.dtype, column.tobytes()) for name, column in columns.items()]


def _differing(first: dict[str, object], second: dict[str, object]) -> dict[str, Pair]:
    pairs = {name: [first.get(name), second.get(name)] for name in {**first, **second}}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _ratio(first: Any, second: Any) -> float | None:
    """The second over the first; None where that says nothing."""
    numbers = all(isinstance(value, int | float) for value in (first, second))
    return second / first if numbers and first and all(map(math.isfinite, (first, second))) else None


def _curves(first: Curve, second: Curve) -> Curves:
    mine, other = _at_common_visits(first, second)
    columns = [name for name in mine if name in other and name not in DERIVED and not is_time(name)]
    apart = {name: _apart(mine[name].to_numpy(), other[name].to_numpy()) for name in columns}
    passes = mine["passes"].to_numpy()
    where = [(int(np.argmax(by > ROUNDING)), name) for name, by in apart.items() if (by > ROUNDING).any()]
    found = None
    if where:
        row, name = min(where, key=lambda each: each[0])
        values = [float(curve[name].iloc[row]) for curve in (mine, other)]
        found = Difference(float(passes[row]), name, values)
    largest = {
        name: Largest(float(apart[name].max()), float(passes[np.argmax(apart[name])]))
        for name in ("primal", "dual")
        if len(mine) and name in apart and np.isfinite(mine[name]).any() and np.isfinite(other[name]).any()
    }
    return Curves([len(first), len(second)], len(mine), found, largest)


def _at_common_visits(first: Curve, second: Curve) -> tuple[Curve, Curve]:
    """The last row of each number of visits that both have: a path has one for each C."""
    last = [curve.drop_duplicates("visits", keep="last").set_index("visits") for curve in (first, second)]
    common = last[0].index.intersection(last[1].index)
    return last[0].loc[common], last[1].loc[common]


def _apart(mine: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The difference relative to the larger value: 0 where both are NaN or equal, infinity where one is NaN."""
    with np.errstate(invalid="ignore"):
        by = np.abs(mine - other) / np.maximum(np.abs(mine), np.abs(other))
    by[(mine == other) | (np.isnan(mine) & np.isnan(other))] = 0.0
    return np.where(np.isnan(by), np.inf, by)


def _to_gap(first: Curve, second: Curve) -> list[Level]:
    """The levels 1e-1, 1e-2, ... down to the last that one of the runs reaches; infinity where a run does not."""
    levels = []
    for decade in range(1, FINEST + 1):
        level = float(f"1e-{decade}")
        passes = [curves.to_gap(curve, level) for curve in (first, second)]
        if not any(map(math.isfinite, passes)):
            break
        seconds = [curves.to_gap(curve, level, "wall_seconds") for curve in (first, second)]
        levels.append(Level(level, passes, seconds, [_ratio(*passes), _ratio(*seconds)]))
    return levels
