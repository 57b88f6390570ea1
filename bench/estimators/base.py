"""Estimators: an algorithm of ours behind scikit-learn's interface, with a certificate of how far it got."""

import math
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np

from structbench.algorithms.learning.declaration import NO_LOSS
from structbench.algorithms.losses import family
from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.options import Given, split_options
from structbench.bench.estimators import automatic
from structbench.bench.estimators.parameters import Parameters
from structbench.bench.runs import algorithm_module, catalogue, documents, driver
from structbench.bench.runs import spec as specs
from structbench.bench.runs.model import FEATURES, Model, Output
from structbench.bench.runs.quality import Row
from structbench.datasets.problems.labels import as_array
from structbench.datasets.problems.problem import Problem, Unlabelled

AUTO = "auto"

A = TypeVar("A")
E = TypeVar("E", bound=Exception)


class Certificate(NamedTuple):
    """What is proven of the weights: the optimum lies between ``dual`` and ``primal``.

    ``gap`` is their difference, ``relative_gap`` that over ``primal``. NaN if the algorithm has no objective.
    """

    primal: float
    dual: float
    gap: float
    relative_gap: float


class Estimator(Parameters):
    """Learns P(w) = sum_i loss_i(w) + C ||w||^2 / 2 until its relative gap is at most ``tol``.

    Args:
        C: Strength of the penalty: larger is stronger. scikit-learn's C is 1 / C. CRFsuite's c2 is C / 2.
        loss: Any of `python -m bench list losses`: log (a CRF), hinge (an SVM), softmax-margin,
            smoothed-hinge-0.5 and so on; each class has its default.
        penalty: l2, or one that the algorithm takes, such as l1 for owl-qn.
        algorithm: Any of `python -m bench list algorithms` that fits, with its parameters, such as
            ``"eg:order=gap,eta=0.25"``. ``"auto"`` chooses by loss, structure, size and scale.
        tol: The relative gap, (primal - dual) / primal, at which to stop.
        max_passes: Stop after as much inference as visiting each example this often.
        random_state: A seed, or None for 0.
        n_jobs: Threads, for algorithms that use them; -1 for all cores.

    Attributes:
        classes_: The labels, in the order of columns of probabilities.
        certificate_: A ``Certificate``.
        curve_: Name -> array (checkpoints,): passes, cpu_seconds, primal, dual, relative_gap and others.
        n_iter_: Passes made.
        algorithm_: The algorithm that ran, with its parameters.

    Raises:
        UserError: An argument, X or y is wrong. It is a ValueError; the sentence says what would be right.
    """

    LOSS = "log"
    LIMIT = "max_passes"  # the parameter of that name

    def __init__(
        self,
        C: float = 1.0,
        *,
        loss: str | None = None,
        penalty: str = "l2",
        algorithm: str = AUTO,
        tol: float = 1e-3,
        max_passes: float = 100.0,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.loss = loss
        self.penalty = penalty
        self.algorithm = algorithm
        self.tol = tol
        self.max_passes = max_passes
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _problem(self, X: Any, y: Any) -> Problem:
        """X and y as a problem; what else encoding needs is kept."""
        raise NotImplementedError

    def _encode(self, X: Any) -> Any:
        """New examples as a split."""
        raise NotImplementedError

    def _classes(self) -> np.ndarray:
        """The labels, distinct and in their order."""
        return as_array(self._labels)

    def _answers(self, best: list[list[Any]]) -> Any:
        """The best labels of each example, as ``predict`` returns them."""
        raise NotImplementedError

    def _report(self, row: Row) -> None:
        """Called with the row of each checkpoint."""

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from examples X with the labels y. Warns if the gap is above ``tol`` in the end.

        Raises:
            UserError: X, y or a parameter is wrong, or the algorithm diverged. It is a ValueError.
            Fault: An algorithm of the user's, or a black box, fails.
        """
        vars(self).pop("certificate_", None)  # a fit that fails leaves nothing to predict with
        with parallel.using(self._jobs):
            problem = self._problem(X, y)
        self._spec = self._checked(problem.train)
        result = driver.run(self._spec, problem, self._report)
        ended, last = result.summary, result.rows[-1]
        if ended["status"] == "diverged":
            raise UserError(f"{ended['message']}: choose other parameters, or another algorithm")
        if ended["weights_of"] != FEATURES:
            raise UserError(f"{self._spec.algorithm} learns no weights of features: take another algorithm")
        self._labels = problem.labels
        self.classes_ = self._classes()
        self._weights = result.weights
        self.certificate_ = Certificate(*(float(last[name]) for name in Certificate._fields))
        found = {name: np.array(column) for name, column in result.curve.items()}
        self.curve_ = {name: column for name, column in found.items() if not np.isnan(column).all()}
        self.n_iter_ = max(1, math.ceil(ended["passes"]))
        self.algorithm_ = specs.fields_of(self._spec.key)[3]
        reached = self.certificate_.relative_gap <= self.tol and last["C"] == self._spec.C
        if self._spec.loss != NO_LOSS and not reached:
            kind = _of_sklearn("ConvergenceWarning", UserWarning)
            warnings.warn(kind(self._complaint(ended, automatic.advice(problem.train))), stacklevel=2)
        return self

    def predict(self, X: Any) -> Any:
        """The best labels of each example."""
        return self._answers(self._asked(X, Model.best, []))

    def predict_k_best(self, X: Any, k: int) -> list[list[Output]]:
        """At most ``k`` outputs of each example, the best first: its labels, its score and its probability.

        Raises:
            UserError: k is below 1.
        """
        return self._asked(X, lambda model, new: model.outputs(new, k), [Output([], 0.0, 1.0)])

    def _probabilities(self, X: Any) -> list[np.ndarray]:
        """The probabilities of all labels at each decision of each example."""
        self._check_fitted()
        return self._asked(X, Model.probabilities, np.empty((0, len(self.classes_))))

    def _asked(self, X: Any, of: Callable[[Model, Unlabelled], list[A]], empty: A) -> list[A]:
        """What ``of`` says of each new example; ``empty``: of one without decisions.

        Raises:
            UserError: X is wrong, or nothing was learned yet.
        """
        self._check_fitted()
        with parallel.using(self._jobs):
            return of(self._model, Unlabelled(self._encode(X), [], []))

    @property
    def _jobs(self) -> int:
        """The number of threads.

        Raises:
            UserError: ``n_jobs`` is 0.
        """
        if self.n_jobs == 0:
            raise UserError("n_jobs must be a number of threads, or -1 for all cores, not 0")
        given = 1 if self.n_jobs is None else self.n_jobs
        return given if given > 0 else max(1, _cores() + 1 + given)

    @property
    def has_probabilities(self) -> bool:
        """Whether the outputs have any: not if the loss is the hinge, or the algorithm has no loss."""
        name, _, text = self.algorithm.partition(":")
        try:
            if hasattr(self, "certificate_"):
                loss, name = self._spec.loss, self._spec.algorithm
            else:
                loss = self.loss or self.LOSS if name == AUTO else self._loss(name, split_options(text))
            exact = name == AUTO or algorithm_module.declaration(name).predict is None
            return exact and loss != NO_LOSS and family.named_loss(loss).temperature > 0
        except UserError:  # ``fit`` says what is wrong
            return False

    @property
    def _model(self) -> Model:
        return Model(self._spec, self._labels, self._weights, None, {})

    def _check_fitted(self) -> None:
        if not hasattr(self, "certificate_"):
            raise not_fitted(self)

    def _checked(self, train: Any) -> specs.Spec:
        """The spec of the run, its arguments checked."""
        if self.algorithm == AUTO:
            name, given = automatic.choice(train, self.loss or self.LOSS, self.penalty, self.C)
        else:
            name, _, text = self.algorithm.partition(":")
            given = split_options(text)
        loss = self._loss(name, given)
        found = specs.of_memory(
            loss,
            None if loss == NO_LOSS else self.C,
            name,
            given,
            penalty=None if loss == NO_LOSS else self.penalty,
            gap=self.tol,
            passes=self.max_passes,
            seed=_seed(self.random_state),
            threads=self._jobs if catalogue.uses_threads(name) else 1,
        )
        catalogue.check_structure(name, dict(found.params), type(train))
        return found

    def _loss(self, name: str, given: Given) -> str:
        """The loss to minimise, or ``NO_LOSS`` if the algorithm of this name minimises none."""
        return NO_LOSS if catalogue.properties(name, given) == (NO_LOSS,) else self.loss or self.LOSS

    def _complaint(self, ended: documents.Json, advice: str) -> str:
        return (
            f"{self.algorithm_} ended with a relative gap of {self.certificate_.relative_gap:.2g}, above tol = "
            f"{self.tol:g} ({ended['message']}): {advice}raise {self.LIMIT} or tol, or take another algorithm"
        )


def not_fitted(estimator: Parameters) -> UserError:
    """What to raise where nothing was learned yet; scikit-learn's error, if that is installed."""
    return _of_sklearn("NotFittedError", UserError)(
        f"This {type(estimator).__name__} instance is not fitted yet: call fit first"
    )


def _seed(given: Any) -> int:
    """A seed from None, a number, or a random number generator of numpy's."""
    if given is None:
        return 0
    if hasattr(given, "randint"):
        return int(given.randint(2**31))
    if hasattr(given, "integers"):
        return int(given.integers(2**31))
    return int(given)


def _cores() -> int:
    import os

    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def warn_of_column() -> None:
    """Warn that y is a column, as scikit-learn does."""
    given = "A column-vector y was passed when a 1d array was expected: use y.ravel()"
    warnings.warn(_of_sklearn("DataConversionWarning", UserWarning)(given), stacklevel=4)


def _of_sklearn(name: str, otherwise: type[E]) -> type[E]:
    """The exception or warning of this name of scikit-learn's, or another class if that is not installed."""
    try:
        from sklearn import exceptions
    except ModuleNotFoundError:
        return otherwise
    return getattr(exceptions, name)
