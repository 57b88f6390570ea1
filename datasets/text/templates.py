"""Attribute templates: each token's attributes from the columns around it, as binary features.

A template such as ``pos[-1]|pos[0]`` gives the token the attribute "the tag before is DT and this one NN". A
template that reaches outside of the sentence, or to a cell that is None, gives nothing. The first token of a
sentence also has the attribute ``__BOS__``, the last ``__EOS__``. In padded sentences, as in CRF++, each place
outside has a cell of its own instead (``_B-1``, ``_B+2``), and no such marks.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.runtime.arrays import starts_of, zeros
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features
from structbench.datasets.problems.problem import Names
from structbench.datasets.text.columns import Sentences, numbered_cells

FACTOR = re.compile(r"(\w+)\[([+-]?\d{1,4})\]")
COLUMN = re.compile(r"(\w+)\[")
BARS = str.maketrans({"\\": "\\\\", "|": "\\|"})
BEGIN, END = "__BOS__", "__EOS__"
MOST_NAMED = 10  # columns in a message
FEW = 100  # tokens: for fewer, plain Python is faster
ESCAPES = str.maketrans({"\\": "\\\\", ":": "\\:"})


def parse(template: str, names: list[str]) -> list[tuple[str, int]]:
    """The (column, offset) pairs of a template.

    Raises:
        UserError: It is not of the form ``column[offset]|column[offset]...`` with these column names.
    """
    factors = [FACTOR.fullmatch(factor) for factor in template.split("|")]
    found = [(factor[1], int(factor[2])) for factor in factors if factor and factor[1] in names]
    if len(found) < len(factors):
        known = f"{', '.join(names[:MOST_NAMED])}{' and others' if len(names) > MOST_NAMED else ''}"
        raise UserError(
            f"template {template[:60]!r}: expected column[offset], joined by '|', with the columns {known}"
        )
    return found


def at_each(features: tuple[str, ...]) -> tuple[str, ...]:
    """Templates of features of a token alone, names of columns that are joined by ``|``."""
    return tuple("|".join(f"{column}[0]" for column in feature.split("|")) for feature in features)


class Extracted(NamedTuple):
    """Features of two splits, one row a token, and the name of each column."""

    train: features.Features
    test: features.Features
    names: Names

    @property
    def both(self) -> tuple[features.Features, features.Features]:
        """The features of both splits."""
        return self.train, self.test


def extract(
    train: Sentences,
    test: Sentences,
    templates: tuple[str, ...],
    *,
    edges: bool = False,
    marks: bool = True,
    padded: bool = False,
    least: int = 1,
) -> Extracted:
    """Features of both splits, one row a token; the columns are the attributes of ``train``.

    The most frequent attributes come first, so that the weights in constant use lie together in memory.

    Args:
        edges: A row is of the pair of a token (offset 0) and the one before it (offset -1). The first row of a
            sentence is empty, and its first and last token have no marks.
        marks: Add the marks of the first and the last token of a sentence.
        padded: Sentences are padded, so no template reaches outside.
        least: Keep an attribute that ``train`` has at least this often.
    """
    num_train = len(train.lines)
    both = Sentences(
        {name: cells + test.columns[name] for name, cells in train.columns.items()},
        np.concatenate([train.lengths, test.lengths]),
        train.lines + test.lines,
        train.source,
    )
    found = [*_attributes(both, templates, edges, marks and not edges, padded)]
    table = np.full((len(both.lines), len(found)), -1, np.int32)
    counts, firsts = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for k, each in enumerate(found):
        table[each.tokens, k] = each.codes + sum(map(len, counts))
        first = each.first_tokens
        counts.append(np.bincount(each.codes[each.tokens < num_train], minlength=len(first)))
        firsts.append(first)
    count, first = np.concatenate(counts), np.concatenate(firsts)
    column = np.full(len(count) + 1, -1, np.int32)  # the last one serves the -1 of the table
    kept = np.argsort(-count, kind="stable")[: np.count_nonzero(count >= max(least, 1))]
    column[kept] = np.arange(len(kept))
    table = column[table]
    template = np.searchsorted(np.cumsum([len(each) for each in counts]), kept, side="right") - 1
    names = Names([""] * len(kept))
    for k, each in enumerate(found):
        own = np.flatnonzero(template == k)
        for place, name in zip(own.tolist(), each.names(first[kept[own]]), strict=True):
            names[place] = name
    return Extracted(_binary(table[:num_train], len(kept)), _binary(table[num_train:], len(kept)), names)


def rows_of(
    sentences: Sentences,
    templates: tuple[str, ...],
    names: Names,
    *,
    edges: bool = False,
    marks: bool = True,
    padded: bool = False,
) -> features.Features:
    """Features of new sentences, one row a token; the columns are the attributes ``names``, from ``extract``."""
    if 0 < len(sentences.lines) <= FEW:
        listed = _few_columns(sentences, templates, names.of_templates, edges, marks and not edges, padded)
        return _binary(np.array(listed, np.int32).reshape(-1, len(sentences.lines)).T, len(names), counted=False)
    found = [*_attributes(sentences, templates, edges, marks and not edges, padded)]
    table = np.full((len(sentences.lines), len(found)), -1, np.int32)
    for k, each in enumerate(found):
        first = each.first_tokens
        column, there = np.full(len(first), -1, np.int32), np.flatnonzero(first >= 0)
        column[there] = [names.table.get(name, -1) for name in each.names(first[there])]
        table[each.tokens, k] = column[each.codes]
    return _binary(table, len(names))


def _few_columns(
    sentences: Sentences,
    templates: tuple[str, ...],
    column: dict[str, dict[str, int]],
    edges: bool,
    marks: bool,
    padded: bool,
) -> list[list[int]]:
    """For each template, and each mark, the column of each token, -1 if it has none.

    Plain Python takes a tenth of the time of ``_attributes`` for one sentence, and several times as much for many.
    """
    names, ends = tuple(sentences.columns), np.cumsum(sentences.lengths).tolist()
    cells_of = {name: _escaped(cells) for name, cells in sentences.columns.items()}
    near: dict[tuple[str, int], list[Any]] = {}
    found = []
    for template in templates:
        parts = []
        for factor in _factors(template, names):
            if factor not in near:
                name, offset = factor
                near[factor] = _moved(cells_of[name], ends, offset, padded)
            parts.append(near[factor])
        number = column.get(template, {}).get
        if len(parts) == 1:
            found.append([number(cell, -1) for cell in parts[0]])  # None is no key
        else:
            cells_of_all = zip(*parts, strict=True)
            found.append([-1 if None in cells else number("|".join(cells), -1) for cells in cells_of_all])
    if edges:
        for begin in [0, *ends[:-1]]:
            for each in found:
                each[begin] = -1
    first, last = {0, *ends[:-1]}, {end - 1 for end in ends}
    for mark, marked in ((BEGIN, first), (END, last)) if marks else ():
        number = column.get(mark, {}).get("", -1)
        found.append([number if t in marked else -1 for t in range(ends[-1])])
    return found


@lru_cache(1 << 12)
def _factors(template: str, names: tuple[str, ...]) -> list[tuple[str, int]]:
    return parse(template, [*names])


def _moved(cells: Sequence[str | None], ends: list[int], offset: int, padded: bool) -> list[str | None]:
    """For each token the cell at ``offset`` from it in its sentence; outside, None or the name of the place."""
    found, begin = [], 0
    for end in ends:
        size = end - begin
        before = range(offset, min(0, offset + size))
        behind = range(max(1, offset + 1 - size), offset + 1)
        found += [f"\\B{at:+d}" if padded else None for at in before]
        found += cells[max(begin, begin + offset) : max(begin, end + offset) if offset < 0 else end]
        found += [f"\\B{at:+d}" if padded else None for at in behind]
        begin = end
    return found


class _Attribute(NamedTuple):
    """What a template gives: the tokens that have an attribute, its number for each, and its names at tokens."""

    tokens: np.ndarray
    codes: np.ndarray
    names: Callable[[np.ndarray], list[str]]

    @property
    def first_tokens(self) -> np.ndarray:
        """For each number, the first token that has it; -1 if none has."""
        first = np.full(self.codes.max(initial=-1) + 1, -1, np.int64)
        first[self.codes[::-1]] = self.tokens[::-1]
        return first


def _attributes(
    sentences: Sentences, templates: tuple[str, ...], edges: bool, marks: bool, padded: bool
) -> Iterator[_Attribute]:
    names, lengths = list(sentences.columns), sentences.lengths
    length = np.repeat(lengths, lengths)
    position = np.arange(len(length)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    values = {name: numbered_cells(sentences.columns[name]) for name in names}
    cells_of = {name: _escaped(sentences.columns[name]) for name in names}
    for template in templates:
        factors = parse(template, names)
        given = position >= (1 if edges else 0)
        cells = [_cells(values[name], position + offset, length, offset, padded) for name, offset in factors]
        for found in cells:
            given &= found >= 0
        tokens = np.flatnonzero(given)
        codes = np.zeros(len(tokens), np.int64)
        for found in cells:
            codes = codes * (found.max(initial=0) + 1) + found[tokens]
            if codes.max(initial=0) > len(position):
                codes = np.unique(codes, return_inverse=True)[1]
        yield _Attribute(tokens, codes, _named(cells_of, template, factors, position, length))
    for mark, marked in ((BEGIN, position == 0), (END, position == length - 1)) if marks else ():
        tokens = np.flatnonzero(marked)
        yield _Attribute(tokens, np.zeros(len(tokens), np.int64), lambda at, mark=mark: [mark] * len(at))


def _escaped(cells: Sequence[str | None]) -> Sequence[str | None]:
    """The cells with a backslash before each bar and backslash."""
    text = "".join(filter(None, cells))
    if "|" not in text and "\\" not in text:
        return cells
    known = {cell: cell and cell.translate(BARS) for cell in dict.fromkeys(cells)}
    return [known[cell] for cell in cells]


def _named(
    cells_of: dict[str, Sequence[str | None]],
    template: str,
    factors: list[tuple[str, int]],
    position: np.ndarray,
    length: np.ndarray,
) -> Callable[[np.ndarray], list[str]]:
    """The names of the template's attributes at tokens, another for each attribute.

    Bars and backslashes of cells have a backslash before them. So has B-1, the place before a sentence.
    """

    def cells(column: Sequence[str | None], offset: int, tokens: np.ndarray) -> list[str]:
        at, size = position[tokens] + offset, length[tokens]
        found = [column[token] or "" for token in np.where((at >= 0) & (at < size), tokens + offset, 0).tolist()]
        for k in np.flatnonzero((at < 0) | (at >= size)).tolist():
            found[k] = f"\\B{at[k] if at[k] < 0 else at[k] - size[k] + 1:+d}"
        return found

    def names(tokens: np.ndarray) -> list[str]:
        parts = [cells(cells_of[name], offset, tokens) for name, offset in factors]
        return [f"{template}={'|'.join(each)}" for each in zip(*parts, strict=True)]

    return names


def _cells(values: np.ndarray, place: np.ndarray, length: np.ndarray, offset: int, padded: bool) -> np.ndarray:
    """The cell at ``offset`` from each token, at ``place`` of its sentence; -1 where there is none."""
    inside = (place >= 0) & (place < length)
    found = np.full(len(values), -1, np.int64)
    there = np.flatnonzero(inside)
    found[there] = values[there + offset]
    if padded:
        beyond = np.where(place < 0, -2 * place - 1, 2 * (place - length + 1))  # 1, 3, .. before; 2, 4, .. behind
        found[~inside] = values.max(initial=0) + beyond[~inside]
    return found


def _binary(table: np.ndarray, columns: int, counted: bool = True) -> features.Features:
    """Features that are 1 at the columns which a row of the table lists; -1 is none."""
    table.sort(axis=1)
    listed = table >= 0
    indices = table[listed]
    counts = np.bincount(indices, minlength=columns) if counted else zeros(columns)
    return features.binary_rows(starts_of(np.count_nonzero(listed, axis=1)), indices, counts)
