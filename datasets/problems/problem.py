"""A problem: a data set as arrays for one structure."""

from typing import Any, NamedTuple

from algorithms.runtime.arrays import Labels


class Brackets(NamedTuple):
    """Where decisions are spans of sentences: which of them count as the same in bracket scores.

    train, test: int32 (decisions,), the number, within the sentence, of what is left of the span without
    punctuation; -1 if nothing is. test is None where there is no test split.
    """

    train: Labels
    test: Labels


class Problem(NamedTuple):
    """A training split, a split on which errors are reported (or None), and the names of the labels.

    ``bio``: the labels are B-, I- and O tags, so that chunk F1 is reported too. ``tags``: where an output is a
    part of speech and a label, its code being tag * len(labels) + label: the names of the former. ``brackets``:
    of parse trees, so that bracket scores are reported too; a label is then a chain of constituents, their names
    joined by +, and the first is none.
    """

    train: Any
    test: Any
    labels: tuple[str, ...]
    bio: bool = False
    tags: tuple[str, ...] = ()
    brackets: Brackets | None = None


def is_bio(labels: list[str] | tuple[str, ...]) -> bool:
    """Whether all labels are O, B-something or I-something, with at least one B-."""
    tags = all(label == "O" or label[:2] in ("B-", "I-") for label in labels)
    return tags and any(label.startswith("B-") for label in labels)
