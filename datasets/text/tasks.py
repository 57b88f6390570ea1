"""Prediction tasks on text corpora: the function that builds each task's problem, its structure and its scores."""

from collections.abc import Callable
from typing import Any, NamedTuple

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.options import defaults
from structbench.datasets.constituency import problem as constituency
from structbench.datasets.constituency.attachments import attachments_problem
from structbench.datasets.problems.problem import Problem, Unlabelled, Vocabulary
from structbench.datasets.text import (
    brackets,
    chunking,
    columns,
    examples,
    factorial_chains,
    joint_tagging,
    ner,
    parsing,
    segment_chunking,
    skip_chains,
)
from structbench.datasets.text.word_types import words_problem


class Task(NamedTuple):
    """What builds a task's problem, the id of its structure ("": an option says it), and its scores.

    ``encode``: makes a split of new examples, as ``chunking.encode`` does; None if nothing does. ``example``: such
    a one.
    """

    problem: Callable[..., Problem]
    structure: str
    scores: tuple[str, ...] = ()
    encode: Callable[..., Unlabelled] | None = None
    example: Callable[..., str] | None = None


TASKS = {
    "chunks": Task(chunking.chunking_problem, "chain", ("chunks",), chunking.encode, examples.tagged),
    "entities": Task(ner.ner_problem, "chain", ("chunks",), ner.encode, examples.words),
    "segments": Task(
        segment_chunking.segments_problem, "segments", ("chunks",), segment_chunking.encode, examples.tagged
    ),
    "joint": Task(joint_tagging.joint_problem, "joint", ("joint",), joint_tagging.encode, examples.words),
    "skip-chains": Task(skip_chains.problem, "field", ("chunks",), skip_chains.encode, examples.words),
    "factorial": Task(
        factorial_chains.factorial_problem, "field", ("factorial",), factorial_chains.encode, examples.words
    ),
    "dependencies": Task(parsing.problem, "", parsing.SCORES, parsing.encode, examples.arcs),
    "brackets": Task(constituency.parsing_problem, "forest", ("brackets",), constituency.encode, examples.tree),
    "words": Task(words_problem, "strings"),
    "attachments": Task(attachments_problem, "parse-trees"),
}
WRITTEN = {  # what writes examples that Python has, if not ``columns.written``; None: a file must have them
    "entities": ner.written, "skip-chains": ner.written,
    "brackets": brackets.written_tokens, "dependencies": None, "words": None, "attachments": None
}  # fmt: skip
OPTIONS = {  # those that only this task has
    "segments": ("max_length",),
    "skip-chains": ("max_width",),
    "factorial": ("tagset",),
    "dependencies": ("features", "structure"),
    "brackets": ("validation",),  # the trees
}


def structure(*, task: str, **options: Any) -> str:
    """The id of the structure of a task's problem."""
    return TASKS[task].structure or parsing.structure_id(**options)


def scores(*, task: str, **_: Any) -> tuple[str, ...]:
    """The scores of a task's problem."""
    return TASKS[task].scores


def example(vocabulary: Vocabulary, *, task: str, **_: Any) -> str:
    """A new example for a model of a task; empty if there is none."""
    made = TASKS[task].example
    return "" if made is None else made(vocabulary)


def writer(*, task: str, **_: Any) -> Callable[[Any], str] | None:
    """What writes new examples for a model of a task."""
    return WRITTEN.get(task, columns.written)


def encode(
    content: bytes, source: str, labels: tuple[str, ...], vocabulary: Vocabulary, *, task: str, **options: Any
) -> Unlabelled:
    """New examples for a model of a task.

    Raises:
        UserError: A line is malformed, or nothing encodes new examples for this task.
    """
    chosen = TASKS[task].encode
    if chosen is None:
        having = ", ".join(name for name, each in TASKS.items() if each.encode)
        raise UserError(f"a model of task={task} labels no new examples yet: models of {having} do")
    given = {name: options[name] for name in OPTIONS.get(task, ())}
    return chosen(content, source, labels, vocabulary, **given)


def task_problem(load: Callable, task: str, train: Any, test: Any, owner: str, **options: Any) -> Problem:
    """The problem of a task; ``options`` has all options of any task, ``load`` their defaults.

    Raises:
        UserError: An option of another task has not its default.
    """
    default = defaults(load)
    for name, value in options.items():
        if name not in OPTIONS.get(task, ()) and value != default[name]:
            having = " or ".join(each for each, own in OPTIONS.items() if name in own)
            raise UserError(f"{owner}: {name} is an option of task={having} only, not of task={task}")
    return TASKS[task].problem(train, test, **{name: options[name] for name in OPTIONS.get(task, ())})
