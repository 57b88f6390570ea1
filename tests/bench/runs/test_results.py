"""What runs produced is removed, and nothing else."""

import os

from structbench.bench.runs import results

OURS = ("mlflow.db", "quick/figures/eg2008/a.png", "quick/claims/eg2008.json", "logs/log")
STAY = ("README.md", "data/mnist", "thesis/chapter.tex", "mixed/figures/a.png", "mixed/chapter.tex", "notes.txt")


def test_only_what_runs_produced_is_removed(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv(results.VARIABLE, str(tmp_path / "results"))
    for name in (*OURS, *STAY, "empty/x"):
        file = tmp_path / "results" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    (tmp_path / "results" / "empty" / "x").unlink()
    (tmp_path / "results" / "hosts").symlink_to(tmp_path)
    assert results.all_figures().keys() == {"quick", "mixed"}
    before = sorted(os.listdir(tmp_path / "results"))
    results.clean()
    assert sorted(os.listdir(tmp_path / "results")) == before, "without runs it is no folder of results"
    assert capsys.readouterr().out == f"removed the results in {tmp_path}/results\n"
    (tmp_path / "results" / "runs" / "key").mkdir(parents=True)
    results.clean()
    assert sorted(os.listdir(tmp_path / "results")) == sorted(
        {name.partition("/")[0] for name in STAY} | {"empty", "hosts"}
    )
    kept = ", ".join(f"{tmp_path}/results/{name}" for name in ("empty", "hosts", "mixed", "notes.txt", "thesis"))
    assert f"; kept {kept}, which runs did not produce\n" in capsys.readouterr().out
