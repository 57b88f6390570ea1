"""Candidates: outputs listed one by one, any number for each example, with features of their own.

The reranking of n-best lists (klein2011, "Option 0: Reranking"): p(y | x) is proportional to exp(w . f(x, y)) over
the list. Parts are the candidates, weights one a feature column. The gold candidate is the first of least cost:
the gold output if it is listed, else the nearest to it. Costs count from this candidate's.
"""

from typing import NamedTuple

import numpy as np

from structbench.algorithms.runtime.arrays import Floats, Ints, Labels, frozen, starts_of
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.vector_math import copy_to
from structbench.algorithms.structures import checks, part_rows, single_choice
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.taking import implement_take


class Candidates(NamedTuple):
    """A split of n examples; candidate r of example i is row part_starts[i] + r of the arrays per candidate.

    ``x``, ``part_starts``, ``columns``, ``column_starts``: a row a candidate (``part_rows``). ``output_starts``,
    ``listed_starts``: int64 (n + 1,). ``losses``: float64, costs above that of the gold candidate. ``listed``:
    int32, the labels at all decisions of candidate 0 of example i from listed_starts[i] on, then of the next.
    ``right``: int32 (outputs,), the gold labels. ``y``: int32 (n,), the gold candidate.
    """

    id = "candidates"
    layouts = (part_rows.CostedParts, single_choice.Choice)

    x: ft.Features
    part_starts: Ints
    output_starts: Ints
    listed_starts: Ints
    losses: Floats
    listed: Labels
    right: Labels
    y: Labels
    columns: Labels
    column_starts: Ints
    num_features: int


def build(
    x: ft.Features,
    counts: np.ndarray,
    losses: np.ndarray,
    listed: np.ndarray | None = None,
    right: np.ndarray | None = None,
    lengths: np.ndarray | None = None,
) -> Candidates:
    """A split from features, one row a candidate, and the number of candidates of each example, (n,).

    Args:
        losses: costs of the candidates, (candidates,), any finite numbers.
        listed, right, lengths: ``lengths`` (n,) single decisions of an output, their gold labels, (decisions,), -1
            if unseen, and listed labels, (decisions of each candidate,), candidate after candidate. Without these,
            the one decision is which candidate it is; the gold candidate is right.

    Raises:
        UserError: an example has no candidates, a cost is not finite, a label is negative, or the numbers do not
            fit together.
    """
    own = checks.places(counts, "candidate", "example")
    starts, counts = own.starts, own.lengths
    rows = ft.shape(x)[0]
    own.agree(rows=rows, losses=len(losses))
    losses = checks.finite("loss", losses, own.name)
    least = np.minimum.reduceat(losses, starts[:-1]) if len(counts) else losses
    above = losses - np.repeat(least, counts)
    zeros = np.flatnonzero(above == 0)
    y = zeros[np.searchsorted(zeros, starts[:-1])] - starts[:-1]
    if (listed is None) != (right is None) or (right is None) != (lengths is None):
        raise UserError("of listed, right and lengths, give all or none")
    if listed is None or right is None or lengths is None:
        listed, right = np.arange(rows) - np.repeat(starts[:-1], counts), y
        lengths = np.ones(len(counts), np.int64)
    decisions = checks.places(lengths, "decision", "example", least=0)
    lengths = decisions.lengths
    if len(lengths) != len(counts) or len(right) != lengths.sum() or len(listed) != (lengths * counts).sum():
        raise UserError(
            f"{len(lengths)} lengths, {len(right)} right labels and {len(listed)} listed ones do not fit "
            f"{len(counts)} examples with {rows} candidates"
        )
    right = decisions.integers("right label", right, -1)
    listed_starts = starts_of(lengths * counts)
    listed = checks.Places(listed_starts, "listed label", "example").integers("value", listed, 0)
    return Candidates(
        **part_rows.fields(x, starts),
        output_starts=frozen(decisions.starts, np.int64),
        listed_starts=frozen(listed_starts, np.int64),
        losses=frozen(above, np.float64),
        listed=frozen(listed, np.int32),
        right=frozen(right, np.int32),
        y=frozen(y, np.int32),
    )


implements(Candidates)(part_rows.with_used_features)


implement_take(
    Candidates,
    each=("y",),
    part_starts=("x", "losses"),
    column_starts=("columns",),
    output_starts=("right",),
    listed_starts=("listed",),
)


@implements(Candidates)
def gold(c, i, y):
    y[:] = 0.0
    y[c.y[i]] = 1.0


@implements(Candidates)
def labels(c, i, y, out):
    out[:] = 0
    for r in range(y.shape[0]):
        if y[r] > 0.5:
            first = c.listed_starts[i] + r * out.shape[0]
            copy_to(c.listed[first : first + out.shape[0]], out)
