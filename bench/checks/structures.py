"""Check a structure: its operations against each other, and against outputs that argmax finds.

Inference on a few small examples is compared with all outputs where random scores find as many as there are. Where
there are more, marginals are compared with differences of log Z.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from structbench.algorithms.structures import features
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.handles import unwrap
from structbench.bench.checks.operations import Answers, cliques, k_best, operations, without_sums

EXAMPLES, MOST_PARTS = 4, 5000
DRAWS, MOST_OUTPUTS = 200, 64
STEP = 1e-5  # of differences


def wrong(split: Any, seed: int = 0) -> list[str]:
    """Sentences on what is wrong with the structure of a split, by its smallest examples; none if nothing is."""
    rng = np.random.default_rng(seed)
    sizes = np.diff(parts.offsets(split))
    chosen = [int(i) for i in np.argsort(sizes, kind="stable") if 0 < sizes[i] <= MOST_PARTS][:EXAMPLES]
    if not chosen:
        return [f"no training example has 1 to {MOST_PARTS} parts, so nothing was checked: write data with some"]
    for i in chosen:
        if found := [f"example {i}: {sentence}" for sentence in _of_example(split, i, rng)]:
            return found
    return _of_split(split, chosen, rng)


def _close(one: Any, other: Any, scale: Any = 1.0) -> bool:
    return np.allclose(one, other, rtol=1e-8, atol=1e-8 * max(1.0, scale), equal_nan=True)


def _of_example(split: Any, i: int, rng: np.random.Generator) -> Iterator[str]:
    size = int(np.diff(parts.offsets(split))[i])
    w, (s, v) = rng.normal(size=parts.num_weights(split)), rng.normal(size=(2, size))
    got = operations(split, i, w, s, v)
    yield from _as_python(split, i, w, s, v, got)
    yield from _features(split, i, w, s, v, got)
    cost, gold = (got.augmented - v) / 2, got.gold
    if not _close(cost @ gold, 0.0) and (got.right >= 0).all():
        yield f"the gold output has the cost {cost @ gold:g}: add_costs must add 0 for it"
    outputs = _outputs(split, i, s, rng)
    reached = any(np.array_equal(_labels(split, i, y), got.right) for y in outputs)
    if reached and not np.array_equal(_labels(split, i, gold), got.right):
        yield f"labels says {_labels(split, i, gold)} of the gold parts, but the gold labels are {got.right}"
    costs = outputs @ cost
    if costs.min() < -1e-9:
        yield f"an output has the cost {costs.min():g}: it must be 0 or more"
    yield from _best(split, i, s, cost, got, outputs)
    if parts.has(split, parts.marginals):
        yield from _sums(split, i, s, got, outputs, rng)
    if parts.has(split, parts.clique_marginals):
        yield from _cliques(split, i, s, v, got)
    if parts.has(split, parts.k_best):
        yield from _k_best(split, i, s, got)
    is_classes = parts.has(split, parts.rows) and parts.has(split, parts.decisions)
    if is_classes or parts.has(split, parts.label_sequences):
        name = parts.decisions.__name__ if is_classes else parts.label_sequences.__name__
        yield from _plain_costs(split, i, name, got, outputs, costs)
    if is_classes:
        yield from _classes(split, i, w, got)


def _as_python(split: Any, i: int, w: np.ndarray, s: np.ndarray, v: np.ndarray, got: Answers) -> Iterator[str]:
    """Operations compiled, and as plain Python."""
    plain = Answers(*got[:3], *without_sums.python(unwrap(split), i, w, s, v))
    for name, one, other in zip(Answers._fields, got, plain, strict=True):
        if not _close(one, other):
            yield f"compiled code and plain Python differ in {name}"


def _features(split: Any, i: int, w: np.ndarray, s: np.ndarray, v: np.ndarray, got: Answers) -> Iterator[str]:
    f, zeros = 2 * (got.moved - w), np.zeros_like(s)
    double, of_f = operations(split, i, 2 * w, s, zeros), operations(split, i, f, s, zeros)
    if not _close(double.scores, 2 * got.scores):
        yield "scores of twice the weights are not twice the scores"
    if not _close(got.scores @ v, w @ f, np.abs(w).sum()):
        yield "add_features and scores have different features: v . scores(w) is not w . features(v)"
    if not _close(got.norm, f @ f, float(f @ f)):
        yield f"squared_norm is {got.norm:g}, and the features that add_features adds have {f @ f:g}"
    if not _close(got.gram, s + 2 * of_f.scores, float(f @ f)):
        yield "add_gram does not add the scores of the features that add_features adds"
    room = np.full(4 * len(w) + 4 * len(s), -1)
    count = parts.feature_support(split, i, v, room)
    if {*room[: min(count, len(room))].tolist()} != {*np.flatnonzero(f).tolist()}:
        yield "feature_support names other weights than add_features changes"


def _labels(split: Any, i: int, y: np.ndarray) -> np.ndarray:
    out = np.empty(parts.num_decisions(split, i), np.int32)
    parts.labels(split, i, y, out)
    return out


def _outputs(split: Any, i: int, s: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The outputs that argmax finds for random scores."""
    found: dict[bytes, np.ndarray] = {}
    for _ in range(DRAWS):
        y = np.empty_like(s)
        parts.argmax(split, i, rng.normal(size=len(s)), y)
        found.setdefault(y.tobytes(), y)
        if len(found) > MOST_OUTPUTS:
            break
    return np.array([*found.values()])


