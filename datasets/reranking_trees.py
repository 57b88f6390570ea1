"""Reranking: the n-best trees of a dependency parser on Spanish, as candidates with features of whole trees.

As in ``reranking`` of chunks, parsers trained on the other folds give the lists of training sentences. A parser
trained on all gives the lists of test sentences (Collins 2000). See ``datasets.text.first_stage`` and
``datasets.text.tree_candidates``.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

from structbench.datasets import conll2007, toy_english
from structbench.datasets.fetching.download import File
from structbench.datasets.problems.problem import Problem, Unlabelled, Vocabulary
from structbench.datasets.text import dependencies, examples, first_stage, parsing, tree_candidates
from structbench.datasets.text.lines import decode

LICENCE = conll2007.LICENCE
REFERENCES = ("collins2000", "buchholz2006", "civit2002")
SOURCES = (conll2007.CORPUS,)
STRUCTURE = "candidates"
SCORES = ("attachments", "lists")
example = examples.arcs


def load(
    files: Callable[[File], Path],
    *,
    corpus: Literal["conll2007", "toy-english"] = "conll2007",
    sentences: Annotated[int, ">= 0"] = 0,
    test_sentences: Annotated[int, ">= 0"] = 0,
    k: Annotated[int, ">= 1"] = 20,
    folds: Annotated[int, ">= 2"] = 5,
) -> Problem:
    """Candidates of the corpus's sentences, or of its first ones (0: all; of toy-english 1000 and 500).

    Args:
        k: The most candidates of a sentence. A sentence with fewer projective trees has all of them.
        folds: Of the cross-validation that makes the training lists.

    Raises:
        UserError: The file cannot be had, or holds fewer sentences. An option is out of range.
    """
    if corpus == "toy-english":
        learn, evaluate = _toy(sentences or 1000, "train"), _toy(test_sentences or 500, "test")
    else:
        learn, evaluate = conll2007.splits(files, sentences, test_sentences, False)
    problem = parsing.problem(learn, evaluate)
    lists, of_test, w = first_stage.lists(problem, k, folds)
    known: Vocabulary = {}
    train = tree_candidates.encode_trees(learn, lists, known)
    test = tree_candidates.encode_trees(evaluate, of_test, known)
    vocabulary = {f"arcs: {name}": each for name, each in (problem.vocabulary or {}).items()} | known
    return Problem(train, test, (), punctuation=problem.punctuation, vocabulary=vocabulary | {"first stage": w})


def encode(
    content: bytes, source: str, labels: tuple[str, ...], vocabulary: Vocabulary, *, k: int, **_: Any
) -> Unlabelled:
    """New sentences in the columns of CoNLL-X, heads not read: the first stage lists their trees.

    Raises:
        UserError: A line is malformed.
    """
    arcs = {name.removeprefix("arcs: "): each for name, each in vocabulary.items()}
    found = parsing.encode(content, source, labels, arcs, features="mcdonald", structure="projective")
    sentences = dependencies.read_trees(decode(content, source), source, labelled=False)
    lists = first_stage.best_lists(found.split, vocabulary["first stage"], k)
    return found._replace(split=tree_candidates.encode_trees(sentences, lists, vocabulary))


def _toy(sentences: int, part: str) -> list[dependencies.Sentence]:
    written = toy_english.text(sentences, 0, part, "dependencies")
    return dependencies.read_trees(written, f"toy-english, {part}", single_root=True)
