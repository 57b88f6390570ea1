"""The kinds of exception that users see as a sentence, not as a traceback."""

import difflib
from collections.abc import Iterable


class UserError(ValueError):
    """A wrong argument, config, file or environment. One sentence says what is wrong and what would be right."""


class Fault(Exception):
    """A fault of an algorithm, not of its user. The sentence names the algorithm and the file of the traceback."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """``did you mean 'eta'? `` if the name resembles a known one, else nothing. The text goes into a message."""
    near = difflib.get_close_matches(name, list(known), 1)
    return f"did you mean {near[0]!r}? " if near else ""
