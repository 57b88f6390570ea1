"""A problem: a data set as arrays for one structure; and predictions for one of its splits."""

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import prediction

# Kind of features -> the name of each column, or keys as numbers, or what JSON has of what training saw
Vocabulary = dict[str, Any]


class Names(list[str]):
    """The names of columns of features."""

    @cached_property
    def table(self) -> dict[str, int]:
        """Name -> its column."""
        return {name: column for column, name in enumerate(self)}

    @cached_property
    def of_templates(self) -> dict[str, dict[str, int]]:
        """What stands before ``=`` in a name -> what stands behind -> its column."""
        found: dict[str, dict[str, int]] = {}
        for column, name in enumerate(self):
            template, _, cells = name.partition("=")
            found.setdefault(template, {})[cells] = column
        return found

    def __reduce__(self) -> tuple[type["Names"], tuple[list[str]]]:
        return Names, ([*self],)  # without the tables

    @cached_property
    def numbers(self) -> np.ndarray:
        """The names as numbers, where they are such."""
        return np.array([*map(int, self)])


class Problem(NamedTuple):
    """A training split, a split on which errors are reported (or None), and the names of the labels.

    ``scores``: the files of ``datasets/scores`` that judge predictions; the data set's module names them
    (``DataRef.scores``). Fields of some problems alone:

    ``tags``: where an output is a part of speech and a label, its code being tag * len(labels) + label, or the two
    in turn: the names of the former. ``punctuation``: whether each token is punctuation, bool, those of the
    training split first, then those of the other. ``brackets``: where decisions are the constituents over each
    span of a sentence, their names joined by + (the label 0 is none): the number, within its sentence, of what is
    left of each span without punctuation, int32, -1 if nothing is, in the same order. ``attributes``: the labels
    that are looked for among others. ``key_attributes``: those of which an example must have all right to count as
    a whole (l1m3n2009, section 5.4). ``vocabulary``: by which the data set's module encodes new examples.
    ``validation``: a split by whose error settings are chosen; in the arrays above it stands between the training
    split and the test split. ``unseen``: labels that training never saw, as they are written: of each decision of
    the validation split, then of the test split, whose gold label is -1. If a decision is two labels in one, a
    blank is between them. It may be missing: then a score takes each for a label that no prediction has.
    ``documents``: the document of each training example, int, for folds; it is not stored.
    """

    train: Any
    test: Any
    labels: tuple[str, ...]
    tags: tuple[str, ...] = ()
    punctuation: Any = None
    brackets: Any = None
    attributes: tuple[int, ...] = ()
    key_attributes: tuple[int, ...] = ()
    scores: tuple[str, ...] = ()
    vocabulary: Vocabulary | None = None
    validation: Any = None
    unseen: tuple[str, ...] = ()
    documents: Any = None


class Unlabelled(NamedTuple):
    """New examples whose outputs are not known, as a split, and the text around each label.

    ``before`` and ``after``: what its line has beside the label, one text a label. ``written``: a label as the
    format writes it. ``labelled``: the labels of an example, from its number and its decisions (decisions,); if
    None, each decision is a label of the problem's. ``single``: each example is one line with one label.
    """

    split: Any
    before: list[str]
    after: list[str]
    written: Callable[[str], str] = str
    labelled: Callable[[int, np.ndarray], list[str]] | None = None
    single: bool = False


class Judged(NamedTuple):
    """The predictions for a split of a problem: what a score is of.

    Args:
        which: the split, train, validation or test.
        predicted, right: labels of all decisions, example after example, int (decisions,); -1 stands for a label
            that training never saw.
        starts: where each example begins, and the number of decisions; int (examples + 1,).
        counts: if it is a list, a score may add what it counts in each example, a row each, to be resampled.
    """

    problem: Problem
    which: str
    predicted: np.ndarray
    right: np.ndarray
    starts: np.ndarray
    counts: list[np.ndarray] | None = None

    @property
    def split(self) -> Any:
        """The split itself."""
        return getattr(self.problem, self.which)

    def of_split(self, both: np.ndarray) -> np.ndarray:
        """Of an array of all splits' decisions, in the order train, validation, test, the part of this split."""
        size, begin = len(self.right), 0
        if self.which == "test":
            begin = len(both) - size
        elif self.which == "validation":
            begin = len(prediction.label_room(parts.compiled(self.problem.train))[0])
        return both[begin : begin + size]

    def unseen(self) -> list[str]:
        """Of each decision whose gold label is -1 the label as it is written, or an empty text."""
        count, known = np.count_nonzero(self.right < 0), list(self.problem.unseen)
        found = known[-count:] if self.which == "test" else known[:count]
        return found if len(found) == count else [""] * count

    def as_written(self) -> tuple[list[str], np.ndarray]:
        """The names of labels, those that training never saw last, and the gold labels as numbers among them."""
        names, unseen, gold = list(self.problem.labels), self.unseen(), self.right.astype(np.int64)
        more = {label: len(names) + k for k, label in enumerate(dict.fromkeys(unseen))}
        gold[gold < 0] = [more[label] for label in unseen]
        return [*names, *more], gold
