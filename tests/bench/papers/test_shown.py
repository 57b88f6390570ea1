"""Evidence as readers and programs see it: cells in words, and a table from which all is computed again."""

import math
from itertools import product

import pytest

from structbench.bench.papers import shown
from structbench.bench.papers.evidence import COMPARISONS, Evidence
from structbench.bench.papers.verdicts import verdict
from tests.bench.papers.helpers import condition, judged


@pytest.mark.parametrize(
    ("given", "cells"),
    [
        ({"where": {"C": 10.0, "level": 0.01}}, {"setting": "C = 10, level 0.01", "N": "1.5 [1.2, 1.8]"}),
        ({}, {"needed": "above 1.00 (band a factor of 1.1)", "what": "it is N times"}),
        ({"size": 2.0}, {"setting": "-", "needed": "above 1.00 (band a factor of 1.1, size 2.0)"}),
        ({"size": 2.0}, {"outcome": "weaker"}),
        ({"counted": False, "choice": "from uniform u"}, {"setting": "from uniform u, not counted"}),
        ({"counted": False}, {"setting": "control, not counted"}),
        ({"bound": "at least"}, {"N": "at least 1.2"}),
        ({"value": math.nan}, {"N": "-", "outcome": "open", "to decide": "more passes"}),
        ({"low": -math.inf, "high": math.inf}, {"N": "1.5"}),
        ({"kind": "share", "claimed": "at most", "none": 0.1, "band": 0.0},
         {"N": "150 [120, 180]%", "needed": "at most 10%"}),
        ({"kind": "difference", "unit": "points", "claimed": "equal", "none": 0.0, "band": 0.2},
         {"N": "+1.50 [+1.20, +1.80] points", "needed": "as 0.00 (band 0.20)"}),
        ({"claimed": "number", "none": 5.0, "band": 2.0}, {"needed": "theirs: 5.0 (band a factor of 2)"}),
        ({"claimed": "same", "kind": "category"}, {"needed": "the paper's"}),
    ],
)  # fmt: skip
def test_a_condition_in_cells(given: dict, cells: dict[str, str]) -> None:
    found = shown.row(condition(**given))
    assert {name: found[name] for name in cells} == cells


def test_outcomes_and_verdicts_are_computed_again_from_the_table_alone() -> None:
    made: list[Evidence] = [
        condition(value=value, low=low, high=high, claimed=claimed, size=size, where={"C": 10.0, "é, \"": "x"})
        for (value, low, high), claimed, size in product(
            [(1.5, 1.2, 1.8), (0.5, 0.4, 0.6), (1.0, 0.99, 1.01), (math.nan, -math.inf, math.inf)],
            COMPARISONS, [2.0, math.nan],
        )
    ]  # fmt: skip
    claims = [
        shown.Tabled(f"p/c{k}", quantifier, verdict(made[k:], quantifier), made[k:])
        for k, quantifier in product(range(0, len(made), 5), ("all", "most", "some"))
    ]  # fmt: skip
    for claim in claims:
        (found,) = shown.read_conditions(shown.conditions_csv([claim]))
        assert [each.outcome for each in found.conditions] == [each.outcome for each in claim.conditions]
        assert verdict(found.conditions, found.quantifier) == found.verdict == claim.verdict


def test_findings_begin_with_what_is_decided_and_answer_each_question_once() -> None:
    made = [
        ("a", "open"),
        ("b", "weaker"),
        ("c", "not reproduced"),
        ("", "reproduced"),
        ("a", "reproduced"),
    ]
    claims = [judged(asks=asks, verdict=said, of=k) for k, (asks, said) in enumerate(made)]
    assert [(each.asks, each.of) for each in shown.findings(claims)] == [("c", 2), ("a", 0), ("b", 1)]
