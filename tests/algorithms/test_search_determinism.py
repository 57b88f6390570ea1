"""Mistake-driven learners: the same seed gives the same bits; prediction in threads."""

import numpy as np
import pytest

from structbench.algorithms.runtime import parallel
from structbench.algorithms.search import decoding
from structbench.algorithms.structures import interface as parts
from tests.algorithms.learners import RUNS, solver
from tests.algorithms.searching import EXACT, LEARNABLE, learnable, weights


def bits(algorithm: str, params: dict, seed: int) -> list[tuple]:
    problem = learnable("segments-dense")
    run = zip(range(9), solver(algorithm, problem, seed, **params), strict=False)
    return [
        ((each.vector * each.scale).tobytes(), each.visits, each.notes, each.hints.evaluate_now) for _, each in run
    ]


@pytest.mark.parametrize(("algorithm", "params"), RUNS, ids=str)
def test_a_seed_decides_every_bit(algorithm, params):
    one = bits(algorithm, params, 3)
    assert bits(algorithm, params, 3) == one
    assert bits(algorithm, params, 4) != one


@pytest.mark.parametrize("name", ["segments-dense", "joint"])
@pytest.mark.parametrize("decode", [1, 4, "inf", "a-star"])
def test_predictions_do_not_depend_on_threads(name, decode):
    problem = learnable(name)
    w = weights(problem, 0)
    if name not in EXACT and isinstance(decode, str):
        decode = 2
    found = []
    for threads in (1, 2, 3):
        with parallel.using(threads):
            found.append(decoding.predictions(problem, w, beam=1, decode=decode, compare_at="decisions"))
    none = decoding.predictions(parts.take(problem, []), w, beam=1, decode=decode, compare_at="decisions")
    assert [len(each) for each in none] == [0, 0, 1]
    for labels, right, starts in found[1:]:
        np.testing.assert_array_equal(labels, found[0][0])
        np.testing.assert_array_equal(right, found[0][1])
        np.testing.assert_array_equal(starts, found[0][2])


@pytest.mark.parametrize("name", [name for name in EXACT if name in LEARNABLE])
def test_exact_ways_to_decode_agree(name):
    problem = learnable(name)
    w = weights(problem, 1)
    ways = [("inf", "same"), (1, "inf"), (1, "a-star"), (500, "same"), (1, 500)]
    ways = [(*way, rows) for way in ways for rows in ("decisions", "steps")]
    found = [
        decoding.predictions(problem, w, beam=beam, decode=decode, compare_at=rows)[0]
        for beam, decode, rows in ways
    ]
    for labels in found[1:]:
        np.testing.assert_array_equal(labels, found[0])
    assert (decoding.predictions(problem, w, beam=1, decode="same", compare_at="steps")[0] != found[0]).any()
