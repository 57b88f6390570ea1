"""The hash of rules: what changes it, and which verdicts are of rules that changed after their runs."""

import fnmatch
import re
from pathlib import Path

import pytest

from structbench.algorithms.runtime.modules import ROOT
from structbench.bench.report import frozen, history, judged_twice, publish
from structbench.bench.verbs.sharing import _check_published
from tests.bench.report.test_publish import make, results  # noqa: F401

RULES, ROWS = Path("bench/papers/laso2005/rules.py"), Path("bench/papers/laso2005/claims.toml")

RESULTS, TABLES = ROOT / "docs/results", [*(ROOT / "bench/papers").glob("*/*.toml")]
IDS = re.compile(r'^id = "(.+)"', re.MULTILINE)


def changed(file: Path, old: str, new: str):
    """The texts of today with an edit in one of them."""
    assert old in frozen._today(file)
    return lambda each: frozen._today(each).replace(old, new) if each == file else frozen._today(each)


@pytest.mark.parametrize(
    ("file", "old", "new", "counts"),
    [
        (RULES, "SEEDS = 5", "SEEDS = 3", True),
        (RULES, "SEEDS = 5", "SEEDS = 5  # as many", False),
        (ROWS, "least = 5", "least = 1", True),
        (ROWS, "[[claim]]", "# a comment\n[[claim]]", False),
        (ROWS, 'reason = "all runs', 'reason = "no runs', False),
        (Path("bench/papers/evidence.py"), "MANY = 100", "MANY = 99", True),
        (Path("bench/papers/verdicts.py"), '"""Verdicts:', '"""Verdicts, or', False),
    ],
)
def test_what_changes_the_hash_of_rules(file, old, new, counts) -> None:
    assert (frozen.rules_sha256("laso2005", changed(file, old, new)) != frozen.rules_sha256("laso2005")) == counts


def test_rules_are_all_that_decides_and_no_figure() -> None:
    names = {"evidence", "verdicts", "judging", "measured", "claim_rows"}
    for paper in ("eg2004", "eg2008", "klein2011", "l1m3n2009", "laso2005", "bcfw2013", "sag2015"):
        files = frozen.rule_files(paper)
        assert {Path("bench/papers", f"{name}.py") for name in names} | {frozen.READS[1]} < {*files}
        assert (
            Path("bench/papers", paper, "rules.py") in files
            and Path("bench/papers", paper, "claims.toml") in files
        )
        assert not [file for file in files if "figures" in file.name or file.name in frozen.NO_OUTCOME]


def test_a_verdict_whose_rules_changed_after_its_runs_is_marked(results, monkeypatch) -> None:  # noqa: F811
    """The runs' commit has other rules, then the same; an unknown commit says nothing."""
    assert make(results).joinpath("eg2008", "README.md").read_text().count("(rules changed") == 0
    monkeypatch.setattr(history, "text_at", lambda commit, file: frozen._today(file).replace("= 0.1", "= 0.2"))
    folder = make(results) / "eg2008"
    assert "| **reproduced** (rules changed after the runs) |" in folder.joinpath("README.md").read_text()
    assert publish.record(folder).late == ["eg2008/overtakes"]
    monkeypatch.setattr(history, "text_at", lambda commit, file: frozen._today(file) + "\n# the same")
    folder = make(results) / "eg2008"
    assert (publish.record(folder).late, publish.record(folder).rules) == ([], frozen.rules_sha256("eg2008"))
    assert "None changed after these runs." in folder.joinpath("README.md").read_text()


def test_a_page_says_whether_rules_changed_after_earlier_runs_were_seen(results) -> None:  # noqa: F811
    """By the list beside it, which leaves out no paper and no row but those that say "before its runs"."""
    file, told = make(results) / frozen.LIST, "; some changed [after earlier runs were seen](../changed-rules.md)."
    for row, is_told in (
        ("eg2008/overtakes, beats-lbfgs, on a day", True),
        ("eg2008/overt\\* (all with EG)", True),
        ("eg2004/overtakes; eg2008/overtakes", True),
        ("eg2008/overtakes, before its runs", False),
        ("eg2008, on a day, before its runs were made", False),
        ("eg2004/overtakes", False),
    ):
        file.write_text(f"| claim | before |\n| --- | --- |\n| {row} | a |\n")
        assert (told in (make(results) / "eg2008" / "README.md").read_text()) == is_told, row
    file.write_text("| eg2008/overtakes, beats-lbfgs, on a day | a |\n| eg2008/late, before its runs | a |\n")
    assert {"eg2008/overtakes", "eg2008/beats-lbfgs"} <= frozen.changed_rules(file.parent)
    assert "eg2008/late" not in frozen.changed_rules(file.parent)


def test_each_row_of_the_list_names_claims_that_there_are() -> None:
    """A row in other words would mark no answer."""
    rows = re.findall(r"^\| (\w+\d{4}\b[^|]*) \|", (RESULTS / frozen.LIST).read_text("utf-8"), re.MULTILINE)
    known = {f"{file.parent.name}/{id}" for file in TABLES for id in IDS.findall(file.read_text("utf-8"))}
    assert len(rows) > 80 and len(known) > 150
    for row in rows:
        named = {name for each in row.replace("\\*", "*").split(";") for name in frozen._ids(each)}
        missing = [each for each in named if not fnmatch.filter(known, each)]
        assert not missing and (named or "(dropped)" in row or frozen.UNSEEN in row), row
    for claim in ("eg2008/beats-lbfgs", "l1m3n2009/l2crf-as-m3n", "l1m3n2009/extraction-beats-l1crf"):
        assert frozen.is_changed(claim, RESULTS), claim
    assert not frozen.is_changed("bcfw2013/overfits", RESULTS) and not frozen.is_changed("eg2008/few", RESULTS)


def test_check_names_papers_whose_rules_changed(results, monkeypatch, capsys) -> None:  # noqa: F811
    out = make(results)
    _check_published(out)
    assert "rules changed" not in capsys.readouterr().err + (out / "eg2008" / "README.md").read_text()
    monkeypatch.setattr(frozen, "rules_sha256", lambda paper: "0" * 64)
    _check_published(out)
    assert "eg2008: its rules changed since these verdicts" in capsys.readouterr().err
    assert "**Rules changed** since these verdicts." in (out / "eg2008" / "README.md").read_text()


def test_rules_that_judged_twice_have_not_changed():
    """Change what is shown elsewhere: a rule that changes now has seen its fresh seeds."""
    twice = judged_twice.kept(ROOT / "docs" / "results").papers
    assert {paper: each.rules for paper, each in twice.items()} == {
        each: frozen.rules_sha256(each) for each in twice
    }
    assert twice and judged_twice.outdated(ROOT / "docs" / "results") == []
