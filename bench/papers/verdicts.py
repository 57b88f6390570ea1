"""Verdicts: what the conditions of a claim say together, and the answer in one sentence."""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from structbench.bench.papers.evidence import FACTORS, HOLDS, OPEN, SIDE_ONLY, WEAKER, Condition

REPRODUCED, IN_PART_AT_LEAST, IN_PART, UNDECIDED, NOT_REPRODUCED, NOT_RUN = VERDICTS = (
    "reproduced", "at least in part", "in part", "open", "not reproduced", "not run",
)  # fmt: skip
QUANTIFIERS = ("all", "most", "some")
FIRST = {
    REPRODUCED: "Yes",
    IN_PART_AT_LEAST: "At least in part",
    IN_PART: "In part",
    UNDECIDED: "Open",
    NOT_REPRODUCED: "No",
}
LONGEST = 140  # letters of an answer
LEFT = {"": "", "at least": " or more", "at most": " or less"}  # said behind a bound
MOST_PLACES = 4  # that an answer names
OPPOSITES = {  # words that give a difference its direction
    "more": "less", "above": "below", "below": "above", "ahead of": "behind", "ahead": "behind", "behind": "ahead",
    "wider": "narrower", "rises": "falls", "fall": "rise", "gains": "loses", "gain": "lose", "lose": "gain",
    "leads": "trails", "saves": "costs", "save": "cost", "cost": "save",
}  # fmt: skip
DIRECTION = re.compile(rf"\b({'|'.join(OPPOSITES)})\b")


