"""The multiclass estimator: multinomial logistic regression, or a multiclass SVM, with a certificate."""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.search import decoding
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import multiclass
from structbench.bench.estimators import inputs
from structbench.bench.estimators.attributes import Attributes
from structbench.bench.estimators.base import Estimator
from structbench.bench.estimators.example_weights import checked_weights, class_weights
from structbench.bench.estimators.parameters import Absent, of_sklearn, with_label_scores, with_probabilities
from structbench.bench.estimators.values import number_of, truth_of
from structbench.bench.runs import algorithm_module
from structbench.datasets.problems.labels import distinct, number_labels
from structbench.datasets.problems.problem import Problem

PLACE = "example {}".format  # where a label is


@dataclass(eq=False, repr=False, kw_only=True)
class MulticlassCRF(Estimator):
    """Multinomial logistic regression; with ``loss="hinge"`` the SVM of Crammer and Singer (2001).

    X is an array or sparse matrix (examples, columns), a DataFrame, or a list of dicts or of lists of attributes.
    y has a label for each. With ``fit_intercept`` a further feature is always ``intercept_scaling``, as in
    LIBLINEAR. Its weights are penalised, too: the larger it is, the less.

    ``coef_`` is (labels, features), its columns named by ``feature_names_out_``. ``intercept_`` is (labels,), what
    is added to the scores of all examples. Two labels, too, have a row each.

    ``class_weight``: a dict, label -> what the losses of its examples are multiplied by, or "balanced".
    """

    fit_intercept: bool = True
    intercept_scaling: float = 1.0
    class_weight: Any = None

    ONE_LABEL = True

    def _problem(self, X: Any, y: Any) -> Problem:
        examples = _examples(X)
        self._encoder = inputs.encoder([examples])
        if isinstance(self._encoder, inputs.Words):
            raise UserError("expected rows of numbers, dicts or lists of attributes as examples, found texts")
        if isinstance(self._encoder, Attributes):
            self._encoder.are_examples = True
        has_constant = truth_of("fit_intercept", self.fit_intercept)
        self._constant = number_of("intercept_scaling", self.intercept_scaling) if has_constant else 0.0
        x = self._with_constant(self._encoder.fit([examples]))
        if getattr(y, "shape", ())[1:] == (1,):
            said = "A column-vector y was passed when a 1d array was expected: use y.ravel()"
            warnings.warn(of_sklearn("DataConversionWarning", UserWarning)(said), stacklevel=3)
        self._sizes = np.ones(ft.shape(x)[0], np.int64)
        labels, codes = number_labels(_labels_of(y, len(self._sizes)), PLACE)
        if broken := [label for label in labels if isinstance(label, float | np.floating) and label % 1]:
            raise UserError(f"Unknown label type: y has continuous values such as {broken[0]}: expected classes")
        self.feature_names_out_ = np.array(self._encoder.names, object)
        self.n_features_in_ = len(self._encoder.names)
        vars(self).pop("feature_names_in_", None)
        if given := getattr(self._encoder, "given", None):
            self.feature_names_in_ = np.array(given, object)
        return Problem(multiclass.build(x, codes, len(labels)), None, labels)

    def _factors(self, problem: Problem, sample_weight: Any) -> np.ndarray:
        own = super()._factors(problem, sample_weight)
        if self.class_weight is None:
            return own
        codes, own = problem.train.y, np.broadcast_to(own, len(self._sizes))
        of_class = class_weights(self.class_weight, problem.labels, codes, own)
        return checked_weights(own * of_class[codes], len(self._sizes))

    def _encode(self, X: Any) -> multiclass.Multiclass:
        x = self._with_constant(self._rows(X))
        return multiclass.build(x, np.full(ft.shape(x)[0], -1), len(self.classes_))

    def _rows(self, X: Any) -> ft.Features:
        """The features of new examples."""
        examples = _examples(X)
        if hasattr(examples, "shape") and examples.shape[1] != self.n_features_in_:
            raise UserError(
                f"X has {examples.shape[1]} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input"
            )
        return self._encoder.encode([examples])

    def _with_constant(self, x: ft.Features) -> ft.Features:
        """The features with a further column that is ``intercept_scaling``, if there is an intercept."""
        if not self._constant:
            return x
        column = np.full((ft.shape(x)[0], 1), self._constant)
        if x.kind == ft.DENSE:
            return ft.dense(np.hstack([x.dense, column]))
        import scipy.sparse as sp

        return ft.sparse(sp.csr_array(sp.hstack([ft.as_matrix(x), sp.csr_array(column)])))

    def _answers(self, best: list[list[Any]]) -> np.ndarray:
        return np.fromiter((labels[0] for labels in best), self.classes_.dtype, len(best))

    @with_label_scores
    def decision_function(self, X: Any) -> np.ndarray:
        """The scores of the labels, (examples, labels). Of two labels: the second's minus the first's."""
        self._check_fitted()
        scores = ft.as_matrix(self._rows(X)) @ self.coef_.T + self.intercept_
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    @with_probabilities
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probabilities of the labels, (examples, labels)."""
        return np.concatenate(self._probabilities(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of examples whose labels are right, each counted ``sample_weight`` times."""
        predicted = self.predict(X)
        gold = _labels_of(y, len(predicted))
        distinct(gold, PLACE)
        weights = None if sample_weight is None else checked_weights(sample_weight, len(predicted))
        return float(np.average([a == b for a, b in zip(predicted, gold, strict=True)], weights=weights))

    @property
    def coef_(self) -> np.ndarray:
        """Weights of (label, feature)."""
        return self._table[: self.n_features_in_].T

    @property
    def intercept_(self) -> np.ndarray:
        """What is added to the score of each label."""
        return self._table[self.n_features_in_ :].sum(axis=0) * self._constant

    @property
    def _table(self) -> np.ndarray:
        """Weights of (feature, label)."""
        if said := self.own_way:
            raise Absent(said)
        return self._learned.reshape(-1, len(self.classes_))

    @property
    def own_way(self) -> str:
        """What to say of an algorithm that predicts otherwise than by scores of labels; empty if it does so."""
        if not hasattr(self, "certificate_"):
            return ""
        name = self._spec.algorithm
        by_scores = algorithm_module.declaration(name).predict in (None, decoding.predictions)
        return "" if by_scores else f"{name} predicts in its own way, the best output alone"