def _best(split: Any, i: int, s: np.ndarray, cost: np.ndarray, got: Answers, outputs: np.ndarray) -> Iterator[str]:
    for what, scores, value, y in (
        ("argmax", s, got.top, got.best), ("argmax of scores with costs", s + cost, got.worst_top, got.worst)
    ):  # fmt: skip
        if not _close(value, scores @ y):
            yield f"{what} returns {value:g}, and its output has the score {scores @ y:g}"
        if (outputs @ scores).max() > value + 1e-8 * (1 + abs(value)):
            yield f"{what} returns {value:g}, but another output has the score {(outputs @ scores).max():g}"


def _sums(
    split: Any, i: int, s: np.ndarray, got: Answers, outputs: np.ndarray, rng: np.random.Generator
) -> Iterator[str]:
    """log Z and marginals."""
    mu, direction = np.empty_like(s), rng.normal(size=len(s))
    count = np.exp(min(parts.marginals(split, i, np.zeros_like(s), mu), 700.0))
    if count < len(outputs) * (1 - 1e-9):
        yield f"marginals counts {count:g} outputs, and argmax finds {len(outputs)}"
    elif round(count) == len(outputs):
        totals = outputs @ s
        log_z = totals.max() + np.log(np.exp(totals - totals.max()).sum())
        if not _close(log_z, got.log_z):
            yield f"marginals returns the log Z {got.log_z:g}, and all outputs have {log_z:g}"
        if not _close(got.mu, np.exp(totals - log_z) @ outputs):
            yield "marginals are not those of all outputs"
        return
    ends = [parts.marginals(split, i, s + step * direction, mu) for step in (STEP, -STEP)]
    slope = (ends[0] - ends[1]) / (2 * STEP)
    if abs(slope - direction @ got.mu) > 1e-4 * (1 + np.abs(got.mu).sum()):
        yield f"marginals are not the slopes of log Z: {direction @ got.mu:g} along a direction, not {slope:g}"


