"""Mean F1 of labels that are attributes, and the share of examples whose key attributes are all right.

An attribute is what is looked for among other nodes (l1m3n2009, section 5.4).
"""

from typing import NamedTuple

import numpy as np

from structbench.datasets.problems.problem import Judged


class Scores(NamedTuple):
    """Shares in 0 .. 1; NaN where there is nothing to divide by.

    ``average_f1``: the mean of the attributes' F1, each over all nodes of the split; an attribute that is neither
    there nor predicted is left out, one that training never saw has 0. ``instance_accuracy``: of the examples that
    have a key attribute, those all of whose key attributes are found, and no other node taken for one. Labels that
    training never saw are key attributes, too, if all others are.
    """

    average_f1: float
    instance_accuracy: float


def scores(judged: Judged) -> Scores:
    """The scores of the labels of all nodes."""
    predicted, (names, right), starts = judged.predicted, judged.as_written(), judged.starts
    attributes, key_attributes, found = judged.problem.attributes, judged.problem.key_attributes, []
    unseen = tuple(range(len(judged.problem.labels), len(names)))
    key_attributes += unseen if {*attributes} == {*key_attributes} else ()
    for label in attributes + unseen:
        total = np.count_nonzero(predicted == label) + np.count_nonzero(right == label)
        if total:
            found.append(2 * np.count_nonzero((predicted == label) & (right == label)) / total)
    of_either = np.isin(predicted, key_attributes) | np.isin(right, key_attributes)
    wrong = np.logical_or.reduceat(of_either & (predicted != right), starts[:-1])
    there = np.logical_or.reduceat(np.isin(right, key_attributes), starts[:-1])
    whole = float(np.mean(~wrong[there])) if there.any() else float("nan")
    return Scores(float(np.mean(found)) if found else float("nan"), whole)
