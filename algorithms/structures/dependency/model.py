"""Projective dependency trees: no arc crosses another one (eg2008, section 7.2)."""

from typing import NamedTuple

import numpy as np

from structbench.algorithms.runtime.arrays import Ints, Labels
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures.dependency import arcs
from structbench.algorithms.structures.taking import implement_take


class Projective(NamedTuple):
    """A split of n sentences; token t of sentence i is row starts[i] + t of the arrays per token.

    ``x``, ``part_starts``, ``columns``, ``column_starts``: a row an arc, see ``part_rows``. ``starts``: int64
    (n + 1,).
    ``y``: int32, the heads of the gold trees. ``training_heads``: heads of the trees to train on, which must be
    projective. ``single_root``: 1 if the root has one child in all trees, else 0.
    """

    id = "dependency"
    layouts = (arcs.Arcs,)

    x: ft.Features
    columns: Labels
    column_starts: Ints
    starts: Ints
    part_starts: Ints
    y: Labels
    training_heads: Labels
    num_features: int
    single_root: int


implement_take(Projective, part_starts=("x",), column_starts=("columns",), starts=("y", "training_heads"))


def build(
    x: ft.Features,
    lengths: np.ndarray,
    heads: np.ndarray,
    training_heads: np.ndarray | None = None,
    single_root: bool = True,
) -> Projective:
    """A split from features of arcs, one row a part, lengths (n,) and heads (tokens,); see ``arcs.fields``.

    Raises:
        UserError: these do not fit together, or a training tree is not of the structure.
    """
    return Projective(**arcs.fields(x, lengths, heads, training_heads, single_root, projective=True))
