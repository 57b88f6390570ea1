"""The answer to a claim in one sentence: its verdict, with the range of what was measured."""

import math
from collections.abc import Iterable, Iterator, Sequence

from structbench.bench.papers import verdicts, wording
from structbench.bench.papers.evidence import HOLDS, NO_DIFFERENCE, NUMBER, OPEN, SIDE_ONLY, WEAKER, Evidence
from structbench.bench.papers.verdicts import IN_PART, LESS, NOT_REPRODUCED, REPRODUCED, UNDECIDED, settled

FIRST = {
    REPRODUCED: "Yes",
    LESS: "Yes, but less",
    IN_PART: "In part",
    UNDECIDED: "Open",
    NOT_REPRODUCED: "No",
}
LEVEL = "No difference shown"  # in place of "No", where nothing else speaks against the sentence
LONGEST = 140  # letters of an answer


def answer(conditions: Sequence[Evidence], verdict: str, quantifier: str = "all") -> str:
    """Return the verdict in a sentence of at most ``LONGEST`` letters, with the range of what was measured.

    What there is no room for is left out: first notes in brackets, then the last things measured.
    """
    conditions, quantifier = verdicts.deciding(conditions, quantifier)
    counted = [each for each in conditions if each.counted]
    nothing = "no number was reached" if counted else "nothing was measured that counts"
    phrases = _phrases(counted) or {"": nothing}
    notes: dict[str, list[str]] = {}
    against = {each.outcome for each in counted} - {OPEN, SIDE_ONLY}
    first = LEVEL if verdict == NOT_REPRODUCED and against == {NO_DIFFERENCE} else FIRST[verdict]

    def text(aside: str) -> str:
        behind = {says: f" ({'; '.join(told)})" for says, told in notes.items() if told}
        said = [f"{phrase}{behind.get(says, '')}" for says, phrase in phrases.items()]
        return f"{first}: {'; '.join(filter(None, [*said, aside]))}."

    *longer, aside = _asides(counted, verdict, quantifier)
    while len(phrases) > 1 and len(text(aside)) > LONGEST:
        phrases.popitem()
    aside = next((each for each in longer if len(text(each)) <= LONGEST), aside)
    for says, note in (*_theirs(counted, verdict), *_choices(conditions)):
        notes.setdefault(says, []).append(note)
        if len(text(aside)) > LONGEST:
            notes[says].pop()
    made = text(aside)
    return made if len(made) <= LONGEST else f"{made[: LONGEST - 5].rpartition(' ')[0].rstrip(',;:')} ...."


def _asides(counted: list[Evidence], verdict: str, quantifier: str) -> list[str]:
    """What may be said behind the numbers, the longest first: in how many a sentence holds, or what decides it."""
    if verdict == UNDECIDED:
        decides = _decides(counted, quantifier)
        told = ", ".join(one for one in verdicts.outcomes(counted).split(", ") if not one.endswith(" in 0"))
        return [f"{told}; {decides}", decides] if len(counted) > 1 else [decides]
    alike = {settled(each) for each in counted} <= {WEAKER if verdict == LESS else HOLDS}
    return ["" if alike or verdict == NOT_REPRODUCED else held(counted)]


def _phrases(counted: list[Evidence]) -> dict[str, str]:
    """The words of a row -> these words with the range of what was measured."""
    known = _by_says(filter(wording.known, counted))
    return {says: wording.phrase(some, "certain", says) for says, some in known.items()}


def _by_says(conditions: Iterable[Evidence]) -> dict[str, list[Evidence]]:
    found: dict[str, list[Evidence]] = {}
    for each in conditions:
        found.setdefault(each.says, []).append(each)
    return found


def _theirs(counted: list[Evidence], verdict: str) -> Iterator[tuple[str, str]]:
    """The paper's numbers, if they are what the sentence says, or if ours contradict it."""
    for says, some in _by_says(each for each in counted if not math.isnan(each.theirs)).items():
        if verdict == NOT_REPRODUCED or some[0].claimed == NUMBER:
            yield says, f"the paper: {wording.aside(some, 'theirs')}"


def _choices(conditions: Sequence[Evidence]) -> Iterator[tuple[str, str]]:
    """What the last other choice measures, if it is something else."""
    others = [each for each in conditions if each.choice and not each.counted and wording.known(each)]
    counted = _by_says(each for each in conditions if each.counted)
    for says, some in _by_says(each for each in others if each.choice == others[-1].choice).items():
        usual = counted.get(says, [])
        reached, told = [*filter(wording.known, usual)], wording.aside(some, "certain")
        alike = bool(usual) and held(some) == held(usual)
        if not (alike and reached and told == wording.aside(reached, "certain")):
            yield says, f"{some[0].choice} {told}" + ("" if alike else f", {held(some).removeprefix('is ')}")


def held(conditions: list[Evidence]) -> str:
    """In how many conditions a sentence holds, as a verb."""
    found = [settled(each) for each in conditions]
    words = {HOLDS: "holds", OPEN: "is open", WEAKER: "is weaker"}
    if len(alike := {words.get(each, "does not hold") for each in found}) == 1:
        return alike.pop()
    said = WEAKER if WEAKER in found and HOLDS not in found else HOLDS
    return f"{words[said]} in {found.count(said)} of {len(found)}"


def _decides(counted: list[Evidence], quantifier: str) -> str:
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
