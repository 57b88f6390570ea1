"""Operations shared by structures whose every part has its own feature row, with one weight for each feature.

Candidates of a list, edges of a forest, arcs of a tree, and partners of a word are such parts. Rows are in the
example's own columns (``shared_columns``).
"""

from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.arrays import Floats, Ints, Labels, frozen
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import add_scaled, copy_to
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as _  # noqa: F401 - the operations that are implemented here
from structbench.algorithms.structures import shared_columns
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.layouts import extended, layout


def fields(x: ft.Features, part_starts: np.ndarray) -> dict[str, Any]:
    """The fields from feature rows, one a part, those of example i from part_starts[i] on; int64 (n + 1,).

    ``x``: the rows, in own columns: own column a of example i is column columns[column_starts[i] + a].
    """
    indices, columns, column_starts = shared_columns.renumber(x, part_starts)
    return {
        "x": x if x.kind == ft.DENSE else ft.with_indices.python(x, indices),
        "columns": columns,
        "column_starts": column_starts,
        "part_starts": frozen(part_starts, np.int64),
        "num_features": ft.shape(x)[1],
    }


@layout
class PartRows(NamedTuple):
    """What ``fields`` makes."""

    x: ft.Features
    columns: Labels
    column_starts: Ints
    part_starts: Ints
    num_features: int


# parts with a cost each, of examples whose decisions begin at output_starts
CostedParts = extended("CostedParts", PartRows, losses=Floats, output_starts=Ints)


@implements(CostedParts)
def num_examples(c):
    return c.part_starts.shape[0] - 1


@implements(CostedParts)
def num_decisions(c, i):
    return c.output_starts[i + 1] - c.output_starts[i]


@implements(CostedParts)
def add_costs(c, i, weight, out):
    add_scaled(weight, c.losses[c.part_starts[i] : c.part_starts[i + 1]], out)


@kernel
def _columns(c, i):
    return c.columns[c.column_starts[i] : c.column_starts[i + 1]]


@kernel
def _combined(c, i, mu):
    """sum_r mu_r f(x_i, r) in the example's own columns, (columns, 1)."""
    width = c.column_starts[i + 1] - c.column_starts[i]
    return shared_columns.combination(c.x, c.part_starts[i], mu.reshape((-1, 1)), width)


# ---- one example -----------------------------------------------------------------------------------


@implements(PartRows)
def num_parts(c, i):
    return c.part_starts[i + 1] - c.part_starts[i]


@implements(PartRows)
def scores(c, i, w, out):
    v = shared_columns.gather(_columns(c, i), w.reshape((-1, 1))).reshape(-1)
    for r in range(out.shape[0]):
        out[r] = ft.row_times(c.x, c.part_starts[i] + r, v)


@implements(PartRows)
def add_features(c, i, weight, mu, w):
    shared_columns.scatter(weight, _combined(c, i, mu), _columns(c, i), w.reshape((-1, 1)))


@implements(PartRows)
def feature_support(c, i, mu, out):
    columns = _columns(c, i)
    reached = shared_columns.entries_reached(c.x, c.part_starts[i], mu.reshape((-1, 1)), columns.shape[0])
    return shared_columns.append(reached, columns, out, 0)


@implements(PartRows)
def squared_norm(c, i, mu):
    return shared_columns.square(_combined(c, i, mu))


@implements(PartRows)
def add_features_if_short(c, i, weight, mu, along, limit, w):
    G = _combined(c, i, mu)
    found = shared_columns.square(G)
    if not found > limit:
        shared_columns.scatter(weight, G, _columns(c, i), w.reshape((-1, 1)))
    return found


@implements(PartRows)
def add_gram(c, i, weight, mu, out):
    G = _combined(c, i, mu)
    for r in range(out.shape[0]):
        out[r] += weight * ft.row_times(c.x, c.part_starts[i] + r, G.reshape(G.size))


# ---- a whole split ---------------------------------------------------------------------------------


@implements(PartRows)
def num_weights(c: Any) -> int:
    return c.num_features


@implements(PartRows)
def add_expected_features(c: Any, first: int, offsets: np.ndarray, mu: np.ndarray, out: np.ndarray) -> None:
    """Sum up each example in its own columns, and then these sums."""
    count = len(offsets) - 1
    begin, end = c.column_starts[[first, first + count]].tolist()
    sums = np.empty(end - begin)
    rows = PartRows(*(getattr(c, name) for name in PartRows._fields))
    parallel.for_each(_sums, count, rows, first, offsets, mu, sums)
    out += np.bincount(c.columns[begin:end], sums, len(out))


@kernel
def _sums(first, last, c, begin, offsets, mu, sums):
    starts = c.column_starts[begin:]
    for j in range(first, last):
        G = _combined(c, begin + j, mu[offsets[j] : offsets[j + 1]])
        copy_to(G.reshape(G.size), sums[starts[j] - starts[0] : starts[j + 1] - starts[0]])


def all_columns(c: Any) -> ft.Features:
    """The rows in the columns of all examples."""
    if c.x.kind == ft.DENSE:
        return c.x
    stored = np.diff(c.x.indptr[c.part_starts])
    return ft.with_indices.python(c.x, c.columns[np.repeat(c.column_starts[:-1], stored) + c.x.indices])


def with_used_features(c: Any, w: np.ndarray) -> tuple[Any, np.ndarray]:
    """For ``implements`` of structures that say nothing else of columns."""
    if ft.has_many_nonzero(w):
        return c, w
    x, W = ft.used_columns(all_columns(c), w.reshape(-1, 1))
    return c._replace(**fields(x, c.part_starts)), W.ravel()
