"""Parse trees of the Wall Street Journal: the free sample of the Penn Treebank, short sentences, pruned forests.

Marcus, Santorini and Marcinkiewicz 1993. NLTK gives out this sample of 199 files and 3,914 sentences. Sentences
have up to 15 tokens, and the same forests, as in Taskar et al. 2004.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Literal

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.options import defaults
from structbench.datasets.constituency.attachments import attachments_problem
from structbench.datasets.constituency.binarised import Factor, Options
from structbench.datasets.constituency.problem import MaxLength, no_longer, parsing_problem
from structbench.datasets.fetching import archives
from structbench.datasets.fetching.download import File, of_nltk
from structbench.datasets.problems.problem import Problem
from structbench.datasets.problems.validation import parted
from structbench.datasets.text import brackets, lines, tasks
from structbench.datasets.text.trees import Node

LICENCE = "for non-commercial use only; a sample of the Penn Treebank, copyright Linguistic Data Consortium 1995"
REFERENCES = ("marcus1993", "taskar2004")

CORPUS = of_nltk("treebank", "9da92d76c3666cfb6cddeaed0f7e86b344cce0f0928a286d439e555f19c37399", 2**21)
SOURCES = (CORPUS,)
structure, scores, encode = tasks.structure, tasks.scores, tasks.encode
example = tasks.example
written = brackets.written_tokens
MEMBER = "treebank/combined/wsj_{:04}.mrg"
TRAIN, VALIDATION, TEST = range(1, 131), range(131, 161), range(161, 200)
OWNER = "data set treebank"


def load(
    files: Callable[[File], Path],
    *,
    max_length: MaxLength = 15,
    factor: Factor = "right",
    horizontal: Annotated[int, ">= 0"] = 0,
    vertical: Annotated[int, ">= 1"] = 1,
    prune: Annotated[float, ">= 0", "< 1"] = 0.0001,
    head_tags: bool = False,
    task: Literal["brackets", "attachments"] = "brackets",
    tune: bool = False,
    validation: str | None = None,
) -> Problem:
    """Files 1 to 130 for training, 161 to 199 for the test split.

    Args:
        max_length: Leave out sentences of more tokens, punctuation included.
        factor, horizontal, vertical: How trees are binarised, see ``datasets.constituency.binarised``.
        head_tags: Let symbols know the part of speech of their head word, by the rules of Collins (``heads``).
        prune: Leave out of the forests what is less likely under the treebank's own PCFG.
        task: Attachments are what prepositional phrases, in sentences of any length, belong to by their trees.
        tune: Test on files 131 to 160, which are for validation.
        validation: What is held out before the grammar is made, see ``problems.validation.parted``.

    Raises:
        UserError: The file cannot be had. An option of brackets is given for attachments.
    """
    made_by = Options(factor, horizontal, vertical, prune, head_tags)
    if task == "attachments":
        default = defaults(load)
        for name, value in {"max_length": max_length, **made_by._asdict()}.items():
            if value != default[name]:
                raise UserError(f"{OWNER}: {name} is an option of task=brackets only, not of task={task}")
    path = files(CORPUS)
    learn, evaluate = (read(path, numbers) for numbers in (TRAIN, VALIDATION if tune else TEST))
    if task == "attachments":
        return attachments_problem(learn, evaluate)
    learn, evaluate = (no_longer(trees, max_length, OWNER) for trees in (learn, evaluate))
    learn, held = parted(learn, validation)
    return parsing_problem(learn, evaluate, made_by, held)


def read(path: Path, numbers: range) -> list[Node]:
    """The trees of these files of the sample, cleaned."""
    return [tree for each in texts(path, MEMBER, numbers) for tree in brackets.read_cleaned(*each)]


def texts(path: Path, member: str, numbers: range) -> Iterator[tuple[str, str]]:
    """The texts of numbered members of an archive, and what messages call each."""
    members = [member.format(number) for number in numbers]
    for name, data in zip(members, archives.read_members(path, members, 2**20), strict=True):
        yield lines.decode(data, f"{path}:{name}"), f"{path}:{name}"
