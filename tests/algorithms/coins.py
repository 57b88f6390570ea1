"""A structure of its own for exact inference: coins that each show a side, alone. Nothing else knows of it.

Part (t, k): coin t shows side k. Its features are those of the coin, on side k's weights. All coins of an example
are independent, so that the cliques are the parts.
"""

from typing import NamedTuple

import numpy as np

from structbench.algorithms.runtime.arrays import Labels, Matrix
from structbench.algorithms.structures import cliques
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.compiled import implements

SIDES = 2


class Coins(NamedTuple):
    """Coin t of example i is row i ``length`` + t of x; y: the right sides, -1 if never seen."""

    id = "coins"

    x: Matrix
    y: Labels
    length: int


def made(n: int = 6, length: int = 3, columns: int = 4, seed: int = 0) -> Coins:
    rng = np.random.default_rng(seed)
    return Coins(rng.normal(size=(n * length, columns)), rng.integers(0, 2, n * length).astype(np.int32), length)


@implements(Coins)
def num_examples(c):
    return c.y.shape[0] // c.length


@implements(Coins)
def num_parts(c, i):
    return c.length * SIDES


@implements(Coins)
def num_decisions(c, i):
    return c.length


@implements(Coins)
def scores(c, i, w, out):
    for t in range(c.length):
        for k in range(SIDES):
            out[t * SIDES + k] = 0.0
            for a in range(c.x.shape[1]):
                out[t * SIDES + k] += c.x[i * c.length + t, a] * w[a * SIDES + k]


@implements(Coins)
def add_costs(c, i, weight, out):
    for t in range(c.length):
        for k in range(SIDES):
            if k != c.y[i * c.length + t]:
                out[t * SIDES + k] += weight


@implements(Coins)
def marginals(c, i, s, mu):
    total = 0.0
    for t in range(c.length):
        a, b = s[t * SIDES], s[t * SIDES + 1]
        top = max(a, b)
        z = np.exp(a - top) + np.exp(b - top)
        mu[t * SIDES], mu[t * SIDES + 1] = np.exp(a - top) / z, np.exp(b - top) / z
        total += top + np.log(z)
    return total


@implements(Coins)
def argmax(c, i, s, y):
    total = 0.0
    for t in range(c.length):
        best = 1 if s[t * SIDES + 1] > s[t * SIDES] else 0
        y[t * SIDES], y[t * SIDES + 1] = 1 - best, best
        total += s[t * SIDES + best]
    return total


@implements(Coins)
def gold(c, i, y):
    for t in range(c.length):
        for k in range(SIDES):
            y[t * SIDES + k] = 1.0 if k == c.y[i * c.length + t] else 0.0


@implements(Coins)
def add_features(c, i, weight, mu, w):
    for t in range(c.length):
        for k in range(SIDES):
            for a in range(c.x.shape[1]):
                w[a * SIDES + k] += weight * mu[t * SIDES + k] * c.x[i * c.length + t, a]


@implements(Coins)
def feature_support(c, i, mu, out):
    size = min(out.shape[0], c.x.shape[1] * SIDES)
    for j in range(size):
        out[j] = j
    return c.x.shape[1] * SIDES


@implements(Coins)
def squared_norm(c, i, mu):
    total = 0.0
    for a in range(c.x.shape[1]):
        for k in range(SIDES):
            sum_of_both = 0.0
            for t in range(c.length):
                sum_of_both += mu[t * SIDES + k] * c.x[i * c.length + t, a]
            total += sum_of_both**2
    return total


@implements(Coins)
def add_gram(c, i, weight, mu, out):
    for t in range(c.length):
        for u in range(c.length):
            alike = 0.0
            for a in range(c.x.shape[1]):
                alike += c.x[i * c.length + t, a] * c.x[i * c.length + u, a]
            for k in range(SIDES):
                out[t * SIDES + k] += weight * alike * mu[u * SIDES + k]


@implements(Coins)
def labels(c, i, y, out):
    for t in range(c.length):
        out[t] = 1 if y[t * SIDES + 1] > 0.5 else 0


@implements(Coins)
def gold_labels(c, i, out):
    out[:] = c.y[i * c.length : (i + 1) * c.length]


@implements(Coins)
def num_cliques(c, i):
    return c.length * SIDES


@implements(Coins)
def clique_marginals(c, i, s, b):
    return parts.marginals(c, i, s, b)


@implements(Coins)
def cliques_of_output(c, i, y, b):
    b[:] = y


@implements(Coins)
def parts_of_cliques(c, i, b, mu):
    mu[:] = b


@implements(Coins)
def entropy(c, i, b):
    return cliques.entropy_of(b)


@implements(Coins)
def entropy_slopes(c, i, b, d):
    return cliques.slopes_of(b, d)


@implements(Coins)
def argmin_in_support(c, i, s, b, floor, y):
    total = 0.0
    y[:] = 0.0
    for t in range(c.length):
        best = -1
        for k in range(SIDES):
            if b[t * SIDES + k] > floor and (best < 0 or s[t * SIDES + k] < s[t * SIDES + best]):
                best = k
        y[t * SIDES + best] = 1.0
        total += s[t * SIDES + best]
    return total


@implements(Coins)
def min_clique_mass(c, i, b, y, other):
    least = np.inf
    for r in range(b.shape[0]):
        if y[r] > 0.5 and not other[r] > 0.5:
            least = min(least, b[r])
    return least


@implements(Coins)
def log_conditionals(c, i, b, s):
    for r in range(b.shape[0]):
        s[r] = np.log(b[r])


# ---- a whole split ---------------------------------------------------------------------------------


@implements(Coins)
def num_weights(c: Coins) -> int:
    return c.x.shape[1] * SIDES


@implements(Coins)
def take(c: Coins, examples: np.ndarray) -> Coins:
    rows = (np.asarray(examples)[:, None] * c.length + np.arange(c.length)).ravel()
    return Coins(c.x[rows], c.y[rows], c.length)


@implements(Coins)
def block(c: Coins, first: int, last: int) -> Coins:
    return Coins(c.x[first * c.length : last * c.length], c.y[first * c.length : last * c.length], c.length)


@implements(Coins)
def offsets(c: Coins) -> np.ndarray:
    return np.arange(num_examples(c) + 1) * c.length * SIDES


@implements(Coins)
def add_expected_features(c: Coins, offsets: np.ndarray, mu: np.ndarray, out: np.ndarray) -> None:
    out += (c.x.T @ mu.reshape(-1, SIDES)).ravel()
