"""Colours and markers of algorithms in all pictures: a hue for each family, a shade and a marker for each member.

The hues are Okabe and Ito's, which colour-blind readers tell apart, and some darker ones. Shade and marker are
those of the algorithm's place among all of its family. Where two of a family stand in one picture,
``picture_colours`` gives one of them a free hue.
"""

from collections.abc import Iterable
from functools import cache

import numpy as np

from structbench.algorithms.runtime import own_folders
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
    "black_boxes": "#808080",
    "batch": "#1A1A1A",
}
BATCH = (  # of the family of gradients, which is large: those that take the gradient of all examples
    *("conjugate-gradient", "gradient-ascent", "growing-batch", "interior-point"),
    *("iterative-scaling", "lbfgs", "newton", "owl-qn"),
)
FEW = ("mistake_driven", "generative", "sparse_margin", "cutting_planes", "reductions")  # small families
SPARE = tuple(HUES[family] for family in FEW)  # for the second of a family, in pictures without these
USUAL = ("eg", "sgd", "lbfgs", "sklearn", "frank-wolfe", "perceptron", "laso")  # these get colours first
SHADES = (
    *(0.5, 1.0, 0.0, 0.75, 0.25, 0.875, 0.125, 0.625, 0.375),
    *(0.9375, 0.4375, 0.8125, 0.1875, 0.6875, 0.0625, 0.5625),
)  # of a family's members: neighbours lie apart
MARKERS = ("", "s", "^", "D", "v", "P", "X", "<", ">", "p", "d", "h", "8", "*", "H", "o")  # likewise
OWN = "#E6007E"  # hue of the user's own algorithms, whatever their family
SLATE = "#6C7A96"
OTHER = "#333333"  # hue of an algorithm that is no more


@cache
def colour(algorithm: str) -> str:
    """The colour of an algorithm: a shade of the hue of its family."""
    parts = mixed(hue(algorithm), SHADES[_rank(algorithm) % len(SHADES)], 0.4)
    return "#" + "".join(f"{round(255 * part):02X}" for part in parts)


def on_any_ground(algorithm: str) -> str:
    """The colour of an algorithm where the ground may be dark: slate in place of black."""
    return SLATE if hue(algorithm) == HUES["batch"] else colour(algorithm)


def picture_colours(algorithms: Iterable[str]) -> dict[str, str]:
    """The colour of each algorithm of a picture, the usual ones first: its own, or a hue that is free there.

    It is its own if no other of its family came before, if no hue is free, and of the user's own algorithms.
    """
    names, found = in_order(algorithms), {}
    hues = [*map(hue, names)]
    free = [each for each in SPARE if each not in hues]
    for k, name in enumerate(names):
        keeps = hues[k] not in hues[:k] or hues[k] == OWN or not free
        found[name] = colour(name) if keeps else free.pop(0)
    return found


def picture_markers(algorithms: Iterable[str]) -> dict[str, str]:
    """The marker of each algorithm of a picture, the usual ones first: its own, or one that is free there."""
    found: dict[str, str] = {}
    for name in in_order(algorithms):
        free = [each for each in (marker(name), *MARKERS[1:]) if not each or each not in found.values()]
        found[name] = free[0] if free else marker(name)
    return found


def in_order(algorithms: Iterable[str]) -> list[str]:
    """Return the algorithms in the order in which they get colours: the usual ones first."""
    return sorted({*algorithms}, key=lambda name: (USUAL.index(name) if name in USUAL else len(USUAL), name))


def hue(algorithm: str) -> str:
    """The hue of an algorithm's family, or of the user's own. A run may be of an algorithm that is no more."""
    return _hues().get(algorithm, OTHER)


def marker(algorithm: str) -> str:
    """The marker of an algorithm, by which those of a hue differ; empty for the first."""
    return MARKERS[_rank(algorithm) % len(MARKERS)]


@cache
def _hues() -> dict[str, str]:
    """The hue of each algorithm that there is."""
    ours = {name: (own_folders.ROOT / file_of(name)).is_file() for name in by_family()}
    families = {name: "batch" if name in BATCH else family for name, (family, _) in by_family().items()}
    return {name: HUES.get(family, OWN) if ours[name] else OWN for name, family in families.items()}


def _rank(algorithm: str) -> int:
    """The algorithm's place among those of its hue, by name."""
    same = [name for name, theirs in _hues().items() if theirs == hue(algorithm)]
    return same.index(algorithm) if algorithm in same else 0


def mixed(hue: str, place: float, most: float = 0.5) -> tuple[float, float, float]:
    """A shade of a colour, from 0, light, to 1, dark; ``most`` is the share of white or black in it there."""
    full = np.array([int(hue[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    share = most * (2 * place - 1)
    red, green, blue = (full * (1 - share) if share > 0 else full - (1 - full) * share).tolist()
    return red, green, blue
