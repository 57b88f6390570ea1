"""Word types: which of them there are, and the parts of speech that they have."""

import numpy as np

from structbench import datasets
from structbench.algorithms.structures.strings import Strings
from structbench.datasets.text import chunking, word_types

LEARN = "a DT O\nb NN O\na NN O\n\nb VB O\nb VB O\na DT O\n"
NEW = "c NN O\nb NN O\n\nd DT O\ne XX O\n"


def spelt(split):
    assert isinstance(split, Strings)
    return ["".join(map(chr, part)) for part in np.split(split.characters, split.starts[1:-1])]


def test_each_type_has_its_most_frequent_part_of_speech_and_new_ones_are_tested():
    problem = word_types.words_problem(chunking.read(LEARN, "learn"), chunking.read(NEW, "new"))
    assert problem.labels == ("DT", "VB")
    assert (spelt(problem.train), problem.train.y.tolist()) == (["a", "b"], [0, 1])
    assert (spelt(problem.test), problem.test.y.tolist()) == (["d"], [0])  # no NN was learned


def test_rare_parts_of_speech_are_left_out():
    common = "".join(f"w{i} NN O\n" for i in range(150))
    problem = word_types.words_problem(chunking.read(common + "a DT O\n", "x"), chunking.read("q NN O\n", "y"))
    assert problem.labels == ("NN",)
    assert "a" not in spelt(problem.train)


def test_toy_words():
    problem = datasets.build("toy-english:sentences=50,task=words,test_sentences=50")
    assert {"NN", "NNS", "VBD"} <= set(problem.labels)
    assert len(problem.train.y) > 200
    assert not set(spelt(problem.train)) & set(spelt(problem.test))
    assert datasets.structure("toy-english:task=words") == datasets.structure("conll2000:task=words") == "strings"