def verdict(conditions: Sequence[Condition], quantifier: str = "all") -> str:
    """Return what the counted conditions say of a sentence that is about all, most or some of them.

    Each part of the sentence has to hold in so many of its own conditions.
    """
    counted = [each for each in conditions if each.counted]
    if not counted:
        return UNDECIDED
    parts = [
        Counter([_settled(each) for each in counted if each.part == part] or [OPEN])
        for part in dict.fromkeys(each.part for each in conditions)
    ]
    least = {"all": lambda many: many, "most": lambda many: many // 2 + 1, "some": lambda many: 1}[quantifier]
    if all(part[HOLDS] >= least(part.total()) for part in parts):
        return REPRODUCED
    found = sum(parts, Counter())
    if found[HOLDS] + found[WEAKER] == 0:
        return UNDECIDED if found[OPEN] else NOT_REPRODUCED
    return IN_PART_AT_LEAST if found[OPEN] else IN_PART


def _settled(condition: Condition) -> str:
    return OPEN if condition.outcome == SIDE_ONLY else condition.outcome


def answer(conditions: Sequence[Condition], said: str, quantifier: str = "all") -> str:
    """Return the verdict in a sentence of at most ``LONGEST`` letters, with the range of what was measured."""
    counted = [each for each in conditions if each.counted]
    asides: list[str] = []
    partly = said in (IN_PART, IN_PART_AT_LEAST)
    in_parts = partly and len({each.part for each in counted}) > 1
    if partly and not in_parts:
        asides = [_exceptions(counted), _word(counted)]
    elif said == REPRODUCED and any(each.outcome != HOLDS for each in counted):
        asides = [_held(counted)]
    elif said == UNDECIDED:
        asides = [_decides(counted, quantifier)]
    asides = [*filter(None, asides)]
    found = _phrases(counted, in_parts, said) or ({"": "no number was reached"} if counted else {})
    phrases = [*found.values()]
    text = _longer(f"{FIRST[said]}: {'; '.join(phrases)}".removesuffix(": "), asides)
    # What decides is worth a number, except of a sentence that holds.
    while said != REPRODUCED and asides and len(phrases) > 1 and not text.endswith(tuple(asides)):
        phrases.pop()
        text = _longer(f"{FIRST[said]}: {'; '.join(phrases)}", asides)
    return _fitting(_with_choice(text, found, conditions)) + "."


def _with_choice(text: str, phrases: Mapping[str, str], conditions: Sequence[Condition]) -> str:
    """The text with what the last other choice measures, in brackets behind each phrase, where there is room.

    Those that do not hold come first. One that measures the same is not told.
    """
    others = [each for each in conditions if each.choice and not each.counted and _known(each)]
    others = [each for each in others if each.choice == others[-1].choice]
    by_says = {says: [each for each in others if each.says == says] for says in phrases}
    told = [(says, mine) for says, mine in by_says.items() if mine and _new(mine, conditions)]
    for says, mine in sorted(told, key=lambda each: all(one.outcome == HOLDS for one in each[1])):
        aside = f"{mine[0].choice} {_aside(mine, 'certain')}"
        differ = len(mine) > 1 and any(each.outcome != HOLDS for each in mine)
        for more in [f"{aside}, {_word(mine)}", f"{mine[0].choice} it {_held(mine)}"] if differ else [aside]:
            longer = text.replace(phrases[says], _bracketed(phrases[says], more), 1)
            if len(longer) < LONGEST:
                text = longer
                break
    return text


def _new(others: list[Condition], conditions: Sequence[Condition]) -> bool:
    """Whether these measure something else than the counted conditions of the same words."""
    counted = [each for each in conditions if each.counted and each.says == others[0].says and _known(each)]
    return [(each.value, each.outcome) for each in others] != [(each.value, each.outcome) for each in counted]


def _bracketed(phrase: str, more: str) -> str:
    return f"{phrase[:-1]}; {more})" if phrase.endswith(")") else f"{phrase} ({more})"


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


def _phrases(conditions: list[Condition], in_parts: bool, said: str) -> dict[str, str]:
    """Each thing that was measured, by the words of its row, and these words with the range over the conditions.

    Of a sentence that holds in part, each part says whether it does. The paper's number stands in brackets behind
    ours if it is what the sentence says, or if ours contradict it.
    """
    by_says: dict[str, list[Condition]] = {}
    for each in conditions:
        by_says.setdefault(each.says, []).append(each)
    found = {}
    for says, some in by_says.items():
        if known := [each for each in some if _known(each)]:
            text = _phrase(known, "certain", says)
            theirs = [each for each in known if not math.isnan(each.theirs)]
            if in_parts:
                text = _bracketed(text, _word(some))
            elif theirs and (said == NOT_REPRODUCED or theirs[0].claimed == "number"):
                text = _bracketed(text, f"the paper: {_aside(theirs, 'theirs')}")
            found[says] = text
    return found


def _phrase(conditions: list[Condition], name: str, says: str) -> str:
    """The range of a number in these words. In place of a sign, a word says on which side a difference lies."""
    said, word = spread(conditions, name), _direction(says)
    if word is None or conditions[0].kind in FACTORS:
        return says.replace("{}", said)
    if not said.startswith("-"):
        return says.replace("{}", said.replace("+", ""))
    least, _, most = said.rpartition(" to ")
    if most.startswith("-"):
        turned = f"{says[: word.start()]}{OPPOSITES[word[0]]}{says[word.end() :]}"
        negated = [replace(each, value=-each.value, theirs=-each.theirs) for each in conditions]
        return turned.replace("{}", spread(negated, name).replace("+", ""))
    if word.start() > says.index("{}"):
        return says.replace("{}", f"{least.removeprefix('-')} {OPPOSITES[word[0]]} to {most.removeprefix('+')}")
    before, between = says[: word.start()], says[word.end() : says.index("{}")]
    both = f"{OPPOSITES[word[0]]}{between}{least.removeprefix('-')} to {word[0]}{between}{most.removeprefix('+')}"
    return f"{before}{both}{says[says.index('{}') + 2 :]}"


def _direction(says: str) -> re.Match[str] | None:
    """The first word of direction behind the number, or else the last before it."""
    found = [*DIRECTION.finditer(says)]
    return next((each for each in found if each.start() > says.index("{}")), found[-1] if found else None)


def _aside(conditions: list[Condition], name: str) -> str:
    """A range with the word that gives it its direction, if that stands behind the number."""
    says, like = conditions[0].says, conditions[0]
    word = _direction(says)
    signed = like.kind == "difference" or min(getattr(each, name) for each in conditions) < 0
    behind = f" {word[0].removesuffix(' of')}" if word and signed and word.start() > says.index("{}") else ""
    return _phrase(conditions, name, f"{{}}{behind}")


def _known(condition: Condition) -> bool:
    return math.isfinite(condition.certain)


def _held(conditions: list[Condition]) -> str:
    """In how many conditions a sentence holds, as a verb."""
    outcomes = [_settled(each) for each in conditions]
    words = {HOLDS: "holds", OPEN: "is open", WEAKER: "is weaker"}
    if len(alike := {words.get(each, "does not hold") for each in outcomes}) == 1:
        return alike.pop()
    said = WEAKER if WEAKER in outcomes and HOLDS not in outcomes else HOLDS
    return f"{words[said]} in {outcomes.count(said)} of {len(outcomes)}"


def _word(conditions: list[Condition]) -> str:
    return _held(conditions).removeprefix("is ")


def _exceptions(counted: list[Condition]) -> str:
    """Where a sentence does not hold, and why; empty if no short list says where."""
    others = [each for each in counted if each.outcome not in (HOLDS, WEAKER)]
    if len(others) > MOST_PLACES:
        return _excepted(counted, others)
    words = "{} {}"
    if not others:
        others, words = [each for each in counted if each.outcome == WEAKER], "{} less than the sentence says"
        if len(others) == len(counted):
            return "less than the sentence says"
    same = {name for name in counted[0].where if len({str(each.where.get(name)) for each in counted}) == 1}
    by_outcome: dict[str, list[Condition]] = {}
    for each in others:
        by_outcome.setdefault(_settled(each), []).append(each)
    if not all(_listed(some, same) for some in by_outcome.values()):
        return ""
    return ", ".join(words.format(places(some, same), outcome) for outcome, some in by_outcome.items())


def _excepted(counted: list[Condition], others: list[Condition]) -> str:
    """Which values of the first setting the others have, if only they have these and that is a short list."""
    first = next(iter(counted[0].where), "")
    without = {each.where.get(first) for each in counted if each not in others}
    listed = [replace(each, where={first: each.where.get(first)}) for each in others]
    found = {each.where[first] for each in listed}
    if not without or found & without or len(found) > MOST_PLACES:
        return ""
    open_ones = all(_settled(each) == OPEN for each in others)
    return f"{places(listed)} open" if open_ones else f"not {places(listed)}"


def _listed(conditions: list[Condition], without: Collection[str]) -> bool:
    """Whether the values of each setting, listed apart, say exactly which conditions these are."""
    found = {tuple((name, str(v)) for name, v in each.where.items() if name not in without) for each in conditions}
    values = Counter(name for name, _ in {pair for each in found for pair in each})
    return bool(values) and math.prod(values.values()) == len(conditions)


def _decides(counted: list[Condition], quantifier: str) -> str:
    """What would decide as many open conditions as the sentence speaks of."""
    needs = sorted(dict.fromkeys(each.needs for each in counted if each.needs), key=_hardness)
    if not needs:
        return ""
    need = needs[{"all": -1, "most": len(needs) // 2, "some": 0}[quantifier]]
    return need if need.startswith("not decidable") else f"needs {need}"


def _hardness(need: str) -> tuple[int, int]:
    """Orders what would decide: so many repetitions, then anything else, then what cannot be decided."""
    many = need.partition(" ")[0]
    return (0, int(many)) if many.isdigit() else (2 if need.startswith("not decidable") else 1, 0)


def spread(conditions: Sequence[Condition], name: str) -> str:
    """The range of a number over conditions, as in "3.5 to 8.5", "+0.2 to +0.4 points" or "at least 2.0"."""
    unit = unit_of(conditions[0])
    ordered = sorted(conditions, key=lambda each: getattr(each, name))
    bounds = {each.bound for each in conditions} if name == "certain" else {""}
    ends = [number(getattr(each, name), each) for each in (ordered[0], ordered[-1])]
    if bounds == {"at least"}:
        return f"at least {ends[0]}{unit}"
    if bounds == {"at most"}:
        return f"at most {ends[1]}{unit}"
    words = [LEFT[each.bound] if len(bounds) > 1 else "" for each in (ordered[0], ordered[-1])]
    if ends[0] == ends[1]:
        return f"{ends[1]}{unit}{words[1]}"
    return f"{ends[0]}{words[0]} to {ends[1]}{unit}{words[1]}"


def unit_of(like: Condition) -> str:
    """What stands behind a number."""
    return "%" if like.kind in ("share", "category") else f" {like.unit}" if like.unit else ""


def number(value: float, like: Condition) -> str:
    """A number for a reader: two digits of a factor, points with their sign, shares in percent."""
    if like.kind in ("share", "category"):
        return _digits(100 * value, *((1, 6) if abs(value) < 0.5e-4 else (2, 2)))
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
    return {"": "for ", "to": "", "over": "", "in": "", "by": ""}.get(first, "at ") + ", ".join(said)


def count(claims: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """How many judged claims have which verdict, in their order."""
    counts = Counter(claim["verdict"] for claim in claims)
    return {one: counts[one] for one in VERDICTS if counts[one]}


def tally(verdicts: Iterable[str]) -> str:
    """Count the verdicts, as in ``2 reproduced, 1 open``."""
    counts = Counter(verdicts)
    return ", ".join(f"{counts[one]} {one}" for one in VERDICTS if counts[one])
