"""Judging: a check is asked only when its runs are there and sound."""

import json
from pathlib import Path

import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.papers.judging import RATIOS, Claim, judge, tally, unanimous, worst, write
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import make
from tests.bench import synthetic_curves

SPEC = make("mnist:train=100", "log", 10, "eg", passes=20.0)


def claims(check) -> list[Claim]:
    return [Claim("p/fast", "p", "Figure 1", "It is fast.", "5 passes", check, [SPEC], ["fig01"], "on p's data")]


def never(runs: Runs):
    raise AssertionError("asked although a run is missing")


def test_a_judged_claim_holds_both_numbers(tmp_path: Path) -> None:
    synthetic_curves.write(tmp_path, SPEC)
    checked = claims(lambda runs: ("reproduced", f"{runs[SPEC].curve.passes.iloc[-1]:g} passes", "more"))
    (said,) = judge(checked, Runs(tmp_path))
    assert said == {
        "id": "p/fast",
        "paper": "p",
        "where": "Figure 1",
        "setting": "on p's data",
        "claim": "It is fast.",
        "theirs": "5 passes",
        "ours": "20 passes",
        "verdict": "reproduced",
        "detail": "more",
        "runs": [SPEC.key],
        "data": [SPEC.data],
        "figures": ["fig01"],
    }
    file = write("p", "tiny", [said], tmp_path / "claims")
    assert json.loads(file.read_text()) == {"paper": "p", "scale": "tiny", "claims": [said]}


def test_missing_runs_are_inconclusive(tmp_path: Path) -> None:
    (said,) = judge(claims(never), Runs(tmp_path))
    assert (said["verdict"], said["ours"]) == ("inconclusive", "")
    assert SPEC.key in said["detail"]


def test_diverged_runs_are_inconclusive(tmp_path: Path) -> None:
    synthetic_curves.write(tmp_path, SPEC, status="diverged")
    (said,) = judge(claims(never), Runs(tmp_path))
    assert (said["verdict"], said["detail"]) == ("inconclusive", f"diverged: {SPEC.key}")


def test_seconds_of_several_machines_are_not_compared(tmp_path: Path) -> None:
    other = make("mnist:train=100", "log", 10, "lbfgs", passes=20.0)
    synthetic_curves.write(tmp_path, SPEC, host="a")
    synthetic_curves.write(tmp_path, other, host="b")

    def verdict_by(column: str) -> tuple[str, str]:
        def check(runs: Runs) -> tuple[str, str, str]:
            mine, theirs = (runs[spec].curve[column].iloc[-1] for spec in (SPEC, other))
            return "reproduced", f"{mine:g} against {theirs:g}", ""

        claim = Claim("p/fast", "p", "Figure 1", "It is fast.", "", check, [SPEC, other], [])
        (said,) = judge([claim], Runs(tmp_path))
        return said["verdict"], said["detail"]

    assert verdict_by("passes") == ("reproduced", "")
    told = "its runs are of 2 machines, whose seconds do not compare"
    assert verdict_by("wall_seconds") == verdict_by("cpu_seconds") == ("inconclusive", told)
    synthetic_curves.write(tmp_path, other, host="a")
    assert verdict_by("wall_seconds") == ("reproduced", "")


def test_a_word_that_is_no_verdict_is_refused(tmp_path: Path) -> None:
    synthetic_curves.write(tmp_path, SPEC)
    with pytest.raises(ValueError, match="'maybe' is no verdict"):
        judge(claims(lambda runs: ("maybe", "", "")), Runs(tmp_path))


def test_verdicts_combine() -> None:
    good, bad, open_ = "reproduced", "not reproduced", "inconclusive"
    assert worst([good, good]) == good
    assert worst([good, open_]) == open_
    assert worst([open_, bad, good]) == bad
    assert worst([]) == open_
    assert unanimous([bad, bad]) == bad
    assert unanimous([bad, good]) == open_


def test_a_file_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "claims").write_text("")
    with pytest.raises(UserError, match="cannot write"):
        write("p", "tiny", [], tmp_path / "claims")


def test_verdicts_are_counted() -> None:
    assert tally(["reproduced", "inconclusive", "reproduced"]) == "2 reproduced, 1 inconclusive"


def test_stronger_adverbs_ask_for_more() -> None:
    """A change of these changes verdicts: it is said in CHANGELOG.md."""
    assert RATIOS == {
        "slightly": 1.0, "slower": 1.2, "significantly": 1.5, "around": 2.0, "much": 2.0, "considerably": 2.0,
        "very": 5.0,
    }  # fmt: skip
