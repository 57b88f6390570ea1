"""Precision, recall and F1 of chunks: of conlleval, or of seqeval's strict mode (``schemes.STRICT``)."""

from typing import NamedTuple

import numpy as np

from structbench.datasets.problems.problem import Judged
from structbench.datasets.scores.labels import schemes, table

BARE = "chunk"  # what chunks without types are called


class Scores(NamedTuple):
    """Shares in 0 .. 1; NaN where there are no chunks to divide by, or the labels are no chunk tags."""

    precision: float
    recall: float
    f1: float


class Counted(NamedTuple):
    """Chunks that are found and right, found, and wanted: int (sentences, 3), and three numbers of each type."""

    of_sentences: np.ndarray
    of_types: dict[str, list[int]]


def scores(judged: Judged) -> Scores:
    """The scores of the tags of all tokens. A chunk is right if first token, last token and type are."""
    scheme = schemes.scheme_of(judged.problem.labels)
    if scheme is None:
        return Scores(*[float("nan")] * 3)
    counts = counted(judged, scheme).of_sentences
    if judged.counts is not None:
        judged.counts.append(counts)
    return Scores(*table.shares(*counts.sum(axis=0).tolist()))


def by_label(judged: Judged) -> table.ByLabel:
    """The table of the types of chunks; of labels, if they are no tags."""
    scheme = schemes.scheme_of(judged.problem.labels)
    if scheme is None:
        return table.of_decisions(judged)
    types = {kind or BARE: counts for kind, counts in counted(judged, scheme).of_types.items()}
    return table.made(types, schemes.variant(scheme, *judged.as_written(), judged.starts))


def counted(judged: Judged, scheme: schemes.Scheme) -> Counted:
    """The chunks of predictions. Gold tags count as they are written, whether training saw them or not."""
    names, gold = judged.as_written()
    found, wanted = (schemes.chunks_of(scheme, names, tags, judged.starts) for tags in (judged.predicted, gold))
    size, kinds = len(gold), len(found.types)
    codes = [(each.first * size + each.last) * kinds + each.kind for each in (found, wanted)]
    both = np.isin(codes[0], codes[1], assume_unique=True)
    firsts, types = ([a[both], a, b] for a, b in ((found.first, wanted.first), (found.kind, wanted.kind)))
    sentences = (np.searchsorted(judged.starts, first, side="right") - 1 for first in firsts)
    of_sentences = np.stack([np.bincount(at, minlength=len(judged.starts) - 1) for at in sentences], axis=1)
    of_types = np.stack([np.bincount(kind, minlength=kinds) for kind in types], axis=1).tolist()
    return Counted(of_sentences, dict(zip(found.types, of_types, strict=True)))
