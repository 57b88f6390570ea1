"""What third-party solvers share: data, budgets, a clock, and a dual point for the hinge."""

import time
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits

from structbench.algorithms.coordinate_ascent import smo
from structbench.algorithms.learning.objective import Dual, Hints, Iterate, Objective, require_labels
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts

if TYPE_CHECKING:
    import scipy.sparse as sp

TOLERANCE = 1e-14  # no run reaches it before its budget is used up or rounding ends it
GROWTH = 1.6  # of the iterations, from one run to the next


def rows_and_labels(name: str, split: Any) -> "tuple[np.ndarray | sp.csr_array, np.ndarray]":
    """The rows (n, columns) and labels (n,) of a multiclass split, in memory of its own.

    The peer knows only the classes that it sees. So a class without an example gets one whose features are all 0.
    Its loss is the same for all weights.

    Raises:
        UserError: a label was never seen in training, or there are fewer than two classes.
    """
    import scipy.sparse as sp

    require_labels(split, name)
    examples = parts.classes(split)
    if examples.num_labels < 2:
        raise UserError(f"{name} needs at least 2 classes, but these data have {examples.num_labels}")
    unseen = np.setdiff1d(np.arange(examples.num_labels), examples.y)
    x, y = ft.as_matrix(examples.x), np.concatenate([examples.y, unseen])
    if not sp.issparse(x):
        return np.concatenate([x, np.zeros((len(unseen), x.shape[1]))]), y
    ends = np.concatenate([x.indptr, np.full(len(unseen), x.indptr[-1])])
    short = x.indices.astype(np.int32), ends.astype(np.int32)  # liblinear takes no longer ones
    return sp.csr_array((x.data.copy(), *short), shape=(len(y), x.shape[1])), y


def start(split: Any, notes: dict[str, float | str]) -> Iterate:
    """Where a program stands before it is started. Handing it the data is not its own work."""
    return Iterate(np.zeros(parts.num_weights(split)), 0, notes=notes, hints=Hints(seconds=(0.0, 0.0)))


def weights_of(coefficients: np.ndarray) -> np.ndarray:
    """Weights (columns * K,) from scikit-learn's ``coef_``: (K, columns), or w_1 - w_0, (1, columns), if K = 2."""
    if len(coefficients) == 1:
        coefficients = np.concatenate([-coefficients, coefficients]) / 2
    return np.ascontiguousarray(coefficients.T).ravel()


def iterations() -> Iterator[int]:
    """The iteration limit of the first run, of the second, and so on: 1, 2, 3, 5, 8, 13, ..."""
    budget = 1
    while True:
        yield budget
        budget = max(budget + 1, round(GROWTH * budget))


def clocked(call: Callable[[], Any]) -> tuple[Any, tuple[float, float]]:
    """A call's result, and its wall and CPU seconds on one thread. Warnings, as of a spent budget, are silenced.

    The driver's own limit does not reach libraries that are loaded later, as a peer's are.
    """
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        wall, cpu = time.perf_counter(), time.process_time()
        result = call()
        return result, (time.perf_counter() - wall, time.process_time() - cpu)


def fits(
    objective: Objective, rng: np.random.Generator, package: str, data: tuple, make: Callable, found: Callable
) -> Iterator[Iterate]:
    """Fit what ``make(max_iter, random_state)`` makes for each of ``iterations``, until it stops by itself.

    ``found``: the coefficients of a fitted one, as ``weights_of`` takes them. An iteration counts n visits.
    """
    n, notes, seed = parts.num_examples(objective.split), note_of(package), int(rng.integers(2**31))
    yield start(objective.split, notes)
    before = 0
    for budget in iterations():
        model = make(max_iter=budget, random_state=seed)
        _, seconds = clocked(lambda model=model: model.fit(*data))
        made = int(np.max(model.n_iter_))
        if made > before:
            yield Iterate(weights_of(found(model)), n * made, notes=notes, hints=Hints(seconds=seconds))
        if made < budget:
            return
        before = made


def note_of(package: str) -> dict[str, float | str]:
    """The package's version, for the notes of a run."""
    return {"package": f"{package} {version(package)}"}


class HingeBound:
    """A dual point for a peer that gives none. Our SMO runs next to the peer, untimed, and finds it."""

    def __init__(self, problem: Any, objective: Objective, seed: int) -> None:
        self.solver = smo.solve(problem, objective, np.random.default_rng(seed), average=False)
        self.reached = next(self.solver)
        self.C = objective.C

    def after(self, visits: int) -> Dual | None:
        """The dual point after as many visits as the peer made, or at the optimum."""
        while self.reached.visits < visits:
            following = next(self.solver, None)
            if following is None:
                break
            self.reached = following
        w = self.C * self.reached.scale * self.reached.vector
        return self.reached.dual._replace(weights=w) if self.reached.dual else None
