"""What eg2008's claims on dependency parsing measure, for each seed; ``parsing_claims.toml`` lists the claims.

Runs are named by an algorithm for the log loss, or ``hinge ALGORITHM``, and C; by ``path``; or by ``method LOSS``.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from structbench.bench.drawing import curves
from structbench.bench.papers import measured
from structbench.bench.papers.eg2008 import path as on_paths
from structbench.bench.papers.eg2008 import seeds
from structbench.bench.papers.eg2008.parsing import BEST_C, EG, ETA0S, LBFGS, SGD, SVM, TABLE3, Parsing
from structbench.bench.papers.eg2008.seeds import NEAR, Pair, apart, rate_of
from structbench.bench.papers.evidence import EXACT
from structbench.bench.papers.measured import CERTAIN, POINT, SECONDS, distance, farther, last, until_error
from structbench.bench.papers.terms import Evidence, Registry, Run, Where

HORIZON = 100.0  # passes, about those of Figure 15; runs make 110
GOAL = 0.6 * POINT  # above EG's last error
CERTIFIED = {"log": NEAR, "hinge": 2 * NEAR}  # relative gap of a run whose error speaks for its C
ALGORITHMS = {"log": (EG, LBFGS), "hinge": (f"hinge {EG}", f"hinge {SVM}")}
METHODS = {"log": "log-linear", "hinge": "max-margin"}
measure = Registry()
UNCERTIFIED, ACCURACY = "a certified optimum", "points of accuracy"


@dataclass(frozen=True)
class Seed(seeds.Seed):
    """The runs of dependency parsing with one seed."""

    task: Parsing


def _cut(run: Run) -> bool:
    """Tell whether a run ended by its passes, before those of the paper."""
    return run.summary["status"] == "passes" and last(run, "passes") < HORIZON


def _at_end(where: Where, run: Run, best: curves.Optimum, source: str = "seeds") -> Evidence:
    """Return the last distance to the optimum; a bound if the run was cut."""
    far = distance(run, best)
    bound = "at most" if far > NEAR and _cut(run) else ""
    return Evidence(where, far, "share", bound=bound, state=_unknown(best), source=source)


def _unknown(best: curves.Optimum, level: float = NEAR) -> str:
    """Return what would mend a distance to an optimum that is not known well enough."""
    return "" if best.relative_gap <= CERTAIN * level else UNCERTIFIED


@measure("last_distance")
def last_distance(seed: Seed, C: float) -> Iterator[Evidence]:
    for name, source in ((EG, "seeds"), (LBFGS, EXACT)):
        yield _at_end({"C": C, "": name}, seed.run(name, C), seed.optimum(C), source)


@measure("sgd_distance_over_level")
def sgd_distance_over_level(seed: Seed, C: float, level: float) -> Evidence:
    run, best = seed.run(SGD, C), seed.optimum(C)
    state = "more passes" if _cut(run) else _unknown(best, level)
    where = {"C": C, "rate": rate_of(run), "to": f"{level:.1%}"}
    return farther(where, distance(run, best), level, state=state)


@measure("sgd_where_it_arrives")
def sgd_where_it_arrives(seed: Seed, C: float) -> list[Evidence]:
    pair, best = (seed.run(SGD, C), seed.run(EG, C)), seed.optimum(C)
    arrives = np.isfinite(measured.until_level(pair[0], best, NEAR))
    return [measured.longer({"C": C, "rate": rate_of(pair[0])}, *pair, best, NEAR)] if arrives else []


def _rates(seed: Seed, C: float) -> tuple[float, dict[float, Run]]:
    """Return the rate whose last primal is least, and the runs of all."""
    tried = {eta0: seed.run(SGD, C, eta0=eta0) for eta0 in ETA0S}
    return min(tried, key=lambda eta0: last(tried[eta0], "primal")), tried


@measure("best_rate_distance")
def best_rate_distance(seed: Seed) -> list[Evidence]:
    chosen = {C: _rates(seed, C) for C in seed.task.rates_at}
    return [_at_end({"C": C, "rate": good}, made[good], seed.optimum(C)) for C, (good, made) in chosen.items()]


@measure("best_rate_since")
def best_rate_since(seed: Seed) -> Iterator[Evidence]:
    """Measure the pass from which on the best rate leads, if it gets to the optimum."""
    for C in seed.task.rates_at:
        (good, tried), best = _rates(seed, C), seed.optimum(C)
        if distance(tried[good], best) <= NEAR:
            others = [run.curve for eta0, run in tried.items() if eta0 != good]
            since = max(curves.overtakes(tried[good].curve, other) for other in others)
            yield Evidence({"C": C, "rate": good}, max(since, 0.1), "count", state=_unknown(best))


def _rival(seed: Seed, other: str, C: float, Cs: Sequence[float]) -> tuple[Run, Where, str]:
    """Return the run of another algorithm at C, or the best at several ``Cs``; where it is, and what is told.

    A repetition of the best has whichever C, and of SGD whichever rate, is best with its seed.
    """
    best = min((seed.run(other, each) for each in Cs or (C,)), key=lambda run: last(run, "test_error"))
    return (best, {}, f"SGD at C = {best.spec.C:g}") if Cs else (best, {"C": C}, "")


@measure("ahead_of_eg")
def ahead_of_eg(seed: Seed, other: str, C: float = math.nan, Cs: Sequence[float] = ()) -> Evidence:
    run, where, told = _rival(seed, other, C, Cs)
    return apart(seed.run(EG, BEST_C), run, where, told=told)


@measure("passes_to_accuracy")
def passes_to_accuracy(seed: Seed, other: str, C: float = math.nan, Cs: Sequence[float] = ()) -> Evidence:
    """Measure passes until near EG's last error at C = 10, over EG's; not counted where the optimum errs more."""
    eg, (run, where, _) = seed.run(EG, BEST_C), _rival(seed, other, C, Cs)
    found = measured.times_until(where, (run, eg), lambda each: until_error(each, last(eg, "test_error") + GOAL))
    best = seed.optimum(run.spec.C)
    worse = other == LBFGS and bool(found.bound) and not _unknown(best) and distance(run, best) <= NEAR
    return found._replace(counted=False, choice="where its optimum errs more") if worse else found


@measure("above_perceptron")
def above_perceptron(seed: Seed) -> list[Evidence]:
    perceptron = seed.run("method none")
    return [apart(perceptron, seed.run(f"method {loss}"), {"": name}) for loss, name in METHODS.items()]


def _hinge(seed: Seed, C: float) -> tuple[Pair, curves.Optimum]:
    """Return the runs of SVM-struct and of EG, and what they certify."""
    pair = seed.run(f"hinge {SVM}", C), seed.run(f"hinge {EG}", C)
    return pair, curves.optimum(seed.runs.present(seed.task.hinge_problem(C)))


def _certified(run: Run, best: curves.Optimum) -> float:
    """Return seconds until the certified distance stays within 1 %."""
    return curves.seconds_to(run.curve, best.dual, NEAR) - run.curve[SECONDS].iloc[0]


@measure("svm_over_eg")
def svm_over_eg(seed: Seed, C: float, near: str = "certificate") -> Evidence:
    """Measure SVM-struct's seconds over EG's, until 1 % is certified, or its dual or EG's last error is near."""
    pair, best = _hinge(seed, C)
    goal = last(pair[1], "test_error") + GOAL

    def dual(run: Run) -> float:
        far = (1 - NEAR) * abs(best.primal) - run.curve["dual"].fillna(-np.inf).to_numpy()
        return measured.until(run, far, SECONDS)

    until = {
        "certificate": lambda run: _certified(run, best),
        "dual": dual,
        "error": lambda run: until_error(run, goal, SECONDS),
    }
    return measured.times_until({"C": C}, pair, until[near], SECONDS)


