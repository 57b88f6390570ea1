"""Seconds to a distance: from curves made by hand, and of a small contest."""

import math

import numpy as np
import pytest

from algorithms.runtime.errors import UserError
from algorithms.structures import features as ft
from algorithms.structures import multiclass
from bench.measure import seconds
from bench.measure.seconds import Contest
from bench.runs import algorithm_module, catalogue, problems
from datasets.problems.problem import Problem


def test_seconds_between_checkpoints_are_linear_in_the_logarithm_of_the_distance():
    curve = [{"cpu_seconds": float(t)} for t in (0, 2, 4, 8)]
    assert seconds.when(curve, "cpu_seconds", [1.0, 1e-1, 1e-2, 1e-4], 1e-3) == pytest.approx(6.0)
    assert seconds.when(curve, "cpu_seconds", [1.0, 1e-1, 1e-3, 1e-4], 1e-3) == pytest.approx(4.0)
    assert seconds.when(curve, "cpu_seconds", [math.nan, 1e-4, 1e-5, 1e-6], 1e-3) == 2.0
    assert seconds.when(curve, "cpu_seconds", [1.0, 1e-1, 1e-2, 0.0], 1e-3) == pytest.approx(5.0)
    assert seconds.when(curve, "cpu_seconds", [1.0, 1e-1, 1e-2, 5e-3], 1e-3) == math.inf


@pytest.fixture
def digits(monkeypatch):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 5))
    y = (x @ rng.normal(size=(5, 3)) + rng.normal(size=(300, 3))).argmax(axis=1)
    problem = Problem(multiclass.build(ft.dense(x), y, 3), None, ("a", "b", "c"))
    monkeypatch.setattr(problems, "obtain", lambda data: (problem, "0" * 64))


@pytest.mark.parametrize(
    ("loss", "ours", "peer"), [("log", ("eg", {}), "sklearn"), ("hinge", ("eg", {"mode": "batch"}), "liblinear")]
)
def test_a_contest_has_a_row_for_each_method_and_one_against_each_peer(digits, loss, ours, peer):
    contest = Contest("mnist", 1.0, loss, (ours,), ((peer, {}),), {1e-3: 1e-9})
    first, second, verdict = seconds.rows((contest,))
    assert first.ours and not first.theirs
    assert second.theirs and not second.ours
    assert "not reached" not in first.ours + second.theirs
    assert verdict.holds is True
    assert f"against {peer}" in verdict.what
    *_, verdict = seconds.rows((contest._replace(factors={1e-3: 1e9}),))
    assert verdict.holds is False


def test_a_peer_that_is_not_installed_leaves_ours_alone(digits, monkeypatch, capsys):
    monkeypatch.setattr(catalogue, "missing", lambda name: "scikit-learn" if name == "sklearn" else None)
    (only,) = seconds.rows((Contest("mnist", 1.0, "log", (("eg", {}),), (("sklearn", {}),), {1e-3: 3.0}),))
    assert only.ours
    assert "sklearn is left out: it needs the package scikit-learn" in capsys.readouterr().err


def test_contests_are_chosen_by_their_name_or_its_beginning():
    assert [contest.C for contest in seconds.named("mnist,log,10")] == [10.0]
    assert [contest.C for contest in seconds.named("mnist,hinge")] == [1000.0, 100.0, 10.0]
    with pytest.raises(UserError, match="seconds: no contest 'mnist,ramp': there are ocr,log,10 conll2000,log,2"):
        seconds.named("mnist,ramp")


def test_every_peer_has_a_contest_and_the_method_first_that_the_others_need():
    found = seconds.contests()
    assert {name for contest in found for name, _ in contest.peers} == set(
        filter(algorithm_module.is_peer, catalogue.algorithms())
    )
    for contest in found:
        assert contest.specs(contest.ours)
        assert all(algorithm_module.is_peer(name) for name, _ in contest.peers)
        assert not any(algorithm_module.is_peer(name) for name, _ in contest.ours)
        assert contest.ours[0] == (("eg" if contest.loss == "log" else "smo"), {})
