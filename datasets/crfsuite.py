"""Your own sequences in CRFsuite's format: ``crfsuite:PATH``.

A line is a token: its label, then its attributes, separated by tabs. An empty line ends a sequence. An attribute
may carry a value after a colon (1 without). In a name, ``\\:`` and ``\\\\`` stand for a colon and a backslash. As
in CRFsuite, the values of an attribute that a line repeats add up. The model has one weight for every (attribute,
label) and every (label, label) pair of the training file. Labels and attributes are numbered as they first appear.
Attributes that only the test file has are dropped.
"""

import codecs
import math
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features
from structbench.algorithms.structures.chain import model as chain
from structbench.datasets.problems.labels import coded
from structbench.datasets.problems.problem import Names, Problem, Unlabelled, Vocabulary
from structbench.datasets.text.columns import refuse_empty, refuse_longer
from structbench.datasets.text.fields import fields
from structbench.datasets.text.lines import decode, opened
from structbench.datasets.text.templates import ESCAPES

LICENCE = "your own data"
STRUCTURE = "chain"
SCORES = ("chunks",)

FIELD = re.compile(r"((?:[^\\:]|\\[\\:]?)*+)(?::([^:]*))?")
LARGE = 1e300  # sums of smaller values do not overflow
ESCAPED = re.compile(r"\\([\\:])")


class _Tokens(NamedTuple):
    """All tokens of a file. The ``attributes`` and ``values`` of token t are at indptr[t]:indptr[t + 1]."""

    labels: list[str]
    indptr: np.ndarray
    attributes: np.ndarray
    values: np.ndarray
    lengths: np.ndarray


def load(files: Any, *, path: str, test: str | None = None) -> Problem:
    """The problem of a training file and, maybe, a test file; ``files`` is not used.

    Raises:
        UserError: A file cannot be read, or has fewer than two labels. A line is malformed (names file, line and
            what was expected).
    """
    names: dict[str, int] = {}
    train = _read(path, names, fixed=False)
    labels = tuple(dict.fromkeys(train.labels))
    if len(labels) < 2:
        raise UserError(f"{path}: expected at least two labels, found only {''.join(labels)!r}")
    evaluated, unseen = None, ()
    if test is not None:
        tokens = _read(test, names, fixed=True)
        y, unseen = coded(tokens.labels, labels)
        evaluated = _chain(tokens, y, names, labels)
    learned = _chain(train, coded(train.labels, labels)[0], names, labels)
    return Problem(learned, evaluated, labels, vocabulary={"nodes": Names(names)}, unseen=unseen)


def encode(content: bytes, source: str, labels: tuple[str, ...], vocabulary: Vocabulary) -> Unlabelled:
    """New sequences for a model. A label may begin each line, maybe an empty one, or none; it is not read.

    Raises:
        UserError: A line is malformed, or labels and attributes do not tell which of them begins a line.
    """
    names = vocabulary["nodes"].table
    lines = [line.removesuffix("\r") for line in decode(content, source).split("\n")]
    if not _begin_with_labels(lines, source, labels, names):
        lines = [f"\t{line}" if line else "" for line in lines]
        content = "\n".join(lines).encode()
    given = [line.partition("\t")[1:] for line in lines if line]
    tokens = _parsed(content, source, names, fixed=True, labelled=False)
    split = _chain(tokens, None, names, labels)
    return Unlabelled(
        split, [""] * len(given), ["".join(rest) for rest in given], lambda label: label.translate(ESCAPES)
    )


