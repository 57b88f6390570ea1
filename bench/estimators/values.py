"""Check values of an estimator's parameters: numbers, texts, seeds, threads."""

import math
import numbers
import os
from typing import Any

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.runs.spec import MOST_THREADS


def number_of(name: str, given: Any, least: float | None = None) -> float:
    """The value of this parameter: a finite number above 0, or with ``least``: 0, or at least that.

    Raises:
        UserError: It is none.
    """
    found = float(given) if isinstance(given, numbers.Real) and not isinstance(given, bool) else math.nan
    if math.isfinite(found) and (found > 0 if least is None else found == 0 or found >= least):
        return found
    wanted = "a number above 0" if least is None else f"{'0, or ' if least else ''}a number of {least:g} or more"
    raise UserError(f"{name} must be {wanted}, not {given!r}")


def count_of(name: str, given: Any) -> int:
    """The value of this parameter: a whole number above 0.

    Raises:
        UserError: It is something else.
    """
    if isinstance(given, numbers.Integral) and not isinstance(given, bool) and int(given) > 0:
        return int(given)
    raise UserError(f"{name} must be a whole number above 0, not {given!r}")


def text_of(name: str, given: Any) -> str:
    """The value of this parameter: a text.

    Raises:
        UserError: It is something else.
    """
    if isinstance(given, str):
        return given
    raise UserError(f"{name} must be a text, not {given!r}")


def truth_of(name: str, given: Any) -> bool:
    """The value of this parameter: True or False.

    Raises:
        UserError: It is neither.
    """
    if isinstance(given, bool | np.bool_):
        return bool(given)
    raise UserError(f"{name} must be True or False, not {given!r}")


def seed_of(random_state: Any) -> int:
    """A seed from None, a number, or a random number generator of numpy's.

    Raises:
        UserError: It is something else.
    """
    if random_state is None:
        return 0
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    if isinstance(random_state, numbers.Integral) and int(random_state) >= 0:
        return int(random_state)
    raise UserError(f"random_state must be None, a whole number from 0 on, or a generator, not {random_state!r}")


def threads_of(n_jobs: Any) -> int:
    """The number of threads: from -1 for all cores, -2 for all but one and so on.

    Raises:
        UserError: It is no whole number, or 0, or above ``MOST_THREADS``.
    """
    if n_jobs is None:
        return 1
    found = int(n_jobs) if isinstance(n_jobs, numbers.Integral) and not isinstance(n_jobs, bool) else 0
    if not found:
        raise UserError(f"n_jobs must be a number of threads, or -1 for all cores, not {n_jobs!r}")
    if found > MOST_THREADS:
        raise UserError(f"n_jobs must be at most {MOST_THREADS} threads, not {n_jobs!r}")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return found if found > 0 else max(1, cores + 1 + found)
