"""L-BFGS on the primal, for the log loss (eg2008, section 7.1.4): scipy's code, with 10 pairs."""

import queue
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.optimize import minimize

from algorithms.objective import Iterate, Objective
from algorithms.structures import parts

LOSSES = ("log",)


class _Abandoned(Exception):
    """The driver wants no more iterates."""


def solve(
    problem: Any, objective: Objective, rng: np.random.Generator, *, memory: int = 10
) -> Iterator[Iterate]:
    """Run L-BFGS from w = 0; yields after each iteration and counts every evaluation of its line search.

    Args:
        memory: pairs of vectors kept.
    """
    n = parts.num_examples(objective.split)
    turn: queue.Queue[bool] = queue.Queue()  # may scipy go on?
    news: queue.Queue[np.ndarray | BaseException | None] = queue.Queue()
    evaluations = 0

    def value_and_gradient(w: np.ndarray) -> tuple[float, np.ndarray]:
        nonlocal evaluations
        evaluations += 1
        return objective.value_and_gradient(w)

    def report(intermediate_result) -> None:
        news.put(intermediate_result.x)
        if not turn.get():
            raise _Abandoned

    def work() -> None:
        # scipy calls back, an algorithm yields: so scipy works in a thread of its own, in turns with ours
        try:
            if turn.get():
                w = np.zeros(parts.num_weights(objective.split))
                endless = {"maxcor": memory, "maxiter": 10**9, "maxfun": 10**9, "ftol": 0.0, "gtol": 0.0}
                minimize(value_and_gradient, w, method="L-BFGS-B", jac=True, callback=report, options=endless)
            news.put(None)
        except _Abandoned:
            news.put(None)
        except BaseException as error:  # raised again in the caller's thread
            news.put(error)

    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    try:
        w = np.zeros(parts.num_weights(objective.split))
        yield Iterate(w, 1.0, 0, None, {})
        while True:
            turn.put(True)
            got = news.get()
            if isinstance(got, BaseException):
                raise got
            if got is None:  # no step improves the objective any more
                return
            w = got
            yield Iterate(w, 1.0, evaluations * n, None, {"evaluations": evaluations})
    finally:
        turn.put(False)
        worker.join()
