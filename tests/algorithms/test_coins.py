"""A structure that a test brings along: every algorithm does on it what it does on the classes that it copies."""

from typing import NamedTuple

import numpy as np
import pytest

from structbench.algorithms.runtime.arrays import Floats, Labels, Matrix
from structbench.algorithms.structures import costs
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.compiled import OPERATIONS, implements
from structbench.algorithms.structures.multiclass import Multiclass
from structbench.bench.runs import catalogue
from tests.algorithms.oracle import case
from tests.algorithms.solvers import RUNS, VARIANTS, first, general

NEEDED = {"examples", "parts", "argmax", "marginals", "cliques", "k-best"}


class Coins(NamedTuple):
    """Coins that show one of some sides: ``Multiclass`` by a name that nothing else in the project knows."""

    id = "coins"
    layouts = Multiclass.layouts

    x: ft.Features
    y: Labels
    squares: Floats
    num_labels: int
    costs: Matrix = costs.HAMMING


for each in OPERATIONS.values():
    if each.capability in NEEDED and Multiclass in each.implementations:
        implements(Coins)(each.implementations[Multiclass])


@implements(Coins)
def take(c: Coins, examples: np.ndarray) -> Coins:
    return Coins(*parts.take(Multiclass(*c), examples))


CLASSES = case("multiclass-dense", density=1.0).split
CLASSES = CLASSES._replace(x=ft.dense(np.abs(CLASSES.x.dense)))  # some algorithms take nothing negative


def test_it_has_what_all_general_algorithms_need():
    assert parts.capabilities(Coins) == NEEDED
    for name in general():
        catalogue.check_fit(name, {}, Coins(*CLASSES))


@pytest.mark.parametrize("loss", ["log", "hinge"])
def test_all_algorithms_run_on_it(loss):
    able = (each for each in VARIANTS if {*catalogue.needs_of(*VARIANTS[each])} <= NEEDED)
    for variant in (each for each in able if (each, loss) in RUNS):
        runs = (first(4, variant, split, loss, 2.0) for split in (CLASSES, Coins(*CLASSES)))
        known, found = ([(point.weights.tobytes(), repr(point[1:])) for point in run] for run in runs)
        assert len(found) == 4 and found == known, variant
