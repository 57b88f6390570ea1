"""``ChainCRF`` as CRFsuite's users know it: names of attributes, dicts of marginals, a tagger."""

import math
from functools import cached_property
from typing import Any

import numpy as np

from structbench.algorithms.learning.objective import Objective
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures.chain import model as chain
from structbench.bench.estimators import inputs
from structbench.bench.estimators.attributes import Attributes
from structbench.bench.estimators.chains import ChainCRF
from structbench.bench.estimators.sequences import checked_labels
from structbench.bench.runs.quality import Row
from structbench.datasets.problems.labels import coded
from structbench.datasets.problems.problem import Problem

SHOWN = "passes", "primal", "relative_gap", "validation_error"


class CRFsuiteChain(ChainCRF):
    """``ChainCRF`` with CRFsuite's names of attributes, which may learn a single label."""

    LEAST_LABELS = 1
    CALLS = 3
    LIMIT = "max_iterations"
    dev: tuple[Any, Any] | None = None
    verbose = False

    @cached_property
    def tagger(self) -> "Tagger":
        """One for all calls: what is set stays."""
        return Tagger(self)

    @property
    def labels(self) -> tuple[Any, ...]:
        """As they were given."""
        return self._labels

    def probability(self, X: Any, y: Any) -> np.ndarray:
        """The probability of the labels y of each sequence."""
        sequences, lengths = inputs.sequences_of(X)
        found, known = np.ones(len(lengths)), lengths > 0
        if known.any():
            split = self._labelled(sequences, lengths, y)
            losses, _ = Objective(split, "log", 1.0).losses_and_conjugates(self._weights, None)
            unseen = np.minimum.reduceat(split.y, split.starts[:-1]) < 0
            found[known] = np.where(unseen, 0.0, np.exp(-losses))
        else:
            checked_labels(y, lengths)
        return found

    def marginals(self, X: Any) -> list[list[dict[Any, float]]]:
        """The probabilities of the labels at each token, dicts."""
        rows = self.predict_marginals(X)
        return [[dict(zip(self._labels, row, strict=True)) for row in each.tolist()] for each in rows]

    def _labelled(self, sequences: list[Any], lengths: np.ndarray, y: Any) -> chain.Chain:
        """Sequences with labels; -1 is one that training lacks."""
        codes, _ = coded(checked_labels(y, lengths), self._labels)
        inputs.check_tokens(lengths)
        x = self._encoder.encode(sequences)
        return chain.build(x, lengths[lengths > 0], codes, len(self._labels))

    def _new_encoder(self, sequences: list[Any]) -> Attributes:
        return Attributes(":")

    def _problem(self, X: Any, y: Any) -> Problem:
        made = super()._problem(X, y)
        if self.dev is None:
            return made
        self._labels = made.labels
        try:
            validation = self._labelled(*inputs.sequences_of(self.dev[0]), self.dev[1])
        except UserError as error:
            raise UserError(f"X_dev, y_dev: {error}") from error
        return made._replace(validation=validation)

    def _report(self, row: Row) -> None:
        if self.verbose:
            shown = {name: row.get(name, math.nan) for name in SHOWN}
            print(", ".join(f"{name} {value:.6g}" for name, value in shown.items() if not math.isnan(value)))


class Tagger:
    """Labels the sequence that it was given last; the names are python-crfsuite's."""

    def __init__(self, crf: "CRFsuiteChain") -> None:
        self._crf = crf
        self._given: Any = []

    def labels(self) -> list[Any]:
        """All labels."""
        return [*self._crf.labels]

    def set(self, xseq: Any) -> None:
        """Take a sequence."""
        self._given = xseq

    def tag(self, xseq: Any = None) -> list[Any]:
        """The best labels of this sequence, or of the one that was set."""
        if xseq is not None:
            self.set(xseq)
        return self._crf.predict([self._given])[0]

    def probability(self, yseq: Any) -> float:
        """The probability of these labels."""
        return float(self._crf.probability([self._given], [yseq])[0])

    def marginal(self, y: Any, pos: int) -> float:
        """The probability of a label at a position.

        Raises:
            UserError: The sequence that was set is shorter, or there is no such label.
        """
        rows = self._crf.marginals([self._given])[0]
        if not 0 <= pos < len(rows):
            raise UserError(f"the sequence that was set has {len(rows)} tokens: there is no position {pos}")
        if y not in rows[pos]:
            raise UserError(f"there is no label {y!r}: there are {', '.join(map(repr, rows[pos]))}")
        return rows[pos][y]
