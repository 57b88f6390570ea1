"""The validation split of a problem: a file of the user's, or a share or fold of the training examples, held out.

Settings such as C are chosen by the error on it, so that the test split is looked at only once.
"""

import re
from collections.abc import Callable, Sequence
from itertools import compress
from typing import TypeVar

import numpy as np

from structbench.algorithms.runtime.arrays import ranges
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import prediction
from structbench.datasets.problems.problem import Problem
from structbench.datasets.references.data_ref import FOLD

Example = TypeVar("Example")
Loaded = TypeVar("Loaded")
OF_DECISIONS = ("punctuation", "brackets")  # arrays of all decisions, split after split


def with_validation(problem: Problem, given: str, load: Callable[[str], Problem] | None) -> Problem:
    """The problem with a validation split, made of its training split or loaded.

    Args:
        given: A share of the training examples, a fold such as 1of5 (``references.data_ref.FOLD``), or a file.
        load: Loads the problem with a file as its test file; None if the data set takes no files.

    Raises:
        UserError: As ``held_out``, ``fold`` and ``from_file``; or the data set takes no files.
    """
    out = _out(given, parts.num_examples(parts.unwrap(problem.train)), problem.documents)
    return from_file(problem, _of_file(given, load), given) if out is None else _without(problem, out)


def parted(
    examples: Sequence[Example], given: str | None, read: Callable[[str], Sequence[Example]] | None = None
) -> tuple[Sequence[Example], Sequence[Example] | None]:
    """The examples to train on and those of the validation split, which is None if nothing is given.

    For a ``load`` that counts something in the training examples, such as the rules of a grammar: what it counted
    in the held-out ones, too, would make their error far too good. Such a load has the option ``validation``.

    Args:
        given: As of ``with_validation``.
        read: Reads the examples of a file; None if the data set takes no files.

    Raises:
        UserError: As ``held_out``, ``fold`` and ``read``; or the data set takes no files.
    """
    if given is None:
        return examples, None
    out = _out(given, len(examples))
    if out is None:
        return examples, _of_file(given, read)
    return [*compress(examples, ~out)], [*compress(examples, out)]


def _out(given: str, n: int, documents: np.ndarray | None = None) -> np.ndarray | None:
    """Which of n training examples are held out, bool (n,); None if a file is given."""
    if found := re.fullmatch(FOLD, given):
        return fold(n, *(int(each or 0) for each in found.groups()), documents=documents)
    try:
        share = float(given)
    except ValueError:
        return None
    return held_out(n, share)


def _of_file(file: str, load: Callable[[str], Loaded] | None) -> Loaded:
    if load is None:
        raise UserError(
            f"validation={file}: this data set takes no files: hold out a share of its training examples, "
            "such as validation=0.1"
        )
    return load(file)


def held_out(n: int, share: float) -> np.ndarray:
    """Which of n training examples are a share of them, bool (n,).

    They are spread evenly: of a tenth every tenth one. So an order by class does no harm.

    Raises:
        UserError: The share is no number between 0 and 1, or holds out none or all of the examples.
    """
    if not 0 < share < 1:
        raise UserError(f"validation must be a share between 0 and 1, or a file, not {share:g}")
    before = np.floor(np.arange(n + 1) * share + 1e-9)  # held out before each example
    out = np.diff(before) > 0
    if not out.any() or out.all():
        raise UserError(f"validation={share:g}: of {n:,} training examples that is {int(out.sum()):,}")
    return out


def fold(n: int, number: int, folds: int, seed: int, documents: np.ndarray | None) -> np.ndarray:
    """Which of n training examples are one of their folds, bool (n,).

    The seed shuffles the training examples, or the documents that they are of. Each in turn goes to the smallest
    fold.

    Raises:
        UserError: There is no such fold, or there are fewer examples or documents than folds.
    """
    what = "training examples" if documents is None else "documents"
    documents = np.arange(n) if documents is None else documents
    _, document, sizes = np.unique(documents, return_inverse=True, return_counts=True)
    if not 2 <= folds <= len(sizes):
        raise UserError(f"{folds} folds of {len(sizes):,} {what}: choose 2 to {len(sizes):,} folds")
    if not 1 <= number <= folds:
        raise UserError(f"there is no fold {number} of {folds}: choose 1 to {folds}")
    filled, place = np.zeros(folds, np.int64), np.empty(len(sizes), np.int64)
    for each in np.random.default_rng(seed).permutation(len(sizes)):
        place[each] = filled.argmin()
        filled[place[each]] += sizes[each]
    return place[document] == number - 1


def _without(problem: Problem, out: np.ndarray) -> Problem:
    """The problem whose validation split is these of its training examples; bool (examples,)."""
    train = parts.unwrap(problem.train)
    kept, held = np.flatnonzero(~out), np.flatnonzero(out)
    starts = prediction.label_room(parts.compiled(train))[2]
    order = np.concatenate([ranges(starts, kept), ranges(starts, held)])
    moved = {
        name: np.concatenate([both[order], both[len(order) :]])
        for name in OF_DECISIONS
        if (both := getattr(problem, name)) is not None
    }
    split = {"train": parts.take(train, kept), "validation": parts.take(train, held)}
    return problem._replace(**split, **moved, documents=None)


def from_file(problem: Problem, other: Problem, file: str) -> Problem:
    """The problem with the test split of another one as its validation split; the training splits are the same.

    Raises:
        UserError: The file has labels that training lacks, where they have numbers of their own.
    """
    if other.labels != problem.labels:
        unseen = sorted({*other.labels} ^ {*problem.labels})
        raise UserError(
            f"validation={file}: training lacks labels of the test or validation file, such as {unseen[0]!r}: "
            "hold out a share, such as validation=0.1"
        )
    size = len(prediction.label_room(parts.compiled(problem.train))[0])
    moved = {
        name: np.concatenate([other_both, both[size:]])
        for name in OF_DECISIONS
        if (both := getattr(problem, name)) is not None and (other_both := getattr(other, name)) is not None
    }
    return problem._replace(validation=other.test, unseen=(*other.unseen, *problem.unseen), **moved)
