"""Projective dependency trees: no arc crosses another one (eg2008, section 7.2)."""

from functools import partial

from structbench.algorithms.structures.dependency import arcs


class Projective(arcs.Arcs):
    """Sentences whose trees are projective."""

    id = "dependency"
    layouts = (arcs.Arcs,)


build = partial(arcs.build, Projective, projective=True)
