"""A cache of rows of a Gram matrix K(x_i, x_j) of training points, maybe against other points."""

import numpy as np

from structbench.algorithms.kernel_methods.similarity import Points

MEGABYTE = 2**20
LEAST = 1024  # rows kept whatever their size: the rows of one step must fit together
BLOCK = 512  # rows computed at a time where none are kept


class Gram:
    """K of n points with m others, by rows, in float64. The rows asked for longest ago make room for new ones.

    ``store``: float64 (rows kept, m), memory that is used as rows are. ``where``: int64 (n,), the place of each
    row in it, -1 if it has none. ``made``: how many rows were computed.
    """

    def __init__(self, points: Points, megabytes: float, together: int = 1, others: Points | None = None) -> None:
        """``together``: for how many rows there must be room at once, however many megabytes they take.

        ``others``: None for the points themselves.
        """
        n = len(points)
        self.points, self.others, self.made = points, points if others is None else others, 0
        room = max(LEAST, together, int(megabytes * MEGABYTE) // (8 * max(len(self.others), 1)))
        self.store = np.empty((min(n, room), len(self.others)))
        self.where = np.full(n, -1, np.int64)
        self._owner = np.full(len(self.store), -1, np.int64)
        self._next = 0

    def missing(self, rows: np.ndarray) -> np.ndarray:
        """The rows among ``rows`` that are not kept."""
        return rows[self.where[rows] < 0]

    def slots(self, rows: np.ndarray) -> np.ndarray:
        """The places in ``store`` of these rows, all at once. Rows that are not kept are computed now.

        There may be as many as the store has room for. All must be distinct.
        """
        new = self.missing(rows)
        if len(new):
            places = self._room(len(new), rows)
            self.where[self._owner[places[self._owner[places] >= 0]]] = -1
            self._owner[places], self.where[new] = new, places
            self._fill(new, places)
        return self.where[rows]

    def keep(self, rows: np.ndarray) -> None:
        """Compute rows that are not kept, as far as there is room without replacing any."""
        self.slots(self.missing(rows)[: np.count_nonzero(self._owner < 0)])

    def _room(self, count: int, kept: np.ndarray) -> np.ndarray:
        """``count`` places, in turn, none of which holds one of ``kept``."""
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
            self.store[places[some]] = self.points.take(rows[some]).against(self.others)
        self.made += len(rows)

    def times(self, A: np.ndarray) -> np.ndarray:
        """K' A, shape (m, columns of A). Rows of A that are all 0 cost nothing, kept rows of K little."""
        found = np.zeros((A.shape[1], len(self.others)))
        rows = np.flatnonzero(A.any(axis=1))
        for some in np.array_split(rows, max(1, -(-len(rows) // BLOCK))):
            kept = some[self.where[some] >= 0]
            found += A[kept].T @ self.store[self.where[kept]]
            new = self.missing(some)
            if len(new):
                found += A[new].T @ self.points.take(new).against(self.others)
        return np.ascontiguousarray(found.T)
