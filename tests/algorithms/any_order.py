"""A search problem of its own: tokens get labels in any order, the surest first; many paths are right.

A state is how many tokens are labelled, then each one's label, -1 for none yet. Operator t K + k gives token t
label k; its step has the token's features, and the label of the token before, if that is known. It may have dead
ends: after the label ``trap`` no operator is left. Or operators count for several decisions, and overshoot the
end. Nothing else in the project knows of it.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.runtime.arrays import Labels
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.sparse_sum import add
from structbench.algorithms.search import decoding
from structbench.algorithms.search import problem as search
from structbench.algorithms.search.sparse_rows import add_row
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures.compiled import implements
from tests.algorithms.learners import learned

NO_TRAP = 9


class AnyOrder(NamedTuple):
    """Sequences of ``length`` tokens; token t of sequence i is row i length + t. Operators decide ``stride``."""

    x: ft.Features
    y: Labels
    length: int
    num_labels: int
    trap: int = NO_TRAP
    stride: int = 1

    id = "any-order"


def made(n: int = 8, length: int = 3, K: int = 2, columns: int = 3, seed: int = 0) -> AnyOrder:
    """A label is what the token's own features say, or its left neighbour's label where they say nothing."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n * length, columns))
    y = (x @ rng.normal(size=(columns, K))).argmax(axis=1)
    unsure = rng.random(n * length) < 0.3
    unsure[::length] = False
    x[unsure] = 0
    for row in np.flatnonzero(unsure):
        y[row] = y[row - 1]
    return AnyOrder(ft.dense(x), y.astype(np.int32), length, K)


def with_trap(*rows: list[int], stride: int = 1) -> AnyOrder:
    """Sequences of three tokens with these right labels, one constant feature and a trap, label 1."""
    y = np.array(rows, np.int32).ravel()
    return AnyOrder(ft.dense(np.ones((len(y), 1))), y, 3, 2, 1, stride)


@implements(AnyOrder)
def num_examples(p):
    return p.y.shape[0] // p.length


@implements(AnyOrder)
def num_decisions(p, i):
    return p.length


@implements(AnyOrder)
def num_weights(p: AnyOrder) -> int:
    return (p.x.dense.shape[1] + p.num_labels) * p.num_labels


@implements(AnyOrder)
def sizes(p, i):
    return search.Sizes(1 + p.length, p.length * p.num_labels, 0, 0, 0)


@implements(AnyOrder)
def after(p, i, state, move, out):
    out[:] = state
    out[0] += p.stride
    out[1 + move // p.num_labels] = move % p.num_labels


@kernel
def trapped(p, state):
    return (state[1:] == p.trap).any()


@implements(AnyOrder)
def good_moves(p, i, state, out):
    count = 0
    for t in range(p.length):
        if state[1 + t] < 0 and not trapped(p, state):
            out[count] = t * p.num_labels + p.y[i * p.length + t]
            count += 1
    return count


@implements(AnyOrder)
def move_scores(p, i, state, w, known, flags, out):
    K, columns = p.num_labels, p.x.dense.shape[1]
    scores = np.empty(K)
    for t in range(p.length):
        scores[:] = 0.0
        ft.add_row_times(p.x, i * p.length + t, w[: columns * K].reshape((columns, K)), scores)
        for k in range(K):
            if t > 0 and state[t] >= 0:
                scores[k] += w[(columns + state[t]) * K + k]
            out[t * K + k] = scores[k] if state[1 + t] < 0 and not trapped(p, state) else -np.inf


@implements(AnyOrder)
def add_step(p, i, state, move, c, total):
    K, columns = p.num_labels, p.x.dense.shape[1]
    t, k = move // K, move % K
    add_row(p.x, i * p.length + t, k, K, c, total)
    if t > 0 and state[t] >= 0:
        add(total, (columns + state[t]) * K + k, c)


@implements(AnyOrder)
def write_labels(p, i, state, move, out):
    out[move // p.num_labels] = move % p.num_labels


RUNS: list[tuple[str, int, dict[str, Any]]] = [
    (algorithm, beam, params)
    for beam in (1, 2, 4, 8)
    for algorithm, params in (
        ("laso", {"update": "perceptron"}),
        ("laso", {"update": "alma"}),
        ("early-update", {}),
        ("max-violation", {}),
    )
]


def results() -> list[dict]:
    """Of each run: the weights and updates after some passes, and the error of the average of more of them."""
    problem, found = made(), []
    for algorithm, beam, params in RUNS:
        passes = list(learned(algorithm, problem, 6, beam=beam, average="none", **params))
        average = list(learned(algorithm, problem, 20, beam=beam, **params))[-1][0]
        labels, right, _ = decoding.predictions(problem, average, beam=beam, decode="same", compare_at="decisions")
        found.append({
            "weights": [w.tolist() for w, _ in passes],
            "updates": [count for _, count in passes],
            "error": float((labels != right).mean()),
        })  # fmt: skip
    return found


def said(call: Callable[[], Any]) -> str:
    """What a call says that a user can mend; anything else is not caught."""
    try:
        call()
    except UserError as error:
        return str(error)
    return "found"


def dead_ends() -> dict[str, str]:
    """Of each search and learner: ``found``, or the sentence that it ends with."""
    fine, trap, found = with_trap([0, 0, 0], [0, 0, 1]), with_trap([0, 0, 0], [0, 1, 1]), {}
    overshooting = with_trap([0, 0, 0], stride=2)
    searches = {
        "greedy, into the trap": (fine, [0.0, 1.0], 1),
        "greedy, past it": (fine, [1.0, 0.0], 1),
        "beam": (fine, [0.0, 1.0], 30),
        "NaN": (fine, [np.nan, np.nan], 2),
        "-inf": (fine, [-np.inf, -np.inf], 2),
        "overshooting": (overshooting, [1.0, 0.0], 2),
    }
    for rows in ("decisions", "steps"):
        for name, (problem, of_labels, beam) in searches.items():
            w = np.append(of_labels, np.zeros(4))
            found[f"{name}, {rows}"] = said(
                lambda given=(problem, w), beam=beam, rows=rows: decoding.predictions(
                    *given, beam=beam, decode="same", compare_at=rows
                )
            )
        by_rows = {"compare_at": rows}
        learners = {
            "laso": (3, {"beam": 1} | by_rows),
            "early-update": (3, {"beam": 30} | by_rows),
            "max-violation": (3, by_rows),
            "dagger": (9, {}),
        }
        for algorithm, (passes, params) in learners.items():
            for name, problem in (("fine", fine), ("trap", trap), ("overshooting", overshooting)):
                run = learned(algorithm, problem, passes, **params)
                found[f"{algorithm}, {name}, {rows}"] = said(lambda run=run: list(run))
    return found
