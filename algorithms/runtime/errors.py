"""The kinds of exception that reach people as a sentence, never as a traceback."""

import difflib
from collections.abc import Iterable


class UserError(ValueError):
    """A wrong argument, config, file or environment, said in one sentence with what would be right."""


class Fault(Exception):
    """A fault of an algorithm, not of its user, in a sentence that names it and the file of the traceback."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """``did you mean 'eta'? `` for a name that is like a known one, else nothing; goes into a message."""
    near = difflib.get_close_matches(name, list(known), 1)
    return f"did you mean {near[0]!r}? " if near else ""
