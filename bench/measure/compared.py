"""The outcome of a contest between our methods and others: both values, their ratio with spread, the target.

``docs/results/contests.json`` keeps such comparisons.
"""

import math
from dataclasses import dataclass, field
from statistics import median
from typing import NamedTuple

from structbench.bench.drawing.speed import bracketed
from structbench.bench.measure.quantities import QUANTITIES, Quantity
from structbench.bench.runs import documents, records

HEADING = ("part", "what", "ours", "theirs", "ratio", "target", "met", "runs")
DEPENDS, ONCE = "it depends", " (one repeat)"


class Made(NamedTuple):
    """Where a comparison's runs were made, and with what."""

    machine: str
    versions: dict[str, str]
    commits: tuple[str, ...]
    load: float  # the greatest


class Side(NamedTuple):
    """A method's numbers, a run each; without numbers, the methods that lack runs."""

    method: str
    values: tuple[float, ...] = ()
    given: float = math.nan  # the least that a run was given which did not reach the level; NaN without one

    @property
    def middle(self) -> float:
        """The median of the values."""
        return median(self.values)

    def written(self, quantity: Quantity, spread: bool = True) -> str:
        """Method, median and maybe spread, in the quantity's unit."""
        if not self.values:
            return f"{self.method}: missing"
        if math.isinf(self.middle):
            ended = "diverged" if math.isnan(self.given) else f"over {quantity.written(self.given)}"
            return f"{self.method}: {ended}"
        ends = f" ({quantity.written(min(self.values), max(self.values))})"
        return f"{self.method}: {quantity.written(self.middle)}{ends * (spread and len(self.values) > 1)}"


