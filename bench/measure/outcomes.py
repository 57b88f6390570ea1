"""Compute from finished runs the outcomes of a config's contests, which compare our methods with others.

Seconds count only of a run that had the machine to itself, undisturbed. They count only on the
machine that made most of the contest's runs. A stale run counts, and the outcome says why it is stale.
"""

import math
from collections import Counter
from collections.abc import Iterable

from structbench.algorithms.learning.declaration import NO_LOSS
from structbench.bench.drawing import curves
from structbench.bench.drawing.method_looks import clock, clock_word
from structbench.bench.measure.compared import Made, Outcome, Side
from structbench.bench.measure.quantities import QUANTITIES
from structbench.bench.runs import algorithm_module, problem_store, results, state
from structbench.bench.runs.finished import VERSIONS, machine_of, machines
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.store import Run
from structbench.bench.workflow.contests import TO_A_LEVEL, Contest, Methods

NOT_ALONE = "it was not timed alone"


def outcome_of(contest: Contest) -> Outcome:
    """What came of a contest, by the runs that are there."""
    quantity = QUANTITIES[contest.quantity]
    specs = [spec for side in (contest.ours, contest.theirs) for each in side.values() for spec in each]
    asked = quantity.timed, contest.quantity in ("memory", "sentence-seconds")
    everything = dict.fromkeys([*specs, *contest.everything])
    found = {spec: state.of_spec(spec, results.runs() / spec.key, *asked) for spec in everything}
    there = {spec: each.run for spec, each in found.items() if each.run is not None}
    why = {spec: _why_not(spec, found[spec], quantity.timed) for spec in specs if spec in there}
    home = machines(there[spec] for spec, reason in why.items() if not reason)[:1]
    for spec in [spec for spec, reason in why.items() if quantity.timed and not reason]:
        if machine_of(there[spec]) != home[0]:
            why[spec] = "it was made on another machine, or with other versions"
    bounding = [spec for spec in contest.everything if spec in there and not _why_not(spec, found[spec], False)]
    bound = curves.optimum([there[spec] for spec in bounding]).dual
    what = quantity.about.format(clock=clock_word(specs), level=contest.level)
    column = "passes" if contest.quantity == "gap-passes" else clock(specs)
    counted = {spec: there[spec] for spec, reason in why.items() if not reason}
    numbers = {spec: quantity.read(run, column, contest.level, bound) for spec, run in counted.items()}
    numbers = {spec: float(each) for spec, each in numbers.items() if each is not None and not math.isnan(each)}
    diverged = [spec for spec in counted.keys() - numbers.keys() if counted[spec].summary["status"] == "diverged"]
    if not numbers:  # the data have no such number, whether runs diverged or not
        diverged = []
    numbers |= dict.fromkeys(diverged, quantity.worst)
    why |= dict.fromkeys(counted.keys() - numbers.keys(), f"it has no {what}")
    counted = {spec: there[spec] for spec in counted if spec in numbers}
    stale = {spec: found[spec].reason for spec in counted if not found[spec].is_finished}
    notes = {
        "missing": [found[spec].reason for spec in specs if spec not in there],
        "left out": [reason for reason in why.values() if reason],
        "stale": [*stale.values()],
        "diverged": [f"it has no {what}, and counts as the worst" for _ in diverged],
    }
    problem = contest.problem
    ends = {spec: float(run.curve[column].iloc[-1]) for spec, run in counted.items()}
    return Outcome(
        part=contest.part,
        what=f"{what}, {problem.shown}{'' if problem.loss == NO_LOSS else f', {problem.objective}'}",
        quantity=contest.quantity,
        ours=_best(contest.ours, contest, numbers, ends),
        theirs=_best(contest.theirs, contest, numbers, ends) if contest.theirs else None,
        at_least=contest.least,
        at_most=contest.most,
        notes=tuple(f"{n} {kind}: {why}" for kind, each in notes.items() for why, n in Counter(each).items()),
        made=_made(counted.values()),
        runs={spec.key: stale.get(spec, "") for spec in counted},
    )


def _made(runs: Iterable[Run]) -> Made | None:
    """Where most of these runs were made, with which versions of all packages."""
    made = [run.summary["provenance"] | {"algorithm": run.spec.algorithm} for run in runs]
    if not made:
        return None
    where = Counter(f"{each.get('cpu')}, {each.get('cores', 'unknown')} cores" for each in made).most_common(1)
    versions: dict[str, str] = {}
    for each in made:
        packages = algorithm_module.declaration(each["algorithm"]).packages.values()
        versions |= {name: each[name] for name in (*VERSIONS, *packages) if name in each}
    commits = tuple(sorted({str(each.get("git_commit"))[:12] for each in made}))
    return Made(where[0][0], versions, commits, max(each.get("load") or 0.0 for each in made))


def _why_not(spec: Spec, found: state.Found, timed: bool) -> str:
    """Why a run does not count, or empty. Runs of other programs count, and their numbers are marked."""
    if found.run is None or found.reason not in ("", state.OF_OTHER_PROGRAMS, "" if timed else NOT_ALONE):
        return found.reason
    made = found.run.summary["provenance"]
    if problem_store.fingerprint(spec.data, spec.test) not in (None, made["data_sha256"]):
        return "it is of other data"
    if timed and made.get("alone") is not True:
        return NOT_ALONE
    return found.run.disturbance if timed else ""


def _best(side: Methods, contest: Contest, numbers: dict[Spec, float], ends: dict[Spec, float]) -> Side:
    """The method of a side with the best median of its runs' numbers; of equal ones that which ended first."""
    found = []
    for method, specs in side.items():
        if counted := [spec for spec in specs if spec in numbers]:
            short = [ends[spec] for spec in counted if math.isinf(numbers[spec])]
            given = min(short, default=math.nan) if contest.quantity in TO_A_LEVEL else math.nan
            found.append(Side(method, tuple(numbers[spec] for spec in counted), given))
    if QUANTITIES[contest.quantity].greatest:
        return max(found, key=lambda each: each.middle, default=Side(" or ".join(side)))
    return min(found, key=lambda each: (each.middle, each.given), default=Side(" or ".join(side)))
