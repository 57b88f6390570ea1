"""What the claims of l1m3n2009 on errors and weights measure; ``claims.toml`` says what each number has to be.

Errors are at a constant that other data choose (``scores.score``), and differences are paired. Average weights
are over the ten folds of a data set (Figure 3); their interval is over data sets.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from structbench.bench.drawing.intervals import FEWEST, SURE
from structbench.bench.papers.l1m3n2009 import scores
from structbench.bench.papers.l1m3n2009.runs import Cross, Task, Way
from structbench.bench.papers.measured import points, together_of
from structbench.bench.papers.terms import Evidence, Registry, Runs
from structbench.datasets import synthetic

DRAWS = 2000  # of a bootstrap

measure = Registry()
over_sets = partial(together_of, source="data sets")

Sizes = list[list[Cross]]  # cross-validations for each size of the training set
Pairs = Sequence[tuple[Way, Way]]


def at_each(settings: Sequence[Way], measured: Callable[[Way], Iterable[Evidence]]) -> list[Evidence]:
    """Measure with each setting of a way that the paper leaves open; what is the same with all is there once."""
    found = {way: [*measured(way)] for way in settings}
    usual = settings[0]
    same = [each for each in found[usual] if all(each in values for values in found.values())]
    if len(same) == len(found[usual]):
        return same

    def placed(each: Evidence, way: Way) -> Evidence:
        named = {"": usual.name} if each.where.get("") == way.name else {}
        return each._replace(where={**each.where, **named, **way.left_open})

    return same + [placed(each, way) for way, some in found.items() for each in some if each not in same]


def apart(where: dict, differences: np.ndarray, crosses: Sequence[Cross], state: str = "") -> Evidence:
    """Return the mean of these differences between errors, in points."""
    band = scores.BANDS[crosses[0].kind]
    values = [points(where, each, band=band, state=state) for each in differences]
    return together_of(values, "data sets" if len(crosses) > 1 else "folds")


def _state(task: Task, runs: Runs, ways: Sequence[Way], crosses: list[Cross]) -> str:
    """Return which model chose a constant at the end of its grid."""
    return next(filter(None, (scores.at_end(task, runs, way, crosses) for way in ways)), "")


@measure("leads")
def leads(task: Task, sizes: Sizes, runs: Runs, pairs: Pairs) -> Iterator[Evidence]:
    for (one, other), crosses in product(pairs, sizes):
        mine, others = (scores.of_finished(task, runs, way, crosses).parts for way in (one, other))
        where = {"": f"{one.model} against {other.model}", "n": crosses[0].size}
        yield apart(where, mine - others, crosses, _state(task, runs, (one, other), crosses))


@measure("lead_over_worst")
def lead_over_worst(task: Task, sizes: Sizes, runs: Runs, ways: Sequence[Way]) -> Iterator[Evidence]:
    for crosses in sizes:
        first, *rest = (scores.of_finished(task, runs, way, crosses).parts for way in ways)
        worst = max(rest, key=np.mean)
        yield apart({"n": crosses[0].size}, first - worst, crosses, _state(task, runs, ways, crosses))


@measure("range_over_constants")
def range_over_constants(task: Task, sizes: Sizes, runs: Runs, pairs: Pairs) -> Iterator[Evidence]:
    """Measure greatest less least error over constants, first model's less second's, with 1/10 to train on."""
    crosses = next((each for each in sizes if each[0].folds == 10), sizes[-1])
    for one, other in pairs:
        wider = _range(task, runs, one, crosses) - _range(task, runs, other, crosses)
        several = len(task.grid_of(other, crosses[0].kind)) > 1
        estimate = apart({}, wider if several else np.full(len(wider), np.nan), crosses)
        yield estimate._replace(state="" if several else "more than one constant")


def _range(task: Task, runs: Runs, way: Way, crosses: list[Cross]) -> np.ndarray:
    """Return the range by data set, or by fold of a single one."""
    table = []
    for C in task.grid_of(way, crosses[0].kind):
        each = [scores.errors(runs, task.specs(way, cross, C)) for cross in crosses]
        table.append(each[0] if len(crosses) == 1 else [one.mean() for one in each])
    return np.ptp(np.array(table), axis=0)


@measure("gain_of_data")
def gain_of_data(task: Task, sizes: Sizes, runs: Runs, ways: Sequence[Way]) -> Iterator[Evidence]:
    for way in ways:
        least, most = _at_ends(task, runs, way, sizes)
        state = _state(task, runs, [way], sizes[0]) or _state(task, runs, [way], sizes[-1])
        yield apart({"": way.model}, least - most, sizes[0], state)


def _at_ends(task: Task, runs: Runs, way: Way, sizes: Sizes) -> tuple[np.ndarray, np.ndarray]:
    """Return the errors with the least training set and with the greatest."""
    least, most = (scores.of_finished(task, runs, way, crosses).parts for crosses in (sizes[0], sizes[-1]))
    return least, most


@measure("spread_of_less_data")
def spread_of_less_data(task: Task, sizes: Sizes, runs: Runs, ways: Sequence[Way]) -> list[Evidence]:
    """Measure the s.d. of errors with the least training set over that with the greatest, the mean over models."""
    least, most = map(np.array, zip(*(_at_ends(task, runs, way, sizes) for way in ways), strict=True))

    def ratio(drawn: np.ndarray) -> np.ndarray:
        deviations = [np.maximum(each[:, drawn].std(axis=-1, ddof=1), 1e-12) for each in (least, most)]
        return np.exp(np.log(deviations[0] / deviations[1]).mean(axis=0))

    state = _state(task, runs, ways, sizes[0]) or _state(task, runs, ways, sizes[-1])
    return [over_shared_folds(ratio, least.shape[1], state=state)]


def over_shared_folds(statistic: Callable[[np.ndarray], np.ndarray], folds: int, **about: Any) -> Evidence:
    """Return a mean over what shares its folds, such as models, with the interval of a bootstrap over folds.

    ``statistic`` takes the folds that are drawn, shape (..., folds), and returns the number, shape (...).
    """
    value = float(statistic(np.arange(folds)))
    if folds < FEWEST or np.isnan(value):
        return Evidence({}, np.nan, source="folds", count=folds, **about)
    draws = np.random.default_rng(0).integers(folds, size=(DRAWS, folds))
    draws = draws[(draws != draws[:, :1]).any(axis=1)]  # one fold alone has no spread
    low, high = np.nanquantile(statistic(draws), ((1 - SURE) / 2, (1 + SURE) / 2))
    return Evidence({}, value, low=float(low), high=float(high), source="folds", count=folds, **about)


@measure("least_noise", within=(0, 140))
def least_noise(task: Task, runs: Runs, ways: Sequence[Way]) -> list[Evidence]:
    return [over_sets([_least_noise(task, runs, way, cross) for cross in task.crosses(10)]) for way in ways]


def _least_noise(task: Task, runs: Runs, way: Way, cross: Cross) -> Evidence:
    """Return the fewest irrelevant weights at a constant that keeps a weight of each group of relevant inputs."""
    found = []
    for C in task.tried(way):
        specs = task.specs(way, cross, C)
        w = scores.average_weights(runs.present(specs))
        if w[: scores.RELEVANT].reshape(-1, 2 * synthetic.GROUP).any(axis=1).all():
            found.append((scores.selected(w).irrelevant, f"error {scores.errors(runs, specs).mean():.4f}"))
    least, told = min(found, default=(np.nan, "no constant keeps one of each group"))
    return Evidence({"": way.model}, float(least), "value", told=told, state="" if found else "more constants")


@measure("weights_kept", within=(0, 200))
def weights_kept(task: Task, runs: Runs, ways: Sequence[Way]) -> Iterator[Evidence]:
    for way in ways:
        state = _averages_state(task, runs, [way])
        kept = [scores.selected(w).total for w in _averages(task, runs, way)]
        yield over_sets([Evidence({"": way.model}, each, "value", state=state) for each in kept])


@measure("magnitude_over")
def magnitude_over(task: Task, runs: Runs, ways: Sequence[Way], of: str) -> Iterator[Evidence]:
    """Measure a magnitude, over the norm of the weights, of each model over that of the last.

    ``of``: ``median``, or ``noise`` for the mean of irrelevant weights.
    """
    read = {"median": lambda w: np.median(w, axis=1), "noise": lambda w: w[:, scores.RELEVANT :].mean(axis=1)}[of]
    weights = [np.abs(_averages(task, runs, way)) for way in ways]
    *others, mine = (np.maximum(read(w / np.linalg.norm(w, axis=1, keepdims=True)), 1e-12) for w in weights)
    for way, other in zip(ways, others, strict=False):
        state = _averages_state(task, runs, (way, ways[-1]))
        yield over_sets([Evidence({"": way.model}, ratio, state=state) for ratio in other / mine])


@measure("unexplained")
def unexplained(task: Task, runs: Runs, ways: Sequence[Way]) -> Iterator[Evidence]:
    """Measure the share of the generator's weights that a model's, scaled to fit, do not explain.

    Of an input only the difference between its two labels' weights has an effect, and of a group of copies of one
    input only their sum.
    """
    for way in ways:
        values, state = [], _averages_state(task, runs, [way])
        for crf, w in enumerate(_averages(task, runs, way)):
            ours, true = _effects(w), _effects(synthetic.true_weights(crf)[: scores.STATES])
            explained = (ours @ true) ** 2 / max((ours @ ours) * (true @ true), 1e-300)
            values.append(Evidence({"": way.model}, float(1 - explained), "share", state=state))
        yield over_sets(values)


def _effects(w: np.ndarray) -> np.ndarray:
    """Return the weight differences of groups of relevant inputs, then of the others."""
    differences = w[1::2] - w[::2]
    groups = differences[: synthetic.RELEVANT].reshape(-1, synthetic.GROUP).sum(axis=1)
    return np.concatenate([groups, differences[synthetic.RELEVANT :]])


def _averages(task: Task, runs: Runs, way: Way) -> np.ndarray:
    """Return the state features' weights, averaged over the folds of each data set; shape (data sets, 200)."""
    chosen = (scores.of_finished(task, runs, way, [cross]).chosen for cross in task.crosses(10))
    return np.array([scores.average_weights(runs.present(specs))[: scores.STATES] for specs in chosen])


def _averages_state(task: Task, runs: Runs, ways: Sequence[Way]) -> str:
    """Return which model chose a constant at the end of its grid in most data sets."""
    for way in ways:
        ends = [scores.at_end(task, runs, way, [cross]) for cross in task.crosses(10)]
        if 2 * sum(map(bool, ends)) > len(ends):
            return max(ends, key=ends.count) or max(ends)
    return ""
