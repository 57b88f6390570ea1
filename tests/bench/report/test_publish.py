"""Published results: pages, figures and claims of the same runs, and what was done to them since."""

import errno
import json
import shutil
from pathlib import Path

import pandas as pd
import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.papers import shown
from structbench.bench.papers.verdicts import verdict
from structbench.bench.report import publish, published, published_check, published_runs, sealed, what_held
from structbench.bench.verbs.sharing import _check_published
from tests.bench import fake_runs

PUBLISHED = Path(__file__).resolve().parents[3] / "docs" / "results"


@pytest.fixture
def results(tmp_path):
    """Runs, figures and claims as a config leaves them, and a place to publish them to."""
    runs = sorted((fake_runs.write(tmp_path / "runs", C=C) for C in (1.0, 10.0, 100.0)), key=lambda run: run.key)
    keys = [run.key for run in runs[:2]]
    figures, claims = tmp_path / "figures", tmp_path / "claims"
    folder = figures / "eg2008"
    folder.mkdir(parents=True)
    for stem, more in (("fig06-mnist", {}), ("table1", {"table": [{"C": "10", "a|b": "<1 *2*"}]})):
        said = {"title": f"eg2008 {stem}", "caption": "Drawn.", "runs": keys, "missing": [], "commit": "c"}
        (folder / f"{stem}.json").write_text(json.dumps(said | {"data_sha256": {}} | more))
        (folder / f"{stem}.svg").write_text("<svg/>")
    claim = {
        "id": "eg2008/overtakes", "paper": "eg2008", "where": "Figure 6", "setting": "MNIST", "claim": "A | B.",
        "theirs": "5", "answer": "Yes: 4_1.", "verdict": "reproduced", "runs": keys[:1], "figures": ["table1"],
        "by": "paper", "asks": "Does it overtake?",
        "quantifier": "all", "holds": 1, "of": 1, "conditions": [fake_runs.CONDITION],
        "missing": [],
    }  # fmt: skip
    claims.mkdir()
    (claims / "eg2008.json").write_text(json.dumps({"paper": "eg2008", "scale": "quick", "claims": [claim]}))
    return runs, figures, claims, tmp_path / "published"


def rewrite(file, old, new):
    file.write_text(file.read_text().replace(old, new))


def make(results, **more):
    runs, figures, claims, out = results
    publish.publish(out, runs, figures, claims, ["eg2008"], **more)
    return out


def test_what_held_counts_the_published_sentences_on_the_papers_own_data(results):
    out = make(results)
    page = what_held.write_what_held(out).read_text()
    assert "| Collins et al. 2008 (EG) | 1 | 1 |" in page
    assert "our interval" not in page and not (out / what_held.PLOT).exists(), "no number of the paper is compared"
    file = out / "eg2008" / published.RECORD
    said = json.loads(file.read_text())
    said["claims"]["eg2008/overtakes"]["by"] = "ours"
    file.write_text(json.dumps(said))
    assert what_held.published_sentences(out) == []


def test_what_is_written_by_hand_under_what_held_stays(results):
    out = make(results)
    file = what_held.write_what_held(out)
    file.write_text(file.read_text().replace("# What held", "# edited") + "\nFive lessons.\n")
    page = what_held.write_what_held(out).read_text()
    assert page.startswith("# What held") and page.endswith("\nFive lessons.\n")
    assert page.count(what_held.BY_HAND) == 1


def test_pages_hold_claims_figures_tables_and_runs(results):
    out = make(results)
    folder = out / "eg2008"
    assert published.altered(folder) == []
    record = json.loads((folder / "published.json").read_text())
    assert record["claims"]["eg2008/overtakes"] == {
        "verdict": "reproduced", "answer": "Yes: 4_1.", "claim": "A | B.", "where": "Figure 6", "theirs": "5",
        "by": "paper", "holds": 1, "of": 1, "origin": "own",
    }  # fmt: skip
    index, page = (out / "README.md").read_text(), (folder / "README.md").read_text()
    assert "| [Collins et al. 2008 (EG)](eg2008/README.md) | quick |" in index
    assert r"| **reproduced** | A \| B. (Figure 6; MNIST) | Yes: 4\_1. | [1 of 1](evidence.md#overtakes)" in page
    (claim,) = shown.read_conditions((folder / "evidence.csv").read_text())
    assert verdict(claim.conditions, claim.quantifier) == "reproduced"
    assert "<text" in (folder / "evidence.svg").read_text()
    assert "- Does it overtake? Yes: 4\\_1." in page and "# Collins et al. 2008 (EG)\n" in page
    assert "| ![verdicts](eg2008/verdicts.svg) own: 1 reproduced |" in index
    assert (folder / "fig06-mnist.svg").read_text() == "<svg/>"
    assert not (folder / "table1.svg").exists()
    runs = pd.read_csv(folder / published.RUNS, dtype=str)
    assert list(runs["run"]) == list(published.code(folder)) == sorted(run.key for run in results[0][:2])
    for name in ("primal", "passes", "cpu_seconds", "wall_seconds", "test_error"):
        assert [*map(float, runs[name])] == pytest.approx(
            [run.summary[name] for run in results[0][:2]], rel=1e-3
        ), name
    made = {run.key: run.summary["provenance"]["code_sha256"][: published.DIGITS] for run in results[0][:2]}
    assert published.code(folder) == made and set(runs["data_sha256"].str.len()) == {published.DIGITS}
    assert make(results) == out  # again, in place of what is there
    (run, *_), of_alone = results[0], published.published_row(results[0][0])
    assert "Disturbed:" not in page
    run.summary["provenance"]["others"] = 2.0
    assert (
        "- Disturbed: 1 of 2 timed runs. The seconds of these mean little."
        in (make(results) / "eg2008" / "README.md").read_text()
    )
    run.summary["provenance"] |= {"alone": False, "load": 2.5, "others": 0.5}
    of_others = published.published_row(run)
    kept = {"run", "primal", "dual", "passes", "cpu_seconds", "test_error", "code_sha256"}
    assert {name: of_others[name] for name in kept} == {name: of_alone[name] for name in kept}
    assert of_alone["wall_seconds"] and {of_others[name] for name in published.OF_TIMED} == {""}


