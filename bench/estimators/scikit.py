"""Warnings and exceptions of scikit-learn's, where it is installed: it is not needed."""

import warnings
from typing import TypeVar

from structbench.algorithms.runtime.errors import UserError

E = TypeVar("E", bound=Exception)


def of_sklearn(name: str, otherwise: type[E]) -> type[E]:
    """The exception or warning of this name of scikit-learn's, or another class if that is not installed."""
    try:
        from sklearn import exceptions
    except ModuleNotFoundError:
        return otherwise
    return getattr(exceptions, name)


def not_fitted(estimator: object) -> UserError:
    """What to raise where nothing was learned yet; scikit-learn's error, if that is installed."""
    return of_sklearn("NotFittedError", UserError)(
        f"This {type(estimator).__name__} instance is not fitted yet: call fit first"
    )


def warn_of_column() -> None:
    """Warn that y is a column, as scikit-learn does."""
    given = "A column-vector y was passed when a 1d array was expected: use y.ravel()"
    warnings.warn(of_sklearn("DataConversionWarning", UserWarning)(given), stacklevel=4)
