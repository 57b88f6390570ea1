"""Evidence: one measured number, with its interval, set against what a sentence of a paper says of it."""

import math
from collections.abc import Mapping
from typing import NamedTuple

from structbench.bench.drawing.intervals import FEWEST, quantile
from structbench.bench.runs import records

HOLDS, WEAKER, SIDE_ONLY, TOO_SMALL, NO_DIFFERENCE, DIFFERS, OPPOSITE, OPEN = OUTCOMES = (
    "holds", "weaker", "side only", "too small", "no difference", "differs", "opposite", "open",
)  # fmt: skip
ABOVE, EQUAL, NUMBER, AT_MOST, AT_LEAST, SAME = COMPARISONS = (
    "above", "equal", "number", "at most", "at least", "same",
)  # fmt: skip
FACTORS = ("ratio", "count")  # kinds whose distances are factors; those of all others are differences
EXACT, CERTIFIED = SURE = "exact", "certified"  # sources without repetitions
GIVEN = "test"  # begins a source of which there is no more
MANY = 100  # more repetitions than anybody makes
NOT_COMPARED = ONE_MACHINE, TIMED_ALONE = "seconds of one machine", "runs timed alone"  # states of seconds


Where = Mapping[str, str | float]  # a setting of the paper's, such as ``{"C": 10, "level": 0.01}``


class Evidence(NamedTuple):
    """A number of one repetition, or over several with its interval, and what a sentence says of it.

    A rule measures it. ``Part.condition`` adds what the sentence says, the last fields.
    """

    where: Where
    value: float  # the estimate; NaN if it is not known
    kind: str = "ratio"  # or ``count``, ``difference`` (of ``unit``), ``share``, ``value``, ``category``
    unit: str = ""
    bound: str = ""  # ``at least`` or ``at most`` if ``value`` bounds a number that was not reached
    state: str = ""  # why the number is not to be trusted; empty if nothing speaks against it
    choice: str = ""  # a choice of ours that differs from the one nearest to the paper
    counted: bool = True  # whether the verdict reads it; controls and other choices are shown only
    told: str = ""  # the numbers behind it
    band: float = math.nan  # a factor or a difference from ``none`` that counts as none; NaN for the row's
    theirs: float = math.nan  # the paper's own number; NaN for the row's, or if it gives none
    low: float = -math.inf  # the 95 % interval; infinite where there are too few repetitions
    high: float = math.inf
    # what the interval is over: ``seeds``, ``folds`` or another kind of repetition; ``test sentences``, of which
    # there are no more; ``exact`` if nothing is random, ``certified`` if the largest counts, which is a bound
    source: str = "seeds"
    count: int = 1  # the number of repetitions
    says: str = ""  # what the number is, with ``{}`` in its place
    claimed: str = ""  # what the sentence says, one of ``COMPARISONS``
    none: float = math.nan  # no effect; or the number that the sentence gives
    size: float = math.nan  # the value at which the sentence's adverb holds; NaN without an adverb
    part: int = 0  # which part of the sentence it is about

    @property
    def edges(self) -> tuple[float, float]:
        """The ends of the band around ``none``."""
        if self.kind in FACTORS:
            return self.none / self.band, self.none * self.band
        return self.none - self.band, self.none + self.band

    @property
    def third(self) -> float:
        """A third of the paper's own effect, or of the size; of factors in logarithms. NaN without both."""
        effect = self.size if math.isnan(self.theirs) else self.theirs
        if self.kind in FACTORS:
            return self.none * (effect / self.none) ** (1 / 3)
        return self.none + (effect - self.none) / 3

    @property
    def certain(self) -> float:
        """The number to show: the estimate, or what surely bounds it; NaN if that is not known."""
        if not self.bound:
            return self.value
        end = self.low if self.bound == "at least" else self.high
        return end if math.isfinite(end) and (end > 0 or self.kind not in FACTORS) else math.nan

    @property
    def outcome(self) -> str:
        """What the number says of the sentence, one of ``OUTCOMES``."""
        if math.isnan(self.value) or self._few or self.state in NOT_COMPARED:
            return OPEN
        found = _OUTCOME[self.claimed](self)
        if self.state and found in (HOLDS, TOO_SMALL, OPPOSITE, DIFFERS):
            return OPEN
        return found

    @property
    def needs(self) -> str:
        """What would decide it, where it is open; otherwise empty."""
        if self.outcome not in (OPEN, SIDE_ONLY):
            return ""
        if self.state:
            return self.state
        if self._few:
            return f"{FEWEST} repetitions or more"
        if math.isnan(self.value) or self.bound:
            return "more passes"
        if self.source.startswith(GIVEN):
            return f"not decidable on {f'{self.count:,} ' if self.count > 1 else ''}{self.source}"
        return self._repetitions()

    @property
    def _few(self) -> bool:
        """Whether there are too few repetitions for an interval."""
        return self.count < FEWEST and not self.source.startswith((*SURE, GIVEN))

    def _repetitions(self) -> str:
        """How many repetitions decide it, if they have the same mean and spread as those at hand."""
        if self.kind == "category":
            return "not decidable: repetitions choose differently"
        if not math.isfinite(self.high - self.low):
            return "more repetitions"
        factor = self.kind in FACTORS and self.low > 0
        into, back = (math.log, math.exp) if factor else (float, float)
        mean, half = into(self.value), (into(self.high) - into(self.low)) / 2
        deviation = half * math.sqrt(self.count) / quantile(self.count)
        for count in range(self.count + 1, MANY + 1):
            off = quantile(count) * deviation / math.sqrt(count)
            more = self._replace(low=back(mean - off), high=back(mean + off), count=count)
            if more.outcome != OPEN:
                return f"{count} repetitions"
        return f"not decidable by {MANY} repetitions"

    def record(self) -> dict[str, object]:
        """The condition as files hold it, with its outcome."""
        return records.plain(self) | {"outcome": self.outcome, "needs": self.needs}


