"""Judging: a claim is measured only when its runs are there and sound, and says which seconds it trusts."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.drawing.intervals import interval
from structbench.bench.papers import judged
from structbench.bench.papers.claim_rows import Part, Row
from structbench.bench.papers.evidence import Evidence
from structbench.bench.papers.judging import Claim, judge, write_claims
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import make
from tests.bench import synthetic_curves

SPEC, OTHER = (make("mnist:train=100", "log", 10, name, passes=20.0) for name in ("eg", "lbfgs"))


def said(runs: Runs, measure, specs=(SPEC,), **more) -> judged.Judged:
    row = Row("fast", "Figure 1", "It is fast.", (Part("passes", "it takes {} times as long"),), theirs="5 passes")
    return judge([Claim("p/fast", row, measure, [*specs], ["fig01"], "on p's data", **more)], runs)[0]


def never(part: Part, runs: Runs) -> list[Evidence]:
    raise AssertionError("asked although a run is missing")


def test_a_judged_claim_holds_its_evidence(tmp_path: Path) -> None:
    synthetic_curves.write(tmp_path, SPEC)
    found = said(
        Runs(tmp_path),
        lambda part, runs: [Evidence({"C": 10}, runs[SPEC].curve.passes.iloc[-1], low=19, high=21, count=3)],
    )
    record = found.record()
    conditions = record.pop("conditions")
    assert isinstance(conditions, list)
    (one,) = conditions
    assert record == {
        "id": "p/fast", "paper": "p", "where": "Figure 1", "setting": "on p's data", "claim": "It is fast.",
        "by": "paper", "asks": "",
        "theirs": "5 passes", "verdict": "reproduced", "answer": "Yes: it takes 20 times as long.",
        "holds": 1, "of": 1, "quantifier": "all", "missing": [], "diverged": [], "stale": [], "runs": [SPEC.key],
        "data": [SPEC.data.text], "figures": ["fig01"],
    }  # fmt: skip
    assert (one["where"], one["value"], one["outcome"], one["theirs"]) == ({"C": 10}, 20.0, "holds", None)
    file = write_claims("p", "tiny", [found], tmp_path / "claims")
    assert json.loads(file.read_text()) == {"paper": "p", "scale": "tiny", "claims": [found.record()]}
    assert judged.read_judged(file).claims[0].record() == found.record()
    for name, value in (("value", "{b}"), ("claimed", "beyond"), ("told", 7)):
        broken = record | {"conditions": [one | {name: value}]}
        (tmp_path / "p.json").write_text(json.dumps({"scale": "tiny", "claims": [broken]}))
        with pytest.raises(UserError, match=r"p.json is broken \(.*\): judge again"):
            judged.read_judged(tmp_path / "p.json")
    with pytest.raises(UserError, match="cannot write"):
        write_claims("p", "tiny", [], file)


def test_missing_and_diverged_runs_say_so(tmp_path: Path) -> None:
    found = said(Runs(tmp_path), never)
    assert (found.verdict, found.answer) == ("not run", "Not run: 1 of 1 runs are missing.")
    assert found.missing == [SPEC.key]
    synthetic_curves.write(tmp_path, SPEC, status="diverged")
    found = said(Runs(tmp_path), never)
    assert (found.verdict, found.answer, found.diverged) == (
        "open",
        "Open: 1 of 1 runs diverged.",
        [SPEC.key],
    )
    tried = said(Runs(tmp_path), lambda *_: [Evidence({}, 20.0, low=15, high=25, count=3)], may_diverge=[SPEC])
    assert tried.verdict == "reproduced" and not tried.diverged


def test_a_rule_that_divides_by_zero_leaves_its_claim_open_and_another_mistake_is_an_error(tmp_path: Path) -> None:
    synthetic_curves.write(tmp_path, SPEC)
    found = said(Runs(tmp_path), lambda part, runs: [Evidence({}, 1.0 / 0.0)])
    assert (found.verdict, found.conditions, found.runs) == ("open", [], [SPEC.key])
    begin = "Open: its rule fails on the numbers of these runs with ZeroDivisionError: float division by zero at "
    assert found.answer.startswith(begin)
    assert said(Runs(tmp_path), lambda part, runs: []).answer == "Open: nothing was measured that counts."
    with pytest.raises(UserError, match="failed with ValueError: two"):
        said(Runs(tmp_path), lambda part, runs: [Evidence({}, 1.0), *_wrong()])


def _wrong() -> list[Evidence]:
    raise ValueError("two")


@pytest.mark.parametrize("column", ["passes", "wall_seconds", "cpu_seconds"])
@pytest.mark.parametrize("other", ["a", "b"])
def test_seconds_of_several_machines_decide_nothing(tmp_path: Path, column: str, other: str) -> None:
    synthetic_curves.write(tmp_path, SPEC, host="a")
    synthetic_curves.write(tmp_path, OTHER, host=other)

    def measure(part: Part, runs: Runs) -> list[Evidence]:
        mine, theirs = (runs.finished(spec).curve[column].iloc[-1] for spec in (SPEC, OTHER))
        return [Evidence({}, mine + theirs, low=mine + theirs, high=mine + theirs, source="exact")]

    found = said(Runs(tmp_path), measure, (SPEC, OTHER))
    if column == "passes" or other == "a":
        assert found.verdict == "reproduced"
    else:
        assert found.verdict == "open"
        assert found.answer.endswith("needs seconds of one machine.")
        cut = said(
            Runs(tmp_path),
            lambda *given: [each._replace(state="more passes") for each in measure(*given)],
            (SPEC, OTHER),
        )
        assert cut.conditions[0].state == "seconds of one machine", "it leaves any outcome open"


def test_an_interval_is_students() -> None:
    x = np.random.default_rng(1).normal(size=10)
    mean, low, high = interval(x)
    assert (mean, low, high) == pytest.approx((x.mean(), *stats.t.interval(0.95, 9, x.mean(), stats.sem(x))))
    for few in (interval([1.0]), interval([1.0, 2.0], 3), interval([1.0, np.inf, 2.0])):
        assert (few.low, few.high) == (-np.inf, np.inf)
