"""The vector pairs that L-BFGS remembers, and products with the inverse Hessian that they define.

The two-loop recursion (Nocedal 1980) runs on coefficients. It needs only inner products of the pairs (s_j, y_j),
with each other and with the gradient. An iteration reads the pairs twice. First, when the new pair is stored, it
computes all products with it and with the new gradient. Then it computes the direction.

Reading pairs is most of an iteration's work on vectors. So pairs are kept in 16 bits a number, the upper half of
single precision. All products use the rounded pairs and are summed in double precision, so that H is as symmetric
and positive definite as ever. The rounded pairs differ from the true ones by at most 1 in 256. Value, gradient and
iterates are not rounded, so that the optimum is the same.
"""

import numpy as np

from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.long_vectors import BLOCK, num_blocks
from structbench.algorithms.runtime.vector_math import dot

PIECE = 2**11  # weights whose share of four vectors stays in the nearest cache
OWN, EACH = 4, 5  # inner products of a new pair alone, and with each pair


class History:
    """The last pairs s = change of w, y = change of the gradient, and their inner products."""

    def __init__(self, size: int, memory: int) -> None:
        self.S, self.Y = np.zeros((2, memory, size), np.uint16)
        self.sy, self.yy = np.zeros((2, memory, memory))  # s_i . y_j, y_i . y_j
        self.sg, self.yg = np.zeros((2, memory))  # with the newest gradient
        self.rows: list[int] = []  # in use, the oldest first
        self.blocks = num_blocks(size)

    def append(self, w: np.ndarray, w_new: np.ndarray, g: np.ndarray, g_new: np.ndarray) -> None:
        """Add the pair of the step from w to w_new. If all rows are in use, it replaces the oldest pair."""
        new = self.rows.pop(0) if len(self.rows) == len(self.S) else len(self.rows)
        used = np.array(self.rows, np.int64)
        shares = np.empty((self.blocks, OWN + EACH * len(used)))
        parallel.for_each(_append, self.blocks, w, w_new, g, g_new, self.S, self.Y, used, new, shares)
        found = shares.sum(axis=0)
        self.sy[new, new], self.yy[new, new], self.sg[new], self.yg[new] = found[:OWN]
        products = found[OWN:].reshape(len(used), EACH).T
        self.sg[used], self.yg[used], self.sy[used, new], self.sy[new, used], self.yy[used, new] = products
        self.yy[new, used] = self.yy[used, new]
        if self.sy[new, new] > 0:
            self.rows.append(new)
        else:  # a step below what the pairs resolve
            self.rows.clear()

    def products(self, g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """s_j . g and y_j . g for ``direct``, if g is not the newest gradient."""
        used = np.array(self.rows, np.int64)
        shares = np.empty((self.blocks, 2, len(used)))
        parallel.for_each(_products, self.blocks, self.S, self.Y, used, g, shares)
        found = np.zeros((2, len(self.S)))
        found[:, used] = shares.sum(axis=0)
        return found[0], found[1]

    def direct(
        self, g: np.ndarray, direction: np.ndarray, products: tuple[np.ndarray, np.ndarray] | None = None
    ) -> float:
        """direction = -H g for the newest gradient g, or for any g with its ``products``. Returns g . direction.

        The two-loop recursion works on the coefficients a of the s_j, b of the y_j and c of g.
        """
        sg, yg = products or (self.sg, self.yg)
        a, b, c = np.zeros(len(self.S)), np.zeros(len(self.S)), -1.0
        step = {}
        for i in reversed(self.rows):
            step[i] = (self.sy[i] @ b + c * sg[i]) / self.sy[i, i]
            b[i] -= step[i]
        if self.rows:
            newest = self.rows[-1]
            shrink = self.sy[newest, newest] / self.yy[newest, newest]
            b, c = b * shrink, c * shrink
        for i in self.rows:
            a[i] += step[i] - (a @ self.sy[:, i] + b @ self.yy[i] + c * yg[i]) / self.sy[i, i]
        used = np.array(self.rows, np.int64)
        shares = np.empty(self.blocks)
        parallel.for_each(_combine, self.blocks, self.S, self.Y, used, a, b, c, g, direction, shares)
        return float(shares.sum())


@kernel
def rounded(x):
    """The upper half of x in single precision, rounded to the nearest."""
    bits = np.float32(x).view(np.uint32)
    return np.uint16((bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16))


@kernel
def restored(half):
    """The number that ``rounded`` kept."""
    return np.float64(np.uint32(np.uint32(half) << np.uint32(16)).view(np.float32))


@kernel
def _append(first, last, w, w_new, g, g_new, S, Y, rows, new, dots):
    """Fill row ``new`` of S and Y. dots of a block: of the new pair, then with each; see ``History.append``."""
    s_memory, y_memory = np.empty(PIECE), np.empty(PIECE)
    for block in range(first, last):
        found, stop = dots[block], min((block + 1) * BLOCK, len(w))
        found[:] = 0.0
        for begin in range(block * BLOCK, stop, PIECE):
            end = min(begin + PIECE, stop)
            s, y, now = s_memory[: end - begin], y_memory[: end - begin], g_new[begin:end]
            _difference(w[begin:end], w_new[begin:end], S[new, begin:end], s)
            _difference(g[begin:end], now, Y[new, begin:end], y)
            found[0] += dot(s, y)
            found[1] += dot(y, y)
            found[2] += dot(s, now)
            found[3] += dot(y, now)
            for j in range(len(rows)):
                own = _pair_dots(S[rows[j], begin:end], Y[rows[j], begin:end], now, s, y)
                for k in range(EACH):
                    found[OWN + EACH * j + k] += own[k]


@kernel
def _difference(before, after, halves, out):
    """halves = after - before, rounded; out = the same, restored."""
    for k in range(len(out)):
        halves[k] = rounded(after[k] - before[k])
        out[k] = restored(halves[k])


@kernel(fastmath={"reassoc", "contract"})
def _pair_dots(s_j, y_j, g, s, y):
    """s_j . g, y_j . g, s_j . y, y_j . s, y_j . y."""
    sg = yg = sy = ys = yy = 0.0
    for k in range(len(g)):
        a, b = restored(s_j[k]), restored(y_j[k])
        sg += a * g[k]
        yg += b * g[k]
        sy += a * y[k]
        ys += b * s[k]
        yy += b * y[k]
    return sg, yg, sy, ys, yy


@kernel
def _products(first, last, S, Y, rows, g, dots):
    """dots of a block: of g with the s_j and with the y_j, for these rows j."""
    for block in range(first, last):
        begin, end = block * BLOCK, min((block + 1) * BLOCK, len(g))
        for j in range(len(rows)):
            dots[block, 0, j] = _dot(S[rows[j], begin:end], g[begin:end])
            dots[block, 1, j] = _dot(Y[rows[j], begin:end], g[begin:end])


@kernel(fastmath={"reassoc", "contract"})
def _dot(halves, g):
    total = 0.0
    for k in range(len(g)):
        total += restored(halves[k]) * g[k]
    return total


@kernel
def _combine(first, last, S, Y, rows, a, b, c, g, direction, dots):
    """direction = sum_j a_j s_j + b_j y_j + c g; dots of a block: direction . g."""
    for block in range(first, last):
        dots[block], stop = 0.0, min((block + 1) * BLOCK, len(g))
        for begin in range(block * BLOCK, stop, PIECE):
            end = min(begin + PIECE, stop)
            d, now = direction[begin:end], g[begin:end]
            for k in range(len(d)):
                d[k] = c * now[k]
            for j in rows:
                _add_pair(a[j], S[j, begin:end], b[j], Y[j, begin:end], d)
            dots[block] += dot(d, now)


@kernel(fastmath={"contract"})
def _add_pair(a, s, b, y, d):
    """d += a s + b y."""
    for k in range(len(d)):
        d[k] += a * restored(s[k]) + b * restored(y[k])
