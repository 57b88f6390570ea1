"""What users pass as X, as rows of features: arrays, attributes of tokens, or words.

Sequences are lists of tokens, all of one kind:

- numbers: an array or a scipy sparse matrix (tokens, columns), or a list of rows of numbers;
- attributes: a dict of values by name, or a list of names, a token (``attributes``). A name that the training data
  lack is left out;
- words: a text a token, or a tuple of texts such as (word, part of speech). The templates of the format
  ``columns`` make their features: the words around, their looks, and pairs.

A sequence of attributes or words may also be an array, a Series or an iterator.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, Protocol, cast

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features
from structbench.bench.estimators.attributes import Attributes
from structbench.datasets import columns
from structbench.datasets.problems.problem import Names
from structbench.datasets.text import templates
from structbench.datasets.text.columns import Sentences

LABEL = "label"  # the last column of a format, which X lacks


class Encoder(Protocol):
    """How tokens of one kind become rows of features, with the columns of the training data."""

    @property
    def names(self) -> list[str]:
        """Of the columns."""
        ...

    def fit(self, sequences: Sequence[Any]) -> features.Features:
        """Rows of the training data, one a token, which also fix the columns."""
        ...

    def encode(self, sequences: Sequence[Any]) -> features.Features:
        """Rows of other data, with the columns of the training data."""
        ...


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
        """As ``Encoder.fit``.

        Raises:
            UserError: A value is no finite number, or the shapes are wrong.
            TypeError: A value is neither a number nor a text.
        """
        self.given = _column_names(sequences[0])
        rows = [self._checked(each) for each in sequences]
        self.width = rows[0].shape[1]
        return self._stacked(rows)

    def encode(self, sequences: Sequence[Any]) -> features.Features:
        """As ``Encoder.encode``.

        Raises:
            UserError: As ``fit``; or there are more or fewer columns, or columns of other names.
        """
        named = _column_names(sequences[0])
        if named and self.given and named != self.given:
            raise UserError(
                "The feature names should match those that were passed during fit: "
                f"expected {', '.join(self.given)}, found {', '.join(named)}"
            )
        return self._stacked([self._checked(each) for each in sequences])

    def _checked(self, rows: Any) -> Any:
        """One array (tokens, columns), float64, dense or sparse."""
        import scipy.sparse as sp

        found = cast(Any, sp.csr_array(rows) if sp.issparse(rows) else np.asarray(rows))
        values = found.data if sp.issparse(rows) else found
        if np.iscomplexobj(values):
            raise UserError("Complex data not supported: expected real numbers")
        try:
            values = values.astype(np.float64)
        except TypeError as error:
            raise TypeError(f"expected numbers: {error}") from None
        except ValueError as error:
            raise UserError(f"expected numbers: {error}") from None
        if sp.issparse(rows):
            found.data = values
        else:
            found = values
        if found.ndim != 2:
            raise UserError(
                f"expected numbers of shape (rows, columns), found the shape {found.shape}. Reshape your data"
            )
        if not np.isfinite(values).all():
            wrong = "infinity" if np.isinf(values).any() else "NaN"
            raise UserError(f"expected finite numbers, found {wrong} (NaN or infinity)")
        if not found.shape[1]:
            raise UserError(
                f"Found array with 0 feature(s) (shape={found.shape}) while a minimum of 1 is required."
            )
        return found

    def _stacked(self, rows: list[Any]) -> features.Features:
        import scipy.sparse as sp

        for number, each in enumerate(rows):
            wanted = self.width or rows[0].shape[1]
            if each.shape[1] != wanted:
                raise UserError(
                    f"X has {each.shape[1]} features, but the model is expecting {wanted} features as input "
                    f"(example {number})"
                )
        if any(sp.issparse(each) for each in rows):
            return features.sparse(sp.csr_array(sp.vstack([sp.csr_array(each) for each in rows])))
        return features.dense(np.concatenate(rows))


class Words:
    """Tokens that are words, or tuples of a word and other texts about it."""

    def __init__(self) -> None:
        self.names = Names()
        self.called: tuple[str, ...] = ()

    def fit(self, sequences: Sequence[Any]) -> features.Features:
        """As ``Encoder.fit``.

        Raises:
            UserError: Tokens have different numbers of texts.
        """
        first = sequences[0][0]
        width = 1 if isinstance(first, str) else len(first)
        self.called = ("w", *(f"c{k}" for k in range(2, width + 1)), LABEL)
        given = columns.described(sentences(sequences, self.called[:-1]), self.called)
        found = templates.extract(given, given.first(1), columns.defaults(self.called[:-1]))
        self.names = found.names
        return found.train

    def encode(self, sequences: Sequence[Any]) -> features.Features:
        """As ``Encoder.encode``.

        Raises:
            UserError: As ``fit``.
        """
        given = columns.described(sentences(sequences, self.called[:-1]), self.called)
        return templates.rows_of(given, columns.defaults(self.called[:-1]), self.names)


def sentences(sequences: Sequence[Any], names: Sequence[str]) -> Sentences:
    """Sequences of words, or of tuples of texts, as columns of these names.

    Raises:
        UserError: A token has more or fewer texts.
    """
    cells: list[list[str]] = [[] for _ in names]
    for number, sequence in enumerate(sequences):
        for token in sequence:
            given = token if isinstance(token, tuple | list) else (token,)
            if len(given) != len(names) or not all(isinstance(each, str) for each in given):
                raise UserError(f"expected {len(names)} texts a token, found {token!r} in example {number}")
            for column, cell in zip(cells, given, strict=True):
                column.append(cell)
    lengths = np.array([len(each) for each in sequences])
    return Sentences(dict(zip(names, cells, strict=True)), lengths, [*range(len(cells[0]))], "X")


def encoder(sequences: Sequence[Any]) -> Encoder:
    """One for the kind of these tokens, told by the first one."""
    first = sequences[0]
    if hasattr(first, "shape"):
        return Numbers()
    token = next(iter(first))
    if isinstance(token, Mapping | Set) or (
        isinstance(token, list) and all(isinstance(each, str | bytes) for each in token)
    ):
        return Attributes()
    if isinstance(token, str) or (isinstance(token, tuple) and all(isinstance(each, str) for each in token)):
        return Words()
    return Numbers()


def sequences_of(X: Any) -> tuple[list[Any], np.ndarray]:
    """X as a list of sequences, and their lengths (n,).

    Raises:
        UserError: X is no list, or an example is no sequence.
    """
    if isinstance(X, str | Mapping) or not isinstance(X, Iterable):
        raise UserError(f"expected a list of sequences, found {type(X).__name__}")
    found: list[Any] = [each if _has_numbers(each) else _listed(each, number) for number, each in enumerate(X)]
    return found, np.array([each.shape[0] if hasattr(each, "shape") else len(each) for each in found], np.int64)


def not_empty(sequences: list[Any], lengths: np.ndarray) -> list[Any]:
    """The sequences that are not empty.

    Raises:
        UserError: There is none.
    """
    if not lengths.any():
        raise UserError("expected sequences of tokens in X, found no token")
    return [each for each, length in zip(sequences, lengths.tolist(), strict=True) if length]


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
