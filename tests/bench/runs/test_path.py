"""The verb ``path``: a table with a row for each C, and the outcome of the last."""

import json
import re
from collections.abc import Sequence
from itertools import accumulate

import pytest

from structbench.bench import __main__ as cli

DATA = "\n".join(f"{k % 3} 1:{k % 3 + 0.1 * (k % 7)} 2:{k % 5} 3:1" for k in range(60)) + "\n"
PATH = ("path", "--data", "svmlight:train.svm", "--test", "train.svm", "--loss", "log", "--out", "out")


@pytest.fixture
def said(tmp_path, monkeypatch, capsys):
    """Exit code, stdout and stderr of a command line, run beside ``train.svm``."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.svm").write_text(DATA)

    def run(*more: str, words: Sequence[str] = PATH) -> tuple[int, str, str]:
        code = cli.main([*words, *more])
        return code, *capsys.readouterr()

    return run


def rows(table: str) -> list[list[float]]:
    return [[float(cell) for cell in line.split()] for line in table.splitlines()[2:-2]]


def test_each_C_gets_a_row_and_the_last_the_outcome(said):
    code, out, _ = said("--first", "20", "--ratio", "0.5", "--C", "3", "--tolerance", "1e-2")
    outcome = json.loads(out.splitlines()[-1])
    C, passes, so_far, errors, gaps, _ = zip(*rows(out), strict=True)
    assert code == 0 and outcome["status"] == "converged" and C == (20, 10, 5, 3)
    assert out.split("\n")[0].split("  ")[0] == "C" and re.search("passes +total passes +test error", out)
    assert [*so_far, outcome["passes"]] == pytest.approx([*accumulate(passes), sum(passes)], rel=1e-3)
    assert 0 <= min(errors) <= max(errors) <= 1 and 0 <= min(gaps) <= max(gaps) <= 1e-2
    assert outcome["relative_gap"] <= 1e-2
    end = "C=3__eg-path:first=20,ratio=0.5,tolerance=0.01__test=train~[0-9a-f]{6}__passes=1000__gap=0.01"
    assert re.search(f"__{end}$", outcome["run"])


def test_the_error_is_that_of_validation_where_the_data_have_one(said):
    words = ("path", "--data", "svmlight:train.svm,validation=0.3", *PATH[5:], "--first", "20", "--C", "10")
    found = {}
    for more in (["--json"], []):
        code, out, _ = said(*more, words=[*words, "--ratio", "0.5", "--tolerance", "0.1"])
        found = json.loads(out) if more else found
        assert code == 0 and ("validation error" in out) and "test error" not in out
    assert [0 <= stage["validation error"] <= 1 for stage in found["stages"]] == [True, True]


@pytest.mark.parametrize(
    ("words", "solver"),
    [("--loss hinge", "sequential-dual-path"), ("--loss hinge --algorithm eg-path", "eg-path"), ("", "eg-path")],
)
def test_the_loss_tells_the_solver(said, words, solver):
    code, out, _ = said(*words.split(), *["--first", "20", "--ratio", "0.5", "--C", "10", "--tolerance", "0.1"])
    outcome = json.loads(out.splitlines()[-1])
    assert (code, outcome["status"], [row[0] for row in rows(out)]) == (0, "converged", [20, 10])
    assert f"__{solver}:first=20" in outcome["run"]


@pytest.mark.parametrize("loss", ["log", "hinge"])
def test_an_elastic_net_has_a_path(said, loss):
    given = ["--first", "40", "--ratio", "0.5", "--C", "20", "--tolerance", "0.1", "--penalty"]
    code, out, _ = said("--loss", loss, *given, "elastic-0.3")
    outcome = json.loads(out.splitlines()[-1])
    assert (code, outcome["status"], [row[0] for row in rows(out)]) == (0, "converged", [40, 20])
    assert "__eg-path:first=40" in outcome["run"] and "penalty=elastic-0.3" in outcome["run"]
    code, _, err = said("--loss", loss, *given, "l1")
    assert code != 0 and "eg-path takes the penalty l2 or elastic-A, not 'l1'" in err


def test_a_path_that_is_cut_short_says_so(said):
    code, out, err = said("--C", "0.01", "--tolerance", "1e-9", "--passes", "5")
    outcome = json.loads(out.splitlines()[-1])
    assert code == 0 and (outcome["status"], outcome["C"]) == ("passes", 1000)
    assert "5 of 5 passes made, at C = 1000 on the way to 0.01" in err
    assert [row[0] for row in rows(out)] == [1000]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--C 2000", "a path goes down to C=2000: first=1000 must not be below it"),
        ("--C 1 --ratio 1", "ratio=1 must lie between 0 and 1"),
        ("--C 1 --first -3", "first must be above 0"),
        ("--C 1 --set first=5", "'first' is given twice"),
    ],
)
def test_mistakes(said, words, sentence):
    code, out, err = said(*words.split())
    assert code == 2 and not out and sentence in err