def _above(c: Evidence) -> str:
    low, high = c.edges
    if c.bound == "at least":
        if c.low <= high:
            return OPEN
        return HOLDS if math.isnan(c.size) or c.value >= c.size else SIDE_ONLY
    if c.bound == "at most":
        return OPPOSITE if c.high < low else TOO_SMALL if c.high < c.third else OPEN
    if low <= c.low and c.high <= high:
        return NO_DIFFERENCE
    if c.high < low:
        return OPPOSITE
    if c.low > c.none and c.value > high:  # an estimate in the band may come to no difference
        if c.value >= c.size:
            return HOLDS
        return TOO_SMALL if c.value < c.third else HOLDS if math.isnan(c.size) else WEAKER
    return TOO_SMALL if c.high < c.third else OPEN


def _equal(c: Evidence) -> str:
    low, high = c.edges
    if c.bound:
        beyond = c.low > high if c.bound == "at least" else c.high < low
        return DIFFERS if beyond else OPEN
    if low <= c.low and c.high <= high:
        return HOLDS
    return DIFFERS if c.low > high or c.high < low else OPEN


def _at_most(c: Evidence) -> str:
    most = c.edges[1]
    if c.high <= most and c.bound != "at least":
        return HOLDS
    return DIFFERS if c.low > most and c.bound != "at most" else OPEN


def _at_least(c: Evidence) -> str:
    least = c.edges[0]
    if c.low >= least and c.bound != "at most":
        return HOLDS
    return DIFFERS if c.high < least and c.bound != "at least" else OPEN


def _same(c: Evidence) -> str:
    """Of a category: the share of repetitions that have the paper's value."""
    return HOLDS if c.value == 1 else DIFFERS if c.value == 0 else OPEN


_OUTCOME = {ABOVE: _above, EQUAL: _equal, NUMBER: _equal, AT_MOST: _at_most, AT_LEAST: _at_least, SAME: _same}
