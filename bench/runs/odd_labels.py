"""Warn about labels that are absent from training, and about data with too many labels to be plausible."""

import numpy as np

from structbench.algorithms.runtime.names import first_of
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import prediction
from structbench.datasets import DataRef
from structbench.datasets.problems.problem import Problem

SHOWN = 8  # labels in a sentence
FEWEST_LABELS, DECISIONS_A_LABEL = 20, 5  # as many labels, with fewer decisions a label, are probably no labels


def odd_labels(made: Problem, data: DataRef) -> list[str]:
    """Sentences on labels that training lacks, and on those that look like a column of something else."""
    where = "test" if made.validation is None else "validation and test"
    unseen = (*made.unseen, *_of_brackets(made))
    said = [unseen_labels(where, len(unseen), unseen)] if unseen else []
    return said + too_many_labels(len({*made.labels}), len(getattr(made.train, "y", ())), data)


def _of_brackets(made: Problem) -> list[str]:
    """The labels of constituents that training lacks, of each decision; they have numbers all the same."""
    if made.brackets is None:
        return []
    every = (split for split in (made.train, made.validation, made.test) if split is not None)
    train, *others = (prediction.label_room(parts.compiled(split))[1] for split in every)
    return [made.labels[k] for gold in others for k in gold[~np.isin(gold, train)].tolist()]


def unseen_labels(where: str, count: int, unseen: tuple[str, ...]) -> str:
    """Say how many decisions have labels that training lacks, and that they count as errors."""
    names = f" ({first_of([*dict.fromkeys(unseen)], SHOWN)})" if unseen else ""
    have, counted = ("decisions have labels", "they count as errors")
    if count == 1:
        have, counted = ("decision has a label", "it counts as an error")
    return f"{where}: {count:,} {have} that training lacks{names}: {counted}"


def too_many_labels(labels: int, decisions: int, data: DataRef) -> list[str]:
    """A question, if there are too many labels for so few decisions."""
    asked = "is the last column the label" if data.name == "columns" else "are these the labels"
    found = labels >= FEWEST_LABELS and 0 < decisions < DECISIONS_A_LABEL * labels
    return [f"{labels:,} labels for {decisions:,} decisions: {asked}?"] * found
