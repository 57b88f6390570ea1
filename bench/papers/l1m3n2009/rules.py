"""The rules by which the claims of l1m3n2009 on errors and weights are judged; for methods see ``path_rules``.

They were written down before the runs that they judge, which have the paper's own constants if it gives them. The
numbers in ``docs/l1m3n2009.md``, which earlier rules judged, had been seen. Every error is the mean over folds at
a constant chosen for each model and size of the training set. For each data set, it is the constant of least mean
error on the other data sets; for each fold of a single one, on its other folds. Differences are paired, by data
set or by the folds of a single one. Their mean has a 95 % interval by Student's t. With fewer than three pairs
nothing is decided. A point is 0.01; adverbs are those of ``judging.RATIOS``. Between errors, an adverb compares
two differences. Average weights are over the ten folds of a data set (Figure 3), each at the constant that the
others choose; an interval is over data sets. What a rule does not name is undecided.

======================  ==============================================================================
sparse-beats-m3n        at every size M3N less L1-M3N and less L1-CRF: above 0; not reproduced if below 0 at one
lap-as-l1m3n            at every size LapM3N less L1-M3N, and less L1-CRF, within a point, and within half of what
                        M3N, the control, is above the latter: which must be above 0; not if over a point apart
                        at one
crf-worst               at every size the CRF is above the worst other by much (2) more than that is above the
                        best; not if at one not above it
l2crf-as-m3n            as lap-as-l1m3n, L2-CRF less M3N; the control is M3N less L1-M3N
l1crf-sensitive         training sets of 1/10: greatest less least mean error over the constants tried, a factor
                        of 16 and 17.5: L1-CRF's is above L1-M3N's (EM); not if below
noise-discarded         of L1-M3N (EM) and L1-CRF the fewest of 140 irrelevant average weights that a constant
                        leaves, at an error not above M3N's (140 if none is) and with some relevant one left:
                        below 1; not if for both 1 or more
dense-models            of CRF, L2-CRF, LapM3N and M3N all 200 average weights are not 0, of every data set; not
                        if of any there are fewer than 190
lap-shrinks             |average weight|, M3N's over LapM3N's: the median much (2) greater, the mean of irrelevant
                        ones very much (5); not if one is not greater
weights-differ          of each model the average weights, scaled to fit, leave at least a quarter of the square of
                        the generator's unexplained; not if under a tenth of one
ocr-more-data           from the least number of words to the greatest all errors fall, and no step raises one,
                        and all deviations fall; not if one error rises in all
ocr-lap-as-l1m3n        as lap-as-l1m3n, to L1-M3N alone, for every number of words
ocr-l1m3n-best          for every number of words CRF, L2-CRF, L1-CRF and M3N less L1-M3N: above 0; not if one is
                        below 0 at one number
ocr-l2crf-as-m3n        as l2crf-as-m3n; the control is CRF less M3N
ocr-m3n-beats-crfs      for every number of words CRF and L1-CRF less M3N: above 0; not if one is below 0 at one
======================  ==============================================================================
"""

import itertools
from collections.abc import Sequence

import numpy as np

from structbench.bench.papers import intervals
from structbench.bench.papers.intervals import Interval
from structbench.bench.papers.judging import INCONCLUSIVE, RATIOS, Judgement, graded
from structbench.bench.papers.l1m3n2009 import scores
from structbench.bench.papers.l1m3n2009.runs import Cross, Task
from structbench.bench.papers.l1m3n2009.setting import CRF, EM, L1_CRF, L2_CRF, LAP_M3N, M3N, MODELS, Way
from structbench.bench.runs.finished import Runs
from structbench.datasets import synthetic

POINT = 0.01
LEAST = 3  # data sets or folds

Sizes = list[list[Cross]]  # cross-validations for each size of the training set
Leads = list[np.ndarray]  # differences for each size, one a data set or fold


def above(task: Task, sizes: Sizes, runs: Runs, best: Sequence[Way], worse: Sequence[Way]) -> Judgement:
    """Judge whether all of ``worse`` have more error than all of ``best``, at every size."""
    leads = {
        f"{other.model} less {way.model}": _leads(task, sizes, runs, other, way) for way in best for other in worse
    }
    ends = {name: [interval(lead) for lead in each] for name, each in leads.items()}
    every = [end for each in ends.values() for end in each]
    verdict = graded(all(end.low > 0 for end in every), any(end.high < 0 for end in every))
    return verdict, _told(ends), _errors(task, sizes, runs, (*best, *worse))


def sparse_beats_m3n(task: Task, sizes: Sizes, runs: Runs) -> Judgement:
    return above(task, sizes, runs, (EM, L1_CRF), (M3N,))


