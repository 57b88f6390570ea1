"""The outcomes of a config's contests: ours, theirs, their ratio with its spread over repeats, and the target.

They are read off the runs that are there. Seconds count only of a run that had the machine to itself, undisturbed.
They count only on the machine that made most of the contest's runs. A stale run counts, and the outcome says why
the run is stale.
"""

import math
from collections import Counter
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from structbench.algorithms.learning.declaration import NO_LOSS
from structbench.bench.drawing import curves
from structbench.bench.drawing.method_looks import clock, clock_word
from structbench.bench.measure.quantities import QUANTITIES, Quantity
from structbench.bench.runs import disturbed, documents, problem_store, results, state
from structbench.bench.runs.finished import machine_of, machines
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.store import Run
from structbench.bench.workflow.contests import Contest, Methods

NOT_ALONE = "it was not timed alone"
HEADING = ("part", "what", "ours", "theirs", "ratio", "target", "met", "runs")


class Counted(NamedTuple):
    """A run that counts: with what it was made, and why it is stale, empty if it is not."""

    key: str
    stale: str
    host: str | None
    git_commit: str | None
    load: float | None
    others: float | None
    alone: bool | None


class Side(NamedTuple):
    """A method's numbers, a run each."""

    method: str
    values: tuple[float, ...]
    given: float = math.nan  # if no run reached the level, the least that a run was given for it

    @property
    def middle(self) -> float:
        """The median of the values."""
        return median(self.values)

    def written(self, quantity: Quantity) -> str:
        """Method, median and spread, in the quantity's unit."""
        if math.isinf(self.middle):
            return f"{self.method}: over {quantity.written(self.given)}"
        spread = f" ({quantity.written(min(self.values), max(self.values))})"
        return f"{self.method}: {quantity.written(self.middle)}{spread if len(self.values) > 1 else ''}"


