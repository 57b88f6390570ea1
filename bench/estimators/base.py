"""The base class of estimators: our algorithms behind scikit-learn's interface, certified by a duality gap."""

import itertools
import math
import warnings
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import Any, Self, TypeVar

import numpy as np

from structbench.algorithms.learning.declaration import NO_LOSS, numberless
from structbench.algorithms.learning.loss_factors import EQUAL
from structbench.algorithms.losses import family
from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.options import Given, split_options
from structbench.algorithms.structures import interface as parts
from structbench.bench.estimators import automatic, values
from structbench.bench.estimators.certificate import Certificate
from structbench.bench.estimators.earlier import Earlier
from structbench.bench.estimators.example_weights import check_span, checked_weights
from structbench.bench.estimators.parameters import Parameters, not_fitted, of_sklearn
from structbench.bench.runs import algorithm_module, catalogue, documents, driver, news, objective_names, patches
from structbench.bench.runs import spec as specs
from structbench.bench.runs.model import FEATURES, Model, Output
from structbench.bench.runs.quality import Row
from structbench.datasets.problems.labels import as_array
from structbench.datasets.problems.problem import Problem, Unlabelled

AUTO = "auto"
UNVERIFIED = "unverified"  # a run's status

A = TypeVar("A")


@dataclass(eq=False, repr=False)
class Estimator(Parameters):
    """Learns P(w) = sum_i loss_i(w) + C ||w||^2 / 2 + l1 ||w||_1 until its relative gap is at most ``tol``.

    Args:
        C: Strength of the penalty: larger is stronger. scikit-learn's C is 1 / C; with two labels it is 2 / C, but
            1 / C for ``LinearSVC(multi_class="crammer_singer")``. CRFsuite's c2 is C / 2.
        l1: Strength of the l1 norm, which makes weights 0: CRFsuite's c1. With it C may be 0.
        loss: Any of `python -m bench list losses`: log (a CRF), hinge (an SVM), softmax-margin,
            smoothed-hinge-0.5 and so on; each class has its default.
        penalty: l2, or another that the algorithm takes; then C is its strength, and ``l1`` is 0.
        algorithm: Any of `python -m bench list algorithms` that fits, with its parameters, such as
            ``"eg:order=gap,eta=0.25"``. ``"auto"`` chooses by loss, structure, size and scale.
        tol: The relative gap, (primal - dual) / primal, at which to stop.
        max_passes: Stop after as much inference as visiting each example this often.
        random_state: A seed, or None for 0.
        n_jobs: Threads, for algorithms that use them; -1 for all cores.
        warm_start: Whether ``fit`` goes on from the fit before, of the same labels and features. It starts from
            dual variables if the algorithm keeps some, the examples have the same lengths and labels, and the fit
            before had ``warm_start``, too. Else it starts from the weights. Of the algorithms that ``"auto"``
            chooses, some have no warm start: they start afresh.

    Attributes:
        classes_: The labels, in the order of columns of probabilities.
        certificate_: A ``Certificate``.
        curve_: Name -> array (checkpoints,): passes, cpu_seconds, primal, dual, relative_gap and others.
        n_iter_: Passes made.
        algorithm_: The algorithm that ran, with its parameters.

    Raises:
        UserError: An argument, X or y is wrong. It is a ValueError; the sentence says what would be right.
    """

    C: float = 1.0
    _: KW_ONLY
    l1: float = 0.0
    loss: str | None = None
    penalty: str = "l2"
    algorithm: str = AUTO
    tol: float = 1e-3
    max_passes: float = 100.0
    random_state: Any = None
    n_jobs: int | None = None
    warm_start: bool = False
    _sizes: np.ndarray = field(init=False)  # decisions of each example of the last ``fit``; those with 0 left out

    LOSS = "log"
    CALLS = 2  # of functions from a user's line to the warning
    LIMIT = "max_passes"  # the parameter of that name

    def _problem(self, X: Any, y: Any) -> Problem:
        """X and y as a problem; what else encoding needs is kept, and ``_sizes``."""
        raise NotImplementedError

    def _encode(self, X: Any) -> Any:
        """New examples as a split."""
        raise NotImplementedError

    def _classes(self) -> np.ndarray:
        """The labels, distinct and in their order."""
        return as_array(self._labels)

    def _answers(self, best: list[list[Any]]) -> Any:
        """The best labels of each example, as ``predict`` returns them."""
        return best

    def _report(self, row: Row) -> None:
        """Called with the row of each checkpoint."""

    def _factors(self, problem: Problem, sample_weight: Any) -> np.ndarray:
        """What the loss of each example of the problem is multiplied by."""
        if sample_weight is None:
            return EQUAL
        return checked_weights(sample_weight, len(self._sizes))[self._sizes > 0]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from examples X with the labels y. Warns if the gap is above ``tol`` in the end.

        ``sample_weight``: what the loss of each example is multiplied by; 2 counts as the example twice.

        Raises:
            UserError: X, y or a parameter is wrong, or the algorithm diverged. It is a ValueError.
            Fault: An algorithm of the user's, or a black box, fails.
        """
        vars(self).pop("certificate_", None)  # a fit that fails leaves nothing to predict with
        with news.on_stderr() as told:
            with parallel.using(self._jobs):
                problem = self._problem(X, y)
                factors = self._factors(problem, sample_weight)
                if factors is not EQUAL and not factors.any():
                    raise UserError(
                        "sample_weight is 0 for all examples that are not empty: give one of them a weight above 0"
                    )
                if not factors.all():
                    kept = np.flatnonzero(factors)
                    factors, problem = factors[kept], problem._replace(train=parts.take(problem.train, kept))
            check_span(factors)
            told.structure = problem.train.id
            self._spec = self._checked(problem.train, factors is not EQUAL)
            earlier: Earlier | None = vars(self).get("_earlier") if self.warm_start else None
            features = self._feature_names
            start = earlier.start(problem, features, self._spec.algorithm) if earlier else None
            with patches.undone(self._spec.algorithm, factors):
                result = driver.run(self._spec, problem, self._report, factors, start, is_alone=True)
        ended, last = result.summary, result.rows[-1]
        if ended["status"] == "diverged":
            raise UserError(f"{ended['message']}: choose other parameters, or another algorithm")
        if ended["weights_of"] != FEATURES:
            raise UserError(f"{self._spec.algorithm} learns no weights of features: take another algorithm")
        self._labels = problem.labels
        self.classes_ = self._classes()
        self._weights = result.weights
        self._earlier = Earlier.of(problem, features, self._spec.algorithm, result, duals=self.warm_start)
        came = last["C"] == self._spec.C  # a path may end before, and its values are of another objective
        self.certificate_ = Certificate(*(float(last[name]) if came else math.nan for name in Certificate._fields))
        found = {name: np.array(column) for name, column in result.curve.items()}
        self.curve_ = {name: column for name, column in found.items() if not np.isnan(column).all()}
        self.n_iter_ = max(1, math.ceil(ended["passes"]))
        self.algorithm_ = specs.fields_of(self._spec.key)[3]
        reached = self.certificate_.relative_gap <= self.tol and ended["status"] != UNVERIFIED
        if self._spec.loss != NO_LOSS and not reached:
            kind = of_sklearn("ConvergenceWarning", UserWarning)
            warnings.warn(kind(self._complaint(ended, automatic.advice(problem.train))), stacklevel=self.CALLS)
        return self

    def predict(self, X: Any) -> Any:
        """The best labels of each example."""
        return self._answers(self._asked(X, Model.best, []))

    def predict_k_best(self, X: Any, k: int) -> list[list[Output]]:
        """At most ``k`` outputs of each example, the best first: its labels, its score and its probability.

        Raises:
            UserError: k is below 1.
        """
        certain = Output([], 0.0, 1.0 if self.has_probabilities else math.nan)
        return self._asked(X, lambda model, new: model.k_best(new, k), [certain])

    def _probabilities(self, X: Any) -> list[np.ndarray]:
        """The probabilities of all labels at each decision of each example."""
        self._check_fitted()
        return self._asked(X, Model.predict_probabilities, np.empty((0, len(self.classes_))))

    def _asked(self, X: Any, of: Callable[[Model, Unlabelled], list[A]], empty: A) -> list[A]:
        """What ``of`` says of each new example; ``empty``: of one without decisions.

        Raises:
            UserError: X is wrong, or nothing was learned yet.
        """
        self._check_fitted()
        with news.on_stderr(), parallel.using(self._jobs):
            return of(self._model, Unlabelled(self._encode(X), [], []))

    @property
    def _feature_names(self) -> Any:
        """What the columns of the features are called, by which a warm start is allowed."""
        return vars(self).get("feature_names_out_", vars(self).get("_vocabulary"))

    @property
    def _jobs(self) -> int:
        """The number of threads."""
        return values.threads_of(self.n_jobs)

    @property
    def has_probabilities(self) -> bool:
        """Whether the outputs have any: not if the loss is the hinge, or the algorithm has no loss."""
        try:
            if hasattr(self, "certificate_"):
                loss, name = self._spec.loss, self._spec.algorithm
            else:
                name, given = self._named()
                loss = self.loss or self.LOSS if name == AUTO else self._loss(name, given)
            exact = name == AUTO or algorithm_module.declaration(name).predict is None
            return exact and loss != NO_LOSS and family.named_loss(values.text_of("loss", loss)).temperature > 0
        except UserError:  # ``fit`` says what is wrong
            return False

    @property
    def _model(self) -> Model:
        return Model(self._spec, self._labels, self._weights, None, {})

    @property
    def _learned(self) -> np.ndarray:
        """The weights; raises as ``_check_fitted``."""
        self._check_fitted()
        return self._weights

    def __sklearn_is_fitted__(self) -> bool:
        """What scikit-learn asks: a fit that fails leaves ``classes_``, but nothing to predict with."""
        return hasattr(self, "certificate_")

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)

    def _named(self) -> tuple[str, Given]:
        """The algorithm's name and what is given of its parameters."""
        name, _, text = values.text_of("algorithm", self.algorithm).partition(":")
        return name, split_options(text)

    def _checked(self, train: Any, weighted: bool) -> specs.Spec:
        """The spec of the run, its arguments checked. ``weighted``: whether losses have factors."""
        values.truth_of("warm_start", self.warm_start)
        penalty, strength = self._penalty()
        passes = values.number_of(self.LIMIT, self.max_passes)
        gap = values.number_of("tol", self.tol, specs.LEAST_GAP)
        wanted = objective_names.in_digits(values.text_of("loss", self.loss or self.LOSS))
        refused = partial(self._refused, weighted, penalty)
        auto = partial(automatic.choice, train, wanted, penalty, strength, refused)
        name, given = auto() if self.algorithm == AUTO else self._named()
        if asked := refused(name):
            served = itertools.filterfalse(refused, catalogue.algorithms())
            instead = automatic.instead(train, wanted, penalty, served)
            raise UserError(f"{name} takes no {asked}: with the {wanted} loss and the penalty {penalty} {instead}")
        catalogue.require(name)
        loss = self._loss(name, given)
        C, of_C = (None, None) if loss == NO_LOSS else (strength, penalty)
        threads = self._jobs if algorithm_module.declaration(name).threads else 1
        rest = {"gap": gap, "passes": passes, "seed": values.seed_of(self.random_state), "threads": threads}
        found = specs.of_memory(loss, C, name, given, penalty=of_C, **rest)
        catalogue.check_structure(name, dict(found.params), type(train))
        return found

    def _loss(self, name: str, given: Given) -> str:
        """The loss to minimise, or ``NO_LOSS`` if the algorithm of this name minimises none."""
        return NO_LOSS if catalogue.properties(name, given) == (NO_LOSS,) else self.loss or self.LOSS

    def _penalty(self) -> tuple[str, float]:
        """The name of the penalty, as a run has it, and its C."""
        l1 = values.number_of("l1", self.l1, 0.0)
        if not l1:
            return values.text_of("penalty", self.penalty), values.number_of("C", self.C)
        if self.penalty != "l2":
            raise UserError(f"l1 = {l1:g} goes with the penalty l2, not {self.penalty!r}: give one of them")
        C = values.number_of("C", self.C, 0.0)
        return (f"elastic-{l1!r}", C) if C else ("l1", 2 * l1)

    def _refused(self, weighted: bool, penalty: str, name: str) -> str:
        """What the user gives, and the algorithm of this name does not take; empty if it takes all."""
        declared = algorithm_module.declaration(name)
        if self.l1 and numberless(penalty) not in declared.penalties:
            return "l1" if penalty != "l1" else "l1 with C=0"
        if weighted and not declared.loss_factors:
            return "sample_weight or class_weight"
        warm = self.warm_start and self.algorithm != AUTO  # auto takes the same algorithm as without
        return "warm_start" if warm and not declared.warm_start else ""

    def _complaint(self, ended: documents.Json, advice: str) -> str:
        if ended["status"] == UNVERIFIED:
            return f"{self.algorithm_} proves nothing: its {ended['message']}. Take another algorithm for a proof"
        if self._spec.penalty == "none":
            return (
                "without a penalty nothing bounds the optimum, and no gap is certified: take l2 or l1 for a proof"
            )
        limit, said = f"{self.LIMIT} or tol", f"ended with a relative gap of {self.certificate_.relative_gap:.2g}"
        said += f", above tol = {self.tol:g}"
        if ended["C"] != self._spec.C:
            limit, said = self.LIMIT, f"did not come to C = {self._spec.C:g}"
        return f"{self.algorithm_} {said} ({ended['message']}): {advice}raise {limit}, or take another algorithm"
