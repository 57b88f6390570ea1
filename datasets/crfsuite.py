"""Your own sequences in CRFsuite's format: ``crfsuite:PATH``.

A line is a token: its label, then its attributes, separated by tabs; an empty line ends a sequence. An
attribute may carry a value after a colon (1 without), ``\\:`` and ``\\\\`` stand for a colon and a backslash
in a name, and the values of an attribute that a line repeats add up, as in CRFsuite. The model has one
weight for every (attribute, label) and every (label, label) pair of the training file. Labels and attributes
are numbered as they first appear; attributes that only the test file has are dropped.
"""

import math
import re
from array import array
from typing import Any, NamedTuple

import numpy as np

from algorithms.runtime.errors import UserError
from algorithms.structures import features
from algorithms.structures.chain import model as chain
from datasets.problems.problem import Problem, is_bio
from datasets.text.columns import refuse_longer
from datasets.text.lines import numbered_lines

LICENCE = "your own data"
SOURCES = ()
STRUCTURE = "chain"

FIELD = re.compile(r"((?:[^\\:]|\\[\\:]?)*+)(?::([^:]*))?")
ESCAPED = re.compile(r"\\([\\:])")


class _Tokens(NamedTuple):
    """All tokens of a file; ``attributes``, ``values``: those of token t lie at indptr[t]:indptr[t + 1]."""

    labels: list[str]
    indptr: np.ndarray
    attributes: np.ndarray
    values: np.ndarray
    lengths: np.ndarray


class _Attributes(dict):
    """Field as written -> (number of the attribute, value); an attribute beyond ``fixed`` is -1."""

    def __init__(self, names: dict[str, int], fixed: bool) -> None:
        self.names = names
        self.fixed = fixed

    def __missing__(self, field: str) -> tuple[int, float]:
        name, value = _parse(field)
        known = self.names.get(name, -1)
        if known < 0 and not self.fixed:
            known = self.names[name] = len(self.names)
        self[field] = known, value
        return known, value


def load(files: Any, *, path: str, test: str | None = None) -> Problem:
    """The problem of a training file and, maybe, a test file; ``files`` is not used.

    Raises:
        UserError: a file cannot be read, has a malformed line (names file, line and what was expected), or
            fewer than two labels.
    """
    names: dict[str, int] = {}
    train = _read(path, _Attributes(names, fixed=False))
    labels = tuple(dict.fromkeys(train.labels))
    if len(labels) < 2:
        raise UserError(f"{path}: expected at least two labels, found only {labels[0]!r}")
    number = {label: k for k, label in enumerate(labels)}

    def split(tokens: _Tokens) -> chain.Chain:
        import scipy.sparse as sp

        shape = len(tokens.labels), len(names)
        x = features.sparse(sp.csr_array((tokens.values, tokens.attributes, tokens.indptr), shape=shape))
        y = np.array([number.get(label, -1) for label in tokens.labels])
        return chain.build(x, tokens.lengths, y, len(labels))

    evaluated = None if test is None else split(_read(test, _Attributes(names, fixed=True)))
    return Problem(split(train), evaluated, labels, is_bio(labels))


def _read(path: str, known: _Attributes) -> _Tokens:
    labels, indptr, attributes, values, ends = [], array("q", [0]), array("i"), array("d"), [0]
    for number, line in numbered_lines(path):
        if not line:
            ends.append(len(labels))
            continue
        written, *fields = line.split("\t")
        try:
            labels.append(_label(written))
            for field in fields:
                if field:
                    attribute, value = known[field]
                    if attribute >= 0:
                        attributes.append(attribute)
                        values.append(value)
        except ValueError as error:
            raise UserError(f"{path}, line {number}: {error}") from None
        indptr.append(len(attributes))
    if not labels:
        raise UserError(f"{path} has no sequences: expected lines of a label and attributes, separated by tabs")
    lengths = np.diff([*ends, len(labels)])
    refuse_longer(lengths, path, "sequence")
    arrays = np.array(indptr), np.array(attributes), np.array(values)
    return _Tokens(labels, *arrays, lengths[lengths > 0])


def _label(written: str) -> str:
    if not written.strip():
        raise ValueError("expected a label at the start of the line, or an empty line")
    if " " in written:
        raise ValueError(f"expected a label and attributes separated by tabs, found blanks in {written[:60]!r}")
    if written.startswith("@"):
        raise ValueError(f"expected a label, found the declaration {written!r}: every sequence weighs 1 here")
    found = FIELD.fullmatch(written)
    if not found or found[2] is not None:
        raise ValueError(f"expected a label, its colons written as \\:, found {written!r}")
    return ESCAPED.sub(r"\1", found[1])


def _parse(field: str) -> tuple[str, float]:
    """Name and value of an attribute; an empty value is 1, as for CRFsuite."""
    found = FIELD.fullmatch(field)
    try:
        value = float(found[2] or 1)
    except (TypeError, ValueError):
        value = math.nan
    if not math.isfinite(value) or "_" in (found[2] or ""):
        raise ValueError(
            f"expected attribute:value with a finite value (a colon in a name is \\:), found {field!r}"
        )
    return ESCAPED.sub(r"\1", found[1]), value