def _cliques(split: Any, i: int, s: np.ndarray, v: np.ndarray, got: Answers) -> Iterator[str]:
    share = 0.3
    found = cliques(split, i, s, v, share, 0.0)
    other = operations(split, i, np.zeros(parts.num_weights(split)), v, s)
    if not _close(found.log_z, got.log_z):
        yield f"clique_marginals returns the log Z {found.log_z:g}, and marginals {got.log_z:g}"
    if not _close(found.entropy, got.log_z - s @ got.mu):
        yield f"entropy is {found.entropy:g}, and that of the marginals {got.log_z - s @ got.mu:g}"
    if not _close(found.mu, share * got.mu + (1 - share) * other.mu):
        yield "parts_of_cliques of a mixture of two distributions is not the mixture of their marginals"
    if found.mixed_entropy < share * found.entropy + (1 - share) * (other.log_z - v @ other.mu) - 1e-8:
        yield "the entropy of a mixture is below the mixture of the entropies"
    if found.least_value > got.top + 1e-8 and found.least_value > (v @ got.best) + 1e-8:
        yield "argmin_in_support is above the score of an output in the support"


def _k_best(split: Any, i: int, s: np.ndarray, got: Answers) -> Iterator[str]:
    count, Y, values = k_best(split, i, s, 3)
    if count < 1 or not np.array_equal(Y[0], got.best):
        yield "the first of k_best is not the output of argmax"
    if not _close(Y[:count] @ s, values[:count]) or (np.diff(values[:count]) > 1e-9).any():
        yield "the values of k_best are not the falling scores of its outputs"
    if len({each.tobytes() for each in Y[:count]}) < count:
        yield "k_best gives an output twice"


def _plain_costs(
    split: Any, i: int, operation: str, got: Answers, outputs: np.ndarray, costs: np.ndarray
) -> Iterator[str]:
    """The solvers that ask for plain examples take each wrong decision for a cost of 1."""
    if (got.right < 0).any():
        return
    for y, cost in zip(outputs, costs, strict=True):
        expected = np.count_nonzero(_labels(split, i, y) != got.right)
        if not _close(cost, expected):
            yield (
                f"it implements {operation}, but the output {_labels(split, i, y).tolist()} has the cost "
                f"{cost:g}, not {expected}: solvers that ask for it minimise another loss; leave {operation} out"
            )
            return


def _classes(split: Any, i: int, w: np.ndarray, got: Answers) -> Iterator[str]:
    given = parts.classes(unwrap(split))
    columns = features.shape(given.x)[1]
    if len(got.right) != 1 or given.num_labels * columns != len(w) or given.y[i] != got.right[0]:
        yield "it implements decisions, but its examples are not rows with a class each: leave decisions out"
    elif not _close(features.as_matrix(given.x)[[i]] @ w.reshape(columns, -1), got.scores[None]):
        yield "it implements decisions, but its scores are not those of its rows: leave decisions out"


def _of_split(split: Any, chosen: list[int], rng: np.random.Generator) -> list[str]:
    """Examples that are taken, and sums over a split."""
    found, w = [], rng.normal(size=parts.num_weights(split))
    taken = parts.take(split, np.array(chosen[::-1], np.int64))
    offsets, total = parts.offsets(taken), np.zeros(len(w))
    if parts.num_weights(taken) != len(w):
        return [f"take leaves {parts.num_weights(taken)} of {len(w)} weights: it must keep all"]
    v = rng.normal(size=offsets[-1])
    sums = np.zeros(len(w))
    for new, old in enumerate(chosen[::-1]):
        own = v[offsets[new] : offsets[new + 1]]
        before, after = operations(split, old, w, own, own), operations(taken, new, w, own, own)
        if not all(map(_close, before, after)):
            found.append(f"example {old}: take changes what operations say of it")
        alone, expected = np.zeros(len(w)), 2 * (before.moved - w)
        parts.add_expected_features(split, old, np.array([0, len(own)]), own, alone)
        if not _close(alone, expected):
            found.append(f"example {old}: add_expected_features of it alone is not what add_features adds")
        sums += expected
    parts.add_expected_features(taken, 0, offsets, v, total)
    if not _close(total, sums):
        found.append("add_expected_features does not add what add_features adds for each example")
    return found
