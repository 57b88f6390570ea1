"""Minimum error training: lines against all of their crossings, errors that never rise, data without errors."""

from itertools import combinations, islice, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structbench.algorithms.cutting_planes import working_sets
from structbench.algorithms.learning.objective import Iterate
from structbench.algorithms.mistake_driven import output_lists
from structbench.algorithms.mistake_driven.error_line import least
from structbench.algorithms.mistake_driven.output_lists import Lists
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import multiclass
from structbench.algorithms.structures.prediction import error_rate
from tests.algorithms.learners import solver
from tests.algorithms.oracle import case
from tests.narrowing import number

LISTS = ["multiclass-dense", "chain-dense", "candidates-dense", "segments-dense"]


def loss_at(lists: output_lists.Lists, scores: np.ndarray) -> float:
    return sum(lists.losses[b:e][scores[b:e].argmax()] for b, e in pairwise(lists.starts))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(0, 10_000))
def test_the_least_error_on_a_line_is_found(seed):
    """Between any two crossings of an example's lines nothing changes: those intervals are tried one by one."""
    rng = np.random.default_rng(seed)
    starts = np.concatenate([[0], np.cumsum(rng.integers(1, 6, size=4))])
    a, b = rng.normal(size=(2, starts[-1]))
    losses = rng.integers(0, 3, size=starts[-1]).astype(float)
    lists = output_lists.Lists(starts, np.zeros(len(a) + 1, np.int64), np.zeros(0, np.int32), losses)
    crossings = sorted(
        (a[p] - a[q]) / (b[q] - b[p]) for s, e in pairwise(starts) for p, q in combinations(range(s, e), 2)
    )
    ends = [-1e6, *crossings, 1e6]
    best = min(loss_at(lists, a + (low + high) / 2 * b) for low, high in pairwise(ends))
    found, gamma = least(lists, a, b)
    assert found == pytest.approx(best)
    assert loss_at(lists, a + gamma * b) == pytest.approx(best)


@pytest.mark.parametrize("name", LISTS)
def test_lists_hold_the_best_outputs_and_what_was_there(name):
    small = case(name, lengths=(3, 2, 1))
    split, rng = parts.compiled(small.split), np.random.default_rng(0)
    w, v = rng.normal(size=(2, parts.num_weights(small.split)))
    few = output_lists.grown(split, output_lists.empty(split), 2, w)
    more = output_lists.grown(split, few, 3, v)
    for lists, given_w in ((few, w), (more, v)):
        scores = working_sets.scores(split, lists, given_w)
        for e, (begin, end) in zip(small.examples, pairwise(lists.starts), strict=True):
            rows = [np.zeros(e.outputs.shape[1]) for _ in range(begin, end)]
            for row, o in zip(rows, range(begin, end), strict=True):
                np.add.at(row, lists.part[lists.part_starts[o] : lists.part_starts[o + 1]], 1.0)
            assert len({row.tobytes() for row in rows}) == len(rows)
            known = [int(np.flatnonzero((e.outputs == row).all(axis=1))[0]) for row in rows]
            every = e.outputs @ (e.features @ given_w)
            np.testing.assert_allclose(scores[begin:end], every[known])
            np.testing.assert_allclose(lists.losses[begin:end], e.losses[known])
            assert scores[begin:end].max() == pytest.approx(every.max())
    before = np.diff(few.starts)
    assert (np.diff(more.starts) >= before).all() and (np.diff(more.starts) <= before + 3).all()


@pytest.mark.parametrize("name", LISTS)
def test_the_error_on_the_lists_never_rises(name):
    small = case(name, lengths=(3, 1, 2, 3, 2))
    run = solver("minimum-error", small.split, lines=30, k=81)
    losses = [number(point.notes, "listed_loss") for point in islice(run, 1, 60)]
    assert all(after <= before for before, after in pairwise(losses))  # 81: the lists are complete
    last = np.array([point.vector for point in islice(solver("minimum-error", small.split, k=81), 60)][-1])
    hamming = sum(e.losses[e.best(e.features @ last)] for e in small.examples)
    first = sum(e.losses[e.best(np.zeros(len(e.features)))] for e in small.examples)
    assert hamming < first


def line_by_line(split, monkeypatch, **params) -> tuple[list[Iterate], list[tuple[int, Lists]]]:
    """All points of a run to its own end, and the lists each time they grew, after how many points."""
    points, lists, grow = [], [], output_lists.grown

    def spied(split, known, k, w):
        found = grow(split, known, k, w)
        if len(found.losses) > len(known.losses):
            lists.append((len(points), found))
        return found

    monkeypatch.setattr(output_lists, "grown", spied)
    for point in islice(solver("minimum-error", split, **params), 20_000):
        points.append(point)
    assert len(points) < 20_000
    return points, lists


@pytest.mark.parametrize("lines", [1, 7, 1000])
@pytest.mark.parametrize(("name", "k"), [("multiclass-dense", 5), ("chain-dense", 2), ("segments-dense", 3)])
def test_it_ends_with_the_last_weight_tried_in_vain(name, k, lines, monkeypatch):
    """No line through a single weight lowers the error any more, and each was tried once since the last change."""
    small = case(name, 3, lengths=(3, 2, 1, 3, 2, 1, 2, 3), columns=2)
    split = parts.compiled(small.split)
    points, grown = line_by_line(split, monkeypatch, k=k, lines=lines)
    loss, w = number(points[-1].notes, "listed_loss"), points[-1].vector
    assert loss > 0
    updates = [point.notes["updates"] for point in points]
    last_change = max(updates.index(updates[-1]) + 1, grown[-1][0])
    assert len(points) - last_change == len(w)
    lists = grown[-1][1]
    assert len(output_lists.grown(split, lists, k, w).losses) == len(lists.losses)
    a = working_sets.scores(split, lists, w)
    for direction in np.eye(len(w)):
        assert least(lists, a, working_sets.scores(split, lists, direction))[0] >= loss


def test_it_ends_as_soon_as_nothing_is_wrong():
    rng, y = np.random.default_rng(1), np.arange(40) % 3
    split = multiclass.build(ft.dense(np.eye(3)[y] * 2 + rng.normal(size=(40, 3)) * 0.3), y, 3)
    points = list(islice(solver("minimum-error", split), 3000))
    losses = [number(point.notes, "listed_loss") for point in points[1:]]
    assert losses[-1] == 0 == error_rate(split, points[-1].vector) and min(losses[:-1]) > 0
    alone = multiclass.build(ft.dense(np.ones((4, 2))), np.zeros(4, int), 3)
    assert len(list(islice(solver("minimum-error", alone), 9))) == 1
