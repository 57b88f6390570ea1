"""Spanish dependency trees of CoNLL-X, in the split of eg2008: 2,306 + 1,000 sentences.

Buchholz and Marsi 2006. The trees are Cast3LB's (Civit and Marti 2002). eg2008, section 7.2, trains on 2,306
sentences of 58,771 tokens and validates on 1,000 of 30,563. Both are from the training file of CoNLL-X. The
archive that nltk_data names after CoNLL-2007 has 3,512 sentences, cut in another place. The first 206 are the test
file of CoNLL-X, which is left alone here. The next 1,000 and the last 2,306 have just these numbers of tokens. We
infer from this that they are the paper's own.
"""

from collections.abc import Callable
from pathlib import Path

from structbench.datasets.fetching.download import File, of_nltk
from structbench.datasets.problems import sampling
from structbench.datasets.problems.problem import Problem
from structbench.datasets.text import dependencies, examples, lines, parsing

LICENCE = "Creative Commons Attribution-NonCommercial-NoDerivativeWorks, as nltk_data gives it out; Cast3LB"
REFERENCES = ("buchholz2006", "civit2002")

CORPUS = of_nltk("conll2007", "b1e2865b31cdbc016a437c29dc3e190042ef2e237b21ba2a69082b7dc1c007ca", 2**21)
SOURCES = (CORPUS,)
structure = parsing.structure_id
SCORES, encode, example = parsing.SCORES, parsing.encode, examples.arcs
MEMBERS = ("conll2007/esp.test", "conll2007/esp.train")
VALIDATION, TRAINING = slice(206, 1206), slice(1206, 3512)


def load(
    files: Callable[[File], Path],
    *,
    sentences: int = 0,
    test_sentences: int = 0,
    tune: bool = False,
    features: parsing.Features = "mcdonald",
    structure: parsing.Structure = "projective",
    nonprojective: parsing.Nonprojective = "lift",
) -> Problem:
    """eg2008's training and validation sentences, or their first ``sentences`` and ``test_sentences`` (0: all).

    Args:
        tune: Train without the last tenth of the training sentences, and test on it.
        features, structure, nonprojective: See ``parsing.problem``.

    Raises:
        UserError: The file cannot be had, or holds fewer sentences. An option is out of range or has no effect.
    """
    learn, evaluate = splits(files, sentences, test_sentences, tune)
    return parsing.problem(learn, evaluate, features=features, structure=structure, nonprojective=nonprojective)


def splits(
    files: Callable[[File], Path], sentences: int, test_sentences: int, tune: bool
) -> tuple[list[dependencies.Sentence], list[dependencies.Sentence]]:
    """The sentences to train on and to test on. Arguments and errors are as for ``load``."""
    texts = [lines.of_member(files(CORPUS), member, 2**22) for member in MEMBERS]
    everything = [sentence for text in texts for sentence in dependencies.read_trees(*text, single_root=True)]
    parts = everything[TRAINING], everything[VALIDATION]
    return sampling.chosen("conll2007", *parts, sentences, test_sentences, tune)
