"""Toy bitext: made-up translations with known word alignments, at any size; ``datasets.toy.bitext`` makes them."""

from typing import Annotated, Any

from structbench.datasets import pharaoh
from structbench.datasets.problems.problem import Problem
from structbench.datasets.problems.validation import parted
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
    validation: str | None = None,
) -> Problem:
    """``pairs`` training and ``test_pairs`` test pairs of ``words`` source words on average (``files`` unused).

    Args:
        validation: What is held out before words are counted, see ``problems.validation.parted``.
    """
    learn, held = parted(made(pairs, words, seed, "train"), validation)
    return bitext.alignment_problem(learn, made(test_pairs, words, seed, "test"), held)