def _begin_with_labels(lines: list[str], source: str, labels: tuple[str, ...], names: dict[str, int]) -> bool:
    """Whether lines begin with a label, maybe an empty one, or with their first attribute.

    Raises:
        UserError: Lines begin with both, or with nothing that the model knows.
    """
    begins: dict[str, int] = {}  # each beginning -> its first line
    for number, line in enumerate(lines, 1):
        if line:
            begins.setdefault(line.partition("\t")[0], number)
    told: dict[bool, int] = {}  # whether it is a label and no attribute, or the reverse -> the first line
    for first, number in begins.items():
        found = FIELD.fullmatch(first)
        name = ESCAPED.sub(r"\1", found[1]) if found else None
        is_label = not first or (found is not None and found[2] is None and name in labels)
        if is_label != (name in names):
            told.setdefault(is_label, number)
    if len(told) == 1 or not begins:
        return told.keys() != {False}
    for first, number in begins.items() if not told else ():
        try:
            _new_label(first)
        except ValueError as error:
            raise UserError(f"{source}, line {number}: {error}") from None
    what = "no line begins with what is only a label, or only an attribute, of the model"
    if told:
        what = f"line {told[True]} begins with a label of the model, line {told[False]} with an attribute"
    raise UserError(f"{source}: {what}: begin each line with its label, or each with a tab")


def _chain(tokens: _Tokens, y: np.ndarray | None, names: dict[str, int], labels: tuple[str, ...]) -> chain.Chain:
    import scipy.sparse as sp

    shape = len(tokens.labels), len(names)
    x = features.sparse(
        sp.csr_array((tokens.values, tokens.attributes, tokens.indptr), shape=shape), counted=y is not None
    )
    return chain.build(x, tokens.lengths, y, len(labels))


def written(sequences: Iterable[Iterable[dict[str, Any] | Iterable[str]]]) -> str:
    """Sequences as text without labels: a token is the names of its attributes, or a dict of their values.

    A value that is a text, or several, is part of names such as ``w=the``, as estimators have it.

    Raises:
        UserError: A sequence is empty, or a token describes no attributes with finite values; says which.
    """
    lines = []
    for number, sequence in enumerate(map(list, sequences)):
        refuse_empty(sequence, number)
        for place, token in enumerate(sequence):
            try:
                pairs = [f"{name.translate(ESCAPES)}:{value!r}" for name, value in _described(token)]
            except UserError as error:
                raise UserError(f"example {number}, token {place}: {error}") from None
            lines.append("\t" + "\t".join(pairs))
        lines.append("")
    return "\n".join(lines)


def _described(token: Any) -> Iterator[tuple[str, float]]:
    """The attributes of a token, and their values.

    Raises:
        UserError: It is neither a dict nor names, or a name or a value is wrong.
    """
    if isinstance(token, str):
        raise UserError(f"the token {token!r:.60} is a text: expected its attributes, such as ['w={token:.60}']")
    if isinstance(token, tuple):
        raise UserError(f"the token {token!r:.60} is a tuple: give a dict of attributes, such as {{'w': 'the'}}")
    if isinstance(token, bytes) or not isinstance(token, Iterable):
        raise UserError(f"expected a dict of values or a list of names for each token, found {token!r:.60}")
    names = sorted(token, key=str) if isinstance(token, set | frozenset) else token  # a set has no fixed order
    for name, value in _of_dict(token) if isinstance(token, dict) else ((name, 1.0) for name in names):
        if not isinstance(name, str) or {*name} & {*"\t\n"}:
            raise UserError(f"{name!r:.60} is no name of an attribute: expected text without tabs and line ends")
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise UserError(
                f"expected a number or text for {name!r:.60}, or several, found {value!r:.60}"
            ) from None
        except OverflowError:  # a whole number
            number = math.inf
        if not math.isfinite(number):
            raise UserError(f"the attribute {name!r:.60} must be finite, found {number}")
        yield name, number


