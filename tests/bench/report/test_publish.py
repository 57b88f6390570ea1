"""Published results: pages, figures and claims of the same runs, and what was done to them since."""

import csv
import json
from pathlib import Path

import pytest

from algorithms.runtime.errors import UserError
from bench.report import publish
from bench.verbs.sharing import _check_published
from tests.bench import fake_runs

PUBLISHED = Path(__file__).resolve().parents[3] / "docs" / "results"


@pytest.fixture
def results(tmp_path):
    """Runs, figures and claims as a config leaves them, and a place to publish them to."""
    runs = sorted(fake_runs.grid(tmp_path / "runs"), key=lambda run: run.key)
    keys = [run.key for run in runs[:2]]
    figures, claims = tmp_path / "figures", tmp_path / "claims"
    for paper, stem, more in (
        ("eg2008", "fig06-mnist", {}),
        ("eg2008", "table1", {"table": [{"C": "10", "a|b": "<1 *2*"}]}),
    ):
        folder = figures / paper
        folder.mkdir(parents=True, exist_ok=True)
        said = {"title": f"{paper} {stem}", "caption": "Drawn.", "runs": keys, "missing": [], "commit": "c"}
        (folder / f"{stem}.json").write_text(json.dumps(said | {"data_sha256": {}} | more))
        (folder / f"{stem}.svg").write_text("<svg/>")
    claim = {
        "id": "eg2008/overtakes", "paper": "eg2008", "where": "Figure 6", "setting": "MNIST", "claim": "A | B.",
        "theirs": "5", "ours": "4_1", "verdict": "reproduced", "detail": "", "runs": keys[:1],
        "figures": ["table1"],
    }  # fmt: skip
    claims.mkdir()
    (claims / "eg2008.json").write_text(json.dumps({"paper": "eg2008", "scale": "quick", "claims": [claim]}))
    return runs, figures, claims, tmp_path / "published"


def published(results, missing=()):
    runs, figures, claims, out = results
    publish.publish(out, runs, figures, claims, ["eg2008"], missing)
    return out


def test_pages_hold_claims_figures_tables_and_runs(results):
    out = published(results)
    assert publish.altered(out) == []
    record = json.loads((out / "published.json").read_text())
    assert record["claims"] == {"eg2008/overtakes": [0]} and record["figures"]["eg2008/table1"] == [0, 1]
    assert list(record["code"]) == sorted(run.key for run in results[0][:2])
    index, page = (out / "README.md").read_text(), (out / "eg2008.md").read_text()
    assert "| [eg2008](eg2008.md) | quick | 1 reproduced, 0 not, 0 inconclusive | - | - | - |" in index
    assert "| **reproduced** | A \\| B. | Figure 6 | 5 | 4\\_1 | MNIST | [table1](#table1) |" in page
    assert "![eg2008 fig06-mnist](eg2008/fig06-mnist.svg)" in page
    assert "| C | a\\|b |\n| --- | --- |\n| 10 | &lt;1 \\*2\\* |" in page
    assert (out / "eg2008" / "fig06-mnist.svg").read_text() == "<svg/>"
    assert not (out / "eg2008" / "table1.svg").exists()
    lines = (out / "runs.csv").read_text().splitlines()
    assert [line.split(",")[0] for line in lines[1:]] == sorted(run.key for run in results[0][:2])
    assert published(results) == out  # again, in place of what is there


def test_what_was_edited_is_found(results, capsys):
    out = published(results)
    assert _check_published(out) == 0
    (out / "eg2008.md").write_text("better numbers")
    (out / "more.md").write_text("")
    (out / "eg2008" / "fig06-mnist.svg").unlink()
    assert publish.altered(out) == ["eg2008.md", "eg2008/fig06-mnist.svg", "more.md"]
    assert _check_published(out) == 1
    assert "eg2008.md is not as it was published" in capsys.readouterr().err


def test_runs_of_older_code_are_said_and_no_fault(results):
    out = published(results)
    assert publish.of_older_code(out) == sorted(run.key for run in results[0][:2])  # no code has their hash
    record = json.loads((out / "published.json").read_text())
    key = next(iter(record["code"]))
    record["code"][key] = publish._sha256_of_today(key)
    (out / "published.json").write_text(json.dumps(record))
    assert key not in publish.of_older_code(out)
    assert publish._sha256_of_today("mnist__log__C=10__no-such-algorithm") is None


def test_refusals(results, tmp_path):
    runs, figures, claims, out = results
    with pytest.raises(UserError, match=r"the run mnist.* of a figure or claim is gone: make it"):
        publish.publish(out, runs[1:], figures, claims, ["eg2008"], ())
    assert not out.exists()
    publish.publish(out, runs[1:], figures, claims, ["eg2008"], [runs[0].key])
    other = tmp_path / "other"
    other.mkdir()
    (other / "precious.txt").write_text("")
    with pytest.raises(UserError, match="other holds other things than published results"):
        publish.publish(other, runs, figures, claims, ["eg2008"], ())
    assert (other / "precious.txt").exists()
    with pytest.raises(UserError, match=r"published.json cannot be read: `python -m bench publish` makes it"):
        publish.altered(other)


@pytest.mark.skipif(not PUBLISHED.exists(), reason="nothing is published")
def test_what_the_repository_publishes_is_of_one_set_of_runs():
    """Every figure and claim is of runs in the table, or says that they are missing; nobody edited a page."""
    assert publish.altered(PUBLISHED) == []
    record = publish.record(PUBLISHED)
    used = {key for users in (record["figures"], record["claims"]) for keys in users.values() for key in keys}
    with (PUBLISHED / publish.RUNS).open(newline="") as table:
        listed = {row["run"] for row in csv.DictReader(table)}
    assert listed == set(record["code"])
    assert {key for key in used if isinstance(key, str)} <= set(record["missing"])
    assert {key for key in used if isinstance(key, int)} <= set(range(len(listed)))
    assert sum(file.stat().st_size for file in PUBLISHED.rglob("*") if file.is_file()) < publish.LARGEST
