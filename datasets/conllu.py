"""Your own dependency trees in the format of CoNLL-U, ``conllu:PATH``, projective or not.

Nivre et al., Universal Dependencies v2, 2020. A line is a token in 10 columns separated by tabs. They are number,
word, lemma, universal and own part of speech, morphology, head, relation, and two unused ones. An empty line ends
a sentence. Comments, words of several tokens (1-2) and empty nodes (1.1) are left out. If the language's own part
of speech is missing (_), the universal one counts. One token is under the root.
"""

from functools import partial
from typing import Any

from structbench.datasets.problems.problem import Problem
from structbench.datasets.text import dependencies, examples, parsing

LICENCE = "your own data"
SOURCES = ()
structure = parsing.structure_id
SCORES = parsing.SCORES
encode = partial(parsing.encode, style="conllu")
example = examples.arcs


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
    learn = dependencies.read_file(path, "conllu", sentences, single_root=True)
    evaluate = None if test is None else dependencies.read_file(test, "conllu", test_sentences, single_root=True)
    return parsing.problem(learn, evaluate, features=features, structure=structure, nonprojective=nonprojective)
