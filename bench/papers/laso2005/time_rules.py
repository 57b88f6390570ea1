"""What the claims of laso2005 on seconds and passes measure, over seeds; see ``rules``.

Seconds a pass and passes are apart: which pass held-out sentences choose is noise on a flat curve.
"""

from collections.abc import Sequence

import numpy as np

from structbench.bench.papers.laso2005.rules import POINT, Pairs, each_pair
from structbench.bench.papers.laso2005.runs import CHUNKING, SEMI_CRFS, Task, Way
from structbench.bench.papers.laso2005.scores import Trained
from structbench.bench.papers.measured import Estimate, Value, together_of
from structbench.bench.runs.finished import Runs

NEAR_BEST = 0.15 * POINT  # of the greatest held-out F
THEIRS = {"LaSOp∞": 1.20, "LaSOa∞": 1.12, "LaSOp25": 1.09}  # hours over those of the other way of a pair


def seconds_a_pass(task: Task, runs: Runs, pairs: Pairs, kinds: Sequence[str]) -> list[Estimate]:
    """Measure CPU seconds of a pass, first way over second."""
    found = []
    for one, other in each_pair(task, runs, pairs, kinds):
        theirs = THEIRS.get(one.way.name, np.nan) if other.way.name == "Perceptron" else np.nan
        where = {"": one.way.name, "over": other.way.name}
        both = zip(one.seconds_a_pass(), other.seconds_a_pass(), strict=True)
        found.append(together_of([Value(where, a / b, theirs=theirs) for a, b in both]))
    return found


def semicrf_over(task: Task, runs: Runs, others: Sequence[Way]) -> list[Estimate]:
    """Measure the SemiCRF's seconds, at the C that is chosen, over those of the slowest of the others.

    One that did not reach its gap took at least so long.
    """
    seconds = {way.name: Trained(task, runs, way, CHUNKING).seconds() for way in others}
    slowest = max(seconds, key=lambda name: np.median(seconds[name]))
    found = []
    for trained in (Trained(task, runs, way, CHUNKING) for way in SEMI_CRFS):
        (mine,), (run,) = trained.seconds(), trained.made
        bound = "" if run.summary["status"] == "converged" else "at least"
        where = {"": trained.way.name, "over": slowest}
        found.append(together_of([Value(where, mine / each, bound=bound) for each in seconds[slowest]]))
    return found


def seconds_to_decode(task: Task, runs: Runs, pairs: Pairs, kinds: Sequence[str]) -> list[Estimate]:
    """Measure the seconds of predicting the test sentences, first way over second."""
    found = []
    for one, other in each_pair(task, runs, pairs, kinds):
        mine = np.median(one.seconds_to_predict())
        found.append(together_of([Value({}, mine / each) for each in other.seconds_to_predict()]))
    return found


def passes_to_near_best(task: Task, runs: Runs, pairs: Pairs, kinds: Sequence[str]) -> list[Estimate]:
    """Measure the first pass within 0.15 points of the best held-out F, first way over second."""
    found = []
    for pair in each_pair(task, runs, pairs, kinds):
        passes, where = _near_best(pair), {"": pair[1].way.name}
        values = [Value(where, a / b, told=f"{a:g} / {b:g}") for a, b in zip(*passes, strict=True)]
        found.append(together_of(values)._replace(state=_capped(task, *passes)))
    return found


def _near_best(pair: tuple[Trained, Trained]) -> list[np.ndarray]:
    return [trained.passes_near_best(NEAR_BEST) for trained in pair]


def _capped(task: Task, *passes: np.ndarray) -> str:
    """Return what would mend passes of which some are all that were made."""
    return f"more than {task.passes} passes" if any(task.passes in each for each in passes) else ""


def seconds_to_near_best(task: Task, runs: Runs, pairs: Pairs, kinds: Sequence[str]) -> list[Estimate]:
    """Measure the seconds of so many passes, first way over second, the geometric mean over pairs."""
    logs, made = [], []
    for pair in each_pair(task, runs, pairs, kinds):
        passes, seconds = _near_best(pair), [trained.seconds_a_pass() for trained in pair]
        made += passes
        logs.append(np.log(passes[0] * seconds[0]) - np.log(passes[1] * seconds[1]))
    found = together_of([Value({}, float(ratio)) for ratio in np.exp(np.mean(logs, axis=0))])
    return [found._replace(state=_capped(task, *made))]
