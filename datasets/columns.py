"""Your own sentences in columns, ``columns:PATH``: words, whatever else describes them, and last a label; a chain.

A line is a token, its columns separated by blanks or tabs. An empty line ends a sentence. ``names`` are the names
of the columns. The first is the word. Attributes come from templates such as ``w[-1]|pos[0]``, the word before and
this token's pos: those of ``defaults``, or the lines of the file ``templates``, ours or CRF++'s.
"""

import re
from collections.abc import Sequence
from itertools import islice
from typing import Annotated, Any, NamedTuple

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures.chain import model as chain
from structbench.datasets.problems.labels import coded
from structbench.datasets.problems.problem import Names, Problem, Unlabelled, Vocabulary
from structbench.datasets.text import columns, ner
from structbench.datasets.text import templates as made_from
from structbench.datasets.text.columns import written
from structbench.datasets.text.lines import decode, numbered_lines, opened

__all__ = ["encode", "example", "load", "written"]

LICENCE = "your own data"
STRUCTURE = "chain"
SCORES = ("chunks",)
PATHS = ("templates",)  # options that are files of the user's

NAME = re.compile(r"[A-Za-z]\w*")
CRFPP = re.compile(r"([UB])([^:]*)(?::(.*))?")
CELL = re.compile(r"%x\[(-?\d+),(\d+)\]")


class Templates(NamedTuple):
    """Templates of tokens, and of pairs of neighbours; ``padded``: as CRF++ has it, outside of a sentence, too."""

    nodes: tuple[str, ...]
    edges: tuple[str, ...]
    padded: bool


def load(
    files: Any,
    *,
    path: str,
    test: str | None = None,
    names: str = "",
    templates: str = "",
    least: Annotated[int, ">= 1"] = 1,
) -> Problem:
    """The problem of a training file and, maybe, a test file; ``files`` is not used.

    Args:
        names: Of the columns, separated by blanks, the label last; by default w, c2, c3 and so on.
        templates: A file with a template a line, ours or CRF++'s; by default those of ``defaults``.
        least: Leave out attributes that the training file has less often than this.

    Raises:
        UserError: A file cannot be read, a line is malformed, or there are fewer than two labels. Or an option is
            wrong.
    """
    called = _names(names, path)
    learn = _read(path, called)
    evaluate = None if test is None else _read(test, called)
    labels = tuple(dict.fromkeys(learn.columns[called[-1]]))
    if len(labels) < 2:
        raise UserError(f"{path}: expected at least two labels in the last column, found only {''.join(labels)!r}")
    used = _templates(templates, called)
    given = described(learn, called), described(evaluate or learn.first(1), called)
    nodes = made_from.extract(
        given[0], given[1], used.nodes, marks=not used.padded, padded=used.padded, least=least
    )
    edges = (
        made_from.extract(given[0], given[1], used.edges, edges=True, padded=used.padded, least=least)
        if used.edges
        else None
    )

    def split(which: int, sentences: columns.Sentences) -> tuple[chain.Chain, tuple[str, ...]]:
        y, unseen = coded(sentences.columns[called[-1]], labels)
        made = chain.build(nodes.both[which], sentences.lengths, y, len(labels), edges and edges.both[which])
        return made, unseen

    vocabulary = {"columns": [*called], "nodes": nodes.names, "edges": edges.names if edges else Names()}
    vocabulary |= {"templates": [*used.nodes], "edge templates": [*used.edges], "padded": np.array(used.padded)}
    tested, unseen = (None, ()) if evaluate is None else split(1, evaluate)
    return Problem(split(0, learn)[0], tested, labels, vocabulary=vocabulary, unseen=unseen)


def encode(content: bytes, source: str, labels: tuple[str, ...], vocabulary: Vocabulary, **_: Any) -> Unlabelled:
    """New sentences: all columns but the label, which may be there and is not read.

    Raises:
        UserError: A line is malformed.
    """
    called, padded = tuple(vocabulary["columns"]), bool(vocabulary["padded"])
    sentences = columns.read_unlabelled(decode(content, source), called, len(called) - 1, source)
    given, marks = described(sentences, called), not padded
    templates = tuple(vocabulary["templates"]), tuple(vocabulary["edge templates"])
    x = made_from.rows_of(given, templates[0], vocabulary["nodes"], marks=marks, padded=padded)
    edges = None
    if templates[1]:
        edges = made_from.rows_of(given, templates[1], vocabulary["edges"], edges=True, padded=padded)
    split = chain.build(x, sentences.lengths, None, len(labels), edges)
    return Unlabelled(split, sentences.written, [""] * len(sentences.lines))