def files(folder):
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def put(folder, contents):
    for name, content in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def test_what_others_put_there_stays(results):
    out = results[3]
    theirs = {"chapter.tex": b"thesis", "data/table.csv": b"1,2"}
    put(out, theirs)
    make(results)
    theirs |= {"eg2008/notes.md": b"ask them", "eg2008/a/b": b"c"}
    put(out, theirs)
    (results[1] / "eg2008" / "fig06-mnist.json").unlink()
    make(results)
    assert theirs.items() <= files(out).items()
    assert "eg2008/fig06-mnist.svg" not in files(out)  # that was ours
    assert published.altered(out / "eg2008") == ["a/b", "notes.md"]
    runs, figures, claims, _ = results  # a paper beside those that are there
    (figures / "eg2008").rename(figures / "laso2005")
    (claims / "eg2008.json").unlink()
    publish.publish(out, runs, figures, claims, ["laso2005"])
    assert published.papers_of(out) == ["eg2008", "laso2005"]
    index = (out / "README.md").read_text()
    assert "| [Collins et al. 2008 (EG)](eg2008/README.md) | quick |" in index
    assert "| [Daumé and Marcu 2005 (LaSO)](laso2005/README.md) | - |" in index
    waiting = index[index.index("Not run yet at the paper's size: ") :].partition("\n")[0]
    assert "[Bartlett et al. 2004 (EG)](../reference/eg2004.md)" in waiting and "laso2005" not in waiting


def test_a_disk_that_fills_up_half_way_leaves_what_was_published(results, monkeypatch):
    out = make(results)
    before, copy, copied = files(out), shutil.copyfile, []

    def fill(source, target):
        copied.append(source)
        if len(copied) > 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        return copy(source, target)

    (results[1] / "eg2008" / "fig06-mnist.svg").write_text("<svg>another</svg>")
    monkeypatch.setattr("shutil.copyfile", fill)
    with pytest.raises(UserError, match=r"published \(No space left on device\): make room"):
        make(results)
    assert len(copied) == 3 and files(out) == before


def test_what_was_edited_is_found_and_pages_say_how_many_runs_are_of_older_code(results, capsys):
    """The latter is no fault."""
    out = make(results)
    folder, page = out / "eg2008", out / "eg2008" / "README.md"

    def now_of_code(sha256):
        runs = pd.read_csv(folder / published.RUNS, dtype=str)
        runs["code_sha256"] = [sha256(key)[: published.DIGITS] for key in runs["run"]]
        runs.to_csv(folder / published.RUNS, index=False)
        record = json.loads((folder / published.RECORD).read_text())
        lost = {"lost": [commit for commit, _ in record["commits"]]}
        sealed.write_record(folder / published.RECORD, record | lost | {"files": published.hashes(folder)})
        published_check.write_derived(out)

    assert "Code: that of the checkout when this was published." in page.read_text()
    for sha256, older, said in (
        (
            lambda key: "0" * 64,
            2,
            "Code: **frozen** at the commits below. Today's programs differ for 2 of 2 runs",
        ),
        (published._sha256_of_today, 0, "Code: that of today: all 2 runs are of it."),
    ):
        now_of_code(sha256)
        assert len(published.of_older_code(folder)) == older
        assert _check_published(out) == 0 and said in page.read_text()
        assert published.altered(folder) == []
        assert "**Commit lost**: 2 runs are of 0123456789abcdef" in page.read_text()
        assert "commit lost of 2 of 2 runs" in capsys.readouterr().err
    assert published._sha256_of_today("mnist__log__C=10__no-such-algorithm") is None
    page.write_text("better numbers")
    (folder / "more.md").write_text("")
    (folder / "fig06-mnist.svg").unlink()
    assert published.altered(folder) == ["README.md", "fig06-mnist.svg", "more.md"]
    assert _check_published(out) == 1
    assert "README.md is not as it was published" in capsys.readouterr().err
    with pytest.raises(UserError, match="nothing is published in"):
        _check_published(results[1])


