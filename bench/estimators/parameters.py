"""What scikit-learn asks of every estimator: parameters, tags, its errors. scikit-learn itself is not needed."""

import inspect
from collections.abc import Callable, Iterable
from types import MethodType
from typing import Any, Generic, Self, TypeVar

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.names import meant
from structbench.algorithms.runtime.options import Given

R = TypeVar("R")
E = TypeVar("E", bound=Exception)


def of_sklearn(name: str, otherwise: type[E]) -> type[E]:
    """The exception or warning of this name of scikit-learn's, or another class if that is not installed."""
    try:
        from sklearn import exceptions
    except ModuleNotFoundError:
        return otherwise
    return getattr(exceptions, name)


class Absent(UserError, AttributeError):
    """What was asked for is not there: also for ``hasattr``, as scikit-learn looks for methods of a classifier."""


def not_fitted(estimator: object) -> UserError:
    """What to raise where nothing was learned yet; scikit-learn's error, if that is installed."""
    kind = of_sklearn("NotFittedError", Absent)
    return kind(f"This {type(estimator).__name__} instance is not fitted yet: call fit first")


class with_probabilities(Generic[R]):
    """Make a method of X exist, also for ``hasattr``, only where the estimator's loss gives probabilities."""

    def __init__(self, method: Callable[[Any, Any], R]) -> None:
        self._method = method
        self.__doc__ = method.__doc__

    def __get__(self, estimator: Any, owner: type) -> Callable[..., R]:
        if estimator is None:
            return self._method
        if said := self._lack(estimator):
            raise Absent(f"{self._method.__name__}: {said}")
        return MethodType(self._method, estimator)  # scikit-learn's scorers ask for its name

    def _lack(self, estimator: Any) -> str:
        """Why the estimator does not have the method; empty if it has."""
        has = estimator.has_probabilities
        return "" if has else "a model of this loss has no probabilities: learn with the log loss"


class with_label_scores(with_probabilities[R]):
    """Make a method of X exist only where the algorithm predicts the label with the largest score."""

    def _lack(self, estimator: Any) -> str:
        return estimator.own_way


class Parameters:
    """The arguments of ``__init__``, each kept as an attribute of its own name.

    An estimator has no others before ``fit``, so that ``sklearn.base.clone`` and searches over grids copy it.
    """

    ONE_LABEL = False  # whether an example has one label, not a list of them

    def __new__(cls, *values: Any, **given: Any) -> Self:
        """As usual; a parameter that there is not is a TypeError that says which is meant."""
        if said := cls._unknown(given):
            raise TypeError(said)
        return super().__new__(cls)

    @classmethod
    def _names(cls) -> list[str]:
        return list(inspect.signature(cls).parameters)

    def get_params(self, deep: bool = True) -> Given:
        """The parameters by name; ``deep`` changes nothing, as none is an estimator."""
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **given: Any) -> Self:
        """Set some parameters, and return the estimator.

        Raises:
            UserError: It has no parameter of that name.
        """
        if said := self._unknown(given):
            raise UserError(said)
        for name, value in given.items():
            setattr(self, name, value)
        return self

    @classmethod
    def _unknown(cls, given: Iterable[str]) -> str:
        """What to say of the first of these names that is no parameter; empty if all are, or if any may be one."""
        if any(each.kind is each.VAR_KEYWORD for each in inspect.signature(cls).parameters.values()):
            return ""
        own = cls._names()
        for name in given:
            if name not in own:
                return f"{cls.__name__} has no parameter {name!r}: {meant(name, own)}it has {', '.join(own)}"
        return ""

    def __repr__(self) -> str:
        usual = {name: each.default for name, each in inspect.signature(type(self)).parameters.items()}
        given = (f"{k}={v!r}" for k, v in self.get_params().items() if repr(v) != repr(usual[k]))
        return f"{type(self).__name__}({', '.join(given)})"

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn asks for before it fits or searches; it calls this only if it is installed.

        Of sequences of labels it knows no type: a search over grids then cuts the examples as they come.
        """
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier" if self.ONE_LABEL else None,
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags() if self.ONE_LABEL else None,
            input_tags=InputTags(sparse=True),
        )