@measure("svm_as_eg")
def svm_as_eg(seed: Seed, C: float) -> Evidence:
    """Measure seconds until certified, SVM-struct's over EG's; if neither gets there, the distances at the end.

    Distances are to what is certified. If that is loose, it lies below the optimum and draws their ratio to 1.
    """
    pair, best = _hinge(seed, C)
    if not np.isinf([_certified(run, best) for run in pair]).all():
        return svm_over_eg(seed, C)
    svm, eg = ((last(run, "primal") - best.dual) / best.primal for run in pair)
    found = farther({"C": C, "": "distances at the end"}, svm, eg)
    loose = "at least" if found.value > 1 else "at most" if found.value < 1 else ""
    return found._replace(bound=loose) if _unknown(best) else found


@measure("slow_at_C1")
def slow_at_C1(seed: Seed, Cs: Sequence[float]) -> Iterator[Evidence]:
    """Measure seconds until certified at C = 1 over those at others, where one of both gets there."""
    runs = {C: _hinge(seed, C) for C in (1.0, *Cs)}
    for (k, name), C in itertools.product(((1, EG), (0, SVM)), Cs):
        made = [(runs[each][0][k], runs[each][1]) for each in (1.0, C)]
        seconds = [_certified(run, best) for run, best in made]
        if not np.isinf(seconds).all():
            ends = tuple(measured.ticks(run, SECONDS)[-1] for run, _ in made)
            yield measured.times({"C": C, "": name}, seconds, ends)


@measure("accuracies_off")
def accuracies_off(seed: Seed) -> Iterator[Evidence]:
    for ours, (C, *_, theirs) in zip(on_paths.path(seed.run("path")), TABLE3, strict=False):
        yield Evidence({"C": C}, 100 * (1 - ours[3]) - theirs, "difference", ACCURACY)


@measure("behind_best_C")
def behind_best_C(seed: Seed, loss: str, theirs_C: float) -> Evidence:
    """Measure the last error at the paper's best C less the least at another, of the run with the least gap."""
    Cs = seed.task.Cs if loss == "log" else seed.task.hinge_Cs
    made = {C: [seed.run(name, C) for name in ALGORITHMS[loss]] for C in Cs}
    if loss == "hinge":
        made = {C: some + seed.runs.present(seed.task.certifying(C)) for C, some in made.items()}
    best = {C: min(some, key=lambda run: last(run, "relative_gap")) for C, some in made.items()}
    far = [f"{C:g}" for C, run in best.items() if last(run, "relative_gap") > CERTIFIED[loss]]
    state = f"certified runs at C = {' and '.join(far)}" if far else ""
    other = min((run for C, run in best.items() if theirs_C != C), key=lambda run: last(run, "test_error"))
    return apart(best[theirs_C], other, {}, state=state)
