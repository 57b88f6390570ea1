"""The user's files in names of runs: ``train~1a2b3c``, a file's stem and six digits of its whole path's hash.

Two paths have two names. Figures and tables show the stem alone. The path is in the run's ``spec.json``.
"""

import os
import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError

LONGEST = 40  # characters of a stem
DIGITS = 6


def of_file(path: str) -> str:
    """The short name of a file, or of a folder."""
    return f"{_stem(path)}~{sha256(os.fsencode(path)).hexdigest()[:DIGITS]}"


def of_data(data: str) -> str:
    """A data set in its canonical writing, with short names of the user's files."""
    return datasets.renamed(data, of_file)


def shown(data: str) -> str:
    """What figures and tables call a data set: with the stems of the user's files."""
    return datasets.renamed(data, _stem)


def shown_test(test: str | None) -> str:
    """What they call a test file, if there is one."""
    return _stem(test) if test else ""


def paths(data: str, test: str | None) -> dict[str, str]:
    """Short name -> path, of all files of the user's."""
    found = [test] if test else []
    datasets.renamed(data, lambda path: found.append(path) or path)
    return {of_file(path): path for path in found}


def whole_data(data: str, known: Mapping[str, str]) -> str:
    """A data set with paths in place of short names; the inverse of ``of_data``.

    Raises:
        UserError: A short name is not known, or as ``datasets.parse``.
    """
    return datasets.renamed(data, lambda name: whole_file(name, known))


def whole_file(name: str, known: Mapping[str, str]) -> str:
    """The path that has this short name.

    Raises:
        UserError: It is not known.
    """
    if name not in known:
        raise UserError(f"{name!r} is the short name of a file of yours: the run's spec.json has its path")
    return known[name]


def _stem(path: str) -> str:
    return re.sub(r"[^\w.+-]", "-", Path(path).stem)[:LONGEST] or "file"
