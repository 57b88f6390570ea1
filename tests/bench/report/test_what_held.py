"""What held, over all papers: kinds of sentences, and our numbers beside the papers'."""

import pytest

from structbench.bench.papers.evidence import Evidence
from structbench.bench.report import what_held
from structbench.bench.report.published import Published

FASTER = Evidence(
    {}, 3.0, band=1.1, theirs=2.5, low=2.0, high=4.0, count=5, says="it takes {} times the passes",
    claimed="above", none=1.0,
)  # fmt: skip


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
    told = FASTER._replace(says=says, unit=unit, claimed=claimed)
    control = FASTER._replace(counted=False, says="{} seconds")
    assert what_held.kind_of([control, told]) == kind


def test_numbers_are_compared_by_side_interval_and_ratio():
    opposite = FASTER._replace(value=0.5, low=0.4, high=0.6)
    few = FASTER._replace(value=5.0, low=float("-inf"), high=float("inf"))  # no interval: it cannot hold theirs
    asked = FASTER._replace(claimed="number", none=2.5)  # a number has no side
    points = FASTER._replace(kind="difference", value=1.0, low=0.0, high=2.0, theirs=0.5, none=0.0)
    found = what_held.compared([FASTER, opposite, few, asked, points])
    assert found.count == 5
    assert found.sided == [True, False, True, True]
    assert found.inside == [True, False, True, True]
    assert found.ratios == pytest.approx([1.2, 0.2, 2.0, 1.2]) and found.cells[-1] == "1.2, of 4"


def claim(name, verdict, condition):
    told = dict.fromkeys(("answer", "claim", "where", "theirs", "by", "origin"), "")
    return Published(id=name, row=name, verdict=verdict, conditions=[condition], holds=0, of=1, runs=[], **told)


def test_the_page_counts_verdicts_by_paper_and_by_kind(tmp_path):
    seconds = FASTER._replace(says="it takes {} seconds", theirs=float("nan"))
    claims = [
        claim("eg2008/a", "reproduced", FASTER),
        claim("eg2008/b", "open", seconds),
        claim("laso2005/c", "reproduced", FASTER._replace(theirs=float("nan"))),
    ]
    text = what_held.page(claims)
    assert "| paper | sentences | reproduced | weaker | in part | open | not reproduced | not run |" in text
    assert "| Collins et al. 2008 (EG) | 2 | 1 | - | - | 1 | - | - |" in text
    assert "| all | 3 | 2 | - | - | 1 | - | - |" in text
    assert "| rate: passes, or the speed of convergence | 2 | 2 |" in text
    assert "| Collins et al. 2008 (EG) | 1 | 1 of 1 | 1 of 1 | 1.2, of 1 |" in text
    what_held.draw_what_held(claims, tmp_path / "plot.svg")
    assert "Collins" in (tmp_path / "plot.svg").read_text()
