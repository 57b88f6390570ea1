"""Dependency trees whose arcs may cross: all spanning trees of a sentence, directed away from the root.

eg2008 has projective trees only. McDonald, Pereira, Ribarov and Hajic, Non-projective dependency parsing using
spanning tree algorithms, 2005; Koo, Globerson, Carreras and Collins, Structured prediction models via the
matrix-tree theorem, 2007. Arcs, features and costs are those of ``dependency``. These trees have marginals, but no
cliques that give the entropy of a mixture of distributions in closed form.
"""

from functools import partial

from structbench.algorithms.structures.dependency import arcs


class NonProjective(arcs.Arcs):
    """Sentences whose trees may be any."""

    id = "nonprojective"
    layouts = (arcs.Arcs,)


build = partial(arcs.build, NonProjective, projective=False)
