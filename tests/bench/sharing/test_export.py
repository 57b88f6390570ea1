"""The exported tables hold what the runs hold, say what their columns are, and come whole or not at all."""

import json
import math

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.__main__ import main
from structbench.bench.runs import hosts, results, store
from structbench.bench.runs.quality import QUALITY
from structbench.bench.sharing import columns, tables
from structbench.bench.sharing.export import FILES, export
from tests.bench import fake_runs


@pytest.fixture
def runs(ours):
    return fake_runs.grid(results.runs())


def read(folder, name):
    """The table from both of its files, which hold the same."""
    table = pd.read_parquet(folder / f"{name}.parquet")
    text = pd.read_csv(folder / f"{name}.csv", dtype=str)
    assert [*text] == [*table] and len(text) == len(table)
    for column in table:
        if table[column].dtype == float:
            np.testing.assert_array_equal(text[column].astype(float).to_numpy(), table[column].to_numpy())
    return table


def test_a_row_for_each_checkpoint(ours, runs):
    far = fake_runs.write(hosts.runs("far"), seed=5)
    out = ours / "tables"
    made = export([*runs, far], {}, out)
    points = read(out, "checkpoints")
    assert (made.runs, made.checkpoints) == (len(runs) + 1, len(points)) == (23, 23 * 60)
    for run in (runs[0], runs[-1], far):
        own = points[points.run == run.folder.relative_to(ours).as_posix()]
        for column in run.curve:
            given = run.curve[column].to_numpy()
            np.testing.assert_array_equal(own[columns.of_curve(column)].to_numpy(float), given)
        assert {*own.key} == {run.key} and {*own.host} == {"bench-host"} and {*own.seed} == {run.spec["seed"]}
        assert {*own.max_passes} == {60.0} and {*own.C} == {run.spec["C"]}
    assert points[points.algorithm == "eg"].param_order.notna().all()
    assert points[points.algorithm == "lbfgs"].param_order.isna().all()
    assert points[points.algorithm == "sgd"].dual.isna().all()
    assert math.inf in set(points.primal)  # the one that diverged


def test_a_row_for_each_run(ours, runs):
    export(runs, {}, ours / "tables")
    table = read(ours / "tables", "runs").set_index("key")
    assert len(table) == len(runs)
    for run in runs:
        row = table.loc[run.key]
        for name in ("status", "message", "test_error"):
            assert row[name] == run.summary[name]
        assert row.note_eta == 0.5 and len(row.provenance_code_sha256) == 64
    assert table.train_f1.isna().all() and table.dtypes["seed"] == "int64"


def test_tables_are_written_in_pieces_that_make_no_difference(ours, runs, monkeypatch):
    export(runs, {}, ours / "whole")
    monkeypatch.setattr(tables, "PIECE_ROWS", 100)
    export(runs, {}, ours / "pieces")
    pieces = pq.ParquetFile(ours / "pieces" / "checkpoints.parquet")
    assert pieces.num_row_groups == 11
    assert pieces.read().equals(pq.read_table(ours / "whole" / "checkpoints.parquet"))
    for name in ("checkpoints.csv", "runs.csv", "columns.csv"):
        assert (ours / "pieces" / name).read_bytes() == (ours / "whole" / name).read_bytes()


def test_every_column_is_described(ours, runs):
    export(runs, {}, ours / "tables")
    said = pd.read_csv(ours / "tables" / "columns.csv", keep_default_na=False)
    for name in ("checkpoints", "runs"):
        assert [*said[said.table == name].column] == [*read(ours / "tables", name)]
        schema = pq.read_schema(ours / "tables" / f"{name}.parquet")
        assert all(schema.field(k).metadata[b"meaning"] for k in range(len(schema)))
    assert all(said.meaning) and {*said.type} <= {"number", "whole number", "text", "true or false"}
    assert said.set_index("column").unit["wall_seconds"].iloc[0] == "s"
    names = {f"{split}_{what}" for split in ("train", "test") for what in QUALITY}
    assert names <= columns.KNOWN.keys(), "of the driver's own curve and summary"
    assert {name for name in names if columns.KNOWN[name].unit} == {"train_seconds", "test_seconds"}
    assert columns.about("test_own").meaning.startswith("score own of the predictions on the test split")


