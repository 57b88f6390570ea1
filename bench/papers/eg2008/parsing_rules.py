"""What the claims of eg2008 on dependency parsing measure, for each seed; see ``rules`` and ``rules_against``.

``pick`` takes an algorithm for the log loss, or ``hinge ALGORITHM``, and C; ``path``; or ``method LOSS``.
"""

from collections.abc import Iterator

import numpy as np

from structbench.bench.drawing import curves
from structbench.bench.papers.eg2008.parsing import (
    BEST_C,
    BEST_HINGE_C,
    EG,
    ETA0S,
    LBFGS,
    SGD,
    SVM,
    TABLE3,
    TABLE3_BEST_C,
    Parsing,
)
from structbench.bench.papers.eg2008.path import above_least, path
from structbench.bench.papers.eg2008.rules import FIRST_PASS, NEAR, POINT, POINTS, Cs, Pick
from structbench.bench.papers.eg2008.rules_against import rate_of
from structbench.bench.papers.measured import (
    SECONDS,
    Value,
    distance,
    farther,
    last,
    longer,
    times,
    until,
    until_error,
    until_level,
)
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.store import Run

HORIZON = 100.0  # passes, about those of Figure 15; runs make 110
GOAL = 0.6 * POINT  # above EG's last error
CERTIFIED = {"log": NEAR, "hinge": 2 * NEAR}  # relative gap of a run whose error speaks for its C
ALGORITHMS = {"log": (EG, LBFGS), "hinge": (f"hinge {EG}", f"hinge {SVM}")}


def _cut(run: Run) -> bool:
    """Tell whether a run ended by its passes, before those of the paper."""
    return run.summary["status"] == "passes" and last(run, "passes") < HORIZON


def _at_end(run: Run, best: curves.Optimum) -> float:
    """Return the last distance to the optimum."""
    return distance(run, best, last(run, "passes"))


def last_distance(task: Parsing, runs: Runs, pick: Pick, C: Cs) -> Iterator[Value]:
    """Measure how far the last primal of EG and of L-BFGS is above the optimum."""
    for each in C:
        best = task.optimum(runs, each)
        state = "" if best.relative_gap <= NEAR / 10 else "a certified optimum"
        for name in (EG, LBFGS):
            run = pick(name, each)
            far = _at_end(run, best)
            bound = "at most" if far > NEAR and _cut(run) else ""
            yield Value({"C": each, "": name}, far, "share", bound=bound, state=state, exact=name == LBFGS)


def sgd_distance_over_level(task: Parsing, runs: Runs, pick: Pick, C: Cs, levels: Cs) -> Iterator[Value]:
    """Measure SGD's last distance to the optimum over each level."""
    for each in C:
        run, best = pick(SGD, each), task.optimum(runs, each)
        for level in levels:
            where = {"C": each, "rate": rate_of(run), "to": f"{level:.1%}"}
            state = "" if best.relative_gap <= level / 10 else "a certified optimum"
            yield farther(where, _at_end(run, best), level, state="more passes" if _cut(run) else state)


def sgd_where_it_arrives(task: Parsing, runs: Runs, pick: Pick, C: Cs) -> Iterator[Value]:
    """Measure SGD's passes until near the optimum over EG's, at each C at which it gets there."""
    for each in C:
        pair, best = (pick(SGD, each), pick(EG, each)), task.optimum(runs, each)
        if np.isfinite(until_level(pair[0], best, NEAR)):
            yield longer({"C": each, "rate": rate_of(pair[0])}, *pair, best, NEAR)


def _rates(pick: Pick, C: float) -> tuple[float, dict[float, Run]]:
    """Return the rate whose last primal is least, and the runs of all."""
    tried = {eta0: pick(SGD, C, eta0=eta0) for eta0 in ETA0S}
    return min(tried, key=lambda eta0: last(tried[eta0], "primal")), tried


def best_rate_distance(task: Parsing, runs: Runs, pick: Pick) -> Iterator[Value]:
    """Measure the last distance to the optimum of SGD with its best rate."""
    for C in task.rates_at:
        good, tried = _rates(pick, C)
        far = _at_end(tried[good], task.optimum(runs, C))
        bound = "at most" if far > NEAR and _cut(tried[good]) else ""
        yield Value({"C": C, "rate": good}, far, "share", bound=bound)


