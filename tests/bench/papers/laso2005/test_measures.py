"""What rules measure on numbers of ways that are given, worked out by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from structbench.bench.papers.claim_rows import Part
from structbench.bench.papers.laso2005 import rules
from structbench.bench.papers.laso2005.runs import CHUNKING, JOINT
from tests.bench.papers.hand_made import run
from tests.narrowing import UNUSED, fake

TASK = fake(passes=9, error=0.1, seeds=range(5), tested=100)


class Way(SimpleNamespace):
    """A way of training, and what would be read off its runs."""

    loss, ends = None, "passes"

    def __hash__(self):
        return hash(self.name)


A = Way(
    name="LaSOp25", f1=[0.8, 0.9], pace=[2.0, 8.0], predicts=[1.0, 2.0, 9.0], near=[4.0, 6.0], total=[5.0, 7.0]
)
B = Way(name="Perceptron", f1=[0.7, 0.85], pace=[1.0, 2.0], predicts=[4.0, 1.0], near=[2.0, 3.0], total=[9.0, 4.0])


def trained(way, kind=CHUNKING):
    shift = 0.05 if kind == JOINT else 0.0
    return fake(
        task=TASK, way=way, kind=kind, doubt=lambda: "a doubt" if way is B else "",
        read=lambda column: np.array(way.f1 if column == "test_f1" else [0.1, 0.2]) + shift,
        f1_samples=lambda: np.mean(way.f1) + shift + np.zeros(101),
        seconds=lambda: np.array(way.total), seconds_a_pass=lambda: np.array(way.pace),
        seconds_to_predict=lambda: np.array(way.predicts), made=[run(summary={"status": way.ends})],
        passes_near_best=lambda level: np.array(way.near if np.isclose(level, 0.0015) else [99.0, 99]),
        certified=way.ends == "converged", at_end=lambda: "C below 1" if "C" in vars(way) else "",
    )  # fmt: skip


def test_differences_of_f1():
    a, b = trained(A), trained(B)
    found = rules.lead(a, b)
    assert (found.value, found.where) == (pytest.approx(7.5), {"": "LaSOp25", "over": "Perceptron"})
    assert (found.state, rules.lead(a, a).state) == ("a doubt", "") and found.band == pytest.approx(0.3)
    seeds = rules.lead_over_seeds(a, b)
    assert seeds.value == pytest.approx(7.5) and seeds.count == 2
    above, below = (rules.from_published(a, 80.0, sign) for sign in (1, -1))
    assert above.value == pytest.approx(5) and above.band == pytest.approx(0.6)
    assert (below.value, below.low, below.high) == (-above.value, -above.high, -above.low)
    mean, *each = rules.joint_lead([a, b], [trained(A, JOINT), trained(B, JOINT)])
    assert [found.value for found in (mean, *each)] == pytest.approx([5] * 3)
    assert [found.counted for found in (mean, *each)] == [True, False, False]
    assert [found.where for found in (mean, *each)] == [{}, {"": "LaSOp25"}, {"": "Perceptron"}]


def test_a_rule_on_pairs_is_called_for_each_in_each_task(monkeypatch):
    monkeypatch.setattr(rules, "Trained", lambda task, runs, way, kind: trained(A, kind))
    part = Part("lead", "{}", given={"pairs": [["a1", "p1"], ["a5", "p1"]], "kinds": ["chunking", "joint"]})
    found = rules._measure(TASK, part, UNUSED)
    assert [each.where["in"] for each in found] == ["chunking", "chunking", "the joint task", "the joint task"]


def test_seconds():
    a, b = trained(A), trained(B)
    found = rules.training_seconds(a, b)
    assert found.value == pytest.approx(np.sqrt(5 / 9 * 7 / 4)) and found.where["over"] == "Perceptron"
    assert rules.seconds_to_decode(a, b).value == pytest.approx(np.sqrt(2 / 4 * 2))
    passes = rules.passes_to_near_best(a, b)
    assert passes.value == pytest.approx(2) and passes.state == "" and "4 / 2" in passes.told
    (seconds,) = rules.seconds_to_near_best([a, b], [b, a], [a, b])
    assert seconds.value == pytest.approx((4 * 8) ** (1 / 6)) and seconds.state == ""


@pytest.mark.parametrize("first", [True, False])
def test_passes_that_are_all_that_were_made_bound_the_ratio(first):
    all_made = trained(Way(**vars(A) | {"near": [9.0, 6.0]}))
    pair = (all_made, trained(B)) if first else (trained(A), all_made)
    bound = "at least" if first else "at most"
    assert rules.passes_to_near_best(*pair).bound == bound
    assert rules.seconds_to_near_best([*pair], [trained(A), trained(B)])[0].bound == bound
    late = rules.passes_to_near_best(all_made, all_made)
    assert np.isnan(late.value) and np.isnan(rules.seconds_to_near_best([all_made, all_made])[0].value)


@pytest.mark.parametrize(("ends", "bound", "value"), [("converged", "", 4), ("timeout", "at least", 24 / 9)])
def test_the_semicrf_is_compared_with_the_slowest(ends, bound, value):
    semicrf = trained(Way(name="SemiCRF", total=[24.0], ends=ends))
    (found,) = rules.semicrf_over([semicrf], [trained(A), trained(B)])
    assert found.where == {"": "SemiCRF", "over": "Perceptron"}
    assert (found.bound, found.value, found.state) == (bound, pytest.approx(value), "")
    (at_end,) = rules.semicrf_over([trained(Way(**vars(semicrf.way), C=1))], [trained(A)])
    assert (at_end.bound, at_end.state) == (bound, "C below 1")
