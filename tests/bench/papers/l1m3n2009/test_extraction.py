"""Figure 7: every rule tells tables that obey from some that do not, and the runs are what the figure reads."""

import numpy as np
import pytest

from structbench.bench.papers.claim_rows import rows
from structbench.bench.papers.l1m3n2009 import claims, claims_of, figures_of, runs_of
from structbench.bench.papers.l1m3n2009 import extraction as rules
from structbench.bench.papers.l1m3n2009.extraction import sources_of
from structbench.bench.papers.l1m3n2009.runs import CRF, EM, L1_CRF, L2_CRF, LAP_M3N, M3N, MODELS
from structbench.bench.papers.verdicts import verdict
from tests.bench.papers.helpers import judged, rules_are_fair
from tests.narrowing import UNUSED

LEVELS = {CRF: 0.80, L2_CRF: 0.84, L1_CRF: 0.85, M3N: 0.87, LAP_M3N: 0.9005, EM: 0.90}
SHARES, DRAWS = 3, 6


def table(noise=0.002, **other):
    """Scores about ``LEVELS``, growing with the share, or others by the model's name; the l1-M3N leads early."""
    rng = np.random.default_rng(0)
    levels = {way.model: level for way, level in LEVELS.items()} | other
    grown = np.array([0.0, 0.02, 0.03])[:, None] + 0.01 * rng.normal(size=DRAWS)  # draws are of all models
    early = np.array([0.02, 0.01, 0.0])[:, None]
    return {
        way.model: levels[way.model]
        + grown
        + early * (way in (EM, LAP_M3N))
        + noise * rng.normal(size=(SHARES, DRAWS))
        for way in MODELS
    }


ROWS = {row.id: row for row in rows(claims.FILE) if row.only == ("extraction",)}
DISOBEYING = {
    "extraction-regularised": {"L2-CRF": 0.78},
    "extraction-max-margin": {"L2-CRF": 1.0},
    "extraction-lap-as-l1m3n": {"LapM3N": 0.94},
    "extraction-l1m3n-best": {"M3N": 0.95},
    "extraction-beats-l1crf": {"L1-CRF": 0.95},
}


def said(monkeypatch, name, made):
    """What the row's conditions say of these tables, one a measure."""
    tables = iter(made)
    monkeypatch.setattr(rules, "measured_table", lambda *about: next(tables))
    (part,) = ROWS[name].parts
    found = rules.measured(sources_of("tiny")[0], part, UNUSED)
    conditions = [part.condition(each) for each in found]
    return verdict(conditions), [judged(id=name, conditions=conditions)]


@pytest.mark.parametrize("name", ROWS)
def test_a_rule_tells_what_obeys_from_what_does_not(monkeypatch, name):
    found, claims = said(monkeypatch, name, [table(), table()])
    assert found == "reproduced"
    rules_are_fair(claims)
    assert said(monkeypatch, name, [table(noise=0.3), table(noise=0.3)])[0] == "open"
    if name in DISOBEYING:
        other = table(**DISOBEYING[name])
        assert said(monkeypatch, name, [other, other])[0] in ("not reproduced", "in part")
        assert said(monkeypatch, name, [table(), other])[0] == "in part", "both measures have to agree"


def test_a_lead_with_few_examples(monkeypatch):
    late = table()
    late[EM.model] = late[EM.model] - 0.04 * np.array([1.0, 0.5, 0.0])[:, None]
    assert said(monkeypatch, "extraction-few-examples", [late, late])[0] == "not reproduced"
    once = {way: values[:1] for way, values in table().items()}
    assert said(monkeypatch, "extraction-few-examples", [once, once])[0] == "open"


def test_two_draws_decide_nothing(monkeypatch):
    few = {way: values[:, :2] for way, values in table().items()}
    assert {said(monkeypatch, name, [few, few])[0] for name in ROWS} == {"open"}


@pytest.mark.parametrize(("scale", "draws"), [("tiny", 4), ("quick", 6), ("paper", 25)])
def test_the_runs_of_figure_7_are_those_that_its_claims_ask_for(scale, draws):
    named = {name: specs for name, specs in runs_of(scale).items() if "fig07" in name}
    sources = sources_of(scale)
    assert set(named) == {f"l1m3n2009/fig07-{source.stem}" for source in sources}
    listed = {spec for specs in named.values() for spec in specs}
    assert sum(source.draws for source in sources) == draws
    assert len(listed) == len(MODELS) * sum(len(source.shares) * source.draws for source in sources)
    assert all(spec.data.structure in ("tree", "chain") for spec in listed)
    asked = [claim for claim in claims_of(scale) if "Figure 7" in claim.row.where]
    assert {spec for claim in asked for spec in claim.runs} == listed
    assert len(asked) == 6 * len(sources)


def test_the_figure_says_first_what_substitute_data_can_say():
    for figure in (figure for stem, figure in figures_of("paper").items() if "fig07" in stem):
        first = figure.caption.partition(". ")[0]
        assert first.startswith("Substitute data for")