def example(vocabulary: Vocabulary, **_: Any) -> str:
    """Two tokens, whose cells are x but for the words."""
    return "".join(f"{word}{' x' * (len(vocabulary['columns']) - 2)}\n" for word in ("Hello", "world"))


def defaults(names: Sequence[str]) -> tuple[str, ...]:
    """Templates for these columns, without the label's.

    They are the words around, with their neighbours, the looks of the word (``ner.MORPHOLOGY``), and the other
    columns around, alone and in pairs.
    """
    word, *others = names
    looks = [f"{word}_{name}[0]" for name in ner.MORPHOLOGY]
    around = [f"{name}[{offset}]" for name in names for offset in (-2, -1, 0, 1, 2)]
    pairs = [f"{name}[{offset}]|{name}[{offset + 1}]" for name in (word, *others) for offset in (-1, 0)]
    return (*around, *pairs, *looks)


def _names(names: str, path: str) -> tuple[str, ...]:
    found = tuple(names.split())
    if not found:
        lines = ((number, columns.CELL.findall(line)) for number, line in numbered_lines(path))
        (number, cells), *others = [*islice((each for each in lines if each[1]), 2)] or [(0, ["", ""])]
        count = len(cells)
        if others and cells[0].startswith("#") and count != len(others[0][1]):
            raise UserError(
                f"{path}, line {number}: expected a token, found a comment, {' '.join(cells)[:60]!r}: leave such "
                "lines out"
            )
        if count < 2:
            raise UserError(
                f"{path}, line {number}: expected two columns or more, a word and a label, found {cells[0][:80]!r}"
            )
        found = ("w", *(f"c{k}" for k in range(2, count)), "label")
    for name in found:
        if not NAME.fullmatch(name) or found.count(name) > 1:
            raise UserError(f"names={names}: expected a different word for each column, found {name!r}")
    if len(found) < 2:
        raise UserError(f"names={names}: expected two columns or more, a word and a label, found {len(found)}")
    return found


def _read(path: str, names: tuple[str, ...]) -> columns.Sentences:
    with opened(path) as file:
        return columns.read_columns(decode(file.read(), path), names, path)


def described(sentences: columns.Sentences, names: tuple[str, ...]) -> columns.Sentences:
    """The sentences without labels, and with the looks of their words."""
    cells = {name: sentences.columns[name] for name in names[:-1]}
    words = sentences._replace(columns={"w": cells[names[0]]}).with_word_features(**ner.MORPHOLOGY).columns
    looks = {f"{names[0]}_{name}": words[name] for name in ner.MORPHOLOGY}
    return sentences._replace(columns=cells | looks)


def _templates(path: str, names: tuple[str, ...]) -> Templates:
    """Those of a file, or the defaults.

    Raises:
        UserError: A line is no template, or CRF++'s file has no line B.
    """
    if not path:
        return Templates(defaults(names[:-1]), (), False)
    lines = [(number, line.strip()) for number, line in numbered_lines(path)]
    lines = [(number, line) for number, line in lines if line and not line.startswith("#")]
    if not lines:
        raise UserError(f"{path} has no templates: expected lines such as {names[0]}[-1]|{names[0]}[0]")
    if not all(CRFPP.fullmatch(line) for _, line in lines):
        known = [*names[:-1], *(f"{names[0]}_{name}" for name in ner.MORPHOLOGY)]
        for number, line in lines:
            try:
                made_from.parse(line, known)
            except UserError as error:
                raise UserError(f"{path}, line {number}: {error}") from None
        return Templates(tuple(line for _, line in lines), (), False)
    kinds: dict[str, list[str]] = {"U": [], "B": []}
    for number, line in lines:
        kind, _, body = CRFPP.findall(line)[0]
        cells = CELL.findall(body or "")
        if not cells and kind == "U":
            raise UserError(f"{path}, line {number}: expected %x[row,column], found {line[:60]!r}")
        for _, column in cells:
            if int(column) >= len(names) - 1:
                raise UserError(
                    f"{path}, line {number}: expected a column from 0 to {len(names) - 2}, found {column}"
                )
        kinds[kind].append("|".join(f"{names[int(column)]}[{row}]" for row, column in cells))
    if not kinds["B"]:
        raise UserError(f"{path} has no line B: a chain has weights of pairs of labels")
    return Templates(tuple(dict.fromkeys(kinds["U"])), tuple(filter(None, dict.fromkeys(kinds["B"]))), True)
