"""Turn tokens into rows of features: each token is a list of names, or a dict of values by name.

A token is a collection of names, such as a list: a column is how often its name is there. Or it is a dict. There a
name has

- a number or a truth, which is the value of its column;
- a text, or a list, a tuple or a set of texts: the column of each ``name=text`` is 1;
- a dict, before whose names ``name=`` is put.

Bytes are text in UTF-8.
"""

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features
from structbench.datasets.problems.labels import place_in
from structbench.datasets.problems.problem import Names
from structbench.datasets.problems.rows import refuse_texts

NUMBERS = {bool, int, float}
GROUPS = list | tuple | set | frozenset


class Attributes:
    """Columns in the order in which names first appear; ``join`` stands between a name and its text.

    ``are_examples``: what it takes as tokens of a sequence are the examples of a user, and are called so.
    """

    are_examples = False

    def __init__(self, join: str = "=") -> None:
        self.join = join
        self._column = _Columns()

    @property
    def names(self) -> Names:
        """Of the columns."""
        return Names(self._column)

    def fit(self, sequences: Sequence[Any]) -> features.Features:
        """As ``Numbers.fit``.

        Raises:
            UserError: A token does not describe attributes, a value is no finite number, or all names are numbers.
        """
        self._column = _Columns()
        found = self.encode(sequences)
        if not self._column:
            raise UserError("expected attributes of tokens, found none in all of X")
        if isinstance(next(chain.from_iterable(sequences)), list):
            refuse_texts([*self._column])
        self._column.closed = True
        return found

    def encode(self, sequences: Sequence[Any]) -> features.Features:
        """As ``Numbers.encode``. A name that the training data lack is left out; raises as ``fit``."""
        import scipy.sparse as sp

        names: list[Any] = []
        values: list[float] = []
        starts = [0]
        try:
            for token in chain.from_iterable(sequences):
                if isinstance(token, list):
                    names += token
                elif isinstance(token, Mapping):
                    values += [1.0] * (len(names) - len(values))
                    self._describe(token, names, values)
                else:
                    names += _texts(token)
                starts.append(len(names))
        except UserError as error:
            raise UserError(f"{self._place(sequences, len(starts) - 1)}: {error}") from None
        try:
            columns = np.fromiter(map(self._column.__getitem__, names), np.int64, len(names))
        except (TypeError, UserError):  # it cannot be a key, or is no text
            odd = next(k for k, name in enumerate(names) if not isinstance(name, str | bytes))
            token = int(np.searchsorted(starts, odd, "right")) - 1
            said = f"expected a text as the name of an attribute, found {names[odd]!r:.60}"
            raise UserError(f"{self._place(sequences, token)}: {said}") from None
        found = np.ones(len(names))
        try:
            found[: len(values)] = values
        except OverflowError:  # a whole number
            found[: len(values)] = [value if abs(value) <= sys.float_info.max else math.inf for value in values]
        if not np.isfinite(found).all():
            first = int(np.argmin(np.isfinite(found)))
            token = int(np.searchsorted(starts, first, "right")) - 1
            said = f"the attribute {_text(names[first])!r} must be finite, found {found[first]}"
            raise UserError(f"{self._place(sequences, token)}: {said}")
        known = columns >= 0
        rows = np.append(0, np.cumsum(known))[starts]
        shape = len(starts) - 1, len(self._column)
        matrix = sp.csr_array((found[known], columns[known], rows), shape=shape)
        return features.sparse(matrix, counted=not self._column.closed)

    def _place(self, sequences: Sequence[Any], token: int) -> str:
        """Where the token of this number is, in words."""
        return f"example {token}" if self.are_examples else place_in(np.array([*map(len, sequences)]))(token)

    def _describe(self, token: Mapping[Any, Any], names: list[Any], values: list[float]) -> None:
        """Add the names and values of a dict."""
        for name, value in token.items():
            kind = type(value)
            if kind is str and type(name) is str:
                names.append(name + self.join + value)
                values.append(1.0)
            elif kind in NUMBERS:
                names.append(name)
                values.append(value)
            else:
                self._describe_other(_text(name), value, names, values)

    def _describe_other(self, name: str, value: Any, names: list[Any], values: list[float]) -> None:
        """Add what a name with a value of a rarer kind stands for."""
        if isinstance(value, Mapping):
            inner = {f"{name}{self.join}{_text(key)}": each for key, each in value.items()}
            self._describe(inner, names, values)
            return
        texts = [value] if isinstance(value, str | bytes) else value
        if isinstance(texts, GROUPS) and all(isinstance(each, str | bytes) for each in texts):
            names += [f"{name}{self.join}{text}" for text in _texts(texts)]
            values += [1.0] * len(texts)
            return
        try:
            values.append(float(value))
        except (TypeError, ValueError):
            raise UserError(f"expected a number or text for {name!r}, or several, found {value!r:.60}") from None
        names.append(name)


class _Columns(dict[str, int]):
    """Name -> its column. A new name gets the next one; once it is ``closed``, -1."""

    closed = False

    def __missing__(self, name: Any) -> int:
        if type(name) is not str:
            return self[_text(name)]
        return -1 if self.closed else self.setdefault(name, len(self))


def _texts(token: Any) -> list[str]:
    """The names of a token, those of a set in their order.

    Raises:
        UserError: They are no collection of texts.
    """
    if isinstance(token, str | bytes) or not isinstance(token, Iterable):
        raise UserError(f"expected a dict of values or a list of names for each token, found {token!r:.60}")
    names = [_text(name) for name in token]
    return sorted(names) if isinstance(token, set | frozenset) else names


def _text(name: Any) -> str:
    if isinstance(name, bytes):
        return name.decode(errors="replace")
    if not isinstance(name, str):
        raise UserError(f"expected a text as the name of an attribute, found {name!r:.60}")
    return str(name)
