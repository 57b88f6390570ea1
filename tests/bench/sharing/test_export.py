"""The exported table holds what the runs hold, says what its columns are, and comes whole or not at all."""

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
from structbench.bench.sharing import columns, export
from tests.bench import fake_runs


@pytest.fixture
def runs(ours):
    return fake_runs.grid(results.runs())


@pytest.fixture
def out(ours):
    return ours / "export.parquet"


def test_a_row_for_each_checkpoint(ours, runs, out):
    far = fake_runs.write(hosts.runs("far"), seed=5)
    made = export.export([*runs, far], out)
    points = pd.read_parquet(out)
    assert (len(runs) + 1, len(points)) == (23, 23 * 60)
    assert made == f"{out}: 23 runs, 1,380 checkpoints"
    for run in (runs[0], runs[-1], far):
        own = points[points.run == run.folder.relative_to(ours).as_posix()]
        for column in run.curve:
            given = run.curve[column].to_numpy()
            np.testing.assert_array_equal(np.asarray(own[columns.of_curve(column)], float), given)
        assert {*own.key} == {run.key} and {*own.host} == {"bench-host"} and {*own.seed} == {run.spec.seed}
        assert {*own.max_passes} == {60.0} and {*own.C} == {run.spec.C}
    assert points[points.algorithm == "eg"].param_order.notna().all()
    assert points[points.algorithm == "lbfgs"].param_order.isna().all()
    assert points[points.algorithm == "sgd"].dual.isna().all()
    assert math.inf in set(points.primal)  # the one that diverged


def test_a_curve_says_nothing_of_what_run_it_is(ours, runs, out):
    file = runs[0].folder / "curve.parquet"
    pd.read_parquet(file).assign(host=1.0, seed=7.0).to_parquet(file, index=False)
    export.export(runs, out)
    points = pd.read_parquet(out)
    assert {*points.host} == {"bench-host"} and {*points[points.key == runs[0].key].seed} == {runs[0].spec.seed}


def test_each_row_says_how_its_run_ended(runs, out):
    export.export(runs, out)
    table = pd.read_parquet(out).groupby("key").last()
    assert len(table) == len(runs)
    for run in runs:
        row = table.loc[run.key]
        for name in ("status", "message", "test_error"):
            assert row[name] == run.summary[name]
        assert row.note_eta == 0.5 and len(row.provenance_code_sha256) == 64
    assert table.train_f1.isna().all() and table.dtypes["seed"] == "int64"


def test_it_is_written_in_pieces_that_make_no_difference(ours, runs, out, monkeypatch):
    export.export(runs, out)
    monkeypatch.setattr(export, "PIECE_ROWS", 100)
    export.export(runs, ours / "pieces.parquet")
    pieces = pq.ParquetFile(ours / "pieces.parquet")
    assert pieces.num_row_groups == 11
    assert pieces.read().equals(pq.read_table(out))


def test_every_column_is_described(runs, out):
    export.export(runs, out)
    schema = pq.read_schema(out)
    assert all(schema.field(k).metadata[b"meaning"] for k in range(len(schema)))
    assert schema.field("wall_seconds").metadata[b"unit"] == b"s"
    names = {f"{split}_{what}" for split in ("train", "test") for what in QUALITY}
    assert all(columns.about(name)["meaning"] for name in names), "of the driver's own curve and summary"
    assert {name for name in names if columns.about(name)["unit"]} == {"train_seconds", "test_seconds"}
    assert columns.about("test_own")["meaning"].startswith("score own of the predictions on the test split")


def test_values_of_several_types_share_a_column():
    rows = [{"a": 1, "b": True, "c": None, "d": 1}, {"a": 2.5, "b": None, "d": "auto"}, {"e": 2**70}]
    kinds = {field.name: str(field.type) for field in export.table_of(rows).schema}
    assert kinds == {"a": "double", "b": "bool", "c": "string", "d": "string", "e": "double"}


def test_a_curve_that_is_broken_is_named(runs, out, capsys):
    (runs[0].folder / "curve.parquet").write_bytes(b"")
    assert export.export(runs, out).endswith(f"{21 * 60:,} checkpoints")
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith("left out: ") and runs[0].key in said


def test_an_export_replaces_the_one_before(ours, runs, out, monkeypatch):
    export.export(runs, out)
    export.export(runs[:1], out)
    before = out.read_bytes()
    assert pd.read_parquet(out).run.nunique() == 1

    def full(*words):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch, pytest.raises(UserError, match="No space left on device"):
        patch.setattr(export, "_write", full)
        export.export(runs, out)
    assert out.read_bytes() == before
    assert [file.name for file in ours.iterdir() if file.name.startswith(".")] == []
    for strange in (ours / "tables", ours / "runs.csv", ours / "runs"):
        with pytest.raises(UserError, match=r"a file that ends in \.parquet, not '.*(tables|csv|runs)'"):
            export.export(runs, strange)


def test_the_verb_exports_all_runs_or_those_of_a_config(runs, out, capsys, tmp_path):
    fake_runs.write(hosts.runs("far"), seed=5)
    assert main(["export"]) == 0
    assert f"{out}: 23 runs, 1,380 checkpoints" in capsys.readouterr().err
    config = {"scale": "tiny", "figures": [], "grids": [
        {"name": "one", "data": ["mnist"], "C": [10], "algorithms": {"eg": {}}, "passes": 60, "seeds": [0, 5]},
    ]}  # fmt: skip
    file = tmp_path / "one.yaml"
    file.write_text(json.dumps(config))
    assert main(["export", "--config", str(file), "--out", str(tmp_path / "one.parquet")]) == 0
    rooms = pd.read_parquet(tmp_path / "one.parquet").run.str.partition("/")[0]
    assert [*rooms.unique()] == ["runs", "hosts"]
    for run in store.all_runs(results.runs()):
        (run.folder / "summary.json").unlink()
    file.write_text(json.dumps(config | {"figures": ["scaling"], "grids": []}))
    assert main(["export", "--config", str(file)]) == 2
    assert "no run of the config" in capsys.readouterr().err
