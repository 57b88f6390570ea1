"""The parts of dependency trees: arcs from a head to a modifier (eg2008, section 7.2; McDonald et al. 2005).

The T tokens of a sentence are numbered from 1. Each has T arcs into it, from the root 0 and from the other tokens.
These are T^2 parts: those into token 1 first, each in the order of their heads. Part (h, m) is number
(m - 1) T + h, less 1 if h > m. A tree gives each token one head. The cost counts the tokens with a wrong head.

All structures of such trees share their parts, features and costs. Structures differ in the possible trees, and so
in inference.
"""

from typing import NamedTuple, TypeVar

import numpy as np

from structbench.algorithms.runtime.arrays import Ints, Labels, frozen, starts_of
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import checks, part_rows
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.counting import Tokens
from structbench.algorithms.structures.dependency import trees
from structbench.algorithms.structures.layouts import layout
from structbench.algorithms.structures.taking import implement_take


@layout
class Arcs(NamedTuple):
    """A split of n sentences; token t of sentence i is row starts[i] + t of the arrays per token.

    ``x``, ``part_starts``, ``columns``, ``column_starts``: a row an arc, see ``part_rows``. ``starts``: int64
    (n + 1,). ``y``: int32, the heads of the gold trees. ``training_heads``: heads of the trees to train on, which
    must be trees of the structure. ``single_root``: 1 if the root has one child in all trees, else 0.
    """

    layouts = (part_rows.PartRows, Tokens)

    x: ft.Features
    columns: Labels
    column_starts: Ints
    starts: Ints
    part_starts: Ints
    y: Labels
    training_heads: Labels
    num_features: int
    single_root: int


Trees = TypeVar("Trees", bound=Arcs)

implement_take(Arcs, part_starts=("x",), column_starts=("columns",), starts=("y", "training_heads"))


def build(
    kind: type[Trees],
    x: ft.Features,
    lengths: np.ndarray,
    heads: np.ndarray,
    training_heads: np.ndarray | None = None,
    single_root: bool = True,
    *,
    projective: bool,
) -> Trees:
    """A split of a structure of trees from features of arcs, one row a part, sentence after sentence.

    Args:
        lengths: tokens of each sentence, (n,).
        heads: of each token, (tokens,), 0 for the root.
        training_heads: heads of the trees to train on, if others. Costs count against them, and they must be trees
            of the structure. If they are given, ``heads`` may be any trees, as in a test split.
        single_root: only trees with one token below the root.
        projective: only trees whose arcs do not cross.

    Raises:
        UserError: these do not fit together, a head is not in its sentence, or heads are no such tree.
    """
    tokens = checks.places(lengths, "token", "sentence", origin=1)
    given = {"heads": heads} if training_heads is None else {"heads": heads, "training_heads": training_heads}
    tokens.agree(**{name: len(each) for name, each in given.items()})
    starts, lengths = tokens.starts, tokens.lengths
    part_starts = starts_of(lengths**2)
    rows = ft.shape(x)[0]
    if rows != part_starts[-1]:
        raise UserError(f"sentences of these lengths have {part_starts[-1]} arcs, but there are {rows} rows")
    heads = trees.checked(
        "heads", heads, tokens, single_root and training_heads is None, projective and training_heads is None
    )
    training_heads = (
        heads
        if training_heads is None
        else trees.checked("training_heads", training_heads, tokens, single_root, projective)
    )
    return kind(
        **part_rows.fields(x, part_starts),
        starts=frozen(starts, np.int64),
        y=heads,
        training_heads=training_heads,
        single_root=int(single_root),
    )


@kernel
def part(length, head, modifier):
    """The number of the arc."""
    return (modifier - 1) * length + head - (1 if head > modifier else 0)


@kernel
def head_of(part, length):
    """The head of an arc."""
    modifier, place = part // length + 1, part % length
    return place + (1 if place >= modifier else 0)


# ---- one sentence ----------------------------------------------------------------------------------


@implements(Arcs)
def add_costs(c, i, weight, out):
    length = c.starts[i + 1] - c.starts[i]
    for r in range(out.shape[0]):
        out[r] += weight
    for m in range(1, length + 1):
        out[part(length, c.training_heads[c.starts[i] + m - 1], m)] -= weight


@implements(Arcs)
def gold(c, i, y):
    length = c.starts[i + 1] - c.starts[i]
    y[:] = 0.0
    for m in range(1, length + 1):
        y[part(length, c.training_heads[c.starts[i] + m - 1], m)] = 1.0


@implements(Arcs)
def labels(c, i, y, out):
    length = c.starts[i + 1] - c.starts[i]
    out[:] = 0
    for r in range(length * length):
        if y[r] > 0.5:
            out[r // length] = head_of(r, length)
