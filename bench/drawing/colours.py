"""Colours of algorithms: a hue for each family, and shades of it for its members.

The hues are Okabe and Ito's, which colour-blind readers tell apart, and some darker ones.
"""

from collections.abc import Iterable

import numpy as np

from structbench.bench.runs.algorithm_files import by_family

HUES = {  # of a family of algorithms; each algorithm has a shade of it
    "exponentiated_gradient": "#0072B2",
    "coordinate_ascent": "#D55E00",
    "gradient": "#009E73",
    "cutting_planes": "#CC79A7",
    "sparse_margin": "#56B4E9",
    "mistake_driven": "#E69F00",
    "kernel_methods": "#8C6D1F",
    "generative": "#7A4FA3",
    "peers": "#606060",
    "black_boxes": "#A23B72",
}
MARKERS = ("s", "^", "D", "v", "P", "X", "<", ">", "p")
OTHER = "#333333"  # hue of a family of the user's own


def rgb(colour: str) -> tuple[float, ...]:
    """``#RRGGBB`` as numbers in 0 .. 1, without importing matplotlib."""
    return tuple(int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))


def of(algorithms: Iterable[str]) -> dict[str, str]:
    """The colour of each algorithm: the hue of its family, in shades from light to dark if there are several."""
    found = {}
    for family, names in _families(algorithms).items():
        for rank, name in enumerate(names):
            parts = mixed(HUES.get(family, OTHER), rank / (len(names) - 1) if len(names) > 1 else 0.5)
            found[name] = "#" + "".join(f"{round(255 * part):02X}" for part in parts)
    return found


def markers(algorithms: Iterable[str]) -> dict[str, str]:
    """The marker of each algorithm, by which those of a family differ; empty if it is alone."""
    families = _families(algorithms).values()
    shapes = {name: MARKERS[rank % len(MARKERS)] for names in families for rank, name in enumerate(names)}
    return {name: "" if [name] in families else shape for name, shape in shapes.items()}


def _families(algorithms: Iterable[str]) -> dict[str, list[str]]:
    families: dict[str, list[str]] = {}
    for name in sorted(set(algorithms)):
        family, _ = by_family().get(name, (OTHER, ""))  # a run may be of an algorithm that is no more
        families.setdefault(family, []).append(name)
    return families


def mixed(hue: str, place: float) -> tuple[float, float, float]:
    """A shade of a colour, from 0, light, to 1, dark."""
    colour = np.array(rgb(hue))
    mixed = colour + (1 - colour) * 0.4 * (1 - 2 * place) if place < 0.5 else colour * (1 - 0.55 * (2 * place - 1))
    return tuple(float(part) for part in mixed)
