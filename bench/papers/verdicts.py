"""Verdicts: what the conditions of a claim say together."""

from collections import Counter
from collections.abc import Iterable, Sequence

from structbench.bench.papers.evidence import HOLDS, OPEN, SIDE_ONLY, WEAKER, Evidence

REPRODUCED, LESS, IN_PART, UNDECIDED, NOT_REPRODUCED, NOT_RUN = VERDICTS = (
    "reproduced", "weaker", "in part", "open", "not reproduced", "not run",
)  # fmt: skip
QUANTIFIERS = ("all", "most", "some")
AT_SOME = " at some "  # behind one of them, before a setting that the paper leaves open: ``most at some C'``
FAILS = "fails"  # a condition that neither holds, nor is weaker, nor open


def verdict(conditions: Sequence[Evidence], quantifier: str = "all") -> str:
    """Return what the counted conditions say of a sentence that is about all, most or some of them.

    Each part of the sentence has to hold in so many of its own conditions. However the open ones end, what is
    reproduced stays so, and what is not reproduced or reproduced in part does not hold as a whole.
    """
    if AT_SOME in quantifier:
        return verdict(*deciding(conditions, quantifier))
    counted = [each for each in conditions if each.counted]
    parts = [
        Counter([settled(each) for each in counted if each.part == part] or [OPEN])
        for part in dict.fromkeys(each.part for each in conditions)
    ]
    least = {"all": lambda many: many, "most": lambda many: many // 2 + 1, "some": lambda many: 1}[quantifier]

    def meet(*outcomes: str) -> bool:
        """Whether conditions with these outcomes are as many as the sentence speaks of."""
        return bool(counted) and all(sum(part[each] for each in outcomes) >= least(part.total()) for part in parts)

    if meet(HOLDS):
        return REPRODUCED
    if meet(HOLDS, WEAKER):
        return LESS
    if meet(HOLDS, WEAKER, OPEN) or not counted:
        return UNDECIDED
    return IN_PART if any(part[HOLDS] + part[WEAKER] for part in parts) else NOT_REPRODUCED


def deciding(conditions: Sequence[Evidence], quantifier: str) -> tuple[Sequence[Evidence], str]:
    """Return the conditions, of which only those that decide count, and of how many of them the sentence speaks.

    Of a sentence about most at some C', those at one value of C' decide: the one with the best verdict.
    Conditions without a C' are of each value.
    """
    quantifier, _, setting = quantifier.partition(AT_SOME)
    best = (REPRODUCED, LESS, UNDECIDED, IN_PART, NOT_REPRODUCED)

    def at(value: str | float) -> list[Evidence]:
        others = {"counted": False, "choice": f"at other {setting}"}
        return [c if c.where.get(setting, value) == value else c._replace(**others) for c in conditions]

    values = dict.fromkeys(each.where[setting] for each in conditions if setting and setting in each.where)
    found = min(map(at, values), key=lambda each: best.index(verdict(each, quantifier)), default=conditions)
    return found, quantifier


def settled(condition: Evidence) -> str:
    """Return ``holds``, ``weaker``, ``open`` (also if only the side is known) or ``fails``."""
    if condition.outcome in (HOLDS, WEAKER):
        return condition.outcome
    return OPEN if condition.outcome in (OPEN, SIDE_ONLY) else FAILS


def outcomes(conditions: Iterable[Evidence]) -> str:
    """Count the counted conditions, as in ``holds in 5, weaker in 0, fails in 0, open in 2``."""
    found = Counter(settled(each) for each in conditions if each.counted)
    return ", ".join(f"{one} in {found[one]}" for one in (HOLDS, WEAKER, FAILS, OPEN))


def count(verdicts: Iterable[str]) -> dict[str, int]:
    """Count the verdicts, in their order; those that nobody knows come last."""
    counts = Counter(verdicts)
    return {one: counts[one] for one in (*VERDICTS, *sorted({*counts} - {*VERDICTS})) if counts[one]}


def tally(verdicts: Iterable[str]) -> str:
    """Count the verdicts, as in ``2 reproduced, 1 open``."""
    return ", ".join(f"{number} {one}" for one, number in count(verdicts).items())