def best_rate_since(task: Parsing, runs: Runs, pick: Pick) -> Iterator[Value]:
    """Measure the pass from which on the best rate leads, if it gets to the optimum."""
    for C in task.rates_at:
        good, tried = _rates(pick, C)
        if _at_end(tried[good], task.optimum(runs, C)) <= NEAR:
            others = [run.curve for eta0, run in tried.items() if eta0 != good]
            since = max(curves.overtakes(tried[good].curve, other) for other in others)
            yield Value({"C": C, "rate": good}, max(since, 0.1), "count")


def lbfgs_ahead(task: Parsing, runs: Runs, pick: Pick, C: Cs) -> Iterator[Value]:
    """Measure EG's last error at C = 10 less L-BFGS's at each C."""
    for each in C:
        yield Value({"C": each}, _error_above(pick(EG, BEST_C), pick(LBFGS, each)), "difference", POINTS)


def _error_above(run: Run, other: Run) -> float:
    """Return the last error of a run less another's, in points."""
    return (last(run, "test_error") - last(other, "test_error")) / POINT


def lbfgs_passes_to_accuracy(task: Parsing, runs: Runs, pick: Pick, C: Cs) -> Iterator[Value]:
    """Measure passes to EG's last error at C = 10; not counted where L-BFGS's optimum errs more."""
    for each in C:
        run = pick(LBFGS, each)
        found = _to_goal(pick, run, {"C": each})
        worse = run.summary["status"] == "converged" and bool(found.bound)
        yield found._replace(counted=False, choice="where its optimum errs more") if worse else found


def _to_goal(pick: Pick, run: Run, where: dict[str, float]) -> Value:
    """Measure a run's passes until near EG's last error at C = 10, over EG's."""
    eg = pick(EG, BEST_C)
    goal = last(eg, "test_error") + GOAL
    passes = (until_error(each, goal) for each in (run, eg))
    return times(where, *passes, (last(run, "passes"), last(eg, "passes")))


def _best_sgd(pick: Pick, C: Cs) -> Run:
    return min((pick(SGD, each) for each in C), key=lambda run: last(run, "test_error"))


def sgd_ahead(task: Parsing, runs: Runs, pick: Pick, C: Cs) -> Iterator[Value]:
    """Measure EG's last error at C = 10 less SGD's at its best C."""
    sgd = _best_sgd(pick, C)
    told = f"SGD at C = {sgd.spec['C']:g}"
    yield Value({}, _error_above(pick(EG, BEST_C), sgd), "difference", POINTS, told=told)


def sgd_passes_to_accuracy(task: Parsing, runs: Runs, pick: Pick, C: Cs) -> Iterator[Value]:
    """Measure passes to EG's last error at C = 10, of SGD at its best C over EG's."""
    yield _to_goal(pick, _best_sgd(pick, C), {})


def above_perceptron(task: Parsing, runs: Runs, pick: Pick) -> Iterator[Value]:
    """Measure the perceptron's last error less that of EG, log loss at C = 10 and hinge at C = 100."""
    for loss, name in (("log", "log-linear"), ("hinge", "max-margin")):
        above = _error_above(pick("method none"), pick(f"method {loss}"))
        yield Value({"": name}, above, "difference", POINTS)


def _seconds(task: Parsing, runs: Runs, pick: Pick, name: str, C: float) -> float:
    """Return seconds until the certified distance stays within 1 %."""
    bound = curves.optimum(runs.present(task.hinge_problem(C))).dual
    return curves.seconds_to(pick(f"hinge {name}", C).curve, bound, NEAR)


def svm_over_eg(task: Parsing, runs: Runs, pick: Pick, C: Cs) -> Iterator[Value]:
    """Measure SVM-struct's seconds until the certified distance stays within 1 %, over EG's."""
    for each in C:
        pair = (_seconds(task, runs, pick, name, each) for name in (SVM, EG))
        yield times({"C": each}, *pair, (task.seconds, task.seconds))


