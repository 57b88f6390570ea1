"""The rules of laso2005 that judge seconds and passes; ``rules`` lists them."""

import math

import numpy as np

from structbench.bench.papers import intervals
from structbench.bench.papers.intervals import Interval
from structbench.bench.papers.judging import INCONCLUSIVE, RATIOS, Judgement, graded, worst
from structbench.bench.papers.laso2005 import scores
from structbench.bench.papers.laso2005.runs import CHOOSERS, Task
from structbench.bench.papers.laso2005.setting import (
    BEAMS,
    CHUNKING,
    JOINT,
    LARGE,
    PERCEPTRON,
    SEMI_CRF,
    SEMI_CRFS,
    TABLE_1,
    laso,
)
from structbench.bench.runs.finished import Runs


def exact_costs_more(task: Task, runs: Runs) -> Judgement:
    ratio = _ratio(*(scores.seconds(task, runs, laso("alma", beam), CHUNKING) for beam in ("inf", 5)))
    return _longer(ratio, "much"), f"a∞ over a5: {ratio}", ""


def perceptron_time(task: Task, runs: Runs) -> Judgement:
    mine = scores.seconds(task, runs, PERCEPTRON, CHUNKING)
    ratios = {
        f"{sign}∞": _ratio(scores.seconds(task, runs, laso(update, "inf"), CHUNKING), mine)
        for sign, update in (("p", "perceptron"), ("a", "alma"))
    }
    verdicts = [
        graded(
            one.low >= RATIOS["slightly"] and one.high <= RATIOS["significantly"],
            one.high < 1 / RATIOS["slower"] or one.low >= RATIOS["much"],
        )
        for one in ratios.values()
    ]
    return worst(verdicts), ", ".join(f"{name} over it: {one}" for name, one in ratios.items()), ""


def semicrf_slowest(task: Task, runs: Runs) -> Judgement:
    others = [PERCEPTRON, *(laso(update, beam) for update in ("perceptron", "alma") for beam in TABLE_1)]
    seconds = {way.name: scores.seconds(task, runs, way, CHUNKING) for way in others}
    slowest = max(seconds, key=lambda name: np.median(seconds[name]))
    exact = laso("perceptron", "inf").name
    verdicts, told = [], []
    for way in SEMI_CRFS:
        (run,) = runs.present(task.specs(way, CHUNKING, scores.score(task, runs, way, CHUNKING).C))
        mine, certified = scores.seconds(task, runs, way, CHUNKING), run.summary["status"] == "converged"
        over_exact, over_all = _ratio(mine, seconds[exact]), _ratio(mine, seconds[slowest])
        verdicts.append(
            graded(
                over_exact.low >= RATIOS["much"] and over_all.low > 1,
                certified and (over_exact.high < RATIOS["much"] or over_all.high < 1),
            )
        )
        told.append(f"{way.name} {mine[0]:.3g} s{'' if certified else ' and not there'}, over p∞ {over_exact}")
    longest = f"longest of the others: {slowest}, {np.median(seconds[slowest]):.3g} s"
    return worst(verdicts), "; ".join(told), longest


def greedy_decodes_faster(task: Task, runs: Runs) -> Judgement:
    crf = scores.seconds_to_predict(task, runs, SEMI_CRF, CHUNKING)
    greedy = scores.seconds_to_predict(task, runs, laso("perceptron", 1), CHUNKING)
    ratio = _ratio(crf, greedy)
    return _longer(ratio, "very"), f"{crf[0]:.3g} s and {np.median(greedy):.3g} s, ratio {ratio}", ""


def alma_faster_at_large_beams(task: Task, runs: Runs) -> Judgement:
    ratios = {beam: _ratio(*_both(task, runs, beam, CHUNKING)) for beam in LARGE}
    verdict = graded(all(one.low > 1 for one in ratios.values()), any(one.high < 1 for one in ratios.values()))
    return verdict, "p over a: " + ", ".join(f"{one} at {beam}" for beam, one in ratios.items()), ""


def faster_training(task: Task, runs: Runs) -> Judgement:
    p, a = zip(*(_both(task, runs, beam, JOINT) for beam in BEAMS[JOINT]), strict=True)
    ratio = _ratio(np.exp(np.log(p).mean(axis=0)), np.exp(np.log(a).mean(axis=0)))
    each = ", ".join(f"{np.median(one / other):.3g}" for one, other in zip(p, a, strict=True))
    told = f"p over a: {ratio}", f"at {', '.join(map(str, BEAMS[JOINT]))}: {each}"
    ways = [laso(update, beam) for update in ("perceptron", "alma") for beam in BEAMS[JOINT]]
    if not all(scores.were_alone(task, runs, way, JOINT) for way in ways):
        return INCONCLUSIVE, told[0], f"{told[1]}; runs that shared the machine"
    return _longer(ratio, "much"), *told


def fewer_passes(task: Task, runs: Runs) -> Judgement:
    passes = {
        update: np.array([scores.passes_to_choose(task, runs, laso(update, beam), JOINT) for beam in BEAMS[JOINT]])
        for update in ("alma", "perceptron")
    }
    fewer = intervals.interval(passes["perceptron"].mean(axis=0) - passes["alma"].mean(axis=0), CHOOSERS)
    told = "; ".join(", ".join(f"{mean:.3g}" for mean in of.mean(axis=1)) for of in passes.values())
    at_the_end = np.mean(passes["alma"] == task.passes) > 0.5
    verdict = INCONCLUSIVE if at_the_end else graded(fewer.low > 0, fewer.high < 0)
    return verdict, f"{told} at {', '.join(map(str, BEAMS[JOINT]))}; fewer by {fewer}", f"of {task.passes} made"


def _both(task: Task, runs: Runs, beam: int | str, kind: str) -> tuple[np.ndarray, np.ndarray]:
    p, a = (scores.seconds(task, runs, laso(update, beam), kind) for update in ("perceptron", "alma"))
    return p, a


def _ratio(one: np.ndarray, other: np.ndarray) -> Interval:
    """Return the geometric mean of one over the other, seed by seed."""
    logs = intervals.interval(np.log(one) - np.log(other), CHOOSERS)
    return Interval(*(round(math.exp(end), 9) if math.isfinite(end) else max(end, 0.0) for end in logs))


def _longer(ratio: Interval, adverb: str) -> str:
    return graded(ratio.low >= RATIOS[adverb], ratio.high < RATIOS["slower"])
