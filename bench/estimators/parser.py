"""An estimator of dependency trees."""

from typing import Any, Literal

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.estimators import inputs
from structbench.bench.estimators.base import Estimator
from structbench.datasets.problems.problem import Problem
from structbench.datasets.text import dependencies, parsing

NONE = "_"  # what a treebank writes for no lemma and no morphology


class DependencyParser(Estimator):
    """A log-linear or max-margin parser of dependency trees, with a weight for each feature of an arc.

    X is a list of sentences: of tuples (word, part of speech). y has the heads of the words of each: the number of
    a word of the sentence, from 1 on, or 0 under the root. With ``structure="projective"`` arcs do not cross.
    The features of arcs are those of McDonald, Crammer and Pereira (2005), Table 1.

    ``coef_`` is sparse, (1, features).
    """

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
        structure: Literal["projective", "nonprojective"] = "projective",
    ) -> None:
        super().__init__(
            C, loss=loss, penalty=penalty, algorithm=algorithm, tol=tol, max_passes=max_passes,
            random_state=random_state, n_jobs=n_jobs,
        )  # fmt: skip
        self.structure = structure

    def _problem(self, X: Any, y: Any) -> Problem:
        if self.structure not in parsing.STRUCTURES:
            raise UserError(f"structure must be {' or '.join(parsing.STRUCTURES)}, not {self.structure!r}")
        sentences = _sentences(X)
        if y is None or len(y) != len(sentences):
            raise UserError(f"X has {len(sentences)} sentences: expected the heads of as many in y")
        trees = [_heads(given, sentence, k) for k, (given, sentence) in enumerate(zip(y, sentences, strict=True))]
        train = [each._replace(heads=heads) for each, heads in zip(sentences, trees, strict=True)]
        problem = parsing.problem(train, None, structure=self.structure)
        self._vocabulary = problem.vocabulary or {}
        return problem

    def _encode(self, X: Any) -> Any:
        return parsing.new_split(_sentences(X), self._vocabulary, features="mcdonald", structure=self.structure)

    def _answers(self, best: list[list[str]]) -> list[list[int]]:
        return [[int(head) for head in heads] for heads in best]

    def score(self, X: Any, y: Any) -> float:
        """The share of words whose heads are right."""
        predicted = [head for heads in self.predict(X) for head in heads]
        return float(np.mean(np.array(predicted) == np.concatenate([np.asarray(each) for each in y])))

    @property
    def coef_(self) -> Any:
        """Weights of features of arcs, scipy sparse, (1, features)."""
        import scipy.sparse as sp

        return sp.csr_array(self._weights[None])


def _sentences(X: Any) -> list[dependencies.Sentence]:
    """Sentences of words and parts of speech, whose trees are not known."""
    given, lengths = inputs.sequences_of(X)
    inputs.sentences(given, ("word", "part of speech"))  # sees that each token has both
    pairs = [tuple(zip(*sentence, strict=True)) for sentence in given]
    nothing = [(NONE,) * length for length in lengths.tolist()]
    return [
        dependencies.Sentence(words, none, tags, tags, none, np.zeros(len(words), np.int32))
        for (words, tags), none in zip(pairs, nothing, strict=True)
    ]


def _heads(given: Any, sentence: dependencies.Sentence, number: int) -> np.ndarray:
    """The heads of a sentence's words, if they are a tree."""
    found = np.asarray(given)
    if found.shape != (len(sentence.words),) or found.dtype.kind not in "iu":
        raise UserError(f"example {number} has {len(sentence.words)} words: expected as many whole numbers in y")
    dependencies.check_tree(found.tolist(), lambda token: f"example {number}, word {token}")
    return found.astype(np.int32)