def _of_dict(token: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The attributes that a dict describes, and their values."""
    for name, value in token.items():
        if isinstance(value, dict):
            yield from _of_dict({f"{name}={key}": each for key, each in value.items()})
            continue
        texts = [value] if isinstance(value, str) else value
        if isinstance(texts, list | tuple | set | frozenset) and all(isinstance(each, str) for each in texts):
            texts = sorted(texts) if isinstance(texts, set | frozenset) else texts
            yield from ((f"{name}={text}", 1.0) for text in texts)
        else:
            yield name, value


def _read(path: str, names: dict[str, int], fixed: bool) -> _Tokens:
    with opened(path) as file:
        data = file.read()
    decode(data, path)
    return _parsed(data, path, names, fixed)


def _parsed(data: bytes, path: str, names: dict[str, int], fixed: bool, labelled: bool = True) -> _Tokens:
    """The tokens of a file. New attributes get a number in ``names``, or are dropped if it is fixed."""
    words, code, first = found = fields(data.removeprefix(codecs.BOM_UTF8))
    empty = np.array([not word for word in words])[code]
    blank = first & empty & np.append(first[1:], True)
    tokens, given = first & ~blank, ~first & ~empty
    if not tokens.any():
        raise UserError(f"{path} has no sequences: expected lines of a label and attributes, separated by tabs")
    label, faults = _each(_label if labelled else _new_label, words, code, tokens)
    attribute, more = _each(_parse, words, code, given)
    if faults or more:
        wrong = np.flatnonzero((tokens & np.isin(code, [*faults])) | np.isin(code, [*more]))[0]
        fault = (faults if tokens[wrong] else more)[int(code[wrong])]
        raise UserError(f"{path}, line {found.line[wrong]}: {fault}")
    number, value = np.full(len(words), -1), np.zeros(len(words))
    for k, (name, amount) in attribute.items():
        number[k], value[k] = names.get(name, -1) if fixed else names.setdefault(name, len(names)), amount
    kept = given & (number[code] >= 0)
    lengths = np.diff(np.concatenate([[0], np.cumsum(tokens)[blank], [tokens.sum()]]))
    lengths = lengths[lengths > 0]
    refuse_longer(lengths, path, "sequence")
    indptr = np.append(np.cumsum(kept)[tokens], kept.sum())
    if np.abs(value).max() > LARGE:
        _refuse_overflow(np.cumsum(first)[kept], number[code[kept]], value[code[kept]], path)
    labels = [label[k] for k in code[tokens].tolist()]
    return _Tokens(labels, indptr, number[code[kept]], value[code[kept]], lengths)


def _refuse_overflow(line: np.ndarray, attribute: np.ndarray, value: np.ndarray, path: str) -> None:
    """Nothing, if the values of each attribute of each line have a sum.

    Raises:
        UserError: They are larger than any number, together.
    """
    (lines, _), place = np.unique([line, attribute], axis=1, return_inverse=True)
    for wrong in lines[~np.isfinite(np.bincount(place.ravel(), value))]:
        raise UserError(f"{path}, line {wrong}: values of an attribute add up to more than 1.8e308")


def _each(
    read: Callable[[str], Any], words: list[str], code: np.ndarray, where: np.ndarray
) -> tuple[dict[int, Any], dict[int, str]]:
    """What the different words there are, in the order in which they appear, and what is wrong with the others."""
    made: dict[int, Any] = {}
    faults: dict[int, str] = {}
    for k in dict.fromkeys(code[where].tolist()):
        try:
            made[k] = read(words[k])
        except ValueError as error:
            faults[k] = str(error)
    return made, faults


def _new_label(written: str) -> str:
    return _label(written) if written else ""


def _label(written: str) -> str:
    if not written.strip():
        raise ValueError("expected a label at the start of the line, or an empty line")
    if " " in written:
        raise ValueError(f"expected a label and attributes separated by tabs, found blanks in {written[:60]!r}")
    if written.startswith("@"):
        raise ValueError(f"expected a label, found the declaration {written[:60]!r}: every sequence weighs 1 here")
    found = FIELD.fullmatch(written)
    if not found or found[2] is not None:
        raise ValueError(f"expected a label, its colons written as \\:, found {written[:60]!r}")
    return ESCAPED.sub(r"\1", found[1])


def _parse(field: str) -> tuple[str, float]:
    """Name and value of an attribute; an empty value is 1, as for CRFsuite."""
    if ":" not in field and "\\" not in field:
        return field, 1.0
    found = FIELD.fullmatch(field)
    text = found[2] or "1" if found else ""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if found is None or not math.isfinite(value) or "_" in text:
        raise ValueError(
            f"expected attribute:value with a finite value (a colon in a name is \\:), found {field[:60]!r}"
        )
    return ESCAPED.sub(r"\1", found[1]), value
