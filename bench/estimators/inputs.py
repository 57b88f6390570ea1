"""What users pass as X, as rows of features: arrays, attributes of tokens, or words.

Sequences are lists of tokens, all of one kind:

- numbers: an array or a scipy sparse matrix (tokens, columns), or a list of rows of numbers;
- attributes: a dict of values by name, or a list of names, a token (``attributes``). A name that the training data
  lack is left out;
- words: a text a token, or a tuple of texts such as (word, part of speech). The templates of the format
  ``columns`` make their features: the words around, their looks, and pairs.

A sequence of attributes or words may also be an array, a Series or an iterator.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any, cast

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features
from structbench.bench.estimators.attributes import Attributes
from structbench.bench.runs.tables import refuse_table
from structbench.datasets import columns
from structbench.datasets.problems.labels import plain
from structbench.datasets.problems.problem import Names
from structbench.datasets.problems.rows import is_no_number, ragged, refuse_texts
from structbench.datasets.text import templates
from structbench.datasets.text.columns import Sentences

LABEL = "label"  # the last column of a format, which X lacks


class NoNumber(UserError, TypeError):
    """A value is neither a number nor a text; scikit-learn's checks expect a TypeError."""


class Numbers:
    """Rows of numbers as they are."""

    def __init__(self) -> None:
        self.width = 0
        self.given: list[str] | None = None

    @property
    def names(self) -> list[str]:
        """Of the columns: those of a DataFrame, or x0, x1 and so on."""
        return self.given or [f"x{k}" for k in range(self.width)]

    def fit(self, sequences: Sequence[Any]) -> features.Features:
        """Rows of the training data, one a token, which also fix the columns. Some sequence has tokens.

        Raises:
            UserError: A value is no finite number, or the shapes are wrong.
        """
        self.given = _column_names(next(filter(length, sequences)))
        self._check_names(sequences, "expected the columns of the first example: ")
        rows = self._all_checked(sequences)
        self.width = next(iter(rows.values())).shape[1]
        return self._stacked(rows)

    def encode(self, sequences: Sequence[Any]) -> features.Features:
        """Rows of other data, with the columns of the training data.

        Raises:
            UserError: As ``fit``; or there are more or fewer columns, or columns of other names.
        """
        self._check_names(sequences, "The feature names should match those that were passed during fit: expected ")
        return self._stacked(self._all_checked(sequences))

    def _check_names(self, sequences: Sequence[Any], wanted: str) -> None:
        for number, each in enumerate(sequences):
            named = _column_names(each) if length(each) else None
            if named and self.given and named != self.given:
                place = f" in example {number}" if len(sequences) > 1 else ""
                raise UserError(f"{wanted}{', '.join(self.given)}, found {', '.join(named)}{place}")

    def _all_checked(self, sequences: Sequence[Any]) -> dict[int, Any]:
        """The sequences that have tokens, by their numbers."""
        there = {number: each for number, each in enumerate(sequences) if length(each)}
        several = len(sequences) > 1
        return {k: self._checked(each, f"example {k}, " if several else "") for k, each in there.items()}

    def _checked(self, rows: Any, place: str) -> Any:
        """One array (tokens, columns), float64, dense or sparse; ``place``: of the rows, for messages."""
        import scipy.sparse as sp

        try:
            found = cast(Any, sp.csr_array(rows) if sp.issparse(rows) else np.asarray(rows))
        except ValueError:
            raise UserError(f"{place[:-2]}{': ' if place else ''}{ragged(rows)}") from None
        values = found.data if sp.issparse(rows) else found
        if np.iscomplexobj(values):
            raise UserError("Complex data not supported: expected real numbers")
        if values.dtype.kind in "mM":
            raise UserError(f"expected numbers, found {'times' if values.dtype.kind == 'M' else 'durations'}")
        if np.ma.is_masked(rows):
            raise UserError(
                "expected numbers, found an array with masked values: fill them, or leave these rows out"
            )
        try:
            values = values.astype(np.float64)
        except TypeError as error:
            wrong = self._first(found, place, is_no_number)
            raise NoNumber(f"expected numbers, found {wrong} ({error})") from None
        except ValueError:
            wrong = self._first(found, place, is_no_number)
            raise UserError(f"expected numbers, found {wrong}") from None
        if sp.issparse(rows):
            found.data = values
        else:
            found = values
        if found.ndim != 2:
            shape = f"(rows, columns), found the shape {found.shape}"
            raise UserError(f"expected numbers of shape {shape}. Reshape your data")
        if not np.isfinite(values).all():
            wrong = self._first(found, place, lambda value: not np.isfinite(value))
            raise UserError(f"expected finite numbers, found {wrong}")
        if not found.shape[1]:
            raise UserError(
                f"Found array with 0 feature(s) (shape={found.shape}) while a minimum of 1 is required."
            )
        return found

    def _first(self, found: Any, place: str, is_wrong: Callable[[Any], bool]) -> str:
        """The first wrong value, and where it is."""
        entries = np.ndenumerate(found) if isinstance(found, np.ndarray) else found.todok().items()
        (row, *column), value = next((index, value) for index, value in entries if is_wrong(value))
        shown = {"nan": "NaN", "inf": "infinity", "-inf": "-infinity"}.get(str(value), repr(plain(value)))
        if len(column) != 1:  # no table, whose shape is looked at later
            return f"{shown:.60} in {place}row {row}: all must be of the kind of the first"
        return f"{shown:.60} in {place}row {row}, column {self.given[column[0]] if self.given else column[0]}"

    def _stacked(self, rows: dict[int, Any]) -> features.Features:
        import scipy.sparse as sp

        for number, each in rows.items():
            if each.shape[1] != self.width:
                raise UserError(
                    f"X has {each.shape[1]} features, but the model is expecting {self.width} features as input "
                    f"(example {number})"
                )
        if any(map(sp.issparse, rows.values())):
            return features.sparse(sp.csr_array(sp.vstack([sp.csr_array(each) for each in rows.values()])))
        return features.dense(np.concatenate([*rows.values()]))


