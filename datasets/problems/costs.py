"""Costs chosen by the user in place of the default: wrong chunks, the share of wrong labels, or a cost matrix."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import costs
from structbench.datasets.problems.problem import Problem
from structbench.datasets.references.data_ref import CHUNKS, SHARE
from structbench.datasets.text.lines import numbered_lines

SHOWN = 5  # labels that a message names


def with_costs(problem: Problem, path: str | None) -> Problem:
    """The problem with other costs.

    Args:
        path: None, for segments, counts wrong and missed chunks. Else it names a file. The first line names all
            labels. Each further line has a gold label and the costs of those labels. Tabs separate them, or, in a
            line without any, spaces. ``SHARE`` divides the cost of an output by the number of its labels.

    Raises:
        UserError: Problems of this structure take no such costs. Or the file cannot be read or is wrong.
    """
    fields = problem.train._fields
    if "chunk_costs" in fields and path is None:
        changed: dict[str, Any] = {"chunk_costs": 1}
    elif "costs" in fields and path is not None:
        if problem.tags and path != SHARE:
            said = f"a decision here is two labels in one: costs={SHARE} counts both"
            raise UserError(f"costs={path}: {said}")
        changed = {"costs": costs.SHARE if path == SHARE else _read(path, problem.labels)}
    else:
        given, structure = path or CHUNKS, problem.train.id
        takes = kinds_taken(fields)
        raise UserError(f"costs={given}: of costs, problems of the structure {structure} take {takes}")
    splits = {name: getattr(problem, name) for name in ("train", "test", "validation")}
    return problem._replace(
        **{name: split._replace(**changed) for name, split in splits.items() if split is not None}
    )


def kinds_taken(fields: Sequence[str]) -> str:
    """Which costs problems of a structure with these fields take, in words."""
    return CHUNKS if "chunk_costs" in fields else f"{SHARE} or a file" if "costs" in fields else "none"


def _read(path: str, labels: tuple[str, ...]) -> np.ndarray:
    """The matrix of a file, its rows and columns in the order of the labels."""
    words = ((number, line.split("\t" if "\t" in line else None)) for number, line in numbered_lines(path))
    lines = [(number, [word.strip() for word in found]) for number, found in words if found]
    columns = lines[0][1] if lines else []
    if len(columns) == len(labels) + 1 and not columns[0]:  # above the right labels, as spreadsheets write it
        del columns[0]
    _same(f"{path}, line {lines[0][0] if lines else 1}", columns, labels)
    _same(f"{path}, first words of its lines", [words[0] for _, words in lines[1:]], labels)
    matrix = np.empty((len(labels), len(labels)))
    for number, (right, *numbers) in lines[1:]:
        try:
            row = dict(zip(columns, map(float, numbers), strict=True))
        except ValueError:
            found = " ".join(numbers)
            raise UserError(
                f"{path}, line {number}: expected a right label and {len(labels)} numbers, found {found[:60]!r}"
            ) from None
        matrix[labels.index(right)] = [row[label] for label in labels]
    try:
        return costs.checked(matrix, len(labels), labels)
    except UserError as error:
        raise UserError(f"{path}: {error}") from None


def _same(where: str, found: list[str], labels: tuple[str, ...]) -> None:
    """See that these are all labels, each once."""
    if sorted(found) != sorted(labels):
        odd = sorted({each or "an empty cell" for each in {*found} ^ {*labels}}) or sorted(
            {f"{each} (twice)" for each in found if found.count(each) > 1}
        )
        more = f" and {len(odd) - SHOWN} more" if len(odd) > SHOWN else ""
        between = ", with tabs or blanks between" * (len(found) == 1 < len(labels))
        raise UserError(
            f"{where}: expected each of the {len(labels)} labels once{between}; wrong or missing: "
            f"{', '.join(each[:60] for each in odd[:SHOWN])}{more}"
        )
