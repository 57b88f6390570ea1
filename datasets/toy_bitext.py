"""Toy bitext: made-up translations with known word alignments, at any size; ``datasets.toy.bitext`` makes them."""

from typing import Any

from structbench.algorithms.runtime.errors import UserError
from structbench.datasets import pharaoh
from structbench.datasets.problems.problem import Problem
from structbench.datasets.text import bitext
from structbench.datasets.toy.bitext import pairs as made

LICENCE = "generated here"
SOURCES = ()
STRUCTURE = "matching"
SMALL = ("",)
SCORES = ("alignments",)
encode, written, example = pharaoh.encode, pharaoh.written, pharaoh.example


def load(files: Any, *, pairs: int = 1000, test_pairs: int = 300, words: int = 20, seed: int = 0) -> Problem:
    """``pairs`` training and ``test_pairs`` test pairs of ``words`` source words on average (``files`` unused).

    Raises:
        UserError: An option is out of range.
    """
    for name, count in (("pairs", pairs), ("test_pairs", test_pairs), ("words", words)):
        if count < 1:
            raise UserError(f"data set toy-bitext: {name} must be 1 or more, not {count}")
    if seed < 0:
        raise UserError(f"data set toy-bitext: seed must be 0 or more, not {seed}")
    return bitext.problem(made(pairs, words, seed, "train"), made(test_pairs, words, seed, "test"))
