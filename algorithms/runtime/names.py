"""Find the known name that a user meant by a mistyped one."""

import difflib
from collections.abc import Iterable


def meant(name: str, known: Iterable[str]) -> str:
    """``did you mean 'eta'? `` if the name resembles a known one, else nothing. The text goes into a message.

    Case does not count, nor ``-`` against ``_``.
    """
    known = list(known)
    near = [each for each in known if _plain(each) == _plain(name)]
    near = near or difflib.get_close_matches(name, known, 1) or difflib.get_close_matches(_plain(name), known, 1)
    return f"did you mean {near[0]!r}? " if near else ""


def _plain(name: str) -> str:
    return name.lower().replace("_", "-")
