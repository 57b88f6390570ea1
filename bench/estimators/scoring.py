"""scikit-learn's scorers by name, for estimators whose outputs are sequences, trees or fields."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.runs.tables import refuse_table


@dataclass(frozen=True)
class Scorer:
    """What GridSearchCV's ``scoring`` takes: the scorer of this name, of all labels one after another."""

    name: str

    def __call__(self, model: Any, X: Any, y: Any) -> float:
        """The score of the model's predictions for X.

        Raises:
            UserError: y has more or fewer labels than an example of X, or the scorer needs more than labels.
        """
        from sklearn.base import BaseEstimator, ClassifierMixin
        from sklearn.metrics import get_scorer

        class Predicted(ClassifierMixin, BaseEstimator):
            """Stands for the model: it is asked for the labels alone."""

            classes_ = np.array([])

            def predict(self, X: Any) -> Any:
                return X

        refuse_table(y, "y", "give a list of the labels of each example")
        if isinstance(y, str) or not isinstance(y, Iterable):
            raise UserError(f"requires y to be passed, a list of the labels of each example, but y is {y!r:.60}")
        found = model.predict(X)
        is_label = isinstance(found, np.ndarray) and found.ndim == 1  # of classes; a label may be a tuple
        if is_label and getattr(y, "shape", ())[1:] == (1,):  # a column
            y = np.asarray(y).ravel()
        given, gold = ([[_plain(each)] if is_label else [*_labels(each)] for each in of] for of in (found, y))
        if len(given) != len(gold):
            raise UserError(f"X has {len(given)} examples, y has {len(gold)}")
        for number, (said, right) in enumerate(zip(given, gold, strict=True)):
            if len(said) != len(right):
                wanted = f"example {number} has {len(said)} decisions: expected as many labels in y"
                raise UserError(f"{wanted}, found {len(right)}")
        flat = [[label for each in of for label in each] for of in (given, gold)]
        known = {*map(_plain, model.classes_)} or {
            label for each in flat for label in each
        }  # trees have no labels
        Predicted.classes_ = np.array(sorted(known))
        try:
            return float(get_scorer(self.name)(Predicted(), *flat))
        except AttributeError as error:  # it asks for ``predict_proba`` or ``decision_function``
            instead = "take one of labels alone, such as 'f1_macro'"
            raise UserError(f"the scorer {self.name!r} needs scores or probabilities: {instead}") from error


def scorer(name: str) -> Callable[[Any, Any, Any], float]:
    """A scorer of scikit-learn's, such as ``f1_macro``, that takes structured outputs: their labels in one list.

    Raises:
        ValueError: scikit-learn has no such scorer.
    """
    from sklearn.metrics import get_scorer

    get_scorer(name)
    return Scorer(name)


def _labels(one: Any) -> Iterator[Any]:
    """The labels of an example: a label, a sequence of labels, or a grid of them."""
    if isinstance(one, str) or not isinstance(one, Iterable):
        yield _plain(one)
        return
    for each in one:
        yield from _labels(each) if isinstance(each, list | np.ndarray) else [_plain(each)]


def _plain(label: Any) -> Any:
    """A label as scikit-learn takes it: a tuple or a date as its text."""
    label = label.item() if isinstance(label, np.generic) else label
    return label if isinstance(label, str | int | float) else repr(label)
