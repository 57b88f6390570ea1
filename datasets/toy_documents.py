"""The documents of klein2011: "win the election", "win the game", "see a movie", of three classes.

"Example: Text Classification" and "Linear Models: Scoring". Features: whether each of four words occurs, in the
order of the slide's block features and weights (win, game, election, movie). The classes are SPORTS, POLITICS and
OTHER.
"""

from typing import Any

import numpy as np

from structbench.algorithms.structures import features, multiclass
from structbench.datasets.problems.problem import Problem

LICENCE = "generated here"
REFERENCES = ("klein2011",)
STRUCTURE = "multiclass"
WORDS = ("win", "game", "election", "movie")
CLASSES = ("SPORTS", "POLITICS", "OTHER")
DOCUMENTS = (("win the election", "POLITICS"), ("win the game", "SPORTS"), ("see a movie", "OTHER"))


def load(files: Any) -> Problem:
    """The three documents, to train on and to test on; ``files`` is not used."""
    x = np.array([[word in text.split() for word in WORDS] for text, _ in DOCUMENTS], float)
    y = np.array([CLASSES.index(name) for _, name in DOCUMENTS])
    split = multiclass.build(features.dense(x), y, len(CLASSES))
    return Problem(split, split, CLASSES)
