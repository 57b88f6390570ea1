"""Verdicts: what the conditions of a claim say together, and the answer in one sentence."""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from structbench.bench.papers.evidence import (
    HOLDS,
    OPEN,
    SIDE_ONLY,
    WEAKER,
    Condition,
)

REPRODUCED, IN_PART_AT_LEAST, IN_PART, UNDECIDED, NOT_REPRODUCED, NOT_RUN = VERDICTS = (
    "reproduced", "at least in part", "in part", "open", "not reproduced", "not run",
)  # fmt: skip
OPEN_ONES = (IN_PART_AT_LEAST, UNDECIDED)  # totals count these as open
QUANTIFIERS = ("all", "most", "some")
FIRST = {
    REPRODUCED: "Yes",
    IN_PART_AT_LEAST: "At least in part",
    IN_PART: "In part",
    UNDECIDED: "Open",
    NOT_REPRODUCED: "No",
}
LONGEST = 140  # letters of an answer
MOST_PLACES = 4  # that an answer names


def verdict(conditions: Sequence[Condition], quantifier: str = "all") -> str:
    """Return what the counted conditions say of a sentence that is about all, most or some of them.

    Each part of the sentence has to hold in so many of its own conditions.
    """
    counted = [each for each in conditions if each.counted]
    if not counted:
        return UNDECIDED
    parts = [[each.outcome for each in counted if each.part == part] for part in {each.part for each in counted}]
    if all(part.count(HOLDS) >= _least(len(part), quantifier) for part in parts):
        return REPRODUCED
    found = Counter(OPEN if each.outcome == SIDE_ONLY else each.outcome for each in counted)
    if found[HOLDS] + found[WEAKER] == 0:
        return UNDECIDED if found[OPEN] else NOT_REPRODUCED
    return IN_PART_AT_LEAST if found[OPEN] else IN_PART


