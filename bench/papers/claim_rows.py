"""Read a paper's claims from ``claims.toml``: each sentence, what is measured, and what result it states.

Functions that rows name are registered by a decorator. A name without one is an error.
"""

import math
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.names import meant
from structbench.bench.papers.evidence import ABOVE, AT_LEAST, AT_MOST, COMPARISONS, FACTORS, NUMBER, Evidence
from structbench.bench.papers.verdicts import AT_SOME, QUANTIFIERS
from structbench.bench.runs import records
from structbench.bench.runs.documents import Json

# The value from which on an adverb holds, for all papers.
ADVERBS = {"significantly": 1.5, "much": 2.0, "considerably": 2.0, "very": 5.0}
BANDS = {"ratio": 1.1, "count": 1.5}  # of no difference, or of a number of the paper's
NUMBER_BAND = {"ratio": 1.2, "count": 1.5, "around": 2.0}
PAPER, OURS = BY = ("paper", "ours")


@dataclass(frozen=True)
class Part:
    """One thing that a claim measures, and what the sentence says of it."""

    measure: str  # the function that measures it, of the paper's rules or of ``measures``
    says: str  # what the number is, in words, with ``{}`` in its place
    compare: str = ABOVE  # one of ``evidence.COMPARISONS``; ``is`` in the file
    adverb: str = ""  # a word of ``ADVERBS``, or ``around``
    size: float = math.nan  # in place of an adverb, the value from which on the sentence holds
    band: float = math.nan  # a factor, or a difference, that counts as none; NaN for the usual one
    none: float = math.nan  # no effect, where it is not 1 of a ratio or 0 of a difference
    number: float = math.nan  # the paper's own number; NaN if it gives none
    # what the measure is called with, such as the two algorithms and the values of C
    given: Json = field(default_factory=dict)

    def condition(self, found: Evidence, place: int = 0) -> Evidence:
        """Set a measured number against what the sentence says of it; refuse a row that does not fit its kind."""
        theirs = found.theirs if not math.isnan(found.theirs) else self.number
        factor = found.kind in FACTORS
        none, size, band = self.none, self.size, found.band if math.isnan(self.band) else self.band
        if math.isnan(none):
            none = theirs if self.compare in (NUMBER, AT_MOST, AT_LEAST) else 1.0 if factor else 0.0
        if math.isnan(band):
            band = self._usual(found.kind, factor)
        if self.adverb in ADVERBS:
            size = ADVERBS[self.adverb]
        self._check(found.kind, none, band, theirs)
        if self.compare == ABOVE:  # a rule must hold on the paper's own number, and the band lies below the size
            size = min(size, theirs) if not math.isnan(size + theirs) else size
            for effect in (each for each in (size, theirs) if not math.isnan(each)):
                band = min(band, math.sqrt(effect / none) if factor else (effect - none) / 2)
        about = {"says": self.says, "claimed": self.compare, "none": none, "size": size, "part": place}
        return found._replace(band=band, theirs=theirs, **about)

    def takes(self, *names: str) -> None:
        """Refuse what the row gives to a measure that takes only these."""
        if unknown := self.given.keys() - {*names}:
            raise UserError(f"measure {self.measure!r}, {self.says!r}: unknown {', '.join(sorted(unknown))}")

    def _check(self, kind: str, none: float, band: float, theirs: float) -> None:
        """Refuse a row that cannot be meant: it could never hold, or never fail."""
        factor, least = kind in FACTORS, 1.0 if kind in FACTORS else 0.0
        wrong = ""
        if self.adverb in ADVERBS and not factor:
            wrong = f"{self.adverb!r} is a factor, and a {kind} is none: give size"
        elif math.isnan(none) and kind != "category":
            wrong = f"is {self.compare!r} needs a number"
        elif factor and none <= 0:
            wrong = f"a {kind} is never {none:g}"
        elif band < least or not math.isfinite(band):
            wrong = f"the band of a {kind} is {least:g} or more, not {band:g}"
        elif self.compare == ABOVE and any(each <= none for each in (theirs, self.size)):
            wrong = f"the paper's number and the size lie above {none:g}"
        if wrong:
            raise UserError(f"measure {self.measure!r}, {self.says!r}: {wrong}")

    def _usual(self, kind: str, factor: bool) -> float:
        if self.compare in (AT_MOST, AT_LEAST):
            return 1.0 if factor else 0.0
        if self.compare == NUMBER and factor:
            return NUMBER_BAND["around" if self.adverb == "around" else kind]
        return BANDS[kind] if factor else 0.0


@dataclass(frozen=True)
class Row:
    """A sentence of a paper."""

    id: str  # its name within the paper
    where: str  # the figure, table or section
    text: str  # the sentence, word for word
    parts: tuple[Part, ...]  # what it says
    quantifier: str = "all"  # of how many conditions it speaks: ``all``, ``most``, ``some``, ``all at some C'``
    reading: str = ""  # why the quantifier is not that of the sentence's words
    theirs: str = ""  # the paper's numbers, as a reader sees them
    figures: tuple[str, ...] = ()  # stems of the figures that show it
    asks: str = ""  # the question that it answers, if it is one of the paper's findings
    by: str = PAPER  # whether the sentence is the paper's or a reading of ours
    only: tuple[str, ...] = ()  # on which of the paper's data sets or in which tasks it is judged; empty for all
    runs: tuple[str, ...] = ()  # which runs it needs; what this says is the paper's own


