"""Verdicts: what the conditions of a claim say together, and the answer in one sentence."""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from structbench.bench.papers import wording
from structbench.bench.papers.evidence import HOLDS, OPEN, SIDE_ONLY, WEAKER, Condition

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
MOST_PLACES = 4  # that an answer names


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
    """Return the verdict in a sentence of at most ``LONGEST`` letters, with the range of what was measured.

    What there is no room for is left out: first what another choice measures, then the last things measured.
    """
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
    phrases = _phrases(counted, in_parts) or ({"": ["no number was reached"]} if counted else {})
    aside = _that_fits(said, phrases, asides)
    # What decides is worth a number, except of a sentence that holds.
    while said != REPRODUCED and any(asides) and not aside and len(phrases) > 1:
        phrases.popitem()
        aside = _that_fits(said, phrases, asides)
    while len(phrases) > 1 and not _fits(said, phrases, aside):
        phrases.popitem()
    for says, notes in (*_theirs(counted, said, in_parts), *_choices(conditions)):
        for note in notes if says in phrases else ():
            longer = phrases | {says: [*phrases[says], note]}
            if _fits(said, longer, aside):
                phrases = longer
                break
    text = _sentence(said, phrases, aside)
    return f"{text if len(text) < LONGEST else _cut(text)}."


def _sentence(said: str, phrases: Mapping[str, list[str]], aside: str) -> str:
    """The verdict, each thing that was measured with its notes in brackets, and an aside; no full stop."""
    texts = [f"{text} ({'; '.join(notes)})" if notes else text for text, *notes in phrases.values()]
    return ": ".join(filter(None, [FIRST[said], "; ".join(filter(None, [*texts, aside]))]))


def _fits(said: str, phrases: Mapping[str, list[str]], aside: str) -> bool:
    return len(_sentence(said, phrases, aside)) < LONGEST


def _that_fits(said: str, phrases: Mapping[str, list[str]], asides: Iterable[str]) -> str:
    """The first of these asides that there is room for; empty if none fits."""
    return next((each for each in asides if each and _fits(said, phrases, each)), "")


def _cut(text: str) -> str:
    return text[: LONGEST - 5].rpartition(" ")[0].rstrip(",;:") + " ..."


def _phrases(counted: list[Condition], in_parts: bool) -> dict[str, list[str]]:
    """Each thing that was measured, by the words of its row, and these words with the range over the conditions.

    Of a sentence that holds in part, each part has a note whether it does. Those that do not hold come first.
    """
    known = {says: [each for each in some if wording.known(each)] for says, some in _by_says(counted).items()}
    found = {says: [wording.phrase(some, "certain", says)] for says, some in known.items() if some}
    if not in_parts:
        return found
    words = {says: _word(some) for says, some in _by_says(counted).items()}
    return {says: [*found[says], words[says]] for says in sorted(found, key=lambda says: words[says] == HOLDS)}


def _by_says(conditions: Iterable[Condition]) -> dict[str, list[Condition]]:
    found: dict[str, list[Condition]] = {}
    for each in conditions:
        found.setdefault(each.says, []).append(each)
    return found


def _theirs(counted: list[Condition], said: str, in_parts: bool) -> Iterator[tuple[str, list[str]]]:
    """The paper's numbers, if they are what the sentence says, or if ours contradict it."""
    for says, some in _by_says(each for each in counted if not math.isnan(each.theirs)).items():
        if said == NOT_REPRODUCED or (some[0].claimed == "number" and not in_parts):
            yield says, [f"the paper: {wording.aside(some, 'theirs')}"]


def _choices(conditions: Sequence[Condition]) -> Iterator[tuple[str, list[str]]]:
    """What the last other choice measures, if it is something else; with another outcome it comes first."""
    others = [each for each in conditions if each.choice and not each.counted and wording.known(each)]
    others = [each for each in others if each.choice == others[-1].choice]
    counted = _by_says(each for each in conditions if each.counted)
    found = []
    for says, some in _by_says(others).items():
        usual = counted.get(says, [])
        told, alike = wording.aside(some, "certain"), _word(some) == (_word(usual) if usual else "")
        reached = [each for each in usual if wording.known(each)]
        if alike and reached and told == wording.aside(reached, "certain"):
            continue
        choice = some[0].choice
        differ = [f"{choice} {told}, {_word(some)}", f"{choice} it {_held(some)}"]
        found.append((alike, says, [f"{choice} {told}"] if alike else differ))
    yield from ((says, notes) for _, says, notes in sorted(found, key=lambda each: each[0]))


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
    return ", ".join(words.format(wording.places(some, same), outcome) for outcome, some in by_outcome.items())


def _excepted(counted: list[Condition], others: list[Condition]) -> str:
    """Which values of the first setting the others have, if only they have these and that is a short list."""
    first = next(iter(counted[0].where), "")
    without = {each.where.get(first) for each in counted if each not in others}
    listed = [replace(each, where={first: each.where.get(first)}) for each in others]
    found = {each.where[first] for each in listed}
    if not without or found & without or len(found) > MOST_PLACES:
        return ""
    open_ones = all(_settled(each) == OPEN for each in others)
    return f"{wording.places(listed)} open" if open_ones else f"not {wording.places(listed)}"


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


def count(claims: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """How many judged claims have which verdict, in their order."""
    counts = Counter(claim["verdict"] for claim in claims)
    return {one: counts[one] for one in VERDICTS if counts[one]}


def tally(verdicts: Iterable[str]) -> str:
    """Count the verdicts, as in ``2 reproduced, 1 open``."""
    counts = Counter(verdicts)
    return ", ".join(f"{counts[one]} {one}" for one in VERDICTS if counts[one])
