"""Give data sets as arrays to solvers of others, and the certified optima that they are judged by."""

from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.black_boxes.examples import examples
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features
from structbench.bench.python_data import check_is_data
from structbench.bench.report import optima, weight_files
from structbench.bench.runs import problem_store
from structbench.bench.runs.arguments import well_typed
from structbench.datasets import data_ref


@well_typed
def optimum(data: str, loss: str, C: float, penalty: str = "l2", test: str | None = None) -> optima.Optimum:
    """Where the optimum of a problem lies: ``lower_bound`` and ``objective``, and the runs that prove them.

    By a clone's docs/results/optima.csv, and by own finished runs.

    Args:
        data: Such as ``"ocr"``.
        penalty: As of ``run``.
        test: The test file, for data sets that read a file of yours: runs with another one do not count.

    Raises:
        UserError: No optimum of this problem is known, or there is no such problem.
    """
    ref = data_ref(data)
    ref.check_test(test)
    return optima.known_optimum(ref, loss, C, penalty, problem_store.fingerprint(ref, test), test)


class Split(NamedTuple):
    """Examples as arrays: example i is the rows ``starts[i]`` to ``starts[i + 1] - 1``; of classes, row i.

    ``x``: (rows, columns), of float64, dense or a SciPy sparse array. ``y``: labels as numbers, -1 if training
    lacks it.
    """

    x: Any
    y: np.ndarray
    starts: np.ndarray


class Arrays(NamedTuple):
    """A data set of classes or chains for solvers of others. ``columns``: names of columns, if they have any.

    Weights are judged as one vector: ``(columns, labels)`` by rows, then of chains ``(labels, labels)``.
    """

    train: Split
    test: Split | None
    labels: tuple[str, ...]
    columns: list[str]


@well_typed
def arrays(data: str, test: str | None = None) -> Arrays:
    """A data set as arrays, from which anybody's program can learn (``bench judge``).

    Args:
        data: Such as ``"ocr"``.
        test: The test file, for data sets that read a file of yours.

    Raises:
        UserError: It cannot be had, or is not of classes or chains without observed edges.
    """
    check_is_data(data)
    ref = data_ref(data)
    if ref.structure not in ("multiclass", "chain"):
        raise UserError(f"{ref} is of {ref.structure}: arrays are of multiclass and chain alone")
    ref.check_test(test)
    problem, _ = problem_store.obtain(ref, test, names=True)
    if ref.structure == "chain" and problem.train.num_edge_features:
        raise UserError(f"{ref} has observed edges: arrays are of chains without them")

    def split(one: Any) -> Split:
        found = examples(one)
        return Split(features.as_matrix(found.x), found.y, found.starts)

    columns = weight_files.names_of_columns(problem) or []
    tested = None if problem.test is None else split(problem.test)
    return Arrays(split(problem.train), tested, problem.labels, [*columns])
