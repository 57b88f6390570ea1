"""Schemes of tags that stand for chunks: which labels are tags, and which chunks a sequence of them has.

IOB is read as conlleval reads it: whatever the tags, each token in a type is in a chunk. This holds for IOB1, IOB2
and IOE. BIOES, BMES and BILOU are read as seqeval reads them in its strict mode: a chunk without its end is none.
"""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

OUTSIDE = "O"
PLACES = {"IOB": "BI", "IOE": "IE", "BIOES": "BIES", "BILOU": "BILU", "BMES": "BMES"}  # of a token in its chunk
STRICT = ("BIOES", "BILOU", "BMES")
FORMS = (("-", False), ("_", False), ("-", True), ("_", True), ("", False))
READ = "OBIES"  # the numbers of places
WRITTEN = {"BILOU": "OBILU", "BMES": "OBMES"}  # other letters for them
UNKNOWN = 4  # a tag that nobody knows is a chunk of its own


class Scheme(NamedTuple):
    """A scheme of ``PLACES``, and how its tags are written.

    mark: What is between the place and the type, such as - in B-NP; empty if tags are places alone.
    suffix: Whether the place comes last, as in NP-B.
    """

    name: str
    mark: str
    suffix: bool

    def parsed(self, label: str) -> tuple[str, str]:
        """Place and type of a tag. What is no tag of this form is outside of chunks."""
        if not self.mark:
            return (label, "") if len(label) == 1 else (OUTSIDE, "")
        kind, mark, place = label.rpartition(self.mark) if self.suffix else label.partition(self.mark)[::-1]
        return (place, kind) if mark and len(place) == 1 else (OUTSIDE, "")


class Chunks(NamedTuple):
    """Chunks of a split in their order: int (chunks,) first tokens, last tokens, and types as in ``types``."""

    first: np.ndarray
    last: np.ndarray
    kind: np.ndarray
    types: list[str]


def scheme_of(labels: Collection[Any]) -> Scheme | None:
    """The scheme of which all these labels are tags; None if there is none."""
    tags = {*labels} - {OUTSIDE}
    for mark, suffix in FORMS if labels and all(isinstance(tag, str) for tag in tags) else ():
        found = [Scheme(name, mark, suffix) for name in PLACES]
        for scheme in found:
            places = {scheme.parsed(tag)[0] for tag in tags}
            if places <= {*PLACES[scheme.name]} and (mark or places & {*"BI"}):
                return scheme
    return None


def why_none(labels: Sequence[str]) -> str:
    """What to say of labels that are of no scheme."""
    known = "".join(PLACES.values())
    schemes = "the schemes are IOB, BIOES, BMES and BILOU"
    tags = [label for label in labels if label != OUTSIDE]
    odd = [[tag for tag in tags if Scheme("", *form).parsed(tag)[0] not in known] for form in FORMS]
    if fewest := min(odd, key=len):  # of the form that most have
        return f"no F1 of chunks: {fewest[0]!r} is no tag such as B-X: {schemes}"
    return f"no F1 of chunks: no scheme has all of {', '.join(tags)[:60]}: {schemes}"


def chunks_of(scheme: Scheme, names: Sequence[str], tags: np.ndarray, starts: np.ndarray) -> Chunks:
    """The chunks that tags stand for.

    Args:
        names: Of the tags; an empty one is of a tag that nobody knows, a chunk that no other is equal to.
        tags: int (tokens,), one sequence after another.
        starts: Where each sequence begins, and the number of tokens.
    """
    types, place, kind, begins, ends = _read(scheme, names, tags, starts)
    first = np.flatnonzero(begins)
    ends = np.append(np.flatnonzero(ends | begins), len(tags))
    last = ends[np.searchsorted(ends, first, side="right")] - 1
    if scheme.name in STRICT:
        whole = _among(place[last], "ES")
        first, last = first[whole], last[whole]
    return Chunks(first, last, kind[first], types)


def variant(scheme: Scheme, names: Sequence[str], tags: np.ndarray, starts: np.ndarray) -> str:
    """The name of the scheme; IOB1 or IOB2 if the tags are all of one of these.

    In IOB2 all chunks begin with B, in IOB1 only those right after a chunk of their type.
    """
    if scheme.name != "IOB":
        return scheme.name
    _, place, kind, begins, _ = _read(scheme, names, tags, starts)
    if not (begins & _among(place, "I")).any():
        return "IOB2"
    follows = np.append(False, _among(place[:-1], "BI") & (kind[1:] == kind[:-1]))
    follows[starts[:-1]] = False
    return "IOB" if (_among(place, "B") & ~follows).any() else "IOB1"


def _read(
    scheme: Scheme, names: Sequence[str], tags: np.ndarray, starts: np.ndarray
) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The types; then of each token its place, its type, whether it begins a chunk, whether one ends before it.

    Places are numbered as in ``READ``, -1 for others. The type of what is outside is 0.
    """
    parsed = [scheme.parsed(name) if name else ("", "?") for name in names]
    types = sorted({"", *(kind for _, kind in parsed)})
    number = {letter: k for k, letter in enumerate(WRITTEN.get(scheme.name, READ))} | {"": UNKNOWN}
    place = np.array([number.get(place, -1) for place, _ in parsed])[tags]
    kind = np.array([types.index(kind) for _, kind in parsed])[tags]
    first = np.zeros(len(tags), bool)
    first[starts[:-1]] = True
    before, kind_before = (np.where(first, 0, np.append(0, each[:-1])) for each in (place, kind))
    changes = kind != kind_before
    if scheme.name in STRICT:
        inside = _among(place, "IE") & _among(before, "BI") & ~changes
        return types, place, kind, _among(place, "BS"), ~inside
    begins = _among(place, "BS") | (_among(before, "OES") & _among(place, "IE")) | ((place != 0) & changes)
    ends = first | _among(before, "ES") | (_among(before, "BI") & _among(place, "BSO")) | ((before != 0) & changes)
    return types, place, kind, begins, ends


def _among(place: np.ndarray, letters: str) -> np.ndarray:
    return np.isin(place, [READ.index(letter) for letter in letters])
