"""Fresh seeds: the same rules on runs with 1000 + k, beside the verdicts that there were."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.__main__ import main
from structbench.bench.drawing import curves
from structbench.bench.papers import measured
from structbench.bench.papers.claim_rows import Part, Row
from structbench.bench.papers.judging import Claim, judge
from structbench.bench.report import fresh_verdicts, frozen, judged_twice, published, published_check
from structbench.bench.report.fresh_verdicts import FreshVerdict
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec, make
from structbench.bench.workflow import config as configs
from structbench.bench.workflow.fresh import FreshPaper, fresh_specs
from tests.bench import synthetic_curves

LBFGS = make("mnist:train=100", "log", 10, "lbfgs", passes=20.0)
EG = [make("mnist:train=100", "log", 10, "eg", passes=20.0, seed=seed) for seed in (0, 1, 2)]


def claims_of(scale: str) -> list[Claim]:
    """EG needs fewer passes than L-BFGS, over seeds."""

    def measure(part: Part, runs: Runs) -> list:
        to = [curves.to_gap(runs.finished(spec).curve, 1e-3) for spec in (LBFGS, *EG)]
        return measured.over_seeds([[measured.times({}, (to[0], each), (20, 20))] for each in to[1:]])

    row = Row("fast", "Figure 1", "EG is faster.", (Part("passes", "L-BFGS takes {} times the passes"),))
    return [Claim("p/fast", row, measure, [LBFGS, *EG], ["fig01"])]


PAPER = FreshPaper(cast(Any, SimpleNamespace(__name__="papers.p", claims_of=claims_of, timed_of=lambda scale: EG)))


def seeds(specs: list[Spec]) -> list[tuple[str, int]]:
    return [(spec.algorithm, spec.seed) for spec in specs]


def test_a_rule_judges_runs_with_fresh_seeds(tmp_path) -> None:
    """The rule names the usual runs; its verdict is that of the fresh ones, and of what has no other seed."""
    synthetic_curves.write(tmp_path, LBFGS, rate=1.0)
    (fresh,) = PAPER.claims_of("quick")
    assert seeds(fresh.runs) == [("lbfgs", 0), ("eg", 1000), ("eg", 1001), ("eg", 1002)] and fresh.figures == []
    for old, new in zip(EG, fresh.runs[1:], strict=True):
        synthetic_curves.write(tmp_path, old, rate=2.0)
        assert judge([fresh], Runs(tmp_path))[0].verdict == "not run"
        synthetic_curves.write(tmp_path, new, rate=0.5)
    before, after = (judge([claim], Runs(tmp_path))[0] for claim in (claims_of("quick")[0], fresh))
    assert (before.verdict, after.verdict) == ("reproduced", "not reproduced")
    assert PAPER.runs_of("quick") == {"p/fresh": fresh.runs} and PAPER.figures_of("quick") == {}
    assert {*fresh.runs[1:]} <= {*PAPER.timed_of("quick")}
    usual = {"p/fast": {spec.key for spec in (LBFGS, *EG)}}
    (beside,) = fresh_verdicts.beside({"p/fast": before.verdict}, usual, [after])
    wanted = FreshVerdict(
        claim="p/fast", verdict="reproduced", fresh="not reproduced", stays="", answer=after.answer
    )
    assert beside == wanted and after.answer.startswith("No: ")
    assert fresh_verdicts.share([beside]) == "0 of 1 verdicts stay (0 %)"
    (same,) = fresh_verdicts.beside({"p/fast": before.verdict}, usual, [before])
    assert same.fresh == fresh_verdicts.SAME and not same.compares


def test_the_page_says_first_what_changed(tmp_path, monkeypatch) -> None:
    """It follows from its record, which cannot be edited unnoticed."""
    told = [
        FreshVerdict(claim=f"klein2011/{name}", verdict="reproduced", fresh=fresh, stays="", answer="2 <a>.")
        for name, fresh in (("one", "reproduced"), ("two", "open"), ("three", fresh_verdicts.SAME))
    ]
    page = judged_twice.keep(tmp_path, "klein2011", judged_twice.Twice("abc", 7, ["0123456"], told))
    blocks = page.read_text().split("\n## ")
    assert "**1 of 2 verdicts stay (50 %).**" in blocks[0] and blocks[1].startswith("What changed")
    assert "[two](klein2011/evidence.md#two) | reproduced | **open** | 2 &lt;a>." in blocks[1]
    assert "[one]" not in blocks[1] and all(f"[{name}]" in blocks[2] for name in ("one", "two", "three"))
    assert "7 runs, of the commits `0123456`. Hash of the rules: `abc`." in blocks[2]
    judged_twice.keep(tmp_path, "eg2004", judged_twice.Twice("def", 1, [], told[:1]))
    assert [*judged_twice.kept(tmp_path).papers] == ["eg2004", "klein2011"]
    assert published_check.edited_files(tmp_path) == []
    said = SimpleNamespace(
        rules="abc", claims={each.claim: SimpleNamespace(verdict=each.verdict) for each in told}
    )
    monkeypatch.setattr(published, "record", lambda folder: said)
    assert judged_twice.outdated(tmp_path) == ["eg2004"], "its rules are others"
    said.claims["klein2011/two"].verdict = "weaker"
    assert judged_twice.outdated(tmp_path) == ["eg2004", "klein2011"]
    record = tmp_path / judged_twice.RECORD
    record.write_text(record.read_text().replace('"fresh": "open"', '"fresh": "reproduced"'))
    assert published_check.edited_files(tmp_path) == [record]


def test_folds_and_single_seeds_stay() -> None:
    """A seed is a repetition if the same run, or that on another fold, has another one."""
    alone = make("mnist:train=100", "log", 1, "eg")
    folds = [make(f"ocr:fold={fold}", "log", 1, "eg") for fold in (0, 1)]
    orders = [make(f"ocr:fold={fold}", "none", None, "perceptron", seed=fold) for fold in (0, 1)]
    found = fresh_specs([alone, LBFGS, *folds, *orders])
    assert {old: (new.data, new.seed) for old, new in found.items()} == {
        old: (old.data, 1000 + old.seed) for old in orders
    }


def test_a_config_has_claims_on_fresh_seeds_alone() -> None:
    given = {"name": "fresh", "scale": "quick", "figures": ["klein2011"]}
    usual, fresh = (configs.config_of(given | more) for more in ({}, {"fresh": "true"}))
    assert [*fresh.experiments] == ["klein2011/fresh"] and fresh.figures == {"klein2011": {}}
    assert [claim.id for claim in fresh.claims["klein2011"]] == [claim.id for claim in usual.claims["klein2011"]]
    there = {spec for claim in usual.claims["klein2011"] for spec in claim.runs}
    assert {*fresh.specs} - {*usual.specs} == {spec for spec in fresh.specs if spec.seed >= 1000}
    assert len(fresh.specs) == len(there) > 0
    assert configs.config_of(fresh.part("klein2011")).specs == fresh.specs, "a job reads its config from there"


def test_the_verb_refuses_changed_rules_and_says_what_is_missing(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setenv("STRUCTBENCH_RESULTS", str(tmp_path / "results"))
    monkeypatch.setattr(published, "RESULTS", tmp_path)
    words = ["claims", "klein2011", "--fresh", "--config", "quick"]
    assert main(words) == 0
    said = capsys.readouterr()
    assert "0 of 0 verdicts stay." in said.out and "runs with fresh seeds are missing: `make run" in said.err
    record = SimpleNamespace(rules="0" * 64, scale="quick", claims={})
    (tmp_path / "klein2011").mkdir()
    (tmp_path / "klein2011" / published.RECORD).touch()
    monkeypatch.setattr(published, "record", lambda folder: record)
    with pytest.raises(UserError, match="the rules of klein2011 are not those of its published verdicts"):
        fresh_verdicts.published_verdicts("klein2011", "quick")
    record.rules = ""
    with pytest.raises(UserError, match="the rules of klein2011 had no hash when it was published: publish it"):
        fresh_verdicts.published_verdicts("klein2011", "quick")
    record.rules = frozen.rules_sha256("klein2011")
    assert fresh_verdicts.published_verdicts("klein2011", "quick") == {}
    with pytest.raises(UserError, match="published at the scale 'quick', not 'paper'"):
        fresh_verdicts.published_verdicts("klein2011", "paper")
    assert main([*words, "--published"]) == main(["claims", "--page"]) == main([*words, "--page", "--stale"]) == 2
    (tmp_path / "klein2011" / published.RECORD).unlink()
    assert main([*words, "--page"]) == 2
    assert "klein2011 has no published verdicts to stand beside" in capsys.readouterr().err
    assert not (tmp_path / judged_twice.RECORD).exists()