def svm_over_eg_in_dual(task: Parsing, runs: Runs, pick: Pick, C: Cs) -> Iterator[Value]:
    """Measure SVM-struct's seconds until the dual stays within 1 % of the least primal, over EG's."""
    for each in C:
        best = curves.optimum(runs.present(task.hinge_problem(each))).primal
        pair = [pick(f"hinge {name}", each) for name in (SVM, EG)]
        below = [best - run.curve["dual"].fillna(-np.inf).to_numpy() for run in pair]
        seconds = (until(run, far - NEAR * abs(best), SECONDS) for run, far in zip(pair, below, strict=True))
        yield times({"C": each}, *seconds, (task.seconds, task.seconds))


def svm_over_eg_in_error(task: Parsing, runs: Runs, pick: Pick) -> Iterator[Value]:
    """Measure SVM-struct's seconds until near EG's last error at C = 100, over EG's."""
    pair = [pick(f"hinge {name}", BEST_HINGE_C) for name in (SVM, EG)]
    goal = last(pair[1], "test_error") + GOAL
    seconds = (until_error(run, goal, SECONDS) for run in pair)
    yield times({"C": BEST_HINGE_C}, *seconds, (task.seconds, task.seconds))


def svm_as_eg(task: Parsing, runs: Runs, pick: Pick) -> Iterator[Value]:
    """Measure the same at C = 1; if neither gets there, the certified distances at the end."""
    svm, eg = (_seconds(task, runs, pick, name, 1.0) for name in (SVM, EG))
    if np.isinf([svm, eg]).all():
        bound = curves.optimum(runs.present(task.hinge_problem(1.0))).dual
        ends = [last(pick(f"hinge {name}", 1.0), "primal") for name in (SVM, EG)]
        yield farther({"C": 1.0}, *((end - bound) / end for end in ends), told="distances at the end")
    else:
        yield times({"C": 1.0}, svm, eg, (task.seconds, task.seconds))


def slow_at_C1(task: Parsing, runs: Runs, pick: Pick, C: Cs) -> Iterator[Value]:
    """Measure each algorithm's seconds at C = 1 over those at each larger C."""
    for name in (EG, SVM):
        slow = _seconds(task, runs, pick, name, 1.0)
        for each in C:
            limits = task.seconds, task.seconds
            yield times({"C": each, "": name}, slow, _seconds(task, runs, pick, name, each), limits)


def path_total(task: Parsing, runs: Runs, pick: Pick) -> Iterator[Value]:
    """Measure the passes for all values of C, without the one that computes w of the first u."""
    steps = path(pick("path"))
    bound = "" if len(steps) == len(TABLE3) else "at least"
    yield Value({}, steps[-1][2] - FIRST_PASS, "count", bound=bound, told=f"{len(steps)} values of C")


def accuracies_off(task: Parsing, runs: Runs, pick: Pick) -> Iterator[Value]:
    """Measure the accuracy at each C less the paper's."""
    for ours, theirs in zip(path(pick("path")), TABLE3, strict=False):
        yield Value({"C": theirs[0]}, 100 * (1 - ours[3]) - theirs[3], "difference", "points of accuracy")


def below_best_accuracy(task: Parsing, runs: Runs, pick: Pick) -> Iterator[Value]:
    """Measure our best accuracy less that at the C that is best in the paper."""
    steps = path(pick("path"))
    best = min(steps, key=lambda step: step[3])
    below = above_least(steps, TABLE3_BEST_C, 1e-3)
    yield Value({}, below, "difference", "points of accuracy", told=f"best at C = {best[0]:.4g}")


def behind_best_C(task: Parsing, runs: Runs, pick: Pick, loss: str, theirs_C: float) -> Iterator[Value]:
    """Measure the last error at the paper's best C less the least at another, of the run with the least gap."""
    found: dict[float, float] = {}
    far = []
    for C in task.Cs if loss == "log" else task.hinge_Cs:
        run = min((pick(name, C) for name in ALGORITHMS[loss]), key=lambda run: last(run, "relative_gap"))
        found[C] = last(run, "test_error")
        far += [f"{C:g}"] if last(run, "relative_gap") > CERTIFIED[loss] else []
    behind = (found[theirs_C] - min(error for C, error in found.items() if theirs_C != C)) / POINT
    state = f"certified runs at C = {' and '.join(far)}" if far else ""
    yield Value({}, behind, "difference", POINTS, state=state)
