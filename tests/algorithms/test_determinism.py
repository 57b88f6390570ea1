"""The same seed gives the same bits, with any number of threads; another seed another walk."""

import pytest

from algorithms.runtime import parallel
from tests.algorithms.oracle import STRUCTURES, case
from tests.algorithms.solvers import RUNS, first

FIXED = {
    "eg-cyclic",
    "eg-batch",
    "eg-primal",
    "frank-wolfe-batch",
    "lbfgs",
    "one-slack",
    "owl-qn",
    "subgradient-batch",
}


def bits(name: str, variant: str, loss: str, seed: int, threads: int) -> list[tuple]:
    parallel.set_threads(threads)
    split = case(name, lengths=(3, 1, 4, 2, 2, 3) * 4).split
    run = first(25, variant, split, loss, 0.8, seed=seed)
    return [(point.weights.tobytes(), point.visits, point.conjugate, point.notes) for point in run]


@pytest.mark.parametrize("name", STRUCTURES)
@pytest.mark.parametrize(("variant", "loss"), RUNS)
def test_a_seed_decides_every_bit_and_threads_none(name, variant, loss):
    one = bits(name, variant, loss, seed=3, threads=1)
    assert bits(name, variant, loss, seed=3, threads=1) == one
    assert bits(name, variant, loss, seed=3, threads=2) == one
    assert bits(name, variant, loss, seed=3, threads=3) == one


@pytest.mark.parametrize(("variant", "loss"), RUNS)
def test_seeds_matter_to_those_that_draw_examples(variant, loss):
    runs = [bits("multiclass-dense", variant, loss, seed=seed, threads=1) for seed in (3, 4)]
    assert (runs[0] != runs[1]) == (variant not in FIXED)
