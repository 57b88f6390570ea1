"""Measure what one update of SGD and of online EG costs, operation by operation (eg2008, Figure 16).

Both share inner products of features and weights, marginals, and the addition of features to the weights. EG has
two more loops over the parts: the update of the dual variables, and the entropy. EG's line search needs the norm
of the change. One operation finds it while it adds the change, and costs what it takes beyond the addition alone.
A compiled loop over examples does the first k of these operations on each. The difference between two such loops
is the cost of one operation.
"""

import json
import platform
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from structbench.algorithms.learning.gold_outputs import subtract_from_gold
from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.files import write_atomically
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.rows import prefetch
from structbench.algorithms.runtime.vector_math import copy_to, dot, total_score
from structbench.algorithms.structures import interface as parts
from structbench.bench.runs import problem_store, update_costs
from structbench.bench.runs.documents import Json
from structbench.bench.runs.update_costs import OPERATIONS, SHARED
from structbench.datasets import DataRef

C, ETA, START = 10.0, 0.5, 10.0  # as in Figure 14
RATE = 0.01  # of SGD, as in Figure 14
VISITS = 10_000  # of examples in each loop; no more than there are, or caches would hold what they read
REPEATS = 5  # of which the fastest counts
MEASUREMENTS = 5


def measure(data: DataRef) -> Json:
    """CPU microseconds an example of each operation on one thread, log loss, C = 10, examples drawn at random.

    SGD's are measured apart: its marginals are of other scores than EG's. Each operation has ``MEASUREMENTS``
    numbers. A number can be negative if the operation costs less than two loops differ by.
    """
    split = parts.compiled(problem_store.obtain(data)[0].train)  # it calls the kernels that runs call
    n = parts.num_examples(split)
    examples = np.random.default_rng(0).integers(0, n, size=min(VISITS, n))
    return {
        "data": data.text,
        **update_costs.made_from(data),
        "visits": len(examples),
        "microseconds": _of_each(OPERATIONS, _loop, split, examples),
        "sgd": _of_each(SHARED, _loop_of_sgd, split, examples),
        "machine": platform.node(),
    }


def _of_each(
    operations: Sequence[str], loop: Callable, split: Any, examples: np.ndarray
) -> dict[str, list[float]]:
    """The microseconds an example of each operation of a loop, one number a measurement."""
    loop(split, examples[:4], *_state(split), len(operations))
    seconds = np.full((MEASUREMENTS, len(operations)), np.inf)
    for m, _, k in np.ndindex(MEASUREMENTS, REPEATS, len(operations)):
        state = _state(split)
        began = time.process_time()
        loop(split, examples, *state, k + 1)
        seconds[m, k] = min(seconds[m, k], time.process_time() - began)
    each = np.diff(seconds, prepend=0.0) / len(examples) * 1e6
    return dict(zip(operations, each.T.tolist(), strict=True))


def write_breakdown(data: DataRef, out: Path) -> Path:
    """Measure a data set and write it to a JSON file; returns its path."""
    out = Path(out)
    write_atomically(out, json.dumps(measure(data), indent=1) + "\n")
    return out


def _state(split: Any) -> tuple[np.ndarray, ...]:
    """Offsets of the examples' parts, weights, and EG's first dual variables with their marginals."""
    offsets = parts.offsets(split)
    s, mu = np.zeros(offsets[-1]), np.empty(offsets[-1])
    parallel.for_each(_begin, len(offsets) - 1, split, offsets, s, mu)
    return offsets, np.zeros(parts.num_weights(split)), s, mu


@kernel
def _begin(first, last, split, offsets, s, mu):
    for i in range(first, last):
        a, b = offsets[i], offsets[i + 1]
        parts.add_costs(split, i, -START, s[a:b])
        parts.marginals(split, i, s[a:b], mu[a:b])


@kernel
def _loop(split, examples, offsets, w, all_s, all_mu, count):
    """The first ``count`` of the operations on each example; returns the dual's change, as far as computed."""
    memory = np.empty((4, np.diff(offsets).max()))
    total = 0.0
    for k in range(examples.shape[0]):
        later = examples[min(k + 1, examples.shape[0] - 1)]
        parts.prefetch(split, later)  # as visits of SGD and of EG do
        prefetch(all_s, offsets[later], offsets[later + 1])
        prefetch(all_mu, offsets[later], offsets[later + 1])
        a, b = offsets[examples[k]], offsets[examples[k] + 1]
        i, s, mu = examples[k], all_s[a:b], all_mu[a:b]
        g, s_new, mu_new, delta = memory[0, : b - a], memory[1, : b - a], memory[2, : b - a], memory[3, : b - a]
        parts.scores(split, i, w, g)
        if count == 1:
            continue
        for r in range(b - a):
            s_new[r] = (1 - ETA) * s[r] + ETA * g[r] / C
        copy_to(s_new, s)
        if count == 2:
            continue
        log_z = parts.marginals(split, i, s_new, mu_new)
        if count == 3:
            continue
        total += log_z - total_score(s_new, mu_new)
        for r in range(b - a):
            delta[r] = mu[r] - mu_new[r]
        copy_to(mu_new, mu)
        if count == 4:
            continue
        if count == 5:
            parts.add_features(split, i, 1.0, delta, w)
        else:
            along = dot(delta, g)
            square = parts.add_features_if_short(split, i, 1.0, delta, along, np.inf, w)
            total -= along / C + square / (2 * C)
    return total


@kernel
def _loop_of_sgd(split, examples, offsets, w, unused_s, unused_mu, count):
    """The first ``count`` of the operations that SGD shares with EG, on each example."""
    memory = np.empty((3, np.diff(offsets).max()))
    for k in range(examples.shape[0]):
        i = examples[k]
        parts.prefetch(split, examples[min(k + 1, examples.shape[0] - 1)])
        m = offsets[i + 1] - offsets[i]
        g, mu, difference = memory[0, :m], memory[1, :m], memory[2, :m]
        parts.scores(split, i, w, g)
        if count == 1:
            continue
        parts.marginals(split, i, g, mu)
        if count == 2:
            continue
        subtract_from_gold(split, i, mu, difference)
        parts.add_features(split, i, RATE, difference, w)
