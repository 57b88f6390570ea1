"""Algorithms that visit in float32: the certificate is in float64, and the optimum is the same."""

from itertools import islice
from typing import Any

import numpy as np
import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.single_precision import ShortClasses
from structbench.bench.runs import catalogue
from tests.algorithms.optima import optimum
from tests.algorithms.oracle import case
from tests.algorithms.solvers import recomputed, recomputed_dual, start
from tests.narrowing import not_none

NAMES = [name for name in catalogue.algorithms() if "precision" in catalogue.parameters(name)]
RUNS = [(name, loss) for name in NAMES for loss in ("log", "hinge") if loss in catalogue.losses(name)]
C, GAP = 2.0, 1e-6


@pytest.mark.parametrize("kind", ["multiclass-dense", "multiclass-sparse", "chain-sparse-edges"])
@pytest.mark.parametrize(("name", "loss"), RUNS)
def test_float32_certifies_a_gap_of_1e_6_at_the_optimum(name, loss, kind):
    small, best = case(kind), optimum(kind, loss, C)
    given: dict[str, Any] = {"order": "gap"} if name == "eg" else {}
    objective, solver = start(name, small.split, loss, C, precision="float32", **given)
    for iterate in islice(solver, 1, 20_000):
        value = recomputed(small, objective, iterate)
        assert value.dual <= best * (1 + 1e-9)
        if value.primal - value.dual <= GAP * value.primal:
            break
    assert best * (1 - 1e-9) <= value.primal <= best * (1 + GAP) / (1 - GAP)
    w_of_u = not_none(iterate.dual).weights
    stored = iterate.vector if w_of_u is None else w_of_u
    in_float32 = (
        slice(None)
        if kind.startswith("multiclass")
        else slice(small.split.num_node_features * small.split.num_labels)
    )
    np.testing.assert_array_equal(stored[in_float32], stored[in_float32].astype(np.float32))
    np.testing.assert_allclose(stored, recomputed_dual(iterate)[1], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_other_structures_than_classes_and_chains_are_refused(name):
    with pytest.raises(UserError, match="needs visits in float32, which dependency problems do not have"):
        catalogue.check_fit(name, {"precision": "float32"}, case("dependency-binary").split)


def test_a_structure_without_its_own_shrunk_float32_weights_is_refused(monkeypatch):
    """As a structure of a user's may be: the view of any structure would read the packed memory as float64."""
    monkeypatch.delitem(parts.with_threshold.implementations, ShortClasses)
    _, solver = start("eg", case("multiclass-sparse").split, "log", C, penalty="elastic-0.3", precision="float32")
    with pytest.raises(UserError, match="needs with_threshold, which ShortClasses does not implement"):
        [*islice(solver, 2)]
