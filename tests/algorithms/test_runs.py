"""Every run of every algorithm, variant and loss on structures that cover all: what theory promises, and the seed.

One run is looked at from all sides, and made once more with other threads and once with another seed. What an
algorithm promises it declares: whether it draws at random, that its dual value never falls, that it converges
linearly.
"""

import re
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.long_vectors import BLOCK
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import multiclass
from structbench.bench.checks import algorithms as checks
from structbench.bench.runs import algorithm_module, catalogue
from tests.algorithms.optima import optimum
from tests.algorithms.oracle import COVERING, LABELLED, STRUCTURES, able, case
from tests.algorithms.solvers import (
    RUNS,
    VARIANTS,
    Point,
    choices,
    counts,
    evaluated,
    finished,
    first,
    named,
    others,
    recomputed,
    runs_on,
    solved,
    start,
)
from tests.stored import as_stored

VARIED = ("chain-sparse-edges", "nonprojective-sparse")  # with cliques and without: every choice runs on these


def is_tried(name: str, variant: str) -> bool:
    """Whether no other run has the same algorithm on this structure, and these parameters on others."""
    algorithm, params = VARIANTS[variant]
    default = params == algorithm_module.declaration(algorithm).settings.every_test
    return counts(variant) or (name in COVERING if default else name in VARIED)


def every_run_of(names: Iterable[str]) -> pytest.MarkDecorator:
    """A test on runs on cases of these names."""
    runs = [(name, *run) for name in names for run in runs_on(name) if is_tried(name, run[0])]
    return pytest.mark.parametrize(("name", "variant", "loss"), runs)


STEPS = 60
AGAIN = 25  # steps that are made again
C = 2.0
GAP, SLOW_GAP = 1e-6, 2e-3  # of algorithms that converge linearly, and like 1 / passes


def promises(variant: str, what: str) -> bool:
    name, params = VARIANTS[variant]
    return catalogue.holds(name, getattr(algorithm_module.declaration(name).promises, what), params)


def bits(run: list[Point]) -> list[tuple]:
    return [point.bits for point in run[:AGAIN]]


@every_run_of(STRUCTURES)
def test_a_run(name, variant, loss):
    small, best = case(name), optimum(name, loss, C)
    objective, solver = start(variant, small.split, loss, C, seed=3)
    run = []
    for iterate in islice(solver, STEPS):
        run.append(evaluated(objective, iterate))

    # certificates
    rel = 1e-6 if "float32" in variant else 1e-9  # w(u) is a sum of float32 until the end of a run
    assert recomputed(small, objective, iterate) == pytest.approx(run[-1].value, rel=rel)
    for point in run[::6]:
        assert point.value.primal == pytest.approx(small.primal(point.weights, loss, C), rel=1e-10)
    assert checks.wrong_points(run, best, promises(variant, "monotone"), promises(variant, "optimal")) == []

    # the seed decides every bit, and threads none
    for threads in (1, 3):
        with parallel.using(threads):
            assert bits(first(AGAIN, variant, small.split, loss, C, seed=3)) == bits(run)
    draws = catalogue.draws(*VARIANTS[variant])
    assert (bits(first(AGAIN, variant, small.split, loss, C, seed=4)) != bits(run)) == draws

    # agreement on the optimum
    if not promises(variant, "optimal"):
        return
    gap = GAP if promises(variant, "linear") else SLOW_GAP
    point = run[-1] if run[-1].relative_gap <= gap else finished(objective, solver, gap)
    assert point.relative_gap <= gap
    assert best * (1 - 1e-9) <= point.value.primal <= best * (1 + gap + 1e-9)
    solver.close()


@every_run_of(LABELLED)
def test_an_unknown_label_is_certified_or_refused(name, variant, loss):
    small = case(name, unseen=0.3)
    assert small.split.y.min() < 0
    try:
        run = first(20, variant, small.split, loss, C)
    except UserError as error:
        assert "needs a known label everywhere" in str(error)
        assert loss != "log", "log Z needs no right output"
        return
    least = min(point.value.primal for point in run)
    assert all(not point.value.dual > least + 1e-9 for point in run)


WIDER = BLOCK // 2  # columns: with three classes, weights of two blocks


@pytest.mark.parametrize("variant", [pytest.param(each, id=f"dense-{each}") for each in VARIANTS])
def test_columns_without_a_feature_change_nothing(variant):
    """Weights are worked on in blocks, of which small cases have a single one."""
    split = case("multiclass-dense", density=1.0).split
    columns = np.tile(np.arange(4), 6)
    for loss in (its for each, its in RUNS if each == variant):
        found = []
        for before in (0, WIDER):
            counts = np.bincount(columns + before, minlength=WIDER + 4 if before else 4)
            x = ft.compressed(np.arange(0, 25, 4), columns + before, np.abs(split.x.dense).ravel(), counts)
            found.append(first(8, variant, multiclass.build(x, split.y, 3), loss, C)[-1])
        narrow, wide = found
        np.testing.assert_allclose(wide.weights[-12:], narrow.weights, rtol=1e-6, atol=1e-9)
        assert not wide.weights[:-12].any() and wide.visits == narrow.visits
        assert wide.value == pytest.approx(narrow.value, rel=1e-8, nan_ok=True)


