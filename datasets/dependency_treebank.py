"""English dependency trees of the Wall Street Journal: the free sample of the Penn Treebank, 3,914 sentences.

The sentences and files of ``treebank`` (Marcus, Santorini and Marcinkiewicz, 1993), as NLTK gives them out in
dependency form: a word, its part of speech and its head a line. Every tree is projective, with one token under the
root. Lemmas, morphology and relations are not there.
"""

from collections.abc import Callable
from pathlib import Path

from structbench.algorithms.runtime.errors import UserError
from structbench.datasets import treebank
from structbench.datasets.fetching.download import File, of_nltk
from structbench.datasets.problems import sampling
from structbench.datasets.problems.problem import Problem
from structbench.datasets.text import dependencies, examples, parsing

LICENCE = treebank.LICENCE
REFERENCES = ("marcus1993",)

CORPUS = of_nltk("dependency_treebank", "0df483999f1391f32b141d6047d8ce19efd0a5a3e63ca019bfc4af8530f51fbd", 2**20)
SOURCES = (CORPUS,)
structure = parsing.structure_id
SCORES, encode, example = parsing.SCORES, parsing.encode, examples.arcs
MEMBER = "dependency_treebank/wsj_{:04}.dp"


def load(
    files: Callable[[File], Path],
    *,
    sentences: int = 0,
    test_sentences: int = 0,
    tune: bool = False,
    features: parsing.Features = "mcdonald",
    structure: parsing.Structure = "projective",
) -> Problem:
    """Files 1 to 130 and 161 to 199, or their first ``sentences`` and ``test_sentences`` (0: all).

    Args:
        tune: Test on files 131 to 160, which are for validation.
        features, structure: See ``parsing.problem``.

    Raises:
        UserError: The file cannot be had, or holds fewer sentences.
    """
    path = files(CORPUS)
    learn, evaluate = (
        [tree for source in treebank.texts(path, MEMBER, numbers) for tree in read_heads(*source)]
        for numbers in (treebank.TRAIN, treebank.VALIDATION if tune else treebank.TEST)
    )
    learn, evaluate = sampling.chosen("dependency-treebank", learn, evaluate, sentences, test_sentences)
    return parsing.problem(learn, evaluate, features=features, structure=structure)


def read_heads(text: str, source: str) -> list[dependencies.Sentence]:
    """The trees of a file: a line is a word, its part of speech and its head. The coarse one is its beginning.

    Raises:
        UserError: A line is something else, or as ``dependencies.read_trees``.
    """
    written, number = [], 0
    for at, line in enumerate(text.split("\n"), 1):
        number = number + 1 if line.strip() else 0
        if number:
            word, tag, head = [*line.split("\t"), "", ""][:3]
            if line.count("\t") != 2 or not word or not dependencies.HEAD.fullmatch(head.strip()):
                raise UserError(
                    f"{source}, line {at}: expected a word, its part of speech and the number of its head, "
                    f"found {line[:80].strip()!r}"
                )
            line = "\t".join([str(number), word, "_", tag[:2], tag, "_", head.strip(), "_"])
        written.append(line)
    return dependencies.read_trees("\n".join(written), source, single_root=True)