def _least(many: int, quantifier: str) -> int:
    return {"all": many, "most": many // 2 + 1, "some": 1}[quantifier]


def answer(conditions: Sequence[Condition], said: str) -> str:
    """Return the verdict in a sentence of at most ``LONGEST`` letters, with the range of what was measured."""
    counted = [each for each in conditions if each.counted]
    good = [each for each in counted if each.outcome in (HOLDS, WEAKER)]
    partly = said in (IN_PART, IN_PART_AT_LEAST)
    shown = []
    for part in dict.fromkeys(each.part for each in counted):
        shown += (partly and [each for each in good if each.part == part]) or [
            c for c in counted if c.part == part
        ]
    asides: list[str] = []
    if partly:
        asides = [_exceptions(counted), f"holds in {sum(c.outcome == HOLDS for c in counted)} of {len(counted)}"]
    elif said == UNDECIDED:
        asides = [_decides(counted)]
    elif said == NOT_REPRODUCED and (theirs := [each for each in counted if not math.isnan(each.theirs)]):
        asides = [f"the paper has {spread(theirs, 'theirs')}"]
    others = [each for each in conditions if each.choice and not each.counted and _known(each)]
    text = f"{FIRST[said]}: {_phrases(shown)}".removesuffix(": ")
    text = _longer(text, asides)
    if others:
        text = _longer(text, [f"{others[0].choice} {spread(_alike(others), 'value')}"])
    return _fitting(text) + "."


def _longer(text: str, asides: list[str]) -> str:
    """The text with the first of these that it has room for."""
    room = (aside for aside in asides if aside and len(text) + len(aside) + 3 <= LONGEST)
    aside = next(room, "")
    return f"{text}; {aside}" if aside else text


def _fitting(text: str) -> str:
    """The text without its last phrases where it is too long."""
    while len(text) >= LONGEST and "; " in text:
        text = text.rpartition("; ")[0]
    return text if len(text) < LONGEST else text[: LONGEST - 5].rpartition(" ")[0].rstrip(",;:") + " ..."


def _phrases(conditions: list[Condition]) -> str:
    """Each thing that was measured, in the words of its row, with the range over the conditions."""
    phrases = []
    for says in dict.fromkeys(each.says for each in conditions):
        some = [each for each in conditions if each.says == says]
        known = [each for each in some if _known(each)]
        if known:
            phrases.append(says.replace("{}", spread(known, "value")))
    return "; ".join(phrases)


def _alike(conditions: list[Condition]) -> list[Condition]:
    """Those that measure the first one's quantity."""
    return [each for each in conditions if each.says == conditions[0].says]


def _known(condition: Condition) -> bool:
    return math.isfinite(condition.value)


def _exceptions(counted: list[Condition]) -> str:
    """Where a sentence does not hold, and why; empty if that is in many places."""
    if sum(each.outcome not in (HOLDS, WEAKER) for each in counted) > MOST_PLACES:
        return ""
    same = {name for name in counted[0].where if len({str(each.where.get(name)) for each in counted}) == 1}
    by_outcome: dict[str, list[Condition]] = {}
    for each in counted:
        if each.outcome not in (HOLDS, WEAKER):
            words = OPEN if each.outcome == SIDE_ONLY else each.outcome
            by_outcome.setdefault(words, []).append(each)
    said = [f"{places(some, same)} {words}".strip() for words, some in by_outcome.items()]
    weaker = [each for each in counted if each.outcome == WEAKER]
    if weaker and not said:
        less = "less than the sentence says"
        said.append(less if len(weaker) == len(counted) else f"{places(weaker, same)} {less}".strip())
    return ", ".join(said)


def _decides(counted: list[Condition]) -> str:
    """What would decide the open conditions."""
    needs = Counter(each.needs for each in counted if each.needs)
    most = needs.most_common(1)[0][0] if needs else ""
    return most if most.startswith("not decidable") or not most else f"needs {most}"


def spread(conditions: Sequence[Condition], name: str) -> str:
    """The range of a number over conditions, as in "3.5 to 8.5" or "+0.2 to +0.4 points"."""
    values = [getattr(each, name) for each in conditions]
    first = conditions[0]
    ends = sorted({number(min(values), first), number(max(values), first)}, key=lambda text: values_of(text))
    text = " to ".join(ends) + unit_of(first)
    bounds = [each.bound for each in conditions] if name == "value" else [""]
    if len({*bounds} - {""}) == 1:
        bound = max(bounds)
        if "" in bounds:
            text += " or more" if bound == "at least" else " or less"
        else:
            text = f"{bound} {ends[0 if bound == 'at least' else -1]}{unit_of(first)}"
    return text


def unit_of(like: Condition) -> str:
    """What stands behind a number."""
    return "%" if like.kind in ("share", "category") else f" {like.unit}" if like.unit else ""


def values_of(text: str) -> float:
    """The number that a text says."""
    return float(text.replace(",", ""))


def number(value: float, like: Condition) -> str:
    """A number for a reader: two digits of a factor, points with their sign, shares in percent."""
    if like.kind in ("share", "category"):
        return _digits(100 * value, 2, most=2)
    if like.kind == "difference":
        return "0.00" if abs(value) < 0.005 else f"{value:+.2f}" if abs(value) < 10 else f"{value:+.0f}"
    return _digits(value, 2 if like.kind == "ratio" else 3)


def _digits(value: float, digits: int, most: int = 4) -> str:
    """The value with so many digits, at most ``most`` of them after the point."""
    if abs(value) < 0.5 * 10.0**-most:
        return "0"
    after = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{value:,.{min(after, most)}f}"


def places(conditions: Iterable[Condition], without: Collection[str] = ()) -> str:
    """Where conditions are, as in "at C = 1 and 10"; empty if nothing tells them from others."""
    by_name: dict[str, list[str]] = {}
    for each in conditions:
        for name, value in each.where.items():
            text = f"{value:g}" if isinstance(value, float) else str(value)
            if name not in without and text not in by_name.setdefault(name, []):
                by_name[name].append(text)
    said = []
    for name, values in by_name.items():
        listed = " and ".join(filter(None, [", ".join(values[:-1]), values[-1]]))
        said.append(f"{name} = {listed}" if len(name) == 1 else f"{name} {listed}".strip())
    if not said:
        return ""
    first = next(iter(by_name))
    return {"": "for ", "to": "", "over": ""}.get(first, "at ") + ", ".join(said)


def count(claims: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """How many judged claims have which verdict, in their order."""
    counts = Counter(claim["verdict"] for claim in claims)
    return {one: counts[one] for one in VERDICTS if counts[one]}


def tally(verdicts: Iterable[str]) -> str:
    """Count the verdicts, as in ``2 reproduced, 1 open``."""
    counts = Counter(verdicts)
    return ", ".join(f"{counts[one]} {one}" for one in VERDICTS if counts[one])