def l1m3n_best(task: Task, sizes: Sizes, runs: Runs) -> Judgement:
    return above(task, sizes, runs, (EM,), (CRF, L2_CRF, L1_CRF, M3N))


def m3n_beats_crfs(task: Task, sizes: Sizes, runs: Runs) -> Judgement:
    return above(task, sizes, runs, (M3N,), (CRF, L1_CRF))


def about_equal(
    one: Way, others: Sequence[Way], control: tuple[Way, Way], task: Task, sizes: Sizes, runs: Runs
) -> Judgement:
    """Judge whether ways are within a point of ``one``, and within half of what the ``control`` ways differ."""
    apart, good, bad = {}, True, False
    for other in others:
        worse, better = control[0], control[1] or other  # None: each of the others
        ends = [interval(lead) for lead in _leads(task, sizes, runs, one, other)]
        scales = [interval(lead) for lead in _leads(task, sizes, runs, worse, better)]
        for end, scale in zip(ends, scales, strict=True):
            good &= scale.low > 0 and max(-end.low, end.high) <= min(POINT, scale.mean / 2)
            bad |= end.low > POINT or end.high < -POINT
        apart |= {
            f"{one.model} less {other.model}": ends,
            f"{worse.model} less {better.model}, the control": scales,
        }
    return graded(good, bad), _told(apart), _errors(task, sizes, runs, (one, *others))


def crf_worst(task: Task, sizes: Sizes, runs: Runs) -> Judgement:
    others = (L2_CRF, L1_CRF, M3N, LAP_M3N, EM)
    crf, *rest = (_units(task, sizes, runs, way) for way in (CRF, *others))
    more, much = [], []
    for k, errors in enumerate(crf):
        means = [each[k].mean() for each in rest]
        worst, best = rest[int(np.argmax(means))][k], rest[int(np.argmin(means))][k]
        more.append(interval(errors - worst))
        much.append(interval(errors - worst - RATIOS["much"] * (worst - best)))
    good = all(end.low > 0 for end in (*more, *much))
    numbers = _told({"above the worst other": more, "more than twice their spread by": much})
    return graded(good, any(end.high < 0 for end in more)), numbers, _errors(task, sizes, runs, (CRF,))


def l1crf_sensitive(task: Task, sizes: Sizes, runs: Runs) -> Judgement:
    crosses = next((each for each in sizes if each[0].folds == 10), sizes[-1])
    ranges = {way.model: _range(task, runs, way, crosses) for way in (L1_CRF, EM)}
    more = interval(ranges[L1_CRF.model] - ranges[EM.model])
    told = ", ".join(f"{model} {each.mean() / POINT:.2f}" for model, each in ranges.items())
    numbers = f"range of error, points: {told}; more by {more.points()}"
    if len(task.grid_of(EM, "synthetic")) < 2:
        return INCONCLUSIVE, numbers, "one constant only"
    return graded(more.low > 0, more.high < 0), numbers, f"{len(crosses)} data sets"


def _range(task: Task, runs: Runs, way: Way, crosses: list[Cross]) -> np.ndarray:
    """Return greatest less least mean error over the constants tried, by data set, or by fold of a single one."""
    table = []
    for C in task.grid_of(way, crosses[0].kind):
        each = [scores.errors(runs, task.specs(way, cross, C)) for cross in crosses]
        table.append(each[0] if len(crosses) == 1 else [one.mean() for one in each])
    return np.ptp(np.array(table), axis=0)


def noise_discarded(task: Task, runs: Runs) -> Judgement:
    least = {
        way.model: interval(np.array([_least_noise(task, runs, way, cross) for cross in task.crosses(10)]))
        for way in (EM, L1_CRF)
    }
    verdict = graded(all(end.high < 1 for end in least.values()), all(end.low >= 1 for end in least.values()))
    return verdict, f"irrelevant ones left at least: {_named(least)}", f"of {scores.STATES - scores.RELEVANT}"


def _least_noise(task: Task, runs: Runs, way: Way, cross: Cross) -> int:
    """Return the fewest irrelevant weights at a constant that keeps a relevant one and at most the M3N's error."""
    most = scores.score(task, runs, M3N, [cross]).mean
    least = scores.STATES - scores.RELEVANT
    for C in task.tried(way):
        specs = task.specs(way, cross, C)
        kept = scores.selected(scores.average_weights(runs.present(specs)))
        if kept.total > kept.irrelevant and scores.errors(runs, specs).mean() <= most:
            least = min(least, kept.irrelevant)
    return least


def dense_models(task: Task, runs: Runs) -> Judgement:
    totals = {
        way.model: np.array([scores.selected(w).total for w in _averages(task, runs, way)])
        for way in (CRF, L2_CRF, LAP_M3N, M3N)
    }
    ends = {model: interval(each) for model, each in totals.items()}
    good = all(end.low >= scores.STATES for end in ends.values())
    bad = all(np.isfinite(end.low) for end in ends.values()) and min(each.min() for each in totals.values()) < 190
    return graded(good, bad), f"average weights not 0: {_named(ends)}", ""


