"""Judging: a check is asked only when its runs are there and sound; verdicts and intervals."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.papers.intervals import interval
from structbench.bench.papers.judging import Claim, judge, takes_longer, tally, unanimous, worst, write
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import make
from tests.bench import synthetic_curves

SPEC, OTHER = (make("mnist:train=100", "log", 10, name, passes=20.0) for name in ("eg", "lbfgs"))
YES, NO, OPEN = "reproduced", "not reproduced", "inconclusive"


def said(runs: Runs, check, specs=(SPEC,)) -> dict:
    claim = Claim("p/fast", "p", "Figure 1", "It is fast.", "5 passes", check, [*specs], ["fig01"], "on p's data")
    return judge([claim], runs)[0]


def never(runs: Runs):
    raise AssertionError("asked although a run is missing")


def test_a_judged_claim_holds_both_numbers(tmp_path: Path) -> None:
    synthetic_curves.write(tmp_path, SPEC)
    found = said(Runs(tmp_path), lambda runs: (YES, f"{runs[SPEC].curve.passes.iloc[-1]:g} passes", "more"))
    assert found == {
        "id": "p/fast", "paper": "p", "where": "Figure 1", "setting": "on p's data", "claim": "It is fast.",
        "theirs": "5 passes", "ours": "20 passes", "verdict": YES, "detail": "more", "runs": [SPEC.key],
        "data": [SPEC.data], "figures": ["fig01"],
    }  # fmt: skip
    file = write("p", "tiny", [found], tmp_path / "claims")
    assert json.loads(file.read_text()) == {"paper": "p", "scale": "tiny", "claims": [found]}
    with pytest.raises(UserError, match="cannot write"):
        write("p", "tiny", [], file)


def test_missing_and_diverged_runs_are_inconclusive(tmp_path: Path) -> None:
    found = said(Runs(tmp_path), never)
    assert (found["verdict"], found["ours"]) == (OPEN, "")
    assert SPEC.key in found["detail"]
    synthetic_curves.write(tmp_path, SPEC, status="diverged")
    found = said(Runs(tmp_path), never)
    assert (found["verdict"], found["detail"]) == (OPEN, f"diverged: {SPEC.key}")


def test_seconds_of_several_machines_are_not_compared(tmp_path: Path) -> None:
    synthetic_curves.write(tmp_path, SPEC, host="a")
    synthetic_curves.write(tmp_path, OTHER, host="b")

    def verdict_by(column: str) -> tuple[str, str]:
        def check(runs: Runs) -> tuple[str, str, str]:
            mine, theirs = (runs[spec].curve[column].iloc[-1] for spec in (SPEC, OTHER))
            return YES, f"{mine:g} against {theirs:g}", ""

        found = said(Runs(tmp_path), check, (SPEC, OTHER))
        return found["verdict"], found["detail"]

    assert verdict_by("passes") == (YES, "")
    told = "its runs are of 2 machines, whose seconds do not compare"
    assert verdict_by("wall_seconds") == verdict_by("cpu_seconds") == (OPEN, told)
    synthetic_curves.write(tmp_path, OTHER, host="a")
    assert verdict_by("wall_seconds") == (YES, "")


def test_a_word_that_is_no_verdict_is_refused() -> None:
    runs = synthetic_curves.of()
    synthetic_curves.write(runs, SPEC)
    with pytest.raises(ValueError, match="'maybe' is no verdict"):
        said(runs, lambda runs: ("maybe", "", ""))


@pytest.mark.parametrize(
    ("verdicts", "together", "agreed"),
    [([YES, YES], YES, YES), ([YES, OPEN], OPEN, OPEN), ([OPEN, NO, YES], NO, OPEN), ([NO, NO], NO, NO)],
)
def test_verdicts_combine(verdicts: list[str], together: str, agreed: str) -> None:
    assert (worst(verdicts), unanimous(verdicts)) == (together, agreed)
    assert worst([]) == OPEN


def test_verdicts_are_counted() -> None:
    assert tally([YES, OPEN, YES]) == "2 reproduced, 1 inconclusive"


@pytest.mark.parametrize(
    ("other", "mine", "verdict"),
    [
        (3.0, 2.0, YES),
        (2.6, 2.0, OPEN),
        (2.4, 2.0, NO),
        (np.inf, 2.0, YES),
        (np.inf, 8.0, OPEN),
        (9.0, np.inf, NO),
        (np.inf, np.inf, OPEN),
        (np.nan, 2.0, OPEN),
    ],
)
def test_what_was_not_reached_takes_at_least_its_limit(other: float, mine: float, verdict: str) -> None:
    assert takes_longer(other, mine, "significantly", limit=10.0) == verdict


def test_an_interval_is_students() -> None:
    x = np.random.default_rng(1).normal(size=10)
    mean, low, high = interval(x)
    assert (mean, low, high) == pytest.approx((x.mean(), *stats.t.interval(0.95, 9, x.mean(), stats.sem(x))))
    assert str(interval([1.0, 2.0, 3.0])) == "2 [-0.484, 4.48]"
    for few in (interval([1.0]), interval([1.0, 2.0], 3), interval([1.0, np.inf, 2.0])):
        assert (few.low, few.high) == (-np.inf, np.inf)