@pytest.mark.parametrize("variant", [pytest.param(each, id=f"dense-{each}") for each in VARIANTS])
def test_without_features_0_stays_the_optimum_and_is_found(variant):
    """No step divides by a norm of 0, none moves the weights, and the dual value comes to the primal one."""
    split = multiclass.build(ft.dense(np.zeros((4, 2))), np.array([0, 1, 2, 1]), 3)
    for loss in (its for each, its in RUNS if each == variant):
        with np.errstate(all="raise"):
            run = first(12, variant, split, loss, C)
            found = solved(variant, split, loss, C, GAP if promises(variant, "linear") else SLOW_GAP)
        assert not any(point.weights.any() for point in (*run, found))
        assert len({point.value.primal for point in (*run, found)}) == 1
        assert found.relative_gap <= SLOW_GAP


OWN = [name for name in catalogue.algorithms() if not algorithm_module.declaration(name).black_box]
OWN.remove("naive-bayes")


@pytest.mark.parametrize("name", [pytest.param(name, id=f"dense-{name}") for name in OWN])
def test_the_first_points_are_the_same_everywhere(name):
    """A change of a step changes every result of it: make it on purpose, and this line with it."""
    found = []
    for case_name, loss, penalty, params in choices(name):
        run = first(9, name, case(case_name).split, loss, C, penalty=penalty, **params)
        for point in (run[3:4] or run[-1:]) + run[8:]:
            digest = float(point.weights.ravel() @ np.arange(1, point.weights.size + 1))
            numbers = *point.value, digest
            found.append(f"{named('', params)} {case_name} {loss} {penalty} {point.visits}".strip())
            found[-1] += "".join(f" {each:.8g}" for each in numbers)
    as_stored(Path(__file__).with_name("stored") / "first_points.txt", {name: "; ".join(found)}, 1e-5)


PAGE = Path(__file__).parents[2] / "docs" / "reference" / "algorithms.md"


@pytest.mark.parametrize("name", [pytest.param(name, id=f"dense-{name}") for name in catalogue.algorithms()])
def test_the_page_gives_the_defaults(name):
    known = catalogue.parameters(name)
    for section in PAGE.read_text().split("\n## "):
        if f"`{name}`" in section.partition("\n")[0]:
            for names, values in re.findall(r"^\| ((?:`\w+`(?:, )?)+) \| ([^|]*) \|", section, re.M):
                for parameter, value in zip(re.findall(r"\w+", names), values.split(", "), strict=False):
                    default, text = known.get(parameter), value.strip(" `")
                    if isinstance(default, float) and "sqrt" not in text:
                        assert float(text) == default, parameter
                    elif parameter in known:
                        assert text == str(default).lower() or "sqrt" in text, parameter


def test_there_is_a_run_for_every_choice_of_every_algorithm():
    """Algorithms, their choices and what they promise are found, not listed."""
    assert {"eg", "eg:order=gap", "frank-wolfe:steps=toward", "smo:transfers=5", "sag:sampling=random"} <= set(
        VARIANTS
    )
    assert not promises("subgradient", "linear")
    assert not promises("frank-wolfe:mode=batch", "linear")


SMALL = {"lengths": (2, 1, 2, 3), "num_labels": 2, "columns": 3}
ON_CASES = [
    pytest.param(name, *run, id=f"{name}-{named(*run[:2])}-{run[2]}-{run[3]}")
    for run in others()
    for name in COVERING
    if able(name, *catalogue.needs_of(run[0], run[1]))
]


@pytest.mark.parametrize(("name", "algorithm", "params", "loss", "penalty"), ON_CASES)
def test_recomputed_certificates_bound_the_optimum_from_both_sides(name, algorithm, params, loss, penalty):
    C = 0.8
    small, best = case(name, **SMALL), optimum(name, loss, C, penalty, **SMALL)
    objective, solver = start(algorithm, small.split, loss, C, penalty=penalty, **params)
    for iterate in islice(solver, 40):
        value = recomputed(small, objective, iterate)
        assert value.primal >= best - 1e-6
        assert not value.dual > best + 1e-6  # there may be none
    solver.close()
    assert value.dual > 0 or algorithm == "coordinate-descent"  # a hard margin may be without a dual point