@dataclass(frozen=True)
class Outcome:
    """What came of a contest."""

    part: str
    what: str  # quantity and problem
    quantity: str
    ours: Side  # the best method of each side
    theirs: Side | None = None  # None if ours stands alone
    at_least: float | None = None
    at_most: float | None = None
    notes: tuple[str, ...] = ()  # how many of the runs do not count, or are stale, and why
    made: Made | None = None  # None if no run counts
    runs: dict[str, str] = field(default_factory=dict)  # key of each that counts -> why it is stale, or empty

    @property
    def ratio(self) -> tuple[float, float, float] | None:
        """Ours over theirs, and between which values it is whichever runs are compared: infinite over 0."""
        if self.theirs is None or not self.is_there or math.isinf(self.ours.middle):
            return None
        ours, theirs = self.ours.values, self._rivals
        return (
            _over(self.ours.middle, median(theirs) if self._is_under else self.theirs.middle),
            _over(min(ours), max(theirs)),
            _over(max(ours), min(theirs)),
        )

    @property
    def _rivals(self) -> list[float]:
        """Their values; where they did not reach the level, what they were given for it: they would need more."""
        side = self.theirs or Side("")
        return [side.given if math.isinf(each) and not math.isnan(side.given) else each for each in side.values]

    @property
    def is_there(self) -> bool:
        """Whether each side has runs that count."""
        return bool(self.ours.values and (self.theirs is None or self.theirs.values))

    @property
    def is_of_one_repeat(self) -> bool:
        """Whether each side has one run, so that nobody knows the spread."""
        return self.theirs is not None and len(self.ours.values) == len(self.theirs.values) == 1

    @property
    def has_target(self) -> bool:
        """Whether the contest has a lower or an upper limit."""
        return self.at_least is not None or self.at_most is not None

    @property
    def is_met(self) -> bool | None:
        """Whether the target is met. None if there is no target, or runs are missing, or it cannot be known."""
        if not self.is_there or not self.has_target:
            return None
        if self._is_under and self.ratio and self.at_least is not None and self.at_least <= self.ratio[0]:
            return None  # the ratio is less than this, nobody knows by how much
        judged = self.ours.middle if self.theirs is None else self.ratio[0] if self.ratio else math.inf
        least = -math.inf if self.at_least is None else self.at_least
        is_met = least <= judged and (self.at_most is None or judged <= self.at_most)
        return is_met and math.isfinite(self.ours.middle)

    @property
    def target(self) -> str:
        """The limits, in words."""
        written = "{:.8g} x".format if self.theirs else QUANTITIES[self.quantity].written
        limits = {"at least": self.at_least, "at most": self.at_most}
        return ", ".join(f"{word} {written(each)}" for word, each in limits.items() if each is not None)

    @property
    def row(self) -> dict[str, str]:
        """The row of the table of contests, by ``HEADING``."""
        quantity, ratio = QUANTITIES[self.quantity], ""
        ours, rivals = (side.written(quantity) if side else "" for side in (self.ours, self.theirs))
        if self.ratio and self.theirs:
            middle, low, high = (f"{each:{quantity.ratio}}" for each in self.ratio)
            spread = f" ({low} to {high})" if low != high else ONCE * self.is_of_one_repeat
            ratio = f"under {middle} x" if self._is_under else f"{middle} x{spread}"
        met = {True: "yes", False: "no", None: ""}[self.is_met]
        cells = (self.part, self.what, ours, rivals, ratio, self.target, met, "; ".join(self.notes))
        return dict(zip(HEADING, cells, strict=True))

    def as_dict(self) -> documents.Json:
        """The numbers and the runs, for other programs."""
        return records.plain(self, words=False) | {"ratio": self.ratio, "met": self.is_met}

    @property
    def _is_under(self) -> bool:
        """Whether theirs did not reach the level, so that the ratio is less than what is written."""
        return self.theirs is not None and math.isinf(self.theirs.middle) and not math.isnan(self.theirs.given)

    @property
    def winner(self) -> str:
        """Whose number is better, whichever repeats are compared: ``ours`` or ``theirs``."""
        is_finished = self.theirs is not None and math.isfinite(self.theirs.middle)
        if self.ratio is None:
            return "theirs" if is_finished else DEPENDS
        _, low, high = self.ratio
        less, more = "ours", "theirs"
        if QUANTITIES[self.quantity].greatest:
            less, more = more, less
        word = less if high < 1 else more if low > 1 else DEPENDS
        return word if is_finished or word == "ours" else DEPENDS

    @property
    def sentence(self) -> str:
        """Both sides in a sentence."""
        quantity, theirs = QUANTITIES[self.quantity], bracketed(self.theirs.method) if self.theirs else ""
        ours, needs, many = bracketed(self.ours.method), "needs", "many"
        if quantity.greatest:
            needs, many = "has", "much"
        if self.ratio is None:
            is_unfinished = self.theirs is not None and math.isinf(self.theirs.middle)
            return f"{ours} does not get there" + (f", nor does {theirs}" if is_unfinished else f", {theirs} does")
        (middle, low, high), once = self.ratio, ONCE * self.is_of_one_repeat
        if 0 in self.ratio or math.isinf(middle):  # no number says how many times
            return "; ".join(side.written(quantity) for side in (self.ours, self.theirs) if side)
        if self._is_under:
            return f"{theirs} does not get there, given {_factor(1 / middle)} times as many as {ours} needs"
        if high < 1:
            return f"{theirs} {needs} {_factor(1 / middle, 1 / high, 1 / low)}{once} times as {many} as {ours}"
        return f"{ours} {needs} {_factor(middle, low, high)}{once} times as {many} as {theirs}"


def _over(ours: float, theirs: float) -> float:
    """The ratio: 1 of equal numbers, whatever they are, and infinite over 0."""
    return 1.0 if ours == theirs else ours / theirs if theirs else math.copysign(math.inf, ours)


def _factor(middle: float, low: float = 1.0, high: float = 1.0) -> str:
    middle_, low_, high_ = (f"{each:.2g}" if each < 99.5 else f"{each:.0f}" for each in (middle, low, high))
    return f"{middle_} ({low_} to {high_})" if high > low else middle_
