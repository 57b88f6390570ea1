"""Dependency trees whose arcs may cross: all spanning trees of a sentence, directed away from the root.

eg2008 has projective trees only. McDonald, Pereira, Ribarov and Hajic, Non-projective dependency parsing using
spanning tree algorithms, 2005; Koo, Globerson, Carreras and Collins, Structured prediction models via the
matrix-tree theorem, 2007. Arcs, features and costs are those of ``dependency``. These trees have marginals, but no
cliques that give the entropy of a mixture of distributions in closed form.
"""

import numpy as np

from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures.dependency import arcs


class NonProjective(arcs.Arcs):
    """Sentences whose trees may be any."""

    id = "nonprojective"
    layouts = (arcs.Arcs,)


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
