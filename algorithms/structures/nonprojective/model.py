"""Dependency trees whose arcs may cross: all spanning trees of a sentence, directed away from the root.

eg2008 has projective trees only. McDonald, Pereira, Ribarov and Hajic, Non-projective dependency parsing using
spanning tree algorithms, 2005; Koo, Globerson, Carreras and Collins, Structured prediction models via the
matrix-tree theorem, 2007. Arcs, features and costs are those of ``dependency``. These trees have marginals, but no
cliques that give the entropy of a mixture of distributions in closed form.
"""

from typing import NamedTuple

import numpy as np

from structbench.algorithms.runtime.arrays import Ints, Labels
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures.dependency import arcs
from structbench.algorithms.structures.taking import implement_take


class NonProjective(NamedTuple):
    """A split of n sentences; the fields are those of ``dependency.model.Projective``."""

    id = "nonprojective"
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


implement_take(NonProjective, part_starts=("x",), column_starts=("columns",), starts=("y", "training_heads"))


def build(
    x: ft.Features,
    lengths: np.ndarray,
    heads: np.ndarray,
    training_heads: np.ndarray | None = None,
    single_root: bool = True,
) -> NonProjective:
    """A split from features of arcs, one row a part, lengths (n,) and heads (tokens,); see ``arcs.fields``.

    Raises:
        UserError: these do not fit together, or a training tree is not of the structure.
    """
    return NonProjective(**arcs.fields(x, lengths, heads, training_heads, single_root, projective=False))
