"""Your own parse trees in Penn Treebank brackets: ``penn:PATH``.

``( (S (NP-SBJ (DT The) (NN board)) (VP (VBD met)) (. .)) )``, over as many lines as you like. Traces and
functional tags are taken off; sentences of more than ``max_length`` tokens are left out.
"""

import sys
from typing import Annotated, Any

from structbench.datasets.constituency.binarised import Factor, Options
from structbench.datasets.constituency.problem import MaxLength, encode, no_longer, parsing_problem
from structbench.datasets.problems.problem import Problem
from structbench.datasets.problems.validation import parted
from structbench.datasets.text import brackets, examples
from structbench.datasets.text.lines import numbered_lines
from structbench.datasets.text.trees import Node

__all__ = ["encode", "load", "written"]

LICENCE = "your own data"
STRUCTURE = "forest"
SCORES = ("brackets",)
written, example = brackets.written_tokens, examples.tree


def load(
    files: Any,
    *,
    path: str,
    test: str | None = None,
    max_length: MaxLength = 15,
    factor: Factor = "right",
    horizontal: Annotated[int, ">= 0"] = 0,
    vertical: Annotated[int, ">= 1"] = 1,
    prune: Annotated[float, ">= 0", "< 1"] = 0.0001,
    head_tags: bool = False,
    validation: str | None = None,
) -> Problem:
    """The problem of a training file and, maybe, a test file; ``files`` is not used. Options as in ``treebank``.

    Raises:
        UserError: A file cannot be read, or its brackets are wrong (names file, line and what was expected). It
            has no sentence that is short enough.
    """
    learn, held = parted(_read(path, max_length), validation, lambda file: _read(file, max_length))
    evaluate = None if test is None else _read(test, max_length)
    return parsing_problem(learn, evaluate, Options(factor, horizontal, vertical, prune, head_tags), held)


def _read(path: str, max_length: int) -> list[Node]:
    text = "\n".join(line for _, line in numbered_lines(path))
    given = brackets.read_brackets(text, path)
    trees = brackets.with_words(given, path)
    if bare := len(given) - len(trees):
        said = f"{bare:,} of {len(given):,} trees have no words and are left out"
        print(f"structbench: {path}: {said}", file=sys.stderr)
    kept = no_longer(trees, max_length, path)
    if left := len(trees) - len(kept):
        said = f"{left:,} of {len(trees):,} sentences have over {max_length} tokens and are left out"
        print(f"structbench: {path}: {said}: max_length={max_length}", file=sys.stderr)
    return kept
