"""What is said of an algorithm that fails: the error, its first cause, and the line of its module."""

import linecache
import re
import traceback
from pathlib import Path

from structbench.algorithms.runtime import modules, own_folders
from structbench.algorithms.runtime.errors import Fault
from structbench.algorithms.runtime.files import write_atomically
from structbench.bench.runs.algorithm_files import file_of

NUMBA = "Failed in "  # begins lines that say how far numba was, not what is wrong
NUMBA_AT = re.compile(r"During: .* at (/.+) \((\d+)\)")


def fault(algorithm: str, log: Path, error: BaseException) -> Fault:
    """The fault that an exception is; its traceback is kept in the file ``log``."""
    try:
        write_atomically(log, "".join(traceback.format_exception(error)))
        kept = f"its traceback is in {log}"
    except OSError as full:
        kept = f"its traceback cannot be kept ({full.strerror})"
    score = _score_of(error)
    who = f"{algorithm}: the score {score.stem.replace('_', '-')}" if score else algorithm
    line = modules.line_of(error, own_folders.place(score)) if score else _line_of(algorithm, error)
    return Fault(f"{who} failed with {fault_text(error)}; {kept}" + (f"\n  {line}" if line else ""))


def described(algorithm: str, error: BaseException) -> str:
    """The error's kind and text, and the line of the algorithm's module, in one line."""
    line = _line_of(algorithm, error)
    return fault_text(error) + (f" at {line}" if line else "")


def _line_of(algorithm: str, error: BaseException) -> str | None:
    return line_of_kernel(error) or modules.line_of(error, own_folders.place(file_of(algorithm)), ("algorithms",))


def _score_of(error: BaseException) -> Path | None:
    """The file of the score that was judging predictions, relative to the project's folder; None if none was."""
    named = (own_folders.name_of(frame.filename) for frame in traceback.extract_tb(error.__traceback__))
    return next((name for name in named if name and name.is_relative_to("datasets/scores")), None)


def fault_text(error: BaseException) -> str:
    """The error's kind and the first line of its text. Of numba's errors, the first cause."""
    causes = [line.strip() for line in str(error).strip().splitlines()]
    if _is_numbas(error):
        causes = [line for line in causes if line and not line.startswith(NUMBA)]
    said = " ".join(causes[:2]) if causes and causes[0].endswith(":") else "".join(causes[:1])
    return f"{type(error).__name__}: {said}".rstrip(": ")


def _is_numbas(error: BaseException) -> bool:
    return type(error).__module__.startswith("numba.")


def line_of_kernel(error: BaseException) -> str | None:
    """The line of a kernel that numba cannot compile: it is in the error's text, not in its traceback."""
    if not _is_numbas(error):
        return None
    first, loc = NUMBA_AT.search(str(error)), getattr(error, "loc", None)
    place = (first[1], int(first[2])) if first else (loc.filename, loc.line) if loc else None
    return f"{modules.shown(place[0])}:{place[1]}: {linecache.getline(*place).strip()}" if place else None
