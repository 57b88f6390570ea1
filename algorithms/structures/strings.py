"""Strings with a class each, without features: only a kernel can compare them (``kernel_only``)."""

from typing import NamedTuple

import numpy as np

from structbench.algorithms.runtime.arrays import Ints, Labels, frozen, starts_of
from structbench.algorithms.structures import checks, kernel_only
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.taking import implement_take


class Strings(NamedTuple):
    """``characters``: numbers, int32, those of string i from starts[i] on. ``y``: int32 (n,), -1 if unseen."""

    id = "strings"
    layouts = (kernel_only.KernelOnly,)
    lacks = "there are no features, only kernels of two strings"

    characters: Labels
    starts: Ints
    y: Labels
    num_labels: int


def build(texts: list[str], y: np.ndarray, num_labels: int) -> Strings:
    """A split from n strings and n labels in -1 .. num_labels - 1.

    Raises:
        UserError: there are more or fewer labels than strings, or a label is out of range.
    """
    y = checks.classes(y, num_labels, len(texts), "strings")
    characters = np.frombuffer("".join(texts).encode("utf-32-le"), np.int32)
    starts = starts_of([len(text) for text in texts])
    return Strings(frozen(characters, np.int32), starts, frozen(y, np.int32), int(num_labels))


implement_take(Strings, starts=("characters",), each=("y",))


@implements(Strings)
def strings(s: Strings) -> parts.Strings:
    return parts.Strings(s.characters, s.starts)
