"""Files between us and a program: data in the formats of CRFsuite, svmlight and columns; labels and weights back.

Attributes are named by their numbers, from 1 on. Labels have their names; in svmlight's format they are numbers
from 1 on. A file to be labelled has no labels: in their place is 0 in svmlight's format, nothing in the others.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from structbench.algorithms.black_boxes.box import Box
from structbench.algorithms.black_boxes.labels import gold
from structbench.algorithms.runtime.errors import Fault, UserError
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts

ESCAPES = str.maketrans({"\\": "\\\\", ":": "\\:"})  # of CRFsuite's format
CELL = re.compile(r"(\w+)\[0\]=(\S+)")  # the name of a feature that is a column's cell at the token itself
NO_CELL = "_"
STATE, TRANSITION = "state", "transition"


def label_names(problem: Any, split: Any) -> list[str]:
    """The names of the labels as files have them."""
    if parts.has(split, parts.decisions):
        return [str(k + 1) for k in range(parts.classes(split).num_labels)]
    count = parts.label_sequences(split).num_labels
    return [*problem.labels] if len(problem.labels) == count else [str(k + 1) for k in range(count)]


def sequences(split: Any) -> Iterator[tuple[list[int], list[float]]]:
    """The attributes, from 1 on, and their values, of all tokens or examples."""
    import scipy.sparse as sp

    of = parts.classes(split) if parts.has(split, parts.decisions) else parts.label_sequences(split)
    x = sp.csr_array(ft.as_matrix(of.x))
    x.sort_indices()
    for a, b in zip(x.indptr[:-1].tolist(), x.indptr[1:].tolist(), strict=True):
        yield (x.indices[a:b] + 1).tolist(), x.data[a:b].tolist()


def written(box: Box, problem: Any, split: Any, labelled: bool) -> str:
    """A split as the text of a file in the format that a command reads; at the end are labels that no example has.

    Raises:
        UserError: The format cannot hold these data.
    """
    if not parts.has(split, parts.decisions) and (count := parts.label_sequences(split).num_edge_features):
        raise UserError(f"{box.name} knows no observed edge features, but these data have {count}")
    y, starts = gold(split)
    names = label_names(problem, split)
    texts = [names[k] if labelled else "" for k in y.tolist()]
    unseen = [names[k] for k in np.setdiff1d(np.arange(len(names)), y)] if labelled else []
    if box.reads == "columns":
        rows = [
            f"{cells} {label}".rstrip() for cells, label in zip(_cells(box, problem, split), texts, strict=True)
        ]
        return _in_sequences(rows, starts)
    tokens = [
        (" " if box.reads == "svmlight" else "\t").join(f"{a}:{value!r}" for a, value in zip(*each, strict=True))
        for each in sequences(split)
    ]
    if box.reads == "svmlight":
        rows = [f"{label or 0} {token}" for label, token in zip(texts, tokens, strict=True)]
        return "".join(f"{row}\n" for row in [*rows, *(f"{label} " for label in unseen)])
    rows = [f"{label.translate(ESCAPES)}\t{token}" for label, token in zip(texts, tokens, strict=True)]
    return _in_sequences(rows, starts) + "".join(f"{label.translate(ESCAPES)}\n\n" for label in unseen)


def _in_sequences(rows: list[str], starts: np.ndarray) -> str:
    cut = zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
    return "".join("".join(f"{row}\n" for row in rows[a:b]) + "\n" for a, b in cut)


def _cells(box: Box, problem: Any, split: Any) -> list[str]:
    """The columns of each token, from the names of its features: a cell that no feature tells is NO_CELL."""
    vocabulary = problem.vocabulary or {}
    found = [CELL.fullmatch(name) for name in vocabulary.get("nodes", ())]
    of = {a: (each[1], each[2]) for a, each in enumerate(found, 1) if each}
    known = sorted({name for name, _ in of.values()}, key=lambda name: (name != "w", name))
    columns = [name for name in vocabulary.get("columns", known) if name in known]
    if not columns:
        raise UserError(
            f"{box.name} reads columns, but the features of these data have no words: choose another format"
        )
    rows = []
    for attributes, _ in sequences(split):
        cells = dict(of[a] for a in attributes if a in of)
        rows.append(" ".join(cells.get(name, NO_CELL) for name in columns))
    return rows


def number(box: Box, label: Any, names: dict[Any, int]) -> int:
    """The number of a label that a program gave.

    Raises:
        Fault: There is no such label.
    """
    label = label.item() if hasattr(label, "item") else label  # of numpy
    try:
        found = names.get(label)
    except TypeError:  # such as a list
        found = None
    if found is None:
        some = ", ".join(map(str, [*names][:5]))
        raise Fault(
            f"{box.name}: it gave the label {label!r}, which is none of {some}{', ...' * (len(names) > 5)}"
        )
    return found


def read_labels(box: Box, file: Path, problem: Any) -> np.ndarray:
    """The labels that a command wrote, one a line, as numbers: float64 (decisions,). Empty lines are skipped.

    Raises:
        Fault: They are not as many as the decisions of the test split, or one is unknown.
    """
    given = [line.strip() for line in _lines(box, file) if line.strip()]
    wanted = len(gold(problem.test)[0])
    if len(given) != wanted:
        raise Fault(f"{box.name}: the command wrote {len(given)} labels, not {wanted}")
    names = {name: k for k, name in enumerate(label_names(problem, problem.test))}
    return np.array([number(box, label, names) for label in given], float)


def read_weights(box: Box, file: Path, problem: Any, split: Any) -> np.ndarray:
    """The weights that a command wrote: ``state``, attribute, label, weight; ``transition``, two labels, weight.

    Raises:
        Fault: A line is malformed.
    """
    names = {name: k for k, name in enumerate(label_names(problem, split))}
    K, size = len(names), parts.num_weights(split)
    chain = not parts.has(split, parts.decisions)
    width = size // K - (K if chain else 0)
    weights = np.zeros(size)
    for at, line in enumerate(_lines(box, file), 1):
        kind, *rest = line.rstrip("\n").split("\t")
        try:
            first, second, weight = rest
            if kind == STATE and 1 <= int(first) <= width:
                weights[(int(first) - 1) * K + names[second]] = float(weight)
            elif kind == TRANSITION and chain:
                weights[(width + names[first]) * K + names[second]] = float(weight)
            else:
                raise ValueError
        except (ValueError, KeyError):
            expected = "state, attribute, label, weight" + (
                ", or transition, label, label, weight" if chain else ""
            )
            raise Fault(
                f"{box.name}: line {at} of the weights is {line.strip()!r}: expected tabs between {expected}"
            ) from None
    return weights


def _lines(box: Box, file: Path) -> list[str]:
    try:
        return file.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise Fault(f"{box.name}: the command wrote no file {{{file.name}}}") from None
    except (OSError, ValueError) as error:
        raise Fault(f"{box.name}: the file {{{file.name}}} that it wrote cannot be read: {error}") from None
