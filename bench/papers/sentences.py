"""The answer to a claim in one sentence: its verdict, with the range of what was measured."""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from structbench.bench.papers import wording
from structbench.bench.papers.evidence import HOLDS, NUMBER, OPEN, SIDE_ONLY, WEAKER, Evidence
from structbench.bench.papers.verdicts import (
    IN_PART,
    LESS,
    NOT_REPRODUCED,
    REPRODUCED,
    UNDECIDED,
    deciding,
    outcomes,
    settled,
)

FIRST = {
    REPRODUCED: "Yes",
    LESS: "Yes, but less",
    IN_PART: "In part",
    UNDECIDED: "Open",
    NOT_REPRODUCED: "No",
}
LONGEST = 140  # letters of an answer
MOST_PLACES = 4  # that an answer names


@dataclass
class _Sentence:
    """A verdict, each thing that was measured with its notes in brackets, and an aside; without a full stop."""

    verdict: str
    phrases: dict[str, list[str]]  # words of a row -> these words with the range over its conditions, and notes
    aside: str = ""

    @property
    def text(self) -> str:
        texts = [f"{text} ({'; '.join(notes)})" if notes else text for text, *notes in self.phrases.values()]
        return ": ".join(filter(None, [FIRST[self.verdict], "; ".join(filter(None, [*texts, self.aside]))]))

    @property
    def fits(self) -> bool:
        return len(self.text) < LONGEST

    def add_aside(self, asides: Iterable[str]) -> None:
        """Add the first of these asides that there is room for."""
        for aside in asides:
            self.aside = aside
            if self.fits:
                return
        self.aside = ""

    def add_note(self, says: str, notes: Iterable[str]) -> None:
        """Add to what was measured the first of these notes that there is room for."""
        for note in notes if says in self.phrases else ():
            self.phrases[says].append(note)
            if self.fits:
                return
            self.phrases[says].pop()


def answer(conditions: Sequence[Evidence], verdict: str, quantifier: str = "all") -> str:
    """Return the verdict in a sentence of at most ``LONGEST`` letters, with the range of what was measured.

    What there is no room for is left out: first what another choice measures, then the last things measured.
    """
    conditions, quantifier = deciding(conditions, quantifier)
    counted = [each for each in conditions if each.counted]
    in_parts = verdict in (IN_PART, LESS) and len({each.part for each in counted}) > 1
    asides = [] if in_parts else [*filter(None, _asides(counted, verdict, quantifier))]
    nothing = "no number was reached" if counted else "nothing was measured that counts"
    phrases = _phrases(counted, in_parts) or {"": [nothing]}
    made = _Sentence(verdict, phrases)
    made.add_aside(asides)
    # What decides is worth a number, except of a sentence that holds.
    while len(phrases) > 1 and asides and not made.aside and verdict != REPRODUCED:
        phrases.popitem()
        made.add_aside(asides)
    while len(phrases) > 1 and not made.fits:
        phrases.popitem()
    for says, notes in (*_theirs(counted, verdict, in_parts), *_choices(conditions)):
        made.add_note(says, notes)
    text = made.text
    return f"{text if made.fits else text[: LONGEST - 5].rpartition(' ')[0].rstrip(',;:') + ' ...'}."


def _asides(counted: list[Evidence], verdict: str, quantifier: str) -> list[str]:
    """What may be said behind the numbers, the best first: where a sentence does not hold, or what decides it."""
    if verdict in (IN_PART, LESS):
        return [_exceptions(counted), _word(counted) if verdict == IN_PART else ""]
    if verdict == UNDECIDED:
        decides = _decides(counted, quantifier)
        return ["; ".join(filter(None, [outcomes(counted) if len(counted) > 1 else "", decides])), decides]
    if verdict == REPRODUCED and any(each.outcome != HOLDS for each in counted):
        return [_held(counted)]
    return []


