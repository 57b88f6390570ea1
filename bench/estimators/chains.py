"""Estimators of sequences of labels: a linear-chain CRF, and a structured SVM of the same model."""

from typing import Any

import numpy as np

from structbench.algorithms.structures.chain import model as chain
from structbench.bench.estimators import inputs
from structbench.bench.estimators.parameters import with_probabilities
from structbench.bench.estimators.sequences import SequenceEstimator, checked_labels, gold_labels
from structbench.datasets.problems.labels import number_labels, place_in
from structbench.datasets.problems.problem import Problem


class ChainCRF(SequenceEstimator):
    """A linear-chain conditional random field: a weight for each (feature, label) and each (label, label) pair.

    X is a list of sequences: of dicts or lists of attributes, of words or tuples of texts, or arrays of numbers
    (``inputs``). y is a list of sequences of labels, of the same lengths.

    ``coef_`` is (labels, features), its columns named by ``feature_names_out_``. ``transitions_`` is
    (labels, labels), from the label before to the next.
    """

    LEAST_LABELS = 2

    def _problem(self, X: Any, y: Any) -> Problem:
        sequences, lengths = inputs.sequences_of(X)
        given, self._sizes = checked_labels(y, lengths), lengths
        inputs.check_tokens(lengths)
        labels, codes = number_labels(given, place_in(lengths), self.LEAST_LABELS)
        self._encoder = self._new_encoder(sequences)
        x = self._encoder.fit(sequences)
        self.feature_names_out_ = np.array(self._encoder.names, object)
        return Problem(chain.build(x, lengths[lengths > 0], codes, len(labels)), None, labels)

    def _new_encoder(self, sequences: list[Any]) -> inputs.Encoder:
        return inputs.encoder(sequences)

    def _encode(self, X: Any) -> chain.Chain:
        sequences, lengths = inputs.sequences_of(X)
        x = self._encoder.encode(sequences)
        return chain.build(x, lengths[lengths > 0], None, len(self.classes_))

    @with_probabilities
    def predict_marginals(self, X: Any) -> list[np.ndarray]:
        """The probabilities of the labels at each token: an array (tokens, labels) for each sequence."""
        return self._probabilities(X)

    def score(self, X: Any, y: Any) -> float:
        """The share of tokens whose labels are right."""
        predicted = self.predict(X)
        gold = gold_labels(y, np.array([len(each) for each in predicted]))
        return float(np.mean([a == b for a, b in zip((k for each in predicted for k in each), gold, strict=True)]))

    @property
    def coef_(self) -> np.ndarray:
        """Weights of (label, feature)."""
        weights, columns, labels = self._learned, len(self.feature_names_out_), len(self.classes_)
        return weights[: columns * labels].reshape(columns, labels).T

    @property
    def transitions_(self) -> np.ndarray:
        """Weights of (label before, label)."""
        weights, columns, labels = self._learned, len(self.feature_names_out_), len(self.classes_)
        return weights[columns * labels :].reshape(labels, labels)


class StructuredSVM(ChainCRF):
    """A structured SVM, or max-margin Markov network, of the model of ``ChainCRF``: the loss is the hinge.

    The cost of an output is its number of wrong labels.
    """

    LOSS = "hinge"
