"""Your own dependency trees in the format of CoNLL-X, ``conllx:PATH``, projective or not.

Buchholz and Marsi, CoNLL-X shared task on multilingual dependency parsing, 2006. A line is a token in 8 or 10
columns separated by tabs. They are number, word, lemma, coarse and fine part of speech, morphology, head and
relation. The last two are not used. An empty line ends a sentence. Several tokens may be under the root.
"""

from typing import Any

from structbench.datasets.problems.problem import Problem
from structbench.datasets.text import dependencies, examples, parsing

LICENCE = "your own data"
SOURCES = ()
structure = parsing.structure_id
SCORES, encode, example = parsing.SCORES, parsing.encode, examples.arcs


def load(
    files: Any,
    *,
    path: str,
    test: str | None = None,
    sentences: int = 0,
    test_sentences: int = 0,
    features: parsing.Features = "mcdonald",
    structure: parsing.Structure = "projective",
    nonprojective: parsing.Nonprojective = "lift",
) -> Problem:
    """The problem of a training file and, maybe, a test file; ``files`` is not used.

    ``sentences`` and ``test_sentences`` keep only the first sentences (0: all).

    Args:
        features, structure, nonprojective: See ``parsing.problem``.

    Raises:
        UserError: A file cannot be read or has fewer sentences. A line is malformed, or heads are no tree (names
            file, line and what was expected). An option is out of range or has no effect.
    """
    learn = dependencies.read_file(path, "conllx", sentences)
    evaluate = None if test is None else dependencies.read_file(test, "conllx", test_sentences)
    return parsing.problem(learn, evaluate, features=features, structure=structure, nonprojective=nonprojective)
