"""A log-linear or max-margin dependency parser with scikit-learn's interface."""

import math
import numbers
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.options import Given
from structbench.bench.estimators import inputs
from structbench.bench.estimators.parameters import with_probabilities
from structbench.bench.estimators.sequences import SequenceEstimator
from structbench.bench.runs.model import Output
from structbench.bench.runs.tables import refuse_table
from structbench.datasets.problems.problem import Problem
from structbench.datasets.scores.labels.table import OfLabel
from structbench.datasets.text import dependencies, parsing, projectivity

NONE = "_"  # what a treebank writes for no lemma and no morphology


@dataclass(eq=False, repr=False, kw_only=True)
class DependencyParser(SequenceEstimator):
    """A log-linear or max-margin parser of dependency trees, with a weight for each feature of an arc.

    X is a list of sentences: of tuples (word, part of speech). y has the heads of the words of each: the number of
    a word of the sentence, from 1 on, or 0 under the root. With ``structure="projective"`` arcs do not cross.
    The features of arcs are those of McDonald, Crammer and Pereira (2005), Table 1.

    ``coef_`` is (1, features).
    """

    structure: Literal["projective", "nonprojective"] = "projective"

    def __setstate__(self, state: Given) -> None:
        """What was pickled; 1.0.0 kept no ``_structure`` of its own."""
        vars(self).update({"_structure": state["structure"]} | state)

    def _problem(self, X: Any, y: Any) -> Problem:
        if self.structure not in parsing.STRUCTURES:
            raise UserError(f"structure must be {' or '.join(parsing.STRUCTURES)}, not {self.structure!r}")
        sentences, trees, self._sizes = _trees(X, y)
        crossing = sum(bool(projectivity.crossing(heads).any()) for heads in trees)
        if self.structure == "projective" and crossing:
            warnings.warn(
                f"{crossing} of {len(trees)} trees in y have arcs that cross: learned with these arcs lifted; "
                "structure='nonprojective' learns them as they are",
                stacklevel=3,
            )
        train = [each._replace(heads=heads) for each, heads in zip(sentences, trees, strict=True)]
        problem = parsing.problem(train, None, structure=self.structure)
        self._structure = self.structure
        self._vocabulary = problem.vocabulary or {}
        return problem

    def _encode(self, X: Any) -> Any:
        new = _sentences(inputs.sequences_of(X)[0])
        return parsing.new_split(new, self._vocabulary, features="mcdonald", structure=self._structure)

    def _answers(self, best: list[list[str]]) -> list[list[int]]:
        return [[*map(int, heads)] for heads in best]

    def predict_k_best(self, X: Any, k: int) -> list[list[Output]]:
        """At most ``k`` trees of each sentence, the best first: the heads, the score and the probability.

        Raises:
            UserError: k is below 1, or trees may have crossing arcs.
        """
        found = super().predict_k_best(X, k)
        return [[each._replace(labels=[*map(int, each.labels)]) for each in outputs] for outputs in found]

    @with_probabilities
    def predict_marginals(self, X: Any) -> list[np.ndarray]:
        """The probabilities of each word's heads: an array (words, words + 1) a sentence, the root's first."""
        return [_head_probabilities(mu) for mu in self._part_probabilities(X)]

    def score(self, X: Any, y: Any) -> float:
        """The share of words whose heads are right.

        Raises:
            UserError: y does not have a tree for each sentence.
        """
        X, _ = inputs.sequences_of(X)
        right = np.concatenate(_trees(X, y)[1])
        return float(np.mean(np.concatenate(self.predict(X)) == right))

    def scores_by_label(self, X: Any, y: Any) -> dict[Any, OfLabel]:
        """There are none.

        Raises:
            UserError: Heads are no labels.
        """
        raise UserError("heads have no scores by label: take score, the share of words whose heads are right")

    @property
    def coef_(self) -> np.ndarray:
        """Weights of features of arcs, (1, features)."""
        return self._learned[None]


def _head_probabilities(mu: np.ndarray) -> np.ndarray:
    """(words, words + 1) from the probabilities of arcs, which leave out those from a word to itself."""
    words = np.arange(1, math.isqrt(len(mu)) + 1)
    found = np.zeros((len(words), len(words) + 1))
    found[np.arange(len(words) + 1) != words[:, None]] = mu
    return found


def _sentences(given: list[Any]) -> list[dependencies.Sentence]:
    """Sentences of words and parts of speech, whose trees are not known."""
    inputs.sentences(given, ("word", "part of speech"))  # sees that each token has both
    found = []
    for words, tags in (zip(*sentence, strict=True) for sentence in given if len(sentence)):
        none = (NONE,) * len(words)
        found.append(dependencies.Sentence(words, none, tags, tags, none, np.zeros(len(words), np.int32)))
    return found


def _trees(X: Any, y: Any) -> tuple[list[dependencies.Sentence], list[np.ndarray], np.ndarray]:
    """The sentences with words, the heads of the words of each, and the lengths of all sentences."""
    given, lengths = inputs.sequences_of(X)
    refuse_table(y, "y", "give a list of the heads of each example")
    if isinstance(y, str) or not isinstance(y, Iterable):
        raise UserError(f"requires y to be passed, a list of the heads of each example, but y is {y!r:.60}")
    of_all = [*y]
    if len(of_all) != len(given):
        raise UserError(f"X has {len(given)} sentences: expected the heads of as many in y")
    trees = [_heads(heads, lengths[k], k) for k, heads in enumerate(of_all)]
    inputs.check_tokens(lengths)
    return _sentences(given), [heads for heads in trees if len(heads)], lengths


def _heads(given: Any, length: int, number: int) -> np.ndarray:
    """The heads of a sentence's words, if they are a tree."""
    found = np.asarray(given, object)  # or numpy refuses rows of different lengths
    if found.shape != (length,):
        raise UserError(
            f"example {number} has {length} words: expected as many whole numbers in y, found {given!r:.60}"
        )
    for word, head in enumerate(found.tolist(), 1):
        if not isinstance(head, numbers.Integral) or isinstance(head, bool):
            wanted = f"example {number}, word {word}: expected the number of its head in y, such as 0 for the root"
            raise UserError(f"{wanted}, found {head!r:.60}")
    if length:
        dependencies.check_tree(found.tolist(), lambda token: f"example {number}, word {token}")
    return found.astype(np.int32)
