"""Your own parse trees in Penn Treebank brackets: ``penn:PATH``.

``( (S (NP-SBJ (DT The) (NN board)) (VP (VBD met)) (. .)) )``, over as many lines as you like. Traces and
functional tags are taken off; sentences of more than ``max_length`` tokens are left out.
"""

from typing import Any

from structbench.datasets.constituency.binarised import Factor
from structbench.datasets.constituency.problem import Options, encode, no_longer, parsing_problem
from structbench.datasets.problems.problem import Problem
from structbench.datasets.text import brackets, examples
from structbench.datasets.text.lines import numbered_lines
from structbench.datasets.text.trees import Node

__all__ = ["encode", "load", "written"]

LICENCE = "your own data"
SOURCES = ()
STRUCTURE = "forest"
SCORES = ("brackets",)
written, example = brackets.written_tokens, examples.tree


def load(
    files: Any,
    *,
    path: str,
    test: str | None = None,
    max_length: int = 15,
    factor: Factor = "right",
    horizontal: int = 0,
    vertical: int = 1,
    prune: float = 0.0001,
    head_tags: bool = False,
) -> Problem:
    """The problem of a training file and, maybe, a test file; ``files`` is not used. Options as in ``treebank``.

    Raises:
        UserError: A file cannot be read, or its brackets are wrong (names file, line and what was expected). It
            has no sentence that is short enough, or an option is out of range.
    """
    learn = _read(path, max_length)
    evaluate = None if test is None else _read(test, max_length)
    return parsing_problem(learn, evaluate, Options(factor, horizontal, vertical, prune, head_tags), path)


def _read(path: str, max_length: int) -> list[Node]:
    text = "\n".join(line for _, line in numbered_lines(path))
    return no_longer(brackets.read_cleaned(text, path), max_length, path)