def test_a_page_says_at_its_top_how_many_runs_are_missing(results):
    runs, figures, claims, out = results
    page = (make(results) / "eg2008" / "README.md").read_text()
    assert "Not complete" not in page
    for file in (figures / "eg2008").glob("*.json"):
        said = json.loads(file.read_text())
        file.write_text(json.dumps(said | {"runs": said["runs"][1:], "missing": said["runs"][:1]}))
    with pytest.raises(UserError, match=r"a figure was drawn before the run mnist.* was made: draw again"):
        make(results)
    with pytest.raises(UserError, match=r"the run mnist.* of a figure or claim is gone"):
        make((runs[1:], figures, claims, out))  # the claim is decided
    rewrite(claims / "eg2008.json", '"missing": []', '"missing": ["a run"]')
    head = (make((runs[1:], figures, claims, out)) / "eg2008" / "README.md").read_text().partition("## Claims")[0]
    assert "**Not complete: 1 of 2 runs are missing**" in head


@pytest.mark.parametrize("torn", [b"<svg><path", b"", b"\xff"])
def test_a_torn_drawing_is_named(results, torn):
    (results[1] / "eg2008" / "fig06-mnist.svg").write_bytes(torn)
    with pytest.raises(UserError, match=r"cannot read .*fig06-mnist\.svg \(.+\): draw the figures again"):
        make(results)


def test_lines_of_figures_are_kept_to_a_hundredth_of_a_point_and_not_indented(results):
    figure = results[1] / "eg2008" / "fig06-mnist.svg"
    figure.write_text(
        '<svg width="9.12345">\n  <path d="M 1.23456 -7.891234 \nL 2 0.5"/>\n <use x="3.14159"/></svg>'
    )
    folder = make(results) / "eg2008"
    drawn = (folder / figure.name).read_text()
    assert drawn == '<svg width="9.12345">\n<path d="M 1.23 -7.89 L 2 0.5"/>\n<use x="3.14"/>\n</svg>'
    plot = (folder / "evidence.svg").read_text()
    assert "\n " not in plot and len(plot) > 1000


def test_refusals(results, tmp_path):
    runs, figures, claims, out = results
    with pytest.raises(UserError, match=r"the run mnist.* of a figure or claim is gone or stale: make it"):
        publish.publish(out, runs[1:], figures, claims, ["eg2008"])
    file = figures / "eg2008" / "table1.json"
    drawn = file.read_text()
    file.write_text(json.dumps(json.loads(drawn) | {"failed": "it failed with ValueError: 1 < 0"}))
    with pytest.raises(
        UserError, match=r"the figure eg2008/table1, which is not drawn: it failed with ValueError"
    ):
        make(results)
    file.write_text(drawn)
    assert not out.exists()
    other = tmp_path / "other"
    for precious in (other / "README.md", other / "eg2008" / "chapter.tex"):
        precious.parent.mkdir(parents=True, exist_ok=True)
        precious.write_text("mine")
        with pytest.raises(
            UserError, match=r"other/(README.md|eg2008) is not of published results: choose another"
        ):
            publish.publish(other, runs, figures, claims, ["eg2008"])
        assert files(other)[precious.relative_to(other).as_posix()] == b"mine"
        precious.unlink()
    with pytest.raises(UserError, match=r"published.json cannot be read .*: publish it again"):
        published.altered(other)
    (other / published.RUNS).write_bytes(b"run,code_sha256\n")
    with pytest.raises(UserError, match=r"runs.csv.gz cannot be read .*: publish it again"):
        published.code(other)


@pytest.mark.skipif(not PUBLISHED.exists(), reason="nothing is published")
@pytest.mark.parametrize("paper", published.papers_of(PUBLISHED))
def test_what_the_repository_publishes_is_of_one_set_of_runs(paper):
    """Every curve is of a run in the table, and no run that is missing; nobody edited a page."""
    folder = PUBLISHED / paper
    assert published.altered(folder) == []
    listed = published.code(folder)
    assert not {*published.record(folder).missing} & listed.keys()
    curves = published.curves_of(folder)
    assert not curves.exists() or {key for key, _ in published_runs.curves_in(folder)} <= listed.keys()


@pytest.mark.skipif(not PUBLISHED.exists(), reason="nothing is published")
def test_the_published_index_is_that_of_the_papers_there():
    papers = {name: PUBLISHED / name for name in published.papers_of(PUBLISHED)}
    assert publish.index(papers) == (PUBLISHED / "README.md").read_text()
    files = (file for folder in papers.values() for file in folder.rglob("*"))
    assert sum(file.stat().st_size for file in files) < publish.LARGEST
