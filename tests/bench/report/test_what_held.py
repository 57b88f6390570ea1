"""What held, over all papers: kinds of sentences, and our numbers beside the papers'."""

from dataclasses import replace

import pytest

from structbench.bench.papers.evidence import Condition
from structbench.bench.report import what_held

FASTER = Condition(
    {}, "it takes {} times the passes", "ratio", 3.0, 2.0, 4.0, "above", 1.0, 1.1, theirs=2.5, count=5
)


@pytest.mark.parametrize(
    ("says", "unit", "claimed", "kind"),
    [
        ("it takes {} times the seconds of a pass", "", "above", "time"),
        ("it takes {} passes", "", "number", "rate"),
        ("it errs {} more", "points of error", "above", "accuracy"),
        ("it keeps {} weights", "", "number", "number"),
        ("it keeps {} times the weights", "", "above", "order"),
    ],
)
def test_a_sentence_is_about_what_its_first_counted_number_measures(says, unit, claimed, kind):
    told = replace(FASTER, says=says, unit=unit, claimed=claimed)
    control = replace(FASTER, counted=False, says="{} seconds")
    assert what_held.kind_of([control, told]) == kind


def test_numbers_are_compared_by_side_interval_and_ratio():
    opposite = replace(FASTER, value=0.5, low=0.4, high=0.6)
    few = replace(FASTER, value=5.0, low=float("-inf"), high=float("inf"))  # no interval: it cannot hold theirs
    asked = replace(FASTER, claimed="number", none=2.5)  # a number has no side
    points = replace(FASTER, kind="difference", value=1.0, low=0.0, high=2.0, theirs=0.5, none=0.0)
    found = what_held.compared([FASTER, opposite, few, asked, points])
    assert found["count"] == 5
    assert found["sided"] == [True, False, True, True]
    assert found["inside"] == [True, False, True, True]
    assert (found["ratios"], found["ratio"]) == (4, pytest.approx(1.2))  # of 1.2, 0.2, 2, 1.2


def test_the_page_counts_verdicts_by_paper_and_by_kind(tmp_path):
    claims = [
        {"paper": "eg2008", "verdict": "reproduced", "kind": "rate", "given": [FASTER]},
        {"paper": "eg2008", "verdict": "open", "kind": "time", "given": []},
        {"paper": "laso2005", "verdict": "reproduced", "kind": "rate", "given": []},
    ]
    text = what_held.page(claims)
    assert (
        "| paper | sentences | reproduced | at least in part | in part | open | not reproduced | not run |" in text
    )
    assert "| Collins et al. 2008 (EG) | 2 | 1 | - | - | 1 | - | - |" in text
    assert "| all | 3 | 2 | - | - | 1 | - | - |" in text
    assert "| rate: passes, or the speed of convergence | 2 | 2 |" in text
    assert "| Collins et al. 2008 (EG) | 1 | 1 of 1 | 1 of 1 | 1.2, of 1 |" in text
    what_held.draw(claims, tmp_path / "plot.svg")
    assert "Collins" in (tmp_path / "plot.svg").read_text()
