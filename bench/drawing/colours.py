"""Looks of algorithms, the same in every figure: a hue for each family, a shade and a marker for each member.

The hues are Okabe and Ito's, which colour-blind readers tell apart, and some darker ones. What else is drawn does
not matter: shade and marker are those of the algorithm's place among all of its family.
"""

from functools import cache

import numpy as np

from structbench.algorithms.runtime import modules, own_folders
from structbench.bench.runs.algorithm_files import by_family, file_of

HUES = {  # of a family of algorithms; each algorithm has a shade of it
    "exponentiated_gradient": "#0072B2",
    "coordinate_ascent": "#D55E00",
    "gradient": "#009E73",
    "cutting_planes": "#CC79A7",
    "sparse_margin": "#3FA7DF",
    "mistake_driven": "#CC8400",
    "kernel_methods": "#8C6D1F",
    "memory_based": "#7F9A00",
    "generative": "#7A4FA3",
    "reductions": "#5B3A29",
    "black_boxes": "#606060",
}
SHADES = (
    *(0.5, 1.0, 0.0, 0.75, 0.25, 0.875, 0.125, 0.625, 0.375),
    *(0.9375, 0.4375, 0.8125, 0.1875, 0.6875, 0.0625, 0.5625),
)  # of a family's members: neighbours lie apart
MARKERS = ("", "s", "^", "D", "v", "P", "X", "<", ">", "p", "d", "h", "8", "*", "H", "o")  # likewise
OTHER = "#333333"  # hue of a family of the user's own


@cache
def colour(algorithm: str) -> str:
    """The colour of an algorithm: a shade of the hue of its family."""
    parts = mixed(hue(algorithm), SHADES[_rank(algorithm) % len(SHADES)], 0.4)
    return "#" + "".join(f"{round(255 * part):02X}" for part in parts)


def hue(algorithm: str) -> str:
    """The hue of an algorithm's family. A run may be of an algorithm that is no more."""
    family, _ = by_family().get(algorithm, (OTHER, ""))
    return HUES.get(family, OTHER)


def marker(algorithm: str) -> str:
    """The marker of an algorithm, by which those of a family differ; empty for the first."""
    return MARKERS[_rank(algorithm) % len(MARKERS)]


@cache
def _rank(algorithm: str) -> int:
    """The algorithm's place in its family, by name. Those of the user's own files come last."""
    family = by_family().get(algorithm, (OTHER, ""))[0]
    members = [name for name, (theirs, _) in by_family().items() if theirs == family]
    ours = [own_folders.place(file_of(name)).is_relative_to(modules.ROOT) for name in members]
    ordered = [name for _, name in sorted(zip([not one for one in ours], members, strict=True))]
    return ordered.index(algorithm) if algorithm in ordered else 0


def mixed(hue: str, place: float, most: float = 0.5) -> tuple[float, float, float]:
    """A shade of a colour, from 0, light, to 1, dark; ``most`` is the share of white or black in it there."""
    full = np.array([int(hue[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    share = most * (2 * place - 1)
    red, green, blue = (full * (1 - share) if share > 0 else full - (1 - full) * share).tolist()
    return red, green, blue