def lap_shrinks(task: Task, runs: Runs) -> Judgement:
    lap, m3n = (np.abs(_averages(task, runs, way)) for way in (LAP_M3N, M3N))
    medians = _ratio(np.median(m3n, axis=1), np.median(lap, axis=1))
    noise = _ratio(m3n[:, scores.RELEVANT :].mean(axis=1), lap[:, scores.RELEVANT :].mean(axis=1))
    good = medians.low >= RATIOS["much"] and noise.low >= RATIOS["very"]
    numbers = f"M3N over LapM3N: median weight {medians}, irrelevant ones {noise}"
    return graded(good, medians.high < 1 or noise.high < 1), numbers, f"{len(lap)} data sets"


def weights_differ(task: Task, runs: Runs) -> Judgement:
    shares = {}
    for way in MODELS:
        each = []
        for crf, w in enumerate(_averages(task, runs, way)):
            true = synthetic.true_weights(crf)[: scores.STATES]
            each.append(1 - (w @ true) ** 2 / max((w @ w) * (true @ true), 1e-300))
        shares[way.model] = interval(np.array(each))
    verdict = graded(
        all(end.low >= 0.25 for end in shares.values()), any(end.high < 0.1 for end in shares.values())
    )
    return verdict, f"share of the generator's weights not explained: {_named(shares)}", ""


def more_data(task: Task, sizes: Sizes, runs: Runs) -> Judgement:
    falls, rises, wider, bad = [], [], [], False
    for way in MODELS:
        found = [scores.score(task, runs, way, crosses) for crosses in sizes]
        inall = interval(found[0].parts - found[-1].parts)
        steps = [interval(a.parts - b.parts) for a, b in itertools.pairwise(found)]
        falls.append(inall.low > 0)
        bad |= inall.high < 0
        if any(step.high < 0 for step in steps):
            rises.append(way.model)
        if found[-1].spread >= found[0].spread:
            wider.append(way.model)
    numbers = f"errors fall in all: {sum(falls)} of {len(falls)}; rise at a step: {', '.join(rises) or 'none'}"
    numbers += f"; deviation does not fall: {', '.join(wider) or 'none'}"
    return graded(all(falls) and not rises and not wider, bad), numbers, ""


def interval(differences: np.ndarray) -> Interval:
    """Return the mean of these pairs' differences with its interval; infinite with fewer than ``LEAST``."""
    found = intervals.interval(differences, LEAST)
    return Interval(*(round(end, 12) if np.isfinite(end) else end for end in found))


def _ratio(one: np.ndarray, other: np.ndarray) -> Interval:
    """Return the geometric mean of the ratios; 0 counts as 1e-12, so that 0 over 0 is 1."""
    with np.errstate(divide="ignore"):
        logs = np.log(np.maximum(one, 1e-12)) - np.log(np.maximum(other, 1e-12))
    return Interval(*np.exp(interval(logs)).round(9).tolist())


def _units(task: Task, sizes: Sizes, runs: Runs, way: Way) -> list[np.ndarray]:
    return [scores.score(task, runs, way, crosses).parts for crosses in sizes]


def _leads(task: Task, sizes: Sizes, runs: Runs, one: Way, other: Way) -> Leads:
    """Return the error of one less that of the other, for every size."""
    both = zip(_units(task, sizes, runs, one), _units(task, sizes, runs, other), strict=True)
    return [a - b for a, b in both]


def _averages(task: Task, runs: Runs, way: Way) -> np.ndarray:
    """Return the state features' weights, averaged over the folds of each data set; shape (data sets, 200)."""
    chosen = (scores.score(task, runs, way, [cross]).chosen for cross in task.crosses(10))
    return np.array([scores.average_weights(runs.present(specs))[: scores.STATES] for specs in chosen])


def _errors(task: Task, sizes: Sizes, runs: Runs, ways: Sequence[Way]) -> str:
    told = []
    for way in ways:
        found = [scores.score(task, runs, way, crosses) for crosses in sizes]
        told.append(f"{way.model} " + " ".join(f"{one.mean:.4f}" for one in found))
    return f"errors for {', '.join(str(crosses[0].size) for crosses in sizes)}: {'; '.join(told)}"


def _told(ends: dict[str, list[Interval]]) -> str:
    return "; ".join(f"{name} {', '.join(end.points() for end in each)}" for name, each in ends.items())


def _named(ends: dict[str, Interval]) -> str:
    return ", ".join(f"{name} {end}" for name, end in ends.items())
