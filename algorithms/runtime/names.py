"""Find the known name that a user meant by a mistyped one."""

from collections.abc import Iterable

from structbench.algorithms.runtime.errors import did_you_mean


def meant(name: str, known: Iterable[str]) -> str:
    """``did you mean 'eta'? `` if the name resembles a known one, else nothing. The text goes into a message.

    Case does not count, nor ``-`` against ``_``.
    """
    known = list(known)
    same = [each for each in known if _plain(each) == _plain(name)]
    if same:
        return did_you_mean(same[0], same)
    return did_you_mean(name, known) or did_you_mean(_plain(name), known)


def _plain(name: str) -> str:
    return name.lower().replace("_", "-")