class Words:
    """Tokens that are words, or tuples of a word and other texts about it."""

    def __init__(self) -> None:
        self.names = Names()
        self.called: tuple[str, ...] = ()

    def fit(self, sequences: Sequence[Any]) -> features.Features:
        """As ``Numbers.fit``.

        Raises:
            UserError: Tokens have different numbers of texts.
        """
        first = next(filter(length, sequences))[0]
        width = 1 if isinstance(first, str) else len(first)
        self.called = ("w", *(f"c{k}" for k in range(2, width + 1)), LABEL)
        given = self._described(sequences)
        found = templates.extract(given, given.part(slice(1)), columns.defaults(self.called[:-1]))
        self.names = found.names
        return found.train

    def encode(self, sequences: Sequence[Any]) -> features.Features:
        """As ``Numbers.encode``; raises as ``fit``."""
        return templates.rows_of(self._described(sequences), columns.defaults(self.called[:-1]), self.names)

    def _described(self, sequences: Sequence[Any]) -> Sentences:
        names = self.called[:-1]
        return columns.described(sentences(sequences, names), self.called, columns.defaults(names))


def sentences(sequences: Sequence[Any], names: Sequence[str]) -> Sentences:
    """Sequences of words, or of tuples of texts, as columns of these names; those without tokens are left out.

    Raises:
        UserError: A token has more or fewer texts.
    """
    cells: list[list[str]] = [[] for _ in names]
    for number, sequence in enumerate(sequences):
        refuse_table(sequence, f"example {number}", "give a list of its tokens")
        for place, token in enumerate(sequence):
            given = token if isinstance(token, tuple | list) else (token,)
            if len(given) != len(names) or not all(isinstance(each, str) for each in given):
                wanted = f"{len(names)} texts a token" if len(names) > 1 else "a text a token, as for the first"
                raise UserError(f"example {number}, token {place}: expected {wanted}, found {token!r:.60}")
            for column, cell in zip(cells, given, strict=True):
                column.append(cell)
    lengths = np.array([len(each) for each in sequences if len(each)])
    return Sentences(dict(zip(names, cells, strict=True)), lengths, [*range(len(cells[0]))], "X")


Encoder = Numbers | Words | Attributes  # makes rows of features of tokens, with the columns of the training data


def encoder(sequences: Sequence[Any]) -> Encoder:
    """One for the kind of these tokens, told by the first one.

    Raises:
        UserError: It is a list of numbers as texts, such as a row that ``csv`` read: hardly names.
    """
    first = next(filter(length, sequences))
    if hasattr(first, "shape"):
        return Numbers()
    token = next(iter(first))
    refuse_texts(token)
    is_named = isinstance(token, list) and all(isinstance(each, str | bytes) for each in token)
    if is_named or isinstance(token, Mapping | Set):
        return Attributes()
    if isinstance(token, str) or (isinstance(token, tuple) and all(isinstance(each, str) for each in token)):
        return Words()
    return Numbers()


def sequences_of(X: Any) -> tuple[list[Any], np.ndarray]:
    """X as a list of sequences, and their lengths (n,).

    Raises:
        UserError: X is no list, or an example is no sequence.
    """
    refuse_table(X, "X", "group it by sentence into lists, or use structbench.run(data=...)")
    if isinstance(X, str | Mapping) or not isinstance(X, Iterable):
        raise UserError(f"expected a list of sequences, found {type(X).__name__}")
    found = [each if _has_numbers(each) else _listed(each, number) for number, each in enumerate(X)]
    return found, np.array([*map(length, found)], np.int64)


def length(sequence: Any) -> int:
    """The number of tokens."""
    return sequence.shape[0] if hasattr(sequence, "shape") else len(sequence)


def check_tokens(lengths: np.ndarray) -> None:
    """See that there is a token; raises a UserError."""
    if not lengths.any():
        raise UserError("expected sequences of tokens in X, found no token")


def _has_numbers(sequence: Any) -> bool:
    """Whether it is an array or a sparse matrix, but not a row of words or dicts."""
    if getattr(sequence, "ndim", 0) != 1:
        return hasattr(sequence, "shape")
    return getattr(sequence.dtype, "kind", "O") not in "OUT"


def _listed(sequence: Any, number: int) -> list[Any]:
    if isinstance(sequence, str | Mapping) or not isinstance(sequence, Iterable):
        raise UserError(f"example {number} is no sequence of tokens, it is {sequence!r:.60}")
    return list(sequence)


def _column_names(rows: Any) -> list[str] | None:
    """Those of a DataFrame whose columns are texts."""
    names = [*getattr(rows, "columns", ())]
    return names if names and all(isinstance(each, str) for each in names) else None
