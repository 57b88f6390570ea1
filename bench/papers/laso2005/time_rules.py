"""What the claims of laso2005 on seconds and passes measure, over seeds; see ``rules``.

Seconds a pass and passes are apart: which pass held-out sentences choose is noise on a flat curve.
"""

from collections.abc import Sequence

import numpy as np

from structbench.bench.papers.laso2005 import scores
from structbench.bench.papers.laso2005.rules import POINT, Pairs
from structbench.bench.papers.laso2005.runs import Task
from structbench.bench.papers.laso2005.setting import CHUNKING, SEMI_CRFS, Way
from structbench.bench.papers.measured import Estimate, Value, together_of
from structbench.bench.runs.finished import Runs

NEAR_BEST = 0.15 * POINT  # of the greatest held-out F
THEIRS = {"LaSOp∞": 1.20, "LaSOa∞": 1.12, "LaSOp25": 1.09}  # hours over those of the other way of a pair


def seconds_a_pass(task: Task, runs: Runs, pairs: Pairs, kinds: Sequence[str]) -> list[Estimate]:
    """Measure CPU seconds of a pass, first way over second."""
    found = []
    for kind in kinds:
        for one, other in pairs:
            mine, others = (scores.seconds_a_pass(task, runs, way, kind) for way in (one, other))
            theirs = THEIRS.get(one.name, np.nan) if other.name == "Perceptron" else np.nan
            where = {"": one.name, "over": other.name}
            values = [Value(where, a / b, theirs=theirs) for a, b in zip(mine, others, strict=True)]
            found.append(together_of(values))
    return found


def semicrf_over(task: Task, runs: Runs, others: Sequence[Way]) -> list[Estimate]:
    """Measure the SemiCRF's seconds, at the C that is chosen, over those of the slowest of the others.

    One that did not reach its gap took at least so long.
    """
    seconds = {way.name: scores.seconds(task, runs, way, CHUNKING) for way in others}
    slowest = max(seconds, key=lambda name: np.median(seconds[name]))
    found = []
    for way in SEMI_CRFS:
        chosen = scores.score(task, runs, way, CHUNKING)
        (run,) = runs.present(task.specs(way, CHUNKING, chosen.C))
        (mine,) = scores.seconds(task, runs, way, CHUNKING)
        bound = "" if run.summary["status"] == "converged" else "at least"
        values = [Value({"": way.name, "over": slowest}, mine / each, bound=bound) for each in seconds[slowest]]
        found.append(together_of(values))
    return found


def seconds_to_decode(task: Task, runs: Runs, pairs: Pairs, kinds: Sequence[str]) -> list[Estimate]:
    """Measure the seconds of predicting the test sentences, first way over second."""
    found = []
    for kind in kinds:
        for one, other in pairs:
            mine, others = (scores.seconds_to_predict(task, runs, way, kind) for way in (one, other))
            found.append(together_of([Value({}, np.median(mine) / each) for each in others]))
    return found


def passes_to_near_best(task: Task, runs: Runs, pairs: Pairs, kinds: Sequence[str]) -> list[Estimate]:
    """Measure the first pass within 0.15 points of the best held-out F, first way over second."""
    found = []
    for kind in kinds:
        for one, other in pairs:
            first, second = (scores.passes_near_best(task, runs, way, kind, NEAR_BEST) for way in (one, other))
            capped = task.passes in (*first, *second)
            values = [
                Value({"": other.name}, a / b, told=f"{a:g} / {b:g}") for a, b in zip(first, second, strict=True)
            ]
            estimate = together_of(values)
            found.append(estimate._replace(state=f"more than {task.passes} passes") if capped else estimate)
    return found


def seconds_to_near_best(task: Task, runs: Runs, pairs: Pairs, kinds: Sequence[str]) -> list[Estimate]:
    """Measure the seconds of so many passes, first way over second, the geometric mean over pairs."""
    logs, capped = [], False
    for kind in kinds:
        for pair in pairs:
            passes = [scores.passes_near_best(task, runs, way, kind, NEAR_BEST) for way in pair]
            seconds = [scores.seconds_a_pass(task, runs, way, kind) for way in pair]
            capped |= task.passes in (*passes[0], *passes[1])
            logs.append(np.log(passes[0] * seconds[0]) - np.log(passes[1] * seconds[1]))
    found = together_of([Value({}, float(ratio)) for ratio in np.exp(np.mean(logs, axis=0))])
    return [found._replace(state=f"more than {task.passes} passes") if capped else found]