@dataclass(frozen=True)
class Outcome:
    """What came of a contest."""

    contest: Contest
    about: str
    ours: Side | None  # the best method of each side; None if none of its runs counts
    theirs: Side | None
    notes: tuple[str, ...]  # how many of the runs do not count, or are stale, and why
    runs: tuple[Counted, ...]  # those that count

    @property
    def ratio(self) -> tuple[float, float, float] | None:
        """Ours over theirs, and between which values it is whichever runs are compared.

        If theirs did not reach the level, what they were given stands for what they would have needed.
        """
        if self.ours is None or self.theirs is None or math.isinf(self.ours.middle):
            return None
        ours = self.ours.values
        theirs = [self.theirs.given if math.isinf(each) else each for each in self.theirs.values]
        return self.ours.middle / median(theirs), min(ours) / max(theirs), max(ours) / min(theirs)

    @property
    def is_there(self) -> bool:
        """Whether each side has runs that count."""
        return self.ours is not None and not (self.contest.theirs and self.theirs is None)

    @property
    def has_target(self) -> bool:
        """Whether the contest has a lower or an upper limit."""
        return self.contest.least is not None or self.contest.most is not None

    @property
    def is_met(self) -> bool | None:
        """Whether the target is met. None if there is no target, or runs are missing."""
        least, most = self.contest.least, self.contest.most
        if self.ours is None or not self.is_there or not self.has_target:
            return None
        judged = self.ours.middle if not self.contest.theirs else self.ratio[0] if self.ratio else math.inf
        return (least is None or judged >= least) and (most is None or judged <= most) and math.isfinite(judged)

    @property
    def row(self) -> dict[str, str]:
        """The row of the table of contests, by ``HEADING``."""
        quantity, ratio = QUANTITIES[self.contest.quantity], ""
        sides = (self.ours, self.contest.ours), (self.theirs, self.contest.theirs)
        ours, rivals = (
            side.written(quantity) if side else f"{' or '.join(methods)}: missing" if methods else ""
            for side, methods in sides
        )
        if self.ratio and self.theirs:
            middle, low, high = (f"{each:{quantity.ratio}}" for each in self.ratio)
            ratio = f"under {middle} x" if math.isinf(self.theirs.middle) else f"{middle} x ({low} to {high})"
        limits = {"at least": self.contest.least, "at most": self.contest.most}
        written = "{:.8g} x".format if self.contest.theirs else quantity.written
        target = ", ".join(f"{word} {written(each)}" for word, each in limits.items() if each is not None)
        met = {True: "yes", False: "**no**", None: ""}[self.is_met]
        cells = (self.contest.part, self.about, ours, rivals, ratio, target, met, "; ".join(self.notes))
        return dict(zip(HEADING, cells, strict=True))

    def as_dict(self) -> documents.Json:
        """The numbers and the runs, for other programs."""
        sides = {name: side and side._asdict() for name, side in (("ours", self.ours), ("theirs", self.theirs))}
        limits = {"at_least": self.contest.least, "at_most": self.contest.most}
        about = {"part": self.contest.part, "what": self.about, "quantity": self.contest.quantity}
        runs = [run._asdict() for run in self.runs]
        came = {"ratio": self.ratio, "met": self.is_met, "notes": self.notes, "runs": runs}
        return about | sides | limits | came


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
    counted = {spec: there[spec] for spec, reason in why.items() if not reason}
    stale = {spec: found[spec].reason for spec in counted if not found[spec].is_finished}
    notes = {
        "missing": [found[spec].reason for spec in specs if spec not in there],
        "left out": [reason for reason in why.values() if reason],
        "stale": [*stale.values()],
    }
    bounding = [spec for spec in contest.everything if spec in there and not _why_not(spec, found[spec], False)]
    bound = curves.optimum([there[spec] for spec in bounding]).dual
    problem, what = contest.problem, quantity.about.format(clock=clock_word(specs), level=contest.level)
    runs = tuple(
        Counted(run.key, stale.get(spec, ""), *map(run.summary["provenance"].get, Counted._fields[2:]))
        for spec, run in counted.items()
    )
    return Outcome(
        contest,
        f"{what}, {problem.shown}{'' if problem.loss == NO_LOSS else f', {problem.objective}'}",
        _best(contest.ours, contest, counted, clock(specs), bound),
        _best(contest.theirs, contest, counted, clock(specs), bound),
        tuple(f"{n} {kind}: {why}" for kind, each in notes.items() for why, n in Counter(each).items()),
        runs,
    )


def _why_not(spec: Spec, found: state.Found, timed: bool) -> str:
    """Why a run does not count, or empty. Runs of other programs count, and their numbers are marked."""
    if found.run is None or found.reason not in ("", state.OF_OTHER_PROGRAMS, "" if timed else NOT_ALONE):
        return found.reason
    made = found.run.summary["provenance"]
    if problem_store.fingerprint(spec.data, spec.test) not in (None, made["data_sha256"]):
        return "it is of other data"
    if timed and made.get("alone") is not True:
        return NOT_ALONE
    return disturbed.why(found.run) if timed else ""


def _best(side: Methods, contest: Contest, counted: dict[Spec, Run], clock: str, bound: float) -> Side | None:
    """The method of a side with the least number, or with the greatest if the target is a lower limit."""
    quantity, found = QUANTITIES[contest.quantity], []
    clock = "passes" if contest.quantity == "gap-passes" else clock
    for method, specs in side.items():
        runs = [counted[spec] for spec in specs if spec in counted]
        read = [quantity.read(run, clock, contest.level, bound) for run in runs]
        if values := tuple(float(each) for each in read if each is not None and not math.isnan(each)):
            found.append(Side(method, values, min(float(run.curve[clock].iloc[-1]) for run in runs)))
    if contest.most is None and contest.least is not None:
        return max(found, key=lambda each: each.middle, default=None)
    return min(found, key=lambda each: (each.middle, each.given), default=None)