def test_values_of_several_types_share_a_column():
    rows = [{"a": 1, "b": True, "c": None, "d": 1}, {"a": 2.5, "b": None, "d": "auto"}, {"e": 2**70}]
    kinds = {name: str(kind) for name, kind in tables.kinds(rows).items()}
    assert kinds == {"a": "double", "b": "bool", "c": "string", "d": "string", "e": "double"}
    table = tables.constant({"d": 1, "b": False}, 1, tables.schema(tables.kinds(rows)))
    assert table.to_pylist() == [{"a": None, "b": False, "c": None, "d": "1", "e": None}]


def test_the_numbers_of_figures_come_by_config_and_a_curve_that_is_broken_is_named(ours, runs, capsys):
    (runs[0].folder / "curve.parquet").write_bytes(b"")
    folder = results.figures("quick") / "eg2008"
    folder.mkdir(parents=True)
    for stem in ("fig04", "fig05"):
        sidecar = fake_runs.SIDECAR | {"title": "Figure 4", "caption": "EG.", "runs": ["a", "b"]}
        (folder / f"{stem}.json").write_text(json.dumps(sidecar))
    (folder / "fig04.csv").write_text("x\n1\n")
    made = export(runs, results.all_figures(), ours / "tables")
    (said,) = pd.read_csv(ours / "tables" / "figures.csv").to_dict("records")
    assert said == {
        "config": "quick", "paper": "eg2008", "figure": "fig04", "title": "Figure 4", "caption": "EG.", "runs": 2,
        "missing": 0, "outdated": 2, "file": "figures/quick/eg2008/fig04.csv",
    }  # fmt: skip
    assert made.figures == 1 and (ours / "tables" / said["file"]).read_text() == "x\n1\n"
    assert made.checkpoints == 21 * 60 and len(read(ours / "tables", "runs")) == 22
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith("left out: ") and runs[0].key in first
    assert "fig05" in second  # drawn before figures kept their numbers


def test_an_export_replaces_the_one_before_and_nothing_else(ours, runs, monkeypatch):
    out = ours / "tables"
    export(runs, {}, out)
    export(runs[:1], {}, out)
    before = {file.name: file.read_bytes() for file in out.iterdir()}
    assert len(read(out, "runs")) == 1 and before.keys() <= set(FILES)

    def full(*words):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch, pytest.raises(UserError, match="No space left on device"):
        patch.setattr(tables, "write", full)
        export(runs, {}, out)
    assert {file.name: file.read_bytes() for file in out.iterdir()} == before
    assert [file.name for file in ours.iterdir() if file.name.endswith(".partial")] == []
    (out / "thesis.tex").write_text("three years of work")
    with pytest.raises(UserError, match="holds something other than an export"):
        export(runs, {}, out)
    assert len(read(out, "runs")) == 1
    (linked := ours / "linked").symlink_to(export(runs[:1], {}, ours / "other").folder)
    for strange in (out / "thesis.tex", out / "thesis.tex" / "below", linked):
        with pytest.raises(UserError):
            export(runs, {}, strange)


def test_the_verb_exports_all_runs_or_those_of_a_config(ours, runs, capsys, tmp_path):
    fake_runs.write(hosts.runs("far"), seed=5)
    assert main(["export"]) == 0
    assert "23 runs, 1,380 checkpoints, 0 figures" in capsys.readouterr().err
    assert results.all_figures() == {}  # the export's own are none of a config
    config = {"scale": "tiny", "figures": [], "grids": [
        {"name": "one", "data": ["mnist"], "C": [10], "algorithms": {"eg": {}}, "passes": 60, "seeds": [0, 5]},
    ]}  # fmt: skip
    file = tmp_path / "one.yaml"
    file.write_text(json.dumps(config))
    assert main(["export", "--config", str(file), "--out", str(tmp_path / "out")]) == 0
    assert [*read(tmp_path / "out", "runs").run.str.partition("/")[0]] == ["runs", "hosts"]
    for run in store.all_runs():
        (run.folder / "summary.json").unlink()
    file.write_text(json.dumps(config | {"figures": ["scaling"], "grids": []}))
    assert main(["export", "--config", str(file)]) == 2
    assert "no finished run to export" in capsys.readouterr().err
