"""The kinds of exception that users see as a sentence, not as a traceback."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

# a full disk, a quota, a limit on files, a folder that may not be written, or is none, a name that is too long
OF_THE_DISK = (
    *(errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM),
    *(errno.ENAMETOOLONG, errno.ELOOP, errno.ENOTDIR, errno.EEXIST),
)

OF_ANYBODY = (Exception, SystemExit, GeneratorExit)  # what an own module may raise that is no wish of its user


class UserError(ValueError):
    """A wrong argument, config, file or environment. One sentence says what is wrong and what would be right."""


class Fault(Exception):
    """A fault of an algorithm, not of its user. The sentence names the algorithm and the file of the traceback."""


class Terminated(SystemExit):
    """This process was asked to end, by SIGTERM: not a program's own wish."""


@contextmanager
def write_or_explain(place: object, remedy: str = "make room there, or its folder writable") -> Iterator[None]:
    """Say in a UserError that ``place`` cannot be written, why, and the remedy, if the block cannot write it."""
    try:
        yield
    except OSError as error:
        raise UserError(f"cannot write {place} ({error.strerror or error}): {remedy}") from error


def of_the_disk(error: OSError) -> str:
    """What to say of an error of the user's disk; empty for any other, which deserves its traceback."""
    if error.errno not in OF_THE_DISK:
        return ""
    return (
        f"{error.filename}: {error.strerror}" if error.filename else f"cannot write the output: {error.strerror}"
    )
