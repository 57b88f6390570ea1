"""A problem: a data set as arrays for one structure."""

from typing import Any, NamedTuple


class Problem(NamedTuple):
    """A training split, a split on which errors are reported (or None), and the names of the labels.

    ``bio``: the labels are B-, I- and O tags, so that chunk F1 is reported too. ``tags``: where an output is a
    part of speech and a label, its code being tag * len(labels) + label, or in a field the two in turn: the names
    of the former.

    ``punctuation``: where outputs are dependency trees, so that attachment scores are reported too, whether each
    token is punctuation, bool, those of the training split first, then those of the other; else None.
    ``brackets``: where decisions are the constituents over each span of a sentence, their names joined by + (the
    label 0 is none), so that bracket scores are reported too: the number, within its sentence, of what is left of
    each span without punctuation, int32, -1 if nothing is, in the same order; else None. ``attributes``: the
    labels that are looked for among others, so that their mean F1 is reported too, and ``key_attributes`` those
    of which an example must have all right to count as a whole (l1m3n2009, section 5.4).
    """

    train: Any
    test: Any
    labels: tuple[str, ...]
    bio: bool = False
    tags: tuple[str, ...] = ()
    punctuation: Any = None
    brackets: Any = None
    attributes: tuple[int, ...] = ()
    key_attributes: tuple[int, ...] = ()


def is_bio(labels: list[str] | tuple[str, ...]) -> bool:
    """Whether all labels are O, B-something or I-something, with at least one B-."""
    tags = all(label == "O" or label[:2] in ("B-", "I-") for label in labels)
    return tags and any(label.startswith("B-") for label in labels)
