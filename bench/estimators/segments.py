"""Semi-Markov CRF: an estimator that cuts sequences into labelled segments, such as chunks and names."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.options import Given
from structbench.algorithms.structures.segments import rows
from structbench.bench.estimators import inputs, values
from structbench.bench.estimators.parameters import with_probabilities
from structbench.bench.estimators.sequences import SequenceEstimator, checked_labels
from structbench.datasets.problems.labels import place_in
from structbench.datasets.problems.problem import Problem
from structbench.datasets.scores import chunks
from structbench.datasets.text import chunking, segment_chunking

COLUMNS = chunking.COLUMNS[:-1]  # a word and its part of speech


@dataclass(eq=False, repr=False, kw_only=True)
class SemiMarkovCRF(SequenceEstimator):
    """A semi-Markov conditional random field (Sarawagi and Cohen, 2004): features are of whole segments.

    X is a list of sentences: of tuples (word, part of speech). y has a tag for each word. B-TYPE begins a segment,
    I-TYPE goes on with it, and O is outside of all. Segments have at most ``max_length`` words. Longer ones are
    cut to learn from. The features are those of Daumé and Marcu (2005), section 4.1.

    ``coef_`` is (labels, features). A label is a type of segments; O is the last. ``transitions_`` is
    (labels, labels), from the segment before to the next.
    """

    max_length: int = 8

    def __setstate__(self, state: Given) -> None:
        """What was pickled; 1.0.0 kept no ``_longest`` of its own."""
        vars(self).update({"_longest": state["max_length"]} | state)

    def _problem(self, X: Any, y: Any) -> Problem:
        self._longest = values.count_of("max_length", self.max_length)
        given, lengths = inputs.sequences_of(X)
        tags, self._sizes = checked_labels(y, lengths), lengths
        _check_tags(tags, lengths)
        inputs.check_tokens(lengths)
        train = inputs.sentences(given, COLUMNS)
        train = train._replace(columns={**train.columns, chunking.COLUMNS[-1]: tags})
        problem = segment_chunking.segments_problem(train, None, max_length=self._longest)
        self._vocabulary = problem.vocabulary or {}
        return problem

    def _encode(self, X: Any) -> Any:
        new = inputs.sentences(inputs.sequences_of(X)[0], COLUMNS)
        return segment_chunking.new_split(new, self._vocabulary, self._longest, self._labels)

    def _classes(self) -> np.ndarray:
        return np.unique(self._labels)

    @with_probabilities
    def predict_marginals(self, X: Any) -> list[np.ndarray]:
        """The probabilities of the tags at each token: an array (tokens, tags) for each sentence."""
        given, lengths = inputs.sequences_of(X)
        found = zip(self._part_probabilities(given), lengths.tolist(), strict=True)
        return [self._tag_probabilities(mu, length) for mu, length in found]

    def _tag_probabilities(self, mu: np.ndarray, length: int) -> np.ndarray:
        """(tokens, classes) from the probabilities of segments, which come first in ``mu``."""
        first, sizes = rows.candidates(np.array([length]), self._longest)
        segments = mu[: len(first) * self._types].reshape(-1, self._types)
        found = np.zeros((length, len(self._labels)))  # B and I of each type, in turn
        for place in range(sizes.max(initial=0)):
            there = sizes > place
            np.add.at(found[:, min(place, 1) :: 2], first[there] + place, segments[there])
        return found @ (np.array(self._labels)[:, None] == self.classes_)

    def score(self, X: Any, y: Any) -> float:
        """F1 of segments: those that are found are right if begin, end and type are."""
        f1 = chunks.scores(self._judged(X, y)).f1
        return 1.0 if math.isnan(f1) else f1

    @property
    def coef_(self) -> np.ndarray:
        """Weights of (label, feature)."""
        return self._learned[: -(self._types**2)].reshape(-1, self._types).T

    @property
    def transitions_(self) -> np.ndarray:
        """Weights of (label before, label)."""
        return self._learned[-(self._types**2) :].reshape(self._types, self._types)

    @property
    def _types(self) -> int:
        return len(self._labels) // 2


def _check_tags(tags: list[Any], lengths: np.ndarray) -> None:
    """See that these are tags of segments, each of which begins with B.

    Raises:
        UserError: They are not; says where.
    """
    firsts = {0, *np.cumsum(lengths).tolist()}
    for t, tag in enumerate(tags):
        if not (isinstance(tag, str) and chunking.TAG.fullmatch(tag)):
            raise UserError(f"expected a tag O, B-type or I-type in y, found {tag!r}")
        if not chunking.may_follow("O" if t in firsts else tags[t - 1], tag):
            begin = f"B-{tag[2:]}"
            raise UserError(f"{place_in(lengths)(t)}: the tag {tag} in y continues no segment: expected {begin}")
