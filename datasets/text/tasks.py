"""What to predict from a corpus of chunks, entities or trees. Tasks build problems, with their own options."""

from collections.abc import Callable
from typing import Any

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.options import defaults
from structbench.datasets.constituency import problem as constituency
from structbench.datasets.constituency.attachments import attachments_problem
from structbench.datasets.problems.problem import Problem
from structbench.datasets.text import parsing, skip_chains
from structbench.datasets.text.chunking import chunking_problem
from structbench.datasets.text.factorial_chains import factorial_problem
from structbench.datasets.text.joint_tagging import joint_problem
from structbench.datasets.text.ner import ner_problem
from structbench.datasets.text.segment_chunking import segments_problem
from structbench.datasets.text.word_types import words_problem

TASKS: dict[str, Callable[..., Problem]] = {
    "chunks": chunking_problem,
    "entities": ner_problem,
    "segments": segments_problem,
    "joint": joint_problem,
    "skip-chains": skip_chains.problem,
    "factorial": factorial_problem,
    "dependencies": parsing.problem,
    "brackets": constituency.parsing_problem,
    "words": words_problem,
    "attachments": attachments_problem,
}
STRUCTURES = {
    "chunks": "chain",
    "entities": "chain",
    "segments": "segments",
    "joint": "joint",
    "skip-chains": "field",
    "factorial": "field",
    "brackets": "forest",
    "words": "strings",
    "attachments": "parse-trees",
}
OPTIONS = {  # those that only this task has
    "segments": ("max_length",),
    "skip-chains": ("max_width",),
    "factorial": ("tagset",),
    "dependencies": ("features", "structure"),
}


def structure(*, task: str, **options: Any) -> str:
    """The id of the structure of a task's problem."""
    return parsing.structure_id(**options) if task == "dependencies" else STRUCTURES[task]


def task_problem(load: Callable, task: str, train: Any, test: Any, owner: str, **options: Any) -> Problem:
    """The problem of a task; ``options`` has all options of any task, ``load`` their defaults.

    Raises:
        UserError: An option of another task has not its default, or one of this task is out of range.
    """
    default = defaults(load)
    for name, value in options.items():
        if name not in OPTIONS.get(task, ()) and value != default[name]:
            having = " or ".join(each for each, own in OPTIONS.items() if name in own)
            raise UserError(f"{owner}: {name} is an option of task={having} only, not of task={task}")
    if options.get("max_length", 1) < 1:
        raise UserError(f"{owner}: max_length must be 1 or more, not {options['max_length']}")
    if options.get("max_width", 1) < 1:
        raise UserError(f"{owner}: max_width must be 1 or more, the width of a chain, not {options['max_width']}")
    return TASKS[task](train, test, **{name: options[name] for name in OPTIONS.get(task, ())})
