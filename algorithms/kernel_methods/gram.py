"""Rows of a Gram matrix K(x_i, x_j) of the examples that are learned from, of which as many are kept as may be."""

import numpy as np

from algorithms.kernel_methods.kernels import Points

MEGABYTE = 2**20
LEAST = 1024  # rows that are kept whatever their size: those of one step must find room together
BLOCK = 512  # rows that are made at a time where none are kept


class Gram:
    """K of n points, by rows, in float64; the rows asked for longest ago make room for others.

    ``store``: float64 (rows kept, n), memory that is used as rows are. ``where``: int64 (n,), the place in it of
    each row, -1 if it has none. ``made``: how many rows were computed.
    """

    def __init__(self, points: Points, megabytes: float, together: int = 1) -> None:
        """``together``: rows for which there must be room at once, however many megabytes they take."""
        n = len(points)
        self.points, self.made = points, 0
        room = max(LEAST, together, int(megabytes * MEGABYTE) // (8 * max(n, 1)))
        self.store = np.empty((min(n, room), n))
        self.where = np.full(n, -1, np.int64)
        self._owner = np.full(len(self.store), -1, np.int64)
        self._next = 0

    def missing(self, rows: np.ndarray) -> np.ndarray:
        """Those of these rows that are not kept."""
        return rows[self.where[rows] < 0]

    def slots(self, rows: np.ndarray) -> np.ndarray:
        """Where in ``store`` these rows are, all at once; those that are not kept are made now.

        There may be as many as the store has room for. None may be asked for twice.
        """
        new = self.missing(rows)
        if len(new):
            places = self._room(len(new), rows)
            self.where[self._owner[places[self._owner[places] >= 0]]] = -1
            self._owner[places], self.where[new] = new, places
            self._fill(new, places)
        return self.where[rows]

    def _room(self, count: int, kept: np.ndarray) -> np.ndarray:
        """So many places of which none holds one of ``kept``, in turn."""
        busy = np.zeros(len(self.store), bool)
        held = self.where[kept]
        busy[held[held >= 0]] = True
        turn = (self._next + np.arange(len(self.store))) % len(self.store)
        places = turn[~busy[turn]][:count]
        self._next = int(places[-1] + 1) % len(self.store)
        return places

    def _fill(self, rows: np.ndarray, places: np.ndarray) -> None:
        for first in range(0, len(rows), BLOCK):
            some = slice(first, first + BLOCK)
            self.store[places[some]] = self.points.take(rows[some]).against(self.points)
        self.made += len(rows)

    def times(self, A: np.ndarray) -> np.ndarray:
        """K A, shape (n, columns of A); rows of A that are all 0 cost nothing, rows of K that are kept little."""
        found = np.zeros((A.shape[1], len(self.points)))
        rows = np.flatnonzero(A.any(axis=1))
        for some in np.array_split(rows, max(1, -(-len(rows) // BLOCK))):
            kept = some[self.where[some] >= 0]
            found += A[kept].T @ self.store[self.where[kept]]
            new = self.missing(some)
            if len(new):
                found += A[new].T @ self.points.take(new).against(self.points)
        return np.ascontiguousarray(found.T)
