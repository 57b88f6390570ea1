"""Names and counts in messages: the known name that a user meant, the first of many, ``2 runs``."""

import difflib
from collections.abc import Iterable, Sequence


def meant(name: str, known: Iterable[str]) -> str:
    """``did you mean 'eta'? `` if the name resembles a known one, else nothing. The text goes into a message.

    Case does not count, nor ``-`` against ``_``.
    """
    known = list(known)
    near = [each for each in known if _plain(each) == _plain(name)]
    near = near or difflib.get_close_matches(name, known, 1) or difflib.get_close_matches(_plain(name), known, 1)
    return f"did you mean {near[0]!r}? " if near else ""


def first_of(names: Sequence[str], most: int) -> str:
    """``a, b and 3 more``: the first names, at most ``most``, and how many others there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def listed_near(names: Iterable[str], wanted: str, most: int) -> str:
    """The end of a message: a line for each name, in quotes, the nearest to what is wanted first.

    There are at most ``most``, and then a line says how many others there are.
    """
    near = sorted(names, key=lambda each: difflib.SequenceMatcher(None, wanted, each).ratio(), reverse=True)
    more = [f"and {len(near) - most} more"] if len(near) > most else []
    return "".join(f"\n  {each}" for each in [*map(repr, near[:most]), *more])


def plural(count: int, what: str) -> str:
    """``1 run``, ``2 runs``."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def are(count: int) -> str:
    """``is`` after 1, ``are`` after other counts."""
    return "is" if count == 1 else "are"


def _plain(name: str) -> str:
    return name.lower().replace("_", "-")
