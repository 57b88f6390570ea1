"""Projective dependency trees: no arc crosses another one (eg2008, section 7.2)."""

import numpy as np

from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures.dependency import arcs


class Projective(arcs.Arcs):
    """Sentences whose trees are projective."""

    id = "dependency"
    layouts = (arcs.Arcs,)


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
