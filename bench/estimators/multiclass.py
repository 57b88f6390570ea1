"""Estimators of one label an example: multinomial logistic regression, or a multiclass SVM, with a certificate."""

from collections.abc import Iterable
from typing import Any, cast

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import multiclass
from structbench.bench.estimators import inputs
from structbench.bench.estimators.base import Estimator, warn_of_column
from structbench.datasets.problems.labels import distinct, number_labels
from structbench.datasets.problems.problem import Problem


class MulticlassCRF(Estimator):
    """Multinomial logistic regression; with ``loss="hinge"`` the SVM of Crammer and Singer (2001).

    X is an array or sparse matrix (examples, columns), a DataFrame, or a list of dicts or of lists of attributes.
    y has a label for each. With ``fit_intercept`` a further feature is always 1; its weights are penalised, too.

    ``coef_`` is sparse, (labels, features), its columns named by ``feature_names_out_``.
    """

    ONE_LABEL = True

    def __init__(
        self,
        C: float = 1.0,
        *,
        loss: str | None = None,
        penalty: str = "l2",
        algorithm: str = "auto",
        tol: float = 1e-3,
        max_passes: float = 100.0,
        random_state: Any = None,
        n_jobs: int | None = None,
        fit_intercept: bool = True,
    ) -> None:
        super().__init__(
            C, loss=loss, penalty=penalty, algorithm=algorithm, tol=tol, max_passes=max_passes,
            random_state=random_state, n_jobs=n_jobs,
        )  # fmt: skip
        self.fit_intercept = fit_intercept

    def _problem(self, X: Any, y: Any) -> Problem:
        examples = _examples(X)
        self._encoder = inputs.encoder([examples], self.fit_intercept)
        if isinstance(self._encoder, inputs.Words):
            raise UserError("expected rows of numbers, dicts or lists of attributes as examples, found texts")
        x = self._encoder.fit([examples])
        if getattr(y, "shape", ())[1:] == (1,):
            warn_of_column()
        labels, codes = number_labels(_labels_of(y, multiclass.ft.shape(x)[0]), _place)
        if broken := [label for label in labels if isinstance(label, float | np.floating) and label % 1]:
            raise UserError(f"Unknown label type: y has continuous values such as {broken[0]}: expected classes")
        self.feature_names_out_ = np.array(self._encoder.names, object)
        self.n_features_in_ = len(self._encoder.names) - bool(getattr(self._encoder, "bias", False))
        if given := getattr(self._encoder, "given", None):
            self.feature_names_in_ = np.array(given, object)
        return Problem(multiclass.build(x, codes, len(labels)), None, labels)

    def _encode(self, X: Any) -> multiclass.Multiclass:
        examples = _examples(X)
        if hasattr(examples, "shape") and examples.shape[1] != self.n_features_in_:
            raise UserError(
                f"X has {examples.shape[1]} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input"
            )
        x = self._encoder.encode([examples])
        return multiclass.build(x, np.full(multiclass.ft.shape(x)[0], -1), len(self.classes_))

    def _answers(self, best: list[list[Any]]) -> np.ndarray:
        return np.fromiter((labels[0] for labels in best), self.classes_.dtype, len(best))

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probabilities of the labels, (examples, labels).

        Raises:
            UserError: The loss gives none.
        """
        return np.concatenate(self._probabilities(X))

    def score(self, X: Any, y: Any) -> float:
        """The share of examples whose labels are right."""
        predicted = self.predict(X)
        gold = _labels_of(y, len(predicted))
        distinct(gold, _place)
        return float(np.mean([a == b for a, b in zip(predicted, gold, strict=True)]))

    @property
    def coef_(self) -> Any:
        """Weights of (label, feature), scipy sparse."""
        import scipy.sparse as sp

        return sp.csr_array(self._weights.reshape(-1, len(self.classes_)).T)


def _examples(X: Any) -> Any:
    """X as an array, sparse matrix or list of one row or more."""
    found = np.asarray(X) if hasattr(X, "__array__") and not hasattr(X, "columns") else X
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


def _place(number: int) -> str:
    return f"example {number}"
