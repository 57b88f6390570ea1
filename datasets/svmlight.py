"""Your own multiclass data in svmlight (libsvm) format: ``svmlight:PATH``.

A line is ``label index:value index:value ... # comment``. Labels are any words but ``nan``, and have no #: a blank
parts them from a comment. If all labels of the training file are numbers, they must be finite. They are sorted and
compared as numbers: +1 and 1.0 are 1. Indices are whole numbers from 0 or 1 on, in any order. The features are the
indices that occur in the training file, in increasing order. Others are dropped from the test file. No bias is
added: a feature that is always 1 is one.
"""

import math
import re
import sys
from array import array
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features, multiclass
from structbench.datasets.problems import rows
from structbench.datasets.problems.labels import coded, number_of
from structbench.datasets.problems.problem import Names, Problem, Unlabelled, Vocabulary
from structbench.datasets.text.columns import WORD
from structbench.datasets.text.lines import decode, opened

if TYPE_CHECKING:
    import scipy.sparse as sp

LICENCE = "your own data"
STRUCTURE = "multiclass"

INDEX = re.compile(r"\+?[0-9]+")


class _Rows(NamedTuple):
    """Rows as read; ``line``: the line number of each."""

    labels: list[str]
    indptr: np.ndarray
    indices: np.ndarray
    values: np.ndarray
    line: np.ndarray


def load(files: Any, *, path: str, test: str | None = None) -> Problem:
    """The problem of a training file and, maybe, a test file; ``files`` is not used.

    Raises:
        UserError: A file cannot be read, has no features, or fewer than two classes. A line is malformed (names
            file, line and what was expected).
    """
    train = _read(path)
    value = {word: number_of(word) for word in train.labels}
    numeric = None not in value.values()
    if numeric and (infinite := [k for k, word in enumerate(train.labels) if _is_infinite(value[word])]):
        where, found = train.line[infinite[0]], train.labels[infinite[0]]
        raise UserError(
            f"{path}, line {where}: {found[:60]!r} is no label: expected a finite number, as on other lines"
        )
    name = name_of if numeric else str
    labels = sorted({*map(name, value)}, key=lambda word: number_of(word) or 0 if numeric else word)
    if len(labels) < 2:
        raise UserError(f"{path}: expected at least two classes, found only {labels[0]!r}")
    columns = np.unique(train.indices)
    if not len(columns):
        raise UserError(f"{path}: expected features, index:value, found none on any line")

    def split(rows: _Rows) -> tuple[multiclass.Multiclass, tuple[str, ...]]:
        y, unseen = coded([name(label) for label in rows.labels], labels)
        return multiclass.build(features.sparse(_matrix(rows, columns)), y, len(labels)), unseen

    vocabulary = {"columns": Names(map(str, columns.tolist()))}
    evaluated, unseen = (None, ()) if test is None else split(_read(test))
    return Problem(split(train)[0], evaluated, tuple(labels), vocabulary=vocabulary, unseen=unseen)


def encode(content: bytes, source: str, labels: tuple[str, ...], vocabulary: Vocabulary) -> Unlabelled:
    """New examples for a model. The label that begins a line may be missing; it is not read.

    A line without a word is skipped, and said on stderr.

    Raises:
        UserError: A line is malformed.
    """
    lines = decode(content, source).removesuffix("\n").split("\n")
    words = [_words(line, source, number) for number, line in enumerate(lines, 1)]
    pairs = ["".join(f" {word}" for word in each[":" not in each[0] :]) if each else None for each in words]
    rows = _parsed("\n".join("" if each is None else f"0{each}" for each in pairs), source)
    if skipped := pairs.count(None):
        said = f"structbench: {source}: lines that are empty or only a comment are skipped ({skipped:,})"
        print(f"{said}: a row without features needs a label in front, any one", file=sys.stderr)
    x = features.sparse(_matrix(rows, vocabulary["columns"].numbers))
    split = multiclass.build(x, np.full(len(rows.labels), -1), len(labels))
    comments = (f" {''.join(line.partition('#')[1:])}".rstrip() for line in lines)
    after = [each + comment for each, comment in zip(pairs, comments, strict=True) if each is not None]
    return Unlabelled(split, [""] * len(after), after, single=True)


def example(vocabulary: Vocabulary, **_: Any) -> str:
    """A row in which the first features are 1."""
    return " ".join(f"{index}:1" for index in vocabulary["columns"][:3])


def written(X: Any) -> str:
    """Rows as text without labels: numbers, or dicts of values by index, from 1 on where rows were numbers.

    Raises:
        UserError: As ``problems.rows.by_index``.
    """
    found = rows.by_index(X)
    return "\n".join("0 " + " ".join(f"{index}:{float(value)!r}" for index, value in row.items()) for row in found)