def _phrases(counted: list[Evidence], in_parts: bool) -> dict[str, list[str]]:
    """Each thing that was measured, by the words of its row, and these words with the range over the conditions.

    Of a sentence that holds in part, each part has a note whether it does. Those that do not hold come first.
    """
    known = {says: [each for each in some if wording.known(each)] for says, some in _by_says(counted).items()}
    found = {says: [wording.phrase(some, "certain", says)] for says, some in known.items() if some}
    if not in_parts:
        return found
    words = {says: _word(some) for says, some in _by_says(counted).items()}
    return {says: [*found[says], words[says]] for says in sorted(found, key=lambda says: words[says] == HOLDS)}


def _by_says(conditions: Iterable[Evidence]) -> dict[str, list[Evidence]]:
    found: dict[str, list[Evidence]] = {}
    for each in conditions:
        found.setdefault(each.says, []).append(each)
    return found


def _theirs(counted: list[Evidence], verdict: str, in_parts: bool) -> Iterator[tuple[str, list[str]]]:
    """The paper's numbers, if they are what the sentence says, or if ours contradict it."""
    for says, some in _by_says(each for each in counted if not math.isnan(each.theirs)).items():
        if verdict == NOT_REPRODUCED or (some[0].claimed == NUMBER and not in_parts):
            yield says, [f"the paper: {wording.aside(some, 'theirs')}"]


def _choices(conditions: Sequence[Evidence]) -> Iterator[tuple[str, list[str]]]:
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


def _held(conditions: list[Evidence]) -> str:
    """In how many conditions a sentence holds, as a verb."""
    outcomes = [settled(each) for each in conditions]
    words = {HOLDS: "holds", OPEN: "is open", WEAKER: "is weaker"}
    if len(alike := {words.get(each, "does not hold") for each in outcomes}) == 1:
        return alike.pop()
    said = WEAKER if WEAKER in outcomes and HOLDS not in outcomes else HOLDS
    return f"{words[said]} in {outcomes.count(said)} of {len(outcomes)}"


def _word(conditions: list[Evidence]) -> str:
    return _held(conditions).removeprefix("is ")


def _exceptions(counted: list[Evidence]) -> str:
    """Where a sentence does not hold, and why; empty if no short list says where."""
    others = [each for each in counted if each.outcome not in (HOLDS, WEAKER)]
    if len(others) > MOST_PLACES:
        return _excepted(counted, others)
    words = "{} {}"
    if not others:
        others, words = [each for each in counted if each.outcome == WEAKER], "{} less than the sentence says"
        if len(others) == len(counted):
            return ""
    same = {name for name in counted[0].where if len({str(each.where.get(name)) for each in counted}) == 1}
    by_outcome: dict[str, list[Evidence]] = {}
    for each in others:
        by_outcome.setdefault(OPEN if each.outcome == SIDE_ONLY else each.outcome, []).append(each)
    if not all(_listed(some, same) for some in by_outcome.values()):
        return ""
    return ", ".join(words.format(wording.places(some, same), outcome) for outcome, some in by_outcome.items())


def _excepted(counted: list[Evidence], others: list[Evidence]) -> str:
    """Which values of the first setting the others have, if only they have these and that is a short list."""
    first = next(iter(counted[0].where), "")
    if not all(first in each.where for each in counted):
        return ""
    without = {each.where[first] for each in counted if each not in others}
    listed = [each._replace(where={first: each.where[first]}) for each in others]
    found = {each.where[first] for each in listed}
    if not without or found & without or len(found) > MOST_PLACES:
        return ""
    open_ones = all(settled(each) == OPEN for each in others)
    return f"{wording.places(listed)} open" if open_ones else f"not {wording.places(listed)}"


def _listed(conditions: list[Evidence], without: Collection[str]) -> bool:
    """Whether the values of each setting, listed apart, say exactly which conditions these are."""
    found = {tuple((name, str(v)) for name, v in each.where.items() if name not in without) for each in conditions}
    values = Counter(name for name, _ in {pair for each in found for pair in each})
    return bool(values) and math.prod(values.values()) == len(conditions)


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
