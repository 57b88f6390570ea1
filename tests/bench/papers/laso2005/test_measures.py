"""What rules measure on numbers of ways that are given, worked out by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from structbench.bench.papers.laso2005 import rules
from structbench.bench.papers.laso2005.runs import CHUNKING, JOINT
from tests.bench.papers.hand_made import run

TASK = SimpleNamespace(passes=9, error=0.1, seeds=range(5), tested=100)


class Way(SimpleNamespace):
    """A way of training, and what would be read off its runs."""

    loss, ends = None, "passes"

    def __hash__(self):
        return hash(self.name)


A = Way(
    name="LaSOp25", f1=[0.8, 0.9], pace=[2.0, 8.0], predicts=[1.0, 2.0, 9.0], near=[4.0, 6.0], total=[5.0, 7.0]
)
B = Way(name="Perceptron", f1=[0.7, 0.85], pace=[1.0, 2.0], predicts=[4.0, 1.0], near=[2.0, 3.0], total=[9.0, 4.0])


@pytest.fixture(autouse=True)
def trained(monkeypatch):
    def made(task, runs, way, kind):
        shift = 0.05 if kind == JOINT else 0.0
        return SimpleNamespace(
            way=way, kind=kind, doubt=lambda: "a doubt" if way is B else "",
            read=lambda column: np.array(way.f1 if column == "test_f1" else [0.1, 0.2]) + shift,
            f1_samples=lambda: np.mean(way.f1) + shift + np.zeros(101),
            seconds=lambda: np.array(way.total), seconds_a_pass=lambda: np.array(way.pace),
            seconds_to_predict=lambda: np.array(way.predicts), made=[run(summary={"status": way.ends})],
            passes_near_best=lambda level: np.array(way.near if np.isclose(level, 0.0015) else [99.0, 99]),
        )  # fmt: skip

    monkeypatch.setattr(rules, "Trained", made)


def test_differences_of_f1():
    both = rules.lead(TASK, None, [(A, B)], [CHUNKING, JOINT])
    assert [(each.where["in"], each.value) for each in both] == [
        ("chunking", pytest.approx(7.5)),
        ("the joint task", pytest.approx(7.5)),
    ]
    (one,) = rules.lead(TASK, None, [(A, A)], [CHUNKING])
    assert one.where == {"": "LaSOp25", "over": "LaSOp25"} and (one.state, both[0].state) == ("", "a doubt")
    assert one.band == pytest.approx(0.3)
    (seeds,) = rules.lead_over_seeds(TASK, None, [(A, B)], [CHUNKING])
    assert seeds.value == pytest.approx(7.5) and seeds.count == 2
    (above,) = rules.from_published(TASK, None, [A], [CHUNKING], 80.0, 1)
    (below,) = rules.from_published(TASK, None, [A], [CHUNKING], 80.0, -1)
    assert above.value == pytest.approx(5) and above.band == pytest.approx(0.6)
    assert (below.value, below.low, below.high) == (-above.value, -above.high, -above.low)
    mean, *each = rules.joint_lead(TASK, None, [A, B], [CHUNKING, JOINT])
    assert [found.value for found in (mean, *each)] == pytest.approx([5] * 3)
    assert [found.counted for found in (mean, *each)] == [True, False, False]


def test_seconds():
    (found,) = rules.seconds_a_pass(TASK, None, [(A, B)], [CHUNKING])
    assert found.value == pytest.approx(np.sqrt(2 * 4)) and found.theirs == 1.09
    assert np.isnan(rules.seconds_a_pass(TASK, None, [(B, A)], [CHUNKING])[0].theirs)
    (decode,) = rules.seconds_to_decode(TASK, None, [(A, B)], [CHUNKING])
    assert decode.value == pytest.approx(np.sqrt(2 / 4 * 2))
    (passes,) = rules.passes_to_near_best(TASK, None, [(A, B)], [CHUNKING])
    assert passes.value == pytest.approx(2) and passes.state == "" and "4 / 2" in passes.told
    (seconds,) = rules.seconds_to_near_best(TASK, None, [(A, B), (B, A), (A, B)], [CHUNKING])
    assert seconds.value == pytest.approx((4 * 8) ** (1 / 6)) and seconds.state == ""


@pytest.mark.parametrize("first", [True, False])
def test_passes_that_are_all_that_were_made_are_said(first):
    all_made = Way(**vars(A) | {"near": [9.0, 6.0]})
    pair = (all_made, B) if first else (A, all_made)
    for rule in (rules.passes_to_near_best, rules.seconds_to_near_best):
        assert rule(TASK, None, [pair, (A, B)], [CHUNKING])[0].state == "more than 9 passes"


@pytest.mark.parametrize(("ends", "bound", "value"), [("converged", "", 4), ("timeout", "at least", 24 / 9)])
def test_the_semicrf_is_compared_with_the_slowest(monkeypatch, ends, bound, value):
    monkeypatch.setattr(rules, "SEMI_CRFS", (Way(name="SemiCRF", total=[24.0], ends=ends),))
    (found,) = rules.semicrf_over(TASK, None, [A, B])
    assert found.where == {"": "SemiCRF", "over": "Perceptron"}
    assert (found.bound, found.value) == (bound, pytest.approx(value))
