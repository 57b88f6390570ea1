"""A linear-chain CRF that can replace sklearn-crfsuite's, with the same interface and a certified duality gap."""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Generic, Self, TypeVar

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.estimators import values
from structbench.bench.estimators.base import AUTO
from structbench.bench.estimators.crfsuite_chain import CRFsuiteChain
from structbench.bench.estimators.parameters import Parameters, not_fitted
from structbench.datasets.scores.labels.table import OfLabel

OURS = {None: AUTO, "lbfgs": "lbfgs", "l2sgd": "sgd", "ap": "perceptron", "pa": "mira:cap=1"}
ONLINE = "ap", "pa"  # they know neither c1 nor c2, and stop after 100 iterations as CRFsuite's do

T = TypeVar("T")


class _Told(Generic[T]):
    """An attribute that the fitted chain tells; None before ``fit``."""

    def __init__(self, read: Callable[["CRFsuiteChain"], T]) -> None:
        self._read = read

    def __get__(self, crf: "CRF", owner: type) -> T | None:
        return None if crf is None or crf._fitted is None else self._read(crf._fitted)


@dataclass(eq=False, repr=False)
class CRF(Parameters):
    """Linear-chain CRF with sklearn-crfsuite's names: minimises sum_i loss_i(w) + c1 ||w||_1 + c2 ||w||^2.

    Other than CRFsuite it has a weight for each pair of an attribute and a label, and of two labels. It stops when
    it is proven to be near the optimum, not when an iteration gains little.

    Args:
        algorithm: ``lbfgs``, ``l2sgd``, ``ap`` (averaged perceptron), ``pa`` (passive aggressive), or None for
            what was fastest in our measurements; it has the optimum of ``lbfgs``.
        c1: Strength of the l1 norm; by default 0. ``l2sgd`` takes it, too, as CRFsuite's does not.
        c2: Strength of the squared norm; by default 1, as CRFsuite has it. It is C / 2 of ``ChainCRF``.
        max_iterations: Stop after as many passes; by default 100 for ``ap`` and ``pa``, 1000 for others.
        all_possible_states, all_possible_transitions: None or True: all pairs have weights.
        tol: The relative gap, (primal - dual) / primal, at which to stop.
        verbose: Print a line a checkpoint.
        random_state: A seed, or None for 0.
        n_jobs: Threads; -1 for all cores.

    Attributes:
        certificate_: A ``Certificate``; ``gap_`` is its relative gap.
        classes_: The labels, a list.
        attributes_: The names of the attributes; ``num_attributes_`` is their number.
        state_features_: (attribute, label) -> weight.
        transition_features_: (label before, label) -> weight.
        training_log_: The rows of ``ChainCRF.curve_``, dicts; with ``X_dev`` they have ``validation_error``.
        coef_, transitions_, feature_names_out_: As of ``ChainCRF``.
        size_: Bytes of the weights.
        tagger_: A ``Tagger``. This and all above are None before ``fit``.

    Raises:
        UserError: An argument, X or y is wrong. It is a ValueError.
    """

    algorithm: str | None = None
    _: KW_ONLY
    c1: float | None = None
    c2: float | None = None
    max_iterations: float | None = None
    all_possible_states: bool | None = None
    all_possible_transitions: bool | None = None
    tol: float = 1e-3
    verbose: bool = False
    random_state: Any = None
    n_jobs: int | None = None
    _fitted: "CRFsuiteChain | None" = field(default=None, init=False)

    certificate_ = _Told(lambda crf: crf.certificate_)
    gap_ = _Told(lambda crf: crf.certificate_.relative_gap)
    classes_ = _Told(lambda crf: [*crf.labels])
    attributes_ = _Told(lambda crf: crf.feature_names_out_.tolist())
    num_attributes_ = _Told(lambda crf: len(crf.feature_names_out_))
    state_features_ = _Told(lambda crf: _weights(crf.feature_names_out_.tolist(), crf.labels, crf.coef_.T))
    transition_features_ = _Told(lambda crf: _weights(crf.labels, crf.labels, crf.transitions_))
    training_log_ = _Told(
        lambda crf: [dict(zip(crf.curve_, row, strict=True)) for row in zip(*crf.curve_.values(), strict=True)]
    )
    coef_ = _Told(lambda crf: crf.coef_)
    transitions_ = _Told(lambda crf: crf.transitions_)
    feature_names_out_ = _Told(lambda crf: crf.feature_names_out_)
    size_ = _Told(lambda crf: crf.coef_.nbytes + crf.transitions_.nbytes)
    tagger_ = _Told(lambda crf: crf.tagger)

    def fit(self, X: Any, y: Any, X_dev: Any = None, y_dev: Any = None) -> Self:
        """Learn from sequences X of attributes with the labels y; report errors on ``X_dev`` as it goes.

        Raises:
            UserError: An argument, X or y is wrong.
        """
        self._fitted = None
        made = self._chain()
        if X_dev is None and y_dev is not None:
            raise UserError("y_dev has labels, but X_dev is None: give both, or none")
        if X_dev is not None and y_dev is None:
            raise UserError("X_dev has sequences, but y_dev is None: give both, or none")
        made.dev = None if X_dev is None else (X_dev, y_dev)
        made.fit(X, y)
        made.dev = None
        self._fitted = made
        return self

    def predict(self, X: Any) -> list[list[Any]]:
        """The best labels of each sequence."""
        return self._model.predict(X)

    def predict_single(self, xseq: Any) -> list[Any]:
        """The best labels of a sequence."""
        return self.predict([xseq])[0]

    def predict_marginals(self, X: Any) -> list[list[dict[Any, float]]]:
        """The probabilities of the labels at each token, dicts.

        Raises:
            UserError: The algorithm gives none.
        """
        self._check_probabilities()
        return self._model.marginals(X)

    def predict_marginals_single(self, xseq: Any) -> list[dict[Any, float]]:
        """The probabilities of the labels at each token of a sequence, dicts."""
        return self.predict_marginals([xseq])[0]

    def probability(self, X: Any, y: Any) -> np.ndarray:
        """The probability of the labels y of each sequence.

        Raises:
            UserError: The algorithm gives none, or y has other lengths.
        """
        self._check_probabilities()
        return self._model.probability(X, y)

    def score(self, X: Any, y: Any) -> float:
        """The share of tokens whose labels are right."""
        return self._model.score(X, y)

    def scores_by_label(self, X: Any, y: Any) -> dict[Any, OfLabel]:
        """Precision, recall and F1 of each label; of each type of chunk, if the labels are tags such as B-NP."""
        return self._model.scores_by_label(X, y)

    def __sklearn_is_fitted__(self) -> bool:
        """What scikit-learn asks, as attributes that end in ``_`` are there before ``fit``, too."""
        return self._fitted is not None

    @property
    def _model(self) -> "CRFsuiteChain":
        if self._fitted is None:
            raise not_fitted(self)
        return self._fitted

    def _check_probabilities(self) -> None:
        if not self._model.has_probabilities:
            raise UserError(f"algorithm={self.algorithm!r} gives no probabilities: 'lbfgs' and 'l2sgd' do")

    def _chain(self) -> "CRFsuiteChain":
        """The estimator that these arguments stand for.

        Raises:
            UserError: One is wrong, or stands for nothing that there is.
        """
        if self.algorithm == "arow":
            raise UserError("there is no 'arow' here: take algorithm='pa', or 'lbfgs' for probabilities")
        if self.algorithm not in OURS:
            raise UserError(f"algorithm must be lbfgs, l2sgd, ap, pa or None, not {self.algorithm!r}")
        for name in ("all_possible_states", "all_possible_transitions"):
            if (given := getattr(self, name)) not in (None, True):
                raise UserError(f"{name} must be True or None, not {given!r}: all pairs have weights here")
        c1 = values.number_of("c1", 0.0 if self.c1 is None else self.c1, 0.0)
        c2 = values.number_of("c2", 1.0 if self.c2 is None else self.c2, 0.0)
        if self.algorithm in ONLINE:
            c1, c2 = 0.0, 1.0
        if not c1 and not c2:
            raise UserError("c1 and c2 are both 0, which leaves no penalty: give c2 above 0")
        usual = 100 if self.algorithm in ONLINE else 1000
        most = usual if self.max_iterations is None else self.max_iterations
        name = AUTO if c1 and self.algorithm == "lbfgs" else OURS[self.algorithm]
        ours = {"tol": self.tol, "random_state": self.random_state, "n_jobs": self.n_jobs}
        passes = values.number_of("max_iterations", most)
        made = CRFsuiteChain(2 * c2, l1=c1, algorithm=name, max_passes=passes, **ours)
        made.verbose = self.verbose
        return made


def _weights(rows: Sequence[Any], columns: Sequence[Any], weights: np.ndarray) -> dict[tuple[Any, Any], float]:
    """(row, column) -> weight, without those that are 0."""
    return {(rows[i], columns[j]): float(weights[i, j]) for i, j in np.argwhere(weights).tolist()}
