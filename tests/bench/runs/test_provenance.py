"""What a run is made with: the commit, and whether programs differ from it."""

import subprocess

from structbench.bench.runs import execute, problem_store, programs, provenance, results
from structbench.bench.runs.spec import make


def test_a_commit_is_marked_where_programs_differ_from_it(tmp_path, monkeypatch):
    monkeypatch.setattr(provenance, "ROOT", tmp_path)
    commit = provenance._commit.__wrapped__  # a process asks once
    assert commit() == "unknown"
    (tmp_path / "bench").mkdir()
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init"], ["commit", "--allow-empty", "-m", "none"]):
        subprocess.run([*git, *words], check=True, capture_output=True)
    clean = commit()
    assert len(clean) == 40
    (tmp_path / "notes.txt").touch()
    assert commit() == clean, "no program"
    (tmp_path / "bench" / "new.py").touch()
    assert commit() == f"{clean}+"


def test_a_copy_in_the_checkout_of_another_project_has_no_commit(tmp_path, monkeypatch):
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init"], ["commit", "--allow-empty", "-m", "none"]):
        subprocess.run([*git, *words], check=True, capture_output=True)
    monkeypatch.setattr(provenance, "ROOT", tmp_path / "site-packages")
    provenance.ROOT.mkdir()
    assert provenance._commit.__wrapped__() == "unknown"


def test_a_run_has_the_hash_of_its_programs_as_they_were_imported(tmp_path, monkeypatch):
    """Its algorithm may be edited while its problem is built."""
    asked: list[str] = []
    code, data = programs.sha256_of_run, problem_store.obtain
    monkeypatch.setattr(programs, "sha256_of_run", lambda spec: asked.append("code") or code(spec))
    monkeypatch.setattr(problem_store, "obtain", lambda *given: asked.append("data") or data(*given))
    monkeypatch.setenv(results.VARIABLE, str(tmp_path))
    spec = make("toy-points", "log", 1.0, "lbfgs", passes=2)
    assert execute.run_one(spec, tmp_path / "runs" / spec.key, lambda line: None).key == spec.key
    assert asked[0] == "code" and "data" in asked
