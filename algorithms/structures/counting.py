"""Count examples and decisions of structures with the fields ``starts`` or ``y``, which several have."""

from typing import NamedTuple

from structbench.algorithms.structures import interface as _  # noqa: F401 - the operations that are implemented here
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.layouts import layout


@layout
class Tokens(NamedTuple):
    """The tokens of example i begin at ``starts[i]``. Each is a decision."""


@implements(Tokens)
def num_examples(c):  # pyright: ignore[reportRedeclaration] - another layout's follows
    return c.starts.shape[0] - 1


@implements(Tokens)
def num_decisions(c, i):  # pyright: ignore[reportRedeclaration] - another layout's follows
    return c.starts[i + 1] - c.starts[i]


@layout
class OneDecision(NamedTuple):
    """Each entry of ``y`` is an example of one decision."""


@implements(OneDecision)
def num_examples(c):  # noqa: F811 - of the other layout
    return c.y.shape[0]


@implements(OneDecision)
def num_decisions(c, i):  # noqa: F811
    return 1
