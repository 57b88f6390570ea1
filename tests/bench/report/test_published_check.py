"""``publish --check`` names each edit of what is published, and heals no page in silence."""

import json
import shutil
from dataclasses import replace

import pytest

from structbench.bench.report import performance, publish, published, published_check, sealed
from structbench.bench.verbs.sharing import _check_published
from tests.bench import fake_runs


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    """A published paper with comparisons, and all pages."""
    folder = tmp_path_factory.mktemp("made")
    runs = [fake_runs.write(folder / "runs", algorithm=name) for name in ("eg", "lbfgs")]
    fake_runs.figures(folder / "figures", runs)
    fake_runs.claims(folder / "claims", runs)
    publish.publish(folder / "out", runs, folder / "figures", folder / "claims", ["eg2008"])
    sealed.write_record(folder / "out" / performance.RECORD, performance.Kept(waiting=3))
    published_check.write_derived(folder / "out")
    return folder / "out"


@pytest.fixture
def out(once, tmp_path, monkeypatch):
    monkeypatch.setattr("structbench.bench.report.history.outside_history", lambda commits: {})
    return shutil.copytree(once, tmp_path / "out")


def edit(file, **said):
    file.write_text(json.dumps(json.loads(file.read_text()) | said))


def test_what_was_published_passes(out, capsys):
    assert _check_published(out) == 0, capsys.readouterr().err
    assert _check_published(out) == 0 and "wrote" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("eg2008/published.json", {"counts": {"own": {"reproduced": 99}}}),
        ("eg2008/published.json", {"seconds": 1.0}),
        ("eg2008/published.json", {"claims": {}}),
        ("eg2008/published.json", {"sha256": ""}),
        ("contests.json", {"waiting": 0}),
    ],
)
def test_an_edited_record_is_named_and_no_page_is_written_from_it(out, capsys, name, said):
    edit(out / name, **said)
    before = {file: file.read_bytes() for file in out.rglob("*") if file.is_file()}
    for _ in range(2):
        assert _check_published(out) == 1 and f"{out / name} is not as it was published" in capsys.readouterr().err
    assert {file: file.read_bytes() for file in out.rglob("*") if file.is_file()} == before


def test_a_lost_commit_may_be_written_by_hand(out):
    edit(out / "eg2008" / published.RECORD, lost=["0123456789abcdef"])
    assert _check_published(out) == 0


@pytest.mark.parametrize("name", ["README.md", "what-held.md", "optima.csv", "optima.md", "explorer/index.html"])
def test_an_edited_page_is_named_and_written_again(out, capsys, name):
    file = out / name
    before = file.read_text(encoding="utf-8")
    file.write_text(before.replace(before.splitlines()[0], "better", 1), encoding="utf-8")
    assert _check_published(out) == 1 and f"wrote {file}: it was not" in capsys.readouterr().err
    assert file.read_text(encoding="utf-8") == before and _check_published(out) == 0


def test_verdicts_and_counts_that_the_evidence_does_not_give_are_named(out, capsys):
    """Even with a hash of their own; not if the rules changed since."""
    folder = out / "eg2008"
    said = published.record(folder)
    name, claim = next(iter(said.claims.items()))
    edited = replace(said, claims=said.claims | {name: replace(claim, holds=claim.holds + 7)}, counts={})
    sealed.write_record(folder / published.RECORD, edited)
    assert published_check.contradictions(folder) == ["counts", name]
    assert _check_published(out) == 1
    assert f"{name} is not what the evidence gives" in capsys.readouterr().err
    sealed.write_record(folder / published.RECORD, replace(edited, rules="0" * 64))
    assert published_check.contradictions(folder) == []
