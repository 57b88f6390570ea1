"""Figure 7: every rule tells tables that obey from some that do not, and the runs are what the figure reads."""

import numpy as np
import pytest

from structbench import datasets
from structbench.bench.papers.judging import INCONCLUSIVE, NOT_REPRODUCED, REPRODUCED
from structbench.bench.papers.l1m3n2009 import claims_of, extraction_figures, runs_of
from structbench.bench.papers.l1m3n2009 import extraction_rules as rules
from structbench.bench.papers.l1m3n2009.extraction import SOURCES, extraction
from structbench.bench.papers.l1m3n2009.setting import CRF, EM, L1_CRF, L2_CRF, LAP_M3N, M3N, MODELS

LEVELS = {CRF: 0.80, L2_CRF: 0.84, L1_CRF: 0.85, M3N: 0.87, LAP_M3N: 0.901, EM: 0.90}
SHARES, DRAWS = 3, 6


def table(noise=0.002, **other):
    """Scores about ``LEVELS``, growing with the share, or others by the model's name; the l1-M3N leads early."""
    rng = np.random.default_rng(0)
    named = {way.model: level for way, level in LEVELS.items()} | other
    grown = np.array([0.0, 0.02, 0.03])[:, None] + 0.01 * rng.normal(size=DRAWS)  # draws are of all models
    early = np.array([0.02, 0.01, 0.0])[:, None]
    return {
        way: named[way.model] + grown + early * (way in (EM, LAP_M3N)) + noise * rng.normal(size=(SHARES, DRAWS))
        for way in MODELS
    }


RULES = [
    (rules.regularised, {"L2-CRF": 0.78}),
    (rules.max_margin, {"L2-CRF": 0.95}),
    (rules.lap_as_l1m3n, {"LapM3N": 0.94}),
    (rules.l1m3n_best, {"M3N": 0.95}),
    (rules.beats_l1crf, {"L1-CRF": 0.95}),
]


@pytest.mark.parametrize(("rule", "other"), RULES, ids=[rule.__name__ for rule, _ in RULES])
def test_a_rule_tells_what_obeys_from_what_does_not(rule, other):
    assert rule(table())[0] == REPRODUCED
    assert rule(table(**other))[0] == NOT_REPRODUCED
    assert rule(table(noise=0.2))[0] == INCONCLUSIVE


def test_as_good_is_neither_better_nor_worse():
    for value in (0.86, 0.94):
        assert rules.lap_as_l1m3n(table(LapM3N=value))[0] == NOT_REPRODUCED, value


def test_a_lead_with_few_examples():
    assert rules.few_examples(table())[0] == REPRODUCED
    late = table()
    late[EM] = late[EM] - 0.04 * np.array([1.0, 0.5, 0.0])[:, None]
    assert rules.few_examples(late)[0] == NOT_REPRODUCED
    assert rules.few_examples({way: rows[:1] for way, rows in table().items()}) == (INCONCLUSIVE, "one m only")


def test_two_draws_decide_nothing():
    few = {way: rows[:, :2] for way, rows in table().items()}
    assert {rule(few)[0] for rule, _ in RULES} == {INCONCLUSIVE}


def test_both_measures_have_to_agree(monkeypatch):
    def of_measure(chosen, source, runs, measure):
        return table(**({"L1-CRF": 0.95} if measure == "test_instance_accuracy" else {}))

    monkeypatch.setattr(rules, "table", of_measure)
    verdict, numbers, detail = rules.judge(rules.beats_l1crf, None, SOURCES[0], None)
    assert verdict == NOT_REPRODUCED
    assert "average F1: lead +5" in numbers and "instance accuracy: lead -4" in numbers
    assert "L1-M3N 0.9" in detail


@pytest.mark.parametrize(("scale", "draws"), [("tiny", 4), ("quick", 6), ("paper", 25)])
def test_the_runs_of_figure_7_are_those_that_its_claims_ask_for(scale, draws):
    named = {name: specs for name, specs in runs_of(scale).items() if "fig07" in name}
    chosen = extraction(scale)
    assert set(named) == {f"l1m3n2009/fig07-{source.stem}" for source in chosen.sources}
    listed = {spec for specs in named.values() for spec in specs}
    assert sum(map(chosen.draws_of, chosen.sources)) == draws
    each = (len(chosen.shares_of(source)) * chosen.draws_of(source) for source in chosen.sources)
    assert len(listed) == len(MODELS) * sum(each)
    assert all(datasets.structure(spec.data) in ("tree", "chain") for spec in listed)
    asked = [claim for claim in claims_of(scale) if claim.where == "Figure 7"]
    assert {spec for claim in asked for spec in claim.runs} == listed
    assert len(asked) == 6 * len(chosen.sources)


def test_the_figure_says_first_what_the_stand_in_can_say():
    for figure in extraction_figures.figures(extraction("paper")).values():
        first = figure.caption.partition(". ")[0]
        assert "stand in for" in first or "twin" in first
