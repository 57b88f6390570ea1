"""Cyanure's classifier, with ``coef_`` as scikit-learn's classes have it: a row for each class."""

from typing import Any

from cyanure.estimators import Classifier  # pyright: ignore[reportMissingImports] - of a group of its own


class Logistic(Classifier):
    """With the logistic loss of two classes, or of more."""

    def fit(self, X: Any, labels: Any) -> "Logistic":
        """As Cyanure's."""
        self.loss = "logistic" if labels.max() == 1 else "multiclass-logistic"
        super().fit(X, labels)
        self.coef_ = self.coef_.T.reshape(-1, X.shape[1])
        return self
