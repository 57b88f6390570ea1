"""What ``import structbench`` offers: runs made and read again, tables of them, a plot of gaps."""

import pytest

import structbench
from structbench.algorithms.runtime.errors import UserError
from structbench.bench.runs import results


def test_a_run_is_made_once_tabled_and_drawn(tmp_path, monkeypatch):
    monkeypatch.setenv(results.VARIABLE, str(tmp_path))
    data = "toy-english:sentences=20,test_sentences=10"
    made = [structbench.run(data, "lbfgs", loss="log", C=1, passes=5, memory=memory) for memory in (3, 10)]
    again = structbench.run(data, "lbfgs", loss="log", C=1, passes=5, memory=3)
    assert again.started == made[0].started
    table = structbench.runs()
    assert {*table.index} == {run.key for run in made} and {*table["param_memory"]} == {3, 10}
    assert table.loc[made[0].key, "test_error"] == made[0].summary["test_error"]
    assert structbench.runs(tmp_path).equals(table)
    axes = structbench.plot_gaps(made, x="cpu_seconds")
    assert [each.get_text() for each in axes.get_legend().get_texts()] == ["L-BFGS, memory 3", "L-BFGS, memory 10"]
    line = axes.get_lines()[0]
    assert line.get_ydata().tolist() == made[0].curve["relative_gap"].tolist()
    assert line.get_xdata().tolist() == made[0].curve["cpu_seconds"].tolist()
    assert axes.get_title() == f"{data}, log loss, C = 1"
    with pytest.raises(UserError, match="did you mean 'lbfgs'"):
        structbench.run(data, "lbgfs", loss="log", C=1)


def test_what_is_offered_is_there():
    assert {*structbench.OFFERED} <= {*dir(structbench)}
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = structbench.nothing
