"""Commits of published runs are in the history of the branch, or a sentence says why not."""

import subprocess

import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.report import history, published, published_check, sealed
from structbench.bench.runs import results
from structbench.bench.verbs.sharing import _check_published
from tests.bench import fake_runs


def git(folder, *words):
    mine = ["-c", "user.name=me", "-c", "user.email=me@here", "-c", "commit.gpgsign=false"]
    return subprocess.run(
        ["git", "-C", str(folder), *mine, *words], check=True, capture_output=True, text=True
    ).stdout.strip()


def commit(folder):
    git(folder, "commit", "--allow-empty", "-qm", "more")
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout: its folder, two commits of its branch, and one of another branch."""
    folder = tmp_path / "checkout"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    first = commit(folder)
    git(folder, "checkout", "-qb", "other")
    other = commit(folder)
    git(folder, "checkout", "-q", "main")
    git(folder, "commit", "--allow-empty", "-qm", "of main")
    monkeypatch.setattr(history, "ROOT", folder)
    return folder, first, git(folder, "rev-parse", "HEAD"), other


def test_commits_of_other_branches_of_no_repository_and_with_edits_are_outside(checkout):
    _, first, last, other = checkout
    lost = "5d994b9519fd380431c237e052de508de2f41479"
    assert history.outside_history([first, last, first[:12]]) == {}
    found = history.outside_history([first, other, lost, f"{last}+", "unknown", "--help"])
    assert found == {
        other: "is not in the history of this branch",
        lost: "is not in the history of this branch",
        f"{last}+": "has programs that are not committed",
        "unknown": "is no commit",
        "--help": "is no commit",
    }


def test_a_shallow_clone_and_a_folder_without_git_say_so(checkout, tmp_path, monkeypatch):
    folder, first, last, _ = checkout
    shallow, bare = tmp_path / "shallow", tmp_path / "checkout" / "installed"
    git(tmp_path, "clone", "-q", "--depth=1", folder.as_uri(), str(shallow))
    monkeypatch.setattr(history, "ROOT", shallow)
    assert history.outside_history([last]) == {}
    with pytest.raises(UserError, match=rf"this clone is shallow and lacks the commit {first}: .*--unshallow"):
        history.outside_history([first])
    bare.mkdir()  # in a repository that is not ours
    monkeypatch.setattr(history, "ROOT", bare)
    with pytest.raises(UserError, match=r"installed is no git checkout.*: use a clone"):
        history.outside_history([last])


def test_publish_refuses_runs_of_such_commits(checkout, ours, bench, made):
    code, _, said = bench("publish", "--config", "mine")
    assert "the commit" not in said and code == 2
    assert "grid-mine has neither figures nor claims yet: `python -m bench figures --claims" in said
    assert "leave out --config mine" in bench("publish", "--optima", "--config", "mine")[2]
    made(("mnist", 1.0, "eg"))
    code, _, said = bench("publish", "--config", "mine")
    assert code == 2 and "cannot publish 1 of 1 runs: the commit 0123456789abcdef" in said
    assert "is not in the history of this branch; commit the programs" in said
    fake_runs.write(results.runs(), C=1.0, machine={"git_commit": checkout[1]})
    assert "the commit" not in bench("publish", "--config", "mine")[2]


def test_check_fails_unless_the_commit_is_known_to_be_lost(checkout, tmp_path, capsys, monkeypatch):
    _, first, _, other = checkout
    folder = tmp_path / "results" / "eg2008"
    folder.mkdir(parents=True)
    (folder / published.INDEX).write_text("Code: old.\n")
    published.write_runs(folder, [fake_runs.write(tmp_path / "runs")])
    said = {name: [] for name in ("machines", "days", "findings", "missing")} | {"scale": "tiny", "seconds": 1}
    said |= {"counts": {}, "figures": {}, "claims": {}, "files": published.hashes(folder)}

    def checked(lost, *commits):
        record = said | {"commits": [[each, 1] for each in commits], "lost": lost}
        sealed.write_record(folder / published.RECORD, record)
        published_check.write_derived(folder.parent)
        return _check_published(folder.parent), capsys.readouterr().err

    assert checked([], first)[0] == 0
    code, err = checked([], first, other)
    assert code == 1 and f"eg2008: the commit {other} of 1 runs is not in the history of this branch: make" in err
    code, err = checked([other], first, other)
    assert code == 0 and "eg2008: commit lost of 1 of 1 runs, until they are made again" in err
    monkeypatch.setattr(history, "ROOT", tmp_path)
    code, err = checked([], other)
    assert code == 0 and "commits are not checked" in err and "is no git checkout" in err
