"""Attribute templates: each token's attributes from the columns around it, as binary features.

A template such as ``pos[-1]|pos[0]`` gives the token the attribute "the tag before is DT and this one NN".
A template that reaches outside of the sentence gives nothing. The first token of a sentence also has the
attribute ``__BOS__``, the last ``__EOS__``.
"""

import re
from collections.abc import Iterator
from typing import TextIO

import numpy as np
import scipy.sparse as sp

from algorithms.structures import features
from datasets.base.columns import Sentences
from datasets.base.errors import UserError

FACTOR = re.compile(r"(\w+)\[([+-]?\d+)\]")
ESCAPES = str.maketrans({"\\": "\\\\", ":": "\\:"})


def parse(template: str, names: list[str]) -> list[tuple[str, int]]:
    """The (column, offset) pairs of a template.

    Raises:
        UserError: it is not of the form ``column[offset]|column[offset]...`` with these column names.
    """
    factors = [FACTOR.fullmatch(factor) for factor in template.split("|")]
    if not all(factor and factor[1] in names for factor in factors):
        raise UserError(
            f"template {template!r}: expected column[offset], joined by '|', with the columns {', '.join(names)}"
        )
    return [(factor[1], int(factor[2])) for factor in factors]


def extract(
    train: Sentences, test: Sentences, templates: tuple[str, ...]
) -> tuple[features.Features, features.Features]:
    """Features of both splits, one row a token; the columns are the attributes of ``train``.

    The most frequent attributes come first, so that the weights in constant use lie together in memory.
    """
    lengths = np.concatenate([train.lengths, test.lengths])
    num_train = len(train.lines)
    length = np.repeat(lengths, lengths)
    position = np.arange(len(length)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    names = list(train.columns)
    values = {name: _numbered(train.columns[name] + test.columns[name]) for name in names}

    rows, attributes, counts = [], [], []
    for template in (*templates, "__BOS__", "__EOS__"):
        if template == "__BOS__":
            tokens = np.flatnonzero(position == 0)
            codes = np.zeros(len(tokens), np.int64)
        elif template == "__EOS__":
            tokens = np.flatnonzero(position == length - 1)
            codes = np.zeros(len(tokens), np.int64)
        else:
            factors = parse(template, names)
            inside = [(position + offset >= 0) & (position + offset < length) for _, offset in factors]
            tokens = np.flatnonzero(np.all(inside, axis=0))
            codes = np.zeros(len(tokens), np.int64)
            for name, offset in factors:
                value = values[name][tokens + offset]
                codes = np.unique(codes * (values[name].max() + 1) + value, return_inverse=True)[1]
        rows.append(tokens)
        attributes.append(codes + sum(map(len, counts)))
        counts.append(np.bincount(codes[tokens < num_train], minlength=codes.max(initial=-1) + 1))

    count = np.concatenate(counts)
    column = np.empty(len(count), np.int64)
    column[np.argsort(-count, kind="stable")] = np.arange(len(count))
    row, attribute = np.concatenate(rows), np.concatenate(attributes)
    seen = count[attribute] > 0
    where = row[seen], column[attribute[seen]]
    matrix = sp.csr_array((np.ones(seen.sum()), where), shape=(len(length), np.count_nonzero(count)))
    return features.sparse(matrix[:num_train]), features.sparse(matrix[num_train:])


def _numbered(cells: list[str]) -> np.ndarray:
    """The cells as numbers, equal where they are equal."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(cell, len(numbers)) for cell in cells])


def attributes(sentences: Sentences, templates: tuple[str, ...]) -> Iterator[list[list[str]]]:
    """The attributes' names, a list a token, sentence by sentence: what ``extract`` numbers."""
    names = list(sentences.columns)
    parsed = [(template, parse(template, names)) for template in templates]
    start = 0
    for length in sentences.lengths.tolist():
        cells = {name: sentences.columns[name][start : start + length] for name in names}
        tokens: list[list[str]] = [[] for _ in range(length)]
        for template, factors in parsed:
            for t in range(length):
                if all(0 <= t + offset < length for _, offset in factors):
                    value = "|".join(cells[name][t + offset] for name, offset in factors)
                    tokens[t].append(f"{template}={value}")
        tokens[0].append("__BOS__")
        tokens[-1].append("__EOS__")
        yield tokens
        start += length


def write_crfsuite(sentences: Sentences, templates: tuple[str, ...], label: str, file: TextIO) -> None:
    """Write what CRFsuite reads: the column ``label``, then the attributes, separated by tabs."""
    labels = iter(sentences.columns[label])
    for tokens in attributes(sentences, templates):
        for token in tokens:
            file.write("\t".join(field.translate(ESCAPES) for field in (next(labels), *token)) + "\n")
        file.write("\n")
