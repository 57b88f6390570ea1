"""Verdicts: what the conditions of a claim say together."""

from collections import Counter
from collections.abc import Iterable, Sequence

from structbench.bench.papers.evidence import HOLDS, OPEN, SIDE_ONLY, WEAKER, Evidence

REPRODUCED, IN_PART_AT_LEAST, IN_PART, UNDECIDED, NOT_REPRODUCED, NOT_RUN = VERDICTS = (
    "reproduced", "at least in part", "in part", "open", "not reproduced", "not run",
)  # fmt: skip
QUANTIFIERS = ("all", "most", "some")


def verdict(conditions: Sequence[Evidence], quantifier: str = "all") -> str:
    """Return what the counted conditions say of a sentence that is about all, most or some of them.

    Each part of the sentence has to hold in so many of its own conditions.
    """
    counted = [each for each in conditions if each.counted]
    if not counted:
        return UNDECIDED
    parts = [
        Counter([settled(each) for each in counted if each.part == part] or [OPEN])
        for part in dict.fromkeys(each.part for each in conditions)
    ]
    least = {"all": lambda many: many, "most": lambda many: many // 2 + 1, "some": lambda many: 1}[quantifier]
    if all(part[HOLDS] >= least(part.total()) for part in parts):
        return REPRODUCED
    found = sum(parts, Counter())
    if found[HOLDS] + found[WEAKER] == 0:
        return UNDECIDED if found[OPEN] else NOT_REPRODUCED
    return IN_PART_AT_LEAST if found[OPEN] else IN_PART


def settled(condition: Evidence) -> str:
    """The outcome of a condition; open if only the side is known."""
    return OPEN if condition.outcome == SIDE_ONLY else condition.outcome


def count(verdicts: Iterable[str]) -> dict[str, int]:
    """Count the verdicts, in their order; those that nobody knows come last."""
    counts = Counter(verdicts)
    return {one: counts[one] for one in (*VERDICTS, *sorted({*counts} - {*VERDICTS})) if counts[one]}


def tally(verdicts: Iterable[str]) -> str:
    """Count the verdicts, as in ``2 reproduced, 1 open``."""
    return ", ".join(f"{number} {one}" for one, number in count(verdicts).items())
