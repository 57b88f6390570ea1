"""What a run is made with: the commit, and whether programs differ from it."""

import subprocess

from structbench.bench.runs import provenance


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
