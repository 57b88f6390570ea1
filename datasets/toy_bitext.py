"""Toy bitext: made-up translations with known word alignments, at any size; ``datasets.toy.bitext`` makes them."""

from typing import Annotated, Any

from structbench.datasets import pharaoh
from structbench.datasets.problems.problem import Problem
from structbench.datasets.text import bitext
from structbench.datasets.toy.bitext import pairs as made

LICENCE = "generated here"
STRUCTURE = "matching"
SCORES = ("alignments",)
encode, written, example = pharaoh.encode, pharaoh.written, pharaoh.example


def load(
    files: Any,
    *,
    pairs: Annotated[int, ">= 1"] = 1000,
    test_pairs: Annotated[int, ">= 1"] = 300,
    words: Annotated[int, ">= 1"] = 20,
    seed: Annotated[int, ">= 0"] = 0,
) -> Problem:
    """``pairs`` training and ``test_pairs`` test pairs of ``words`` source words on average (``files`` unused)."""
    return bitext.alignment_problem(made(pairs, words, seed, "train"), made(test_pairs, words, seed, "test"))
