"""Examples for programs of others: rows of features, tokens, names of labels; and the labels that come back."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from structbench.algorithms.learning.objective import Model
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts

if TYPE_CHECKING:
    import scipy.sparse as sp

WORD = re.compile(r"[^ \t\r\n\0]+")  # what every program can read as a label


class Examples(NamedTuple):
    """Rows of features with a label each, -1 if unseen. Example i is the rows starts[i] .. starts[i + 1] - 1."""

    x: ft.Features
    y: np.ndarray
    starts: np.ndarray
    num_labels: int

    @property
    def absent(self) -> np.ndarray:
        """The labels that no row has. A program knows only those that it sees.

        So it also gets a row without features for each of them, whose loss is the same for all weights.
        """
        return np.setdiff1d(np.arange(self.num_labels), self.y)

    def tokens(self) -> Iterator[tuple[list[int], list[float]]]:
        """The attributes, from 1 on, and their values, of all rows."""
        import scipy.sparse as sp

        x = sp.csr_array(ft.as_matrix(self.x))
        x.sort_indices()
        for a, b in zip(x.indptr[:-1].tolist(), x.indptr[1:].tolist(), strict=True):
            yield (x.indices[a:b] + 1).tolist(), x.data[a:b].tolist()


def examples(split: Any) -> Examples:
    """The examples of a split of classes or sequences."""
    if parts.has(split, parts.decisions):
        x, y, num_labels = parts.classes(split)
        return Examples(x, y, np.arange(len(y) + 1), num_labels)
    x, y, starts, num_labels, _ = parts.label_sequences(split)
    return Examples(x, y, np.asarray(starts, np.int64), num_labels)


def label_names(problem: Any, split: Any) -> list[str]:
    """The names of the labels as programs have them: words. Others are numbers from 1 on."""
    count, names = examples(split).num_labels, problem.labels
    named = not parts.has(split, parts.decisions) and len(names) == count
    named = named and all(isinstance(name, str) and WORD.fullmatch(name) for name in names)
    return [*names] if named else [str(k + 1) for k in range(count)]


def rows_and_labels(name: str, split: Any) -> "tuple[np.ndarray | sp.csr_array, np.ndarray]":
    """The rows (n, columns) and labels (n,) of a multiclass split, in memory of its own; ``absent`` ones last.

    Raises:
        UserError: There are fewer than two classes.
    """
    import scipy.sparse as sp

    given = examples(split)
    if given.num_labels < 2:
        raise UserError(f"{name} needs at least 2 classes, but these data have {given.num_labels}")
    x, absent = ft.as_matrix(given.x), given.absent
    y = np.concatenate([given.y, absent])
    if isinstance(x, np.ndarray):
        return np.concatenate([x, np.zeros((len(absent), x.shape[1]))]), y
    ends = np.concatenate([x.indptr, np.full(len(absent), x.indptr[-1])])
    short = x.indices.astype(np.int32), ends.astype(np.int32)  # liblinear takes no longer ones
    return sp.csr_array((x.data.copy(), *short), shape=(len(y), ft.shape(given.x)[1])), y


def sequences(problem: Any, split: Any, learn: bool) -> tuple[list[Any], list[list[str]]]:
    """The tokens of each sequence, as dicts of attributes, and their labels; to ``learn``, ``absent`` too."""
    given, names = examples(split), label_names(problem, split)
    tokens = [{str(a): value for a, value in zip(*each, strict=True)} for each in given.tokens()]
    absent = given.absent if learn else []
    cut = [slice(a, b) for a, b in zip(given.starts[:-1].tolist(), given.starts[1:].tolist(), strict=True)]
    labels = [[names[k] for k in given.y[each].tolist()] for each in cut]
    return [tokens[each] for each in cut] + [[{}] for _ in absent], labels + [[names[k]] for k in absent]


class Labels(Model):
    """A model without weights, known by the labels that it gave to one split: int64 (decisions,).

    It has no objective. Of other splits, and before the program has run, it predicts nothing.
    """

    judged_in_training = False

    def __init__(self, split: Any, given: np.ndarray | None = None) -> None:
        """``split``: the one that was labelled, or None. ``given``: None before the program has run."""
        self.split, self.given = split, given

    def predictions(self, split: Any, vector: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        """The labels that it gave, the gold ones, and where each example begins."""
        if self.given is None or self.split is None or parts.unwrap(split) is not parts.unwrap(self.split):
            return None
        right = examples(split)
        return self.given.astype(right.y.dtype), right.y, right.starts