def _examples(X: Any) -> Any:
    """X as an array, sparse matrix or list of one row or more."""
    found = (
        np.asanyarray(X) if hasattr(X, "__array__") and not hasattr(X, "columns") else X
    )  # or its masked values
    if not hasattr(found, "shape") and (isinstance(found, str) or not isinstance(found, Iterable)):
        raise UserError(f"expected X, rows of numbers or of attributes, found {found!r:.60}")
    found = cast(Any, found if hasattr(found, "shape") else list(found))
    if hasattr(found, "shape") and len(found.shape) != 2:
        raise UserError(f"expected X of shape (examples, columns), found {found.shape}. Reshape your data")
    if (found.shape[0] if hasattr(found, "shape") else len(found)) == 0:
        raise UserError("Found array with 0 sample(s) while a minimum of 1 is required.")
    return found


def _labels_of(y: Any, count: int) -> list[Any]:
    """The label of each example, as it was given.

    Raises:
        UserError: y has another shape, or numbers that are no classes.
    """
    if y is None:
        raise UserError("requires y to be passed, but the target y is None")
    of_labels = isinstance(y, list | tuple) and not any(isinstance(each, list | np.ndarray) for each in y)
    given = np.fromiter(y, object, len(y)) if of_labels else np.asarray(y)  # tuples are labels, not rows
    if given.ndim == 2 and given.shape[1] == 1:
        given = given.ravel()
    if given.ndim != 1 or len(given) != count:
        raise UserError(f"X has {count} examples: expected as many labels in y, found the shape {given.shape}")
    return [*given]
