"""The primal form of exponentiated gradient: the iterates of batch ``eg``, without its memory."""

import tracemalloc

import numpy as np
import pytest

from structbench.algorithms.learning import objective
from structbench.algorithms.runtime import parallel
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.chain import model as chain
from tests.algorithms.oracle import case, every_structure
from tests.algorithms.solvers import first, start

both_losses = pytest.mark.parametrize("loss", ["log", "hinge"])


@every_structure
@both_losses
@pytest.mark.parametrize(
    ("params", "size"),  # of blocks of examples
    [
        ({"eta": 0.1, "adaptive": False}, 10),
        ({"eta": 3.0}, objective.MAX_PARTS_IN_MEMORY),
        ({"eta": 0.3, "grow": 1.3, "start": 0.0}, 10),
    ],
)
def test_it_makes_the_steps_of_batch_eg(name, loss, params, size, monkeypatch):
    split = case(name).split
    theirs = first(20, "eg:mode=batch", split, loss, 0.8, **params)
    monkeypatch.setattr(objective, "MAX_PARTS_IN_MEMORY", size)
    with parallel.using(2):
        assert (len(list(objective.blocks(split))) > 1) == (size == 10)
        ours = first(20, "eg-primal", split, loss, 0.8, **params)
        assert not ours[0].weights.any()
        for one, other in zip(ours[1:], theirs[1:], strict=True):
            assert one.visits == other.visits
            assert one.notes == other.notes
            np.testing.assert_allclose(one.weights, other.weights, rtol=1e-9, atol=1e-9)
            assert one.conjugate == pytest.approx(other.conjugate, rel=1e-9)


def sequences(n: int) -> chain.Chain:
    """Of six tokens each."""
    rng = np.random.default_rng(0)
    return chain.build(ft.dense(rng.normal(size=(6 * n, 2))), np.full(n, 6), rng.integers(0, 3, 6 * n), 3)


@pytest.mark.parametrize(("variant", "keeps"), [("eg-primal", False), ("eg:mode=batch", True)])
def test_memory_does_not_grow_with_the_parts(variant, keeps, monkeypatch):
    monkeypatch.setattr(objective, "MAX_PARTS_IN_MEMORY", 10_000)
    first(3, variant, sequences(3), "log", 0.8)  # kernels are loaded
    most, total = [], []
    for n in (600, 2400):
        split = sequences(n)
        _, solver = start(variant, split, "log", 0.8)
        total.append(8 * parts.offsets(split)[-1])
        tracemalloc.start()
        for _ in range(4):
            next(solver)
        most.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    grown = (most[1] - most[0]) / (total[1] - total[0])  # numbers kept for each further part
    assert grown > 2 if keeps else grown < 0.2