class Unjudged(NamedTuple):
    """A sentence of the paper that no rule judges."""

    text: str
    where: str
    reason: str


def tables(file: Path) -> Json:
    """What a file of claims says, as dictionaries and lists."""
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{file.parent.name}/{file.name} is not TOML: {error}") from None


def tuples(value: Any) -> Any:
    """The same with tuples in place of lists, as specs and frozen classes have them."""
    if isinstance(value, dict):
        return {key: tuples(each) for key, each in value.items()}
    return tuple(map(tuples, value)) if isinstance(value, list) else value


def filled(text: str, words: Mapping[str, object]) -> str:
    """A text of several lines in one, with these words in place of what it names in braces."""
    return " ".join(text.split("\n")).strip().format_map(words)


def rows(file: Path, measures: Collection[str] | None = None) -> list[Row]:
    """Read the claims of a paper; ``measures``: what rows may measure, None to take any name."""
    found = tables(file)
    if {*found} - {"unjudged"} != {"claim"}:
        raise UserError(f"{file.name}: expected [[claim]] and [[unjudged]], not {', '.join(sorted(found))}")
    made = [_row(file.name, each, measures) for each in found["claim"]]
    twice = {row.id for row in made if sum(row.id == other.id for other in made) > 1}
    if twice:
        raise UserError(f"{file.name}: {', '.join(sorted(twice))} is there twice")
    return made


def unjudged(file: Path) -> list[Unjudged]:
    """Read the sentences of a file of claims that no rule judges."""
    found = tables(file).get("unjudged", [])
    for each in found:
        given = {key: value for key, value in each.items() if value}
        _check(f"{file.name}, unjudged {each.get('text', '?')!r}", given, Unjudged._fields, {})
    return [records.made(Unjudged, each) for each in found]


_ROW = {each.name for each in fields(Row)} - {"parts"}
_PART = {each.name for each in fields(Part)} - {"compare", "given"} | {"is"}
_NUMBERS = {"size", "band", "none", "number"}


def _row(file: str, said: Json, measures: Collection[str] | None) -> Row:
    name = f"{file}, claim {said.get('id', '?')!r}"
    own = {key: value for key, value in said.items() if key not in _ROW}
    parts = own.pop("part", None)
    if parts and own:
        raise UserError(f"{name}: {', '.join(sorted(own))} belongs to a part")
    plain = said | {"quantifier": str(said.get("quantifier", "all")).partition(AT_SOME)[0]}
    _check(name, plain, ("id", "where", "text"), {"quantifier": QUANTIFIERS, "by": BY})
    return records.made(Row, said | {"parts": [_part(name, each, measures) for each in parts or [own]]})


def _part(name: str, said: Json, measures: Collection[str] | None) -> Json:
    """What a part says, by the fields of ``Part``."""
    _check(name, said, ("measure", "says"), {"is": COMPARISONS, "adverb": (*ADVERBS, "around")})
    if measures is not None:
        check_name(name, "measure", said["measure"], measures)
    for key in _NUMBERS & said.keys():
        if isinstance(said[key], bool) or not isinstance(said[key], int | float):
            raise UserError(f"{name}: {key} is {said[key]!r}, expected a number")
    given = {key: value for key, value in said.items() if key not in _PART}
    return said | {"compare": said.get("is", ABOVE), "given": given}


def _check(name: str, said: Json, needed: Sequence[str], choices: dict[str, Sequence[str]]) -> None:
    """Refuse a row or a part without what it needs, or with a word that is none of its choices."""
    if lacking := {*needed} - said.keys():
        raise UserError(f"{name}: no {', '.join(sorted(lacking))}")
    for key, known in choices.items():
        if said.get(key, known[0]) not in known:
            raise UserError(f"{name}: {key} {said[key]!r}, expected one of {', '.join(known)}")


Function = TypeVar("Function", bound=Callable[..., Any])
WITHIN: dict[str, tuple[float, float]] = {}  # measure -> least and greatest number, if its kind has others


class Registry(dict[str, Callable]):
    """Name -> function. ``@measure("name")`` registers one, if ``measure`` is a registry."""

    def __call__(self, name: str, within: tuple[float, float] | None = None) -> Callable[[Function], Function]:
        """Register the decorated function under a name; ``within``: where the numbers that it measures lie."""

        def add(function: Function) -> Function:
            if name in self:
                raise ValueError(f"{name} is registered twice")
            self[name] = function
            if within:
                WITHIN[name] = within
            return function

        return add


def check_name(place: str, what: str, name: str, known: Collection[str]) -> None:
    """Refuse a name that nothing is registered under; ``place``: the file and the row that has it."""
    if name not in known:
        raise UserError(
            f"{place}: unknown {what} {name!r}: {meant(name, known)}there are {', '.join(sorted(known))}"
        )
