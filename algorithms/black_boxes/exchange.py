"""Files between us and a program: data in the formats of CRFsuite, svmlight and columns; labels and weights back.

Attributes are named by their numbers, from 1 on. Labels have their names; in svmlight's format they are numbers
from 1 on. A file to be labelled has no labels: in their place is 0 in svmlight's format, nothing in the others.
"""

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from structbench.algorithms.black_boxes.box import Box
from structbench.algorithms.black_boxes.examples import Examples, examples, label_names
from structbench.algorithms.runtime.errors import Fault, UserError
from structbench.algorithms.structures import interface as parts

ESCAPES = str.maketrans({"\\": "\\\\", ":": "\\:"})  # of CRFsuite's format
CELL = re.compile(r"(\w+)\[0\]=(\S+)")  # the name of a feature that is a column's cell at the token itself
NO_CELL = "_"
STATE, TRANSITION = "state", "transition"


def split_text(box: Box, problem: Any, split: Any, labelled: bool) -> str:
    """A split as the text of a file in the format that a command reads; at the end are labels that no example has.

    Raises:
        UserError: The format cannot hold these data.
    """
    given, names = examples(split), label_names(problem, split)
    if box.reads == "crfsuite":
        names = [name.translate(ESCAPES) for name in names]
    labels = [names[k] if labelled else "" for k in given.y.tolist()]
    last = [names[k] for k in given.absent] if labelled and box.reads != "columns" else []
    if box.reads == "columns":
        rows = [f"{row} {label}".rstrip() for row, label in zip(_cells(box, problem, given), labels, strict=True)]
    else:
        gap = " " if box.reads == "svmlight" else "\t"
        tokens = [gap.join(f"{a}:{value!r}" for a, value in zip(*each, strict=True)) for each in given.tokens()]
        if box.reads == "svmlight":
            labels, last = [label or "0" for label in labels], [f"{label} " for label in last]
        rows = [f"{label}{gap}{token}" for label, token in zip(labels, tokens, strict=True)]
    cut = zip(given.starts[:-1].tolist(), given.starts[1:].tolist(), strict=True)
    sequences = [*(rows[a:b] for a, b in cut), *([label] for label in last)]
    end = "" if box.reads == "svmlight" else "\n"
    return "".join("".join(f"{row}\n" for row in each) + end for each in sequences)


def _cells(box: Box, problem: Any, given: Examples) -> list[str]:
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
    rows = (dict(of[a] for a in attributes if a in of) for attributes, _ in given.tokens())
    return [" ".join(cells.get(name, NO_CELL) for name in columns) for cells in rows]


def numbers(box: Box, who: str, given: list[Any], problem: Any) -> np.ndarray:
    """The numbers of the labels that a program gave to the test split, int64 (decisions,).

    Raises:
        Fault: They are not as many as the decisions, or one is unknown.
    """
    wanted, names = len(examples(problem.test).y), label_names(problem, problem.test)
    of = {k if box.reads == "rows" else name: k for k, name in enumerate(names)}
    if len(given) != wanted:
        raise Fault(f"{box.name}: {who} gave {len(given)} labels, not {wanted}")
    plain = [label.item() if hasattr(label, "item") else label for label in given]  # of numpy
    for label in plain:
        if not isinstance(label, Hashable) or label not in of:
            some = ", ".join(map(str, [*of][:5])) + ", ..." * (len(of) > 5)
            raise Fault(f"{box.name}: it gave the label {label!r}, which is none of {some}")
    return np.array([of[label] for label in plain], np.int64)


def weights(
    who: str, rows: Iterable[Sequence[str]], problem: Any, split: Any, columns: Mapping[str, int] | None = None
) -> np.ndarray:
    """The weights in rows: ``state``, attribute, label, weight; ``transition``, two labels, weight. Others are 0.

    Args:
        who: Whose they are, for messages.
        columns: The columns of attributes, by their names; if not given, these are numbers from 1 on.

    Raises:
        Fault: A row is malformed, names what these data lack, or names a weight again.
    """
    names = {name: k for k, name in enumerate(label_names(problem, split))}
    K, size = len(names), parts.num_weights(split)
    chain = not parts.has(split, parts.decisions)
    width = size // K - (K if chain else 0)
    columns = {str(a + 1): a for a in range(width)} if columns is None else columns
    found, seen = np.zeros(size), set[int]()
    for at, row in enumerate(rows, 1):
        try:
            kind, first, second, weight = row
            if kind == STATE:
                place = columns[first] * K + names[second]
            elif kind == TRANSITION and chain:
                place = (width + names[first]) * K + names[second]
            else:
                raise ValueError
            found[place] = float(weight)
        except (ValueError, KeyError) as error:
            more = ", or transition, label, label, weight" if chain else ""
            lacked = f"; these data have no {error.args[0]!r}" if isinstance(error, KeyError) else ""
            raise Fault(
                f"{who}: line {at} of the weights is {chr(9).join(row)!r}: "
                f"expected tabs between state, attribute, label, weight{more}{lacked}"
            ) from None
        if place in seen:
            raise Fault(
                f"{who}: line {at} of the weights, {chr(9).join(row)!r}, gives a weight that an earlier line gave"
            )
        seen.add(place)
    return found