def _words(line: str, path: str, number: int) -> list[str]:
    """The words of a line without its comment; no-break spaces do not part them.

    Raises:
        UserError: A comment begins within the label, of which a part would be left.
    """
    text, sign, _ = line.partition("#")
    words = text.split() if text.isascii() else WORD.findall(text)
    if sign and len(words) == 1 and text.endswith(words[0]) and ":" not in words[0]:
        raise UserError(
            f"{path}, line {number}: expected a label without #, which begins a comment, found "
            f"{line.split()[0][:60]!r}"
        )
    return words


def _is_infinite(number: int | float | None) -> bool:
    return isinstance(number, float) and math.isinf(number)  # a whole number may be too large for a float


def name_of(word: str) -> str:
    """One name for a number, however it is written: +1 and 1.0 are 1; other words stay."""
    number = number_of(word)
    if number is None or _is_infinite(number):
        return word
    return repr(number) if number % 1 else str(int(number))


def _matrix(rows: _Rows, columns: np.ndarray) -> "sp.csr_array":
    """The rows over these indices only, shape (rows, len(columns))."""
    import scipy.sparse as sp

    if columns[-1] < 4 * len(rows.indices):  # a table is faster than a search, where it is not too long
        table = np.full(columns[-1] + 2, -1)
        table[columns] = np.arange(len(columns))
        column = table[np.minimum(rows.indices, columns[-1] + 1)]
        known = column >= 0
    else:
        column = np.minimum(np.searchsorted(columns, rows.indices), len(columns) - 1)
        known = columns[column] == rows.indices
    indptr = np.concatenate([[0], np.cumsum(known)])[rows.indptr]
    shape = len(rows.labels), len(columns)
    return sp.csr_array((rows.values[known], column[known], indptr), shape=shape)


def _read(path: str) -> _Rows:
    with opened(path) as file:
        return _parsed(decode(file.read(), path), path)


def _parsed(text: str, path: str) -> _Rows:
    labels, indptr, indices, values, lines = [], array("q", [0]), array("q"), array("d"), array("q")
    for number, line in enumerate(text.split("\n"), 1):
        label, *pairs = _words(line, path, number) or [""]
        if not label:
            continue
        if label.lower().lstrip("+-") == "nan":
            raise UserError(f"{path}, line {number}: the label is missing ({label}): expected a number or a word")
        if ":" in label:
            raise UserError(f"{path}, line {number}: expected a label first, found {label[:60]!r}")
        try:
            for pair in pairs:
                index, value = pair.split(":")
                if "_" in pair or not pair.isascii():  # Python's numbers may have these
                    raise ValueError
                indices.append(int(index))
                values.append(float(value))
        except (ValueError, OverflowError):
            raise UserError(f"{path}, line {number}: {_complaint(pair)}") from None
        labels.append(label)
        indptr.append(len(indices))
        lines.append(number)
    if not labels:
        raise UserError(f"{path} has no examples: expected lines such as '3 1:0.5 7:1'")
    rows = _Rows(labels, np.array(indptr), np.array(indices), np.array(values), np.array(lines))
    _check(rows, path)
    return rows


def _complaint(pair: str) -> str:
    index, colon, value = pair.partition(":")
    if index == "qid":
        return f"found {pair[:60]!r}, but queries belong to ranking: expected a class label and index:value pairs"
    if not colon or ":" in value:
        return f"expected index:value, found {pair[:60]!r}"
    if not INDEX.fullmatch(index) or len(index) > 18:
        return f"expected a whole number from 0 to 10^18 - 1 before the colon, found {pair[:60]!r}"
    return f"expected a finite number after the colon, found {pair[:60]!r}"


def _check(rows: _Rows, path: str) -> None:
    """Refuse negative and repeated indices and values that are not finite."""
    row = np.repeat(np.arange(len(rows.labels)), np.diff(rows.indptr))
    negative = np.flatnonzero(rows.indices < 0)
    if len(negative):
        where, found = rows.line[row[negative[0]]], rows.indices[negative[0]]
        raise UserError(f"{path}, line {where}: expected an index of 0 or more, found {found}")
    infinite = np.flatnonzero(~np.isfinite(rows.values))
    if len(infinite):
        where, found = rows.line[row[infinite[0]]], rows.values[infinite[0]]
        raise UserError(f"{path}, line {where}: expected a finite number, found {found}")
    rising = np.diff(rows.indices) > 0
    starts = rows.indptr[1:-1]
    rising[starts[(starts > 0) & (starts < len(row))] - 1] = True  # from row to row they may fall
    if rising.all():
        return
    order = np.lexsort((rows.indices, row))
    same = (np.diff(row[order]) == 0) & (np.diff(rows.indices[order]) == 0)
    if same.any():
        first = order[1:][same][0]
        where, found = rows.line[row[first]], rows.indices[first]
        raise UserError(f"{path}, line {where}: index {found} occurs twice, expected it once")
