"""The user's files in names of runs: ``train~1a2b3c``, a file's stem and six digits of its whole path's hash.

Two paths have two names. Figures and tables show the stem alone. The path is in the run's ``spec.json``.
"""

import os
import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from structbench.algorithms.runtime.errors import UserError

LONGEST = 40  # characters of a stem
DIGITS = 6


def absolute(path: str) -> str:
    """The one way to write a user's path."""
    return os.path.normpath(os.path.join(os.getcwd(), os.path.expanduser(path)))


def short(path: str) -> str:
    """The short name of a file, or of a folder."""
    return f"{stem(path)}~{sha256(os.fsencode(path)).hexdigest()[:DIGITS]}"


def stem(path: str) -> str:
    """What figures and tables call a file."""
    return re.sub(r"[^\w.+-]", "-", Path(path).stem)[:LONGEST] or "file"


def whole(name: str, known: Mapping[str, str]) -> str:
    """The path that has this short name.

    Raises:
        UserError: It is not ``known``.
    """
    if name not in known:
        raise UserError(f"{name!r} is the short name of a file of yours: the run's spec.json has its path")
    return known[name]
