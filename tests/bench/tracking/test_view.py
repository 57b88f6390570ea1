"""What MLflow shows of runs and figures is what their files hold, and its pages find it."""

import base64
import json
import shutil
import sqlite3
import zlib
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import mlflow
import numpy as np
import pytest
from mlflow import MlflowClient
from mlflow.utils.validation import MAX_TAG_VAL_LENGTH

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.drawing import colours
from structbench.bench.runs import problems, store
from structbench.bench.tracking import amend as amending
from structbench.bench.tracking import bulk, mlflow_view, pages, saved_views
from structbench.bench.tracking.track import track
from tests.bench import fake_runs
from tests.bench.tracking.logged import counted, found, history, only, shown

ROOT = Path(__file__).parents[3]

pytestmark = pytest.mark.usefixtures("place")


def test_parameters_tags_metrics_and_artifacts_are_those_of_the_files(uri, run):
    track([run], uri)
    seen = only(uri)
    expected = {"data": "mnist", "loss": "log", "C": "10", "algorithm": "eg", "order": "random", "seed": "0"}
    assert expected.items() <= seen.data.params.items()
    provenance = {"host": "bench-host", "threads": "1", "data_sha256": "ba89" * 16, "status": "passes"}
    assert provenance.items() <= seen.data.tags.items()
    last = run.curve.iloc[-1]
    assert seen.data.metrics["primal"] == last["primal"]
    assert seen.data.metrics["test_error_percent"] == pytest.approx(100 * last["test_error"])
    assert seen.data.metrics["train_error_percent"] == pytest.approx(6)
    points = MlflowClient(uri).get_metric_history(seen.info.run_id, "gap")
    times = sorted(point.timestamp - seen.info.start_time for point in points)
    assert times == (1000 * run.curve["wall_seconds"]).round().tolist()
    steps, values = zip(*history(uri, "gap"), strict=True)
    assert list(steps) == [round(1000 * passes) for passes in run.curve["passes"]]
    assert list(values) == run.curve["gap"].tolist()
    (data,) = seen.inputs.dataset_inputs
    assert (data.dataset.name, data.dataset.digest) == ("mnist", "ba89" * 4)
    source = mlflow.data.get_source(data).to_dict()
    assert source["tags"]["mlflow.source.name"] == "python -m bench data show mnist"
    assert seen.data.tags["mlflow.source.type"] == "LOCAL"
    assert seen.info.start_time == round(1000 * run.started)
    assert seen.info.end_time - seen.info.start_time == round(1000 * last["wall_seconds"])
    assert run.command in seen.data.tags["mlflow.note.content"]
    artifacts = Path(seen.info.artifact_uri.removeprefix("file://"))
    assert (artifacts / "spec.json").read_text() == (run.folder / "spec.json").read_text()
    assert (artifacts / "curve.csv").read_text().count("\n") == 13


TABLES = {  # of MLflow's database -> the columns that tell nothing of a run: ids, and addresses with ids
    "runs": ("run_uuid", "artifact_uri"), "tags": ("run_uuid",), "params": ("run_uuid",), "metrics": ("run_uuid",),
    "latest_metrics": ("run_uuid",), "datasets": ("dataset_uuid",),
    "inputs": ("input_uuid", "source_id", "destination_id"), "input_tags": ("input_uuid",),
}  # fmt: skip


def test_a_run_that_is_written_at_once_is_as_mlflow_would_write_it(tmp_path, empty, monkeypatch):
    runs = [fake_runs.write(tmp_path / "runs", C=C, checkpoints=12) for C in (1.0, 10.0)]  # of one data set
    runs.append(fake_runs.write(tmp_path / "runs", algorithm="sgd", eta0=1.0, diverges=True))
    seen = []
    for name, works in (("at-once", True), ("step-by-step", False)):
        (tmp_path / name).mkdir()
        uri = f"sqlite:///{shutil.copy(empty, tmp_path / name / 'mlflow.db')}"
        with monkeypatch.context() as patch:
            if not works:
                patch.setattr(bulk, "place", lambda *given: None)
            track(runs, uri)
        tables = {}
        with sqlite3.connect(tmp_path / name / "mlflow.db") as database:
            database.row_factory = sqlite3.Row
            for table, apart in TABLES.items():
                rows = [dict(row) for row in database.execute(f"SELECT * FROM {table}")]
                tables[table] = sorted(str({k: v for k, v in row.items() if k not in apart}) for row in rows)
        files = (file for file in sorted((tmp_path / name / "mlartifacts").rglob("*")) if file.is_file())
        content = sorted((file.parent.name, file.name, file.read_bytes()) for file in files)
        seen.append((tables, content, [run.to_dictionary()["data"] for run in found(uri, "params.C = '1'")]))
    assert seen[0] == seen[1] and len(seen[0][0]["metrics"]) > 300 and len(seen[0][1]) == 9


def test_a_run_that_cannot_be_written_at_once_leaves_no_artifacts(tmp_path, uri, run, monkeypatch):
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(bulk, "add", lambda *given: (_ for _ in ()).throw(KeyboardInterrupt))
        track([run], uri)
    assert shown(uri) == [] and not [*(tmp_path / "mlartifacts").rglob("*.json")]
    assert track([run], uri) == counted(logged=1)


def test_values_that_are_not_finite_are_left_out_and_said(tmp_path, uri):
    run = fake_runs.write(tmp_path / "runs", checkpoints=12, diverges=True)
    track([run], uri)
    seen = only(uri)
    assert seen.info.status == "FAILED"
    assert seen.data.tags["status"] == "diverged"
    assert seen.data.tags["non_finite_points"] == "primal: 1, gap: 1, relative_gap: 1"
    assert len(history(uri, "primal")) == 11
    assert len(history(uri, "dual")) == 12
    assert all(np.isfinite(value) for _, value in history(uri, "primal"))
    assert "test_f1_percent" not in seen.data.metrics  # does not apply, so none is left out


@pytest.mark.parametrize("strengths", [[10.0] * 12, [10.0] * 6 + [1.0] * 6])
def test_the_strength_is_a_metric_where_it_changes(run, strengths):
    run.__dict__["curve"] = run.curve.assign(C=strengths)
    points = [point.value for point in mlflow_view.of_run(run, []).points if point.key == "C"]
    assert points == (strengths if len(set(strengths)) > 1 else [])


def test_a_long_curve_keeps_few_points_first_and_last_among_them(tmp_path, uri):
    run = fake_runs.write(tmp_path / "runs", checkpoints=1500, data="ocr")
    run = store.amend(run, {"train_f1": 0.5, "notes": {f"note{number}": number for number in range(120)}})
    track([run], uri)
    view, seen = mlflow_view.of_run(run, ["ocr-log"]), only(uri)  # more of all than MLflow takes in one call
    for key in {point.key for point in view.points}:
        assert len(history(uri, key)) == sum(point.key == key for point in view.points)
    assert view.tags.items() <= seen.data.tags.items()
    assert seen.data.metrics["train_f1_percent"] == 50
    assert seen.data.metrics["test_f1_percent"] == pytest.approx(100 * run.curve["test_f1"].iloc[-1])
    points = history(uri, "primal")
    assert [points[0][1], points[-1][1]] == run.curve["primal"].iloc[[0, -1]].tolist()
    passes = np.concatenate([[0.0], np.geomspace(0.1, 1000, 2000)])  # ten thousandfold
    rows = mlflow_view._evenly(passes)
    assert (len(rows), rows[0], rows[-1]) == (199, 0, 2000)
    assert np.diff(rows)[1:].tolist() == pytest.approx([2000 / 197] * 197, abs=1.5)
    assert len(mlflow_view._evenly(passes[:200])) == 200 and len(mlflow_view._evenly(passes[:201])) < 201


def test_a_call_of_mlflows_has_no_more_than_it_takes():
    calls, texts = [], {str(k): str(k) for k in range(250)}
    client = SimpleNamespace(log_batch=lambda run, metrics, params, tags: calls.append((metrics, params, tags)))
    points = [mlflow_view.Point("primal", float(k), k, k) for k in range(1700)]
    amending._log_batch(client, "run", points, texts, dict(list(texts.items())[:101]))
    for part, wanted, most in zip(zip(*calls, strict=True), (1700, 250, 101), (800, 100, 100), strict=True):
        said = [each.value for call in part for each in call]
        assert [float(value) for value in said] == [*range(wanted)] and max(map(len, part)) == most
    assert len(calls) == 3


FILTERS = {
    "params.algorithm = 'eg' AND params.C = '10'": ["eg C=10", "eg C=10 order=cyclic", "eg C=10 seed=3"],
    "params.seed = '3'": ["eg C=10 seed=3"],
    "tags.status = 'diverged'": ["sgd C=10 eta0=1"],
    "attributes.status = 'FAILED'": ["sgd C=10 eta0=1"],
    "metrics.relative_gap < 1e-3 AND params.order = 'cyclic'": ["eg C=10 order=cyclic"],
    "tags.families LIKE 'eg2008/%'": ["lbfgs C=1"],
    "tags.git_commit LIKE '0123456%' AND params.algorithm = 'lbfgs'": ["lbfgs C=1"],
    "dataset.name = 'mnist' AND params.algorithm = 'lbfgs'": ["lbfgs C=1"],
    "tags.non_finite_points LIKE '%primal%'": ["sgd C=10 eta0=1"],
}


def test_names_and_filters_those_of_the_guide_among_them(filtered):
    assert {each: shown(filtered, each) for each in FILTERS} == FILTERS
    guide = (ROOT / "docs" / "how-to" / "tracking.md").read_text()
    filters = guide.split("```sql\n")[1].split("```")[0].splitlines()
    assert len(filters) >= 8
    for line in filters:
        shown(filtered, line.partition("--")[0].strip())


@pytest.fixture(scope="module")
def filtered(empty, tmp_path_factory):
    folder = tmp_path_factory.mktemp("filtered")
    uri = f"sqlite:///{shutil.copy(empty, folder / 'mlflow.db')}"
    given = [{}, {"order": "cyclic"}, {"seed": 3}, {"algorithm": "lbfgs", "C": 1.0}]
    runs = [fake_runs.write(folder / "runs", checkpoints=12, **options) for options in given]
    runs.append(fake_runs.write(folder / "runs", algorithm="sgd", eta0=1.0, diverges=True))
    track(runs, uri, families={runs[3].key: ["eg2008/mnist-log"]})
    return uri


def test_figures_are_shown_with_their_titles_those_of_two_configs_side_by_side(tmp_path, uri, run):
    fake_runs.figures(tmp_path / "figures", [run, fake_runs.write(tmp_path / "runs", data="ocr")])
    for config in ("quick", "paper"):
        shutil.copytree(tmp_path / "figures", tmp_path / config / "figures")
        assert track([], uri, figures=tmp_path / config / "figures")["logged"] == 1
    assert shown(uri, "tags.paper = 'eg2008'") == ["eg2008", "eg2008"]
    seen = only(uri, "tags.config = 'quick'")
    note = seen.data.tags["mlflow.note.content"]
    assert f"![fig04-mnist](get-artifact?path=fig04-mnist.png&run_uuid={seen.info.run_id})" in note
    assert "#### Figure 4 on mnist\n" in note
    names = {file.path for file in MlflowClient(uri).list_artifacts(seen.info.run_id)}
    assert {"fig04-mnist.png", "fig04-mnist.pdf", "fig04-ocr.svg"} <= names


@pytest.mark.parametrize("length", range(200, 440, 8))  # of which some leave little room, and some much
def test_as_many_figures_are_shown_as_a_note_holds(tmp_path, length):
    title = "T" * length
    for number in range(50):
        said = fake_runs.SIDECAR | {"title": title, "caption": "C" * 1000}
        (tmp_path / f"fig{number:02}.json").write_text(json.dumps(said))
    note = mlflow_view.of_figures(tmp_path, "quick").description.replace("{run_id}", "0" * 32)
    entries = note.split("\n#### ")[1:]
    last, said = entries.pop().split("\n\n", 2)[1:], [f"{title}\n\n![fig{k:02}](" for k in range(50)]
    assert all(entry.startswith(words) for entry, words in zip(entries, said, strict=False))
    assert last[1] == f"{50 - len(entries) - 1} more figures are under Artifacts.\n"
    assert MAX_TAG_VAL_LENGTH - len(f"\n#### {entries[0]}") < len(note) <= MAX_TAG_VAL_LENGTH


def test_the_saved_view_names_metrics_and_parameters_that_runs_have(uri, run):
    track([run], uri)
    seen = only(uri)
    tags = MlflowClient(uri).get_experiment(seen.info.experiment_id).tags
    packed = json.loads(tags["mlflow.sharedViewState.convergence"])["state"].removeprefix("deflate;")
    state = json.loads(zlib.decompress(base64.b64decode(packed)))
    has = {"metrics": seen.data.metrics, "params": seen.data.params, "tags": seen.data.tags}
    for column in state["selectedColumns"]:
        kind, _, name = column.partition(".")
        assert name.strip("`") in has[kind]
    charts = [(chart["metricKey"], chart["selectedXAxisMetricKey"]) for chart in state["compareRunCharts"]]
    axes = ("passes", "wall_seconds")
    assert charts == [*product(("relative_gap", "primal", "test_error_percent"), axes)]
    assert {name for pair in charts for name in pair} <= {*seen.data.metrics}
    assert [chart["scaleType"] for chart in state["compareRunCharts"]] == ["log"] * 4 + ["linear"] * 2
    assert state["compareRunSections"][0]["columns"] == 2


def views(uri):
    """Name of a saved view -> its filter and the metrics of its charts."""
    every = [each.tags for each in MlflowClient(uri).search_experiments()]
    tags = {key: text for each in every for key, text in each.items() if key.startswith(saved_views.TAG)}
    said = [json.loads(text) for _, text in sorted(tags.items())]
    states = [
        json.loads(zlib.decompress(base64.b64decode(each["state"].removeprefix("deflate;")))) for each in said
    ]
    return {
        each["name"]: (state["searchFilter"], {chart["metricKey"] for chart in state["compareRunCharts"]})
        for each, state in zip(said, states, strict=True)
    }


def test_each_C_has_a_view_and_a_view_that_another_config_or_a_user_made_stays(tmp_path, uri):
    runs = [fake_runs.write(tmp_path / "runs", C=C, checkpoints=12) for C in (1.0, 10.0, 100.0)]
    some = {"relative_gap", "primal", "test_error_percent"}
    families = {run.key: ["eg2008/mnist-log"] for run in runs}
    track(runs[:2], uri, families=families)
    both = {"Convergence": ("", some)} | {f"Convergence, C = {C}": (f"params.C = '{C}'", some) for C in (1, 10)}
    assert views(uri) == both
    client, experiment = MlflowClient(uri), only(uri, "params.C = '1'").info.experiment_id
    tag = f"{saved_views.TAG}convergence-C-1"
    mine = client.get_experiment(experiment).tags[tag].replace("Convergence, C = 1", "mine")
    client.set_experiment_tag(experiment, tag, mine)
    track(runs[1:], uri, families=families)
    third = {"Convergence, C = 100": ("params.C = '100'", some), "mine": ("params.C = '1'", some)}
    assert views(uri) == {name: both[name] for name in ("Convergence", "Convergence, C = 10")} | third


def test_names_begin_with_what_differs_and_lines_have_the_colours_of_our_figures(tmp_path, uri):
    runs = [fake_runs.write(tmp_path / "runs", C=C, checkpoints=12) for C in (1.0, 10.0)]
    track(runs, uri, families={run.key: ["eg2008/mnist-log"] for run in runs})
    assert shown(uri) == ["C=1 eg", "C=10 eg"]
    assert {run.data.tags["mlflow.runColor"] for run in found(uri)} == {colours.colour("eg")}
    client, seen = MlflowClient(uri), found(uri)[0]
    client.set_tag(seen.info.run_id, "mlflow.runColor", "#123456")
    store.amend(runs[0], {"status": "timeout"})
    track([store.read(run.folder) for run in runs], uri)
    assert "#123456" in {run.data.tags["mlflow.runColor"] for run in found(uri)}, "a user's choice"


def test_data_sets_are_read_back_and_answers_are_artifacts_of_the_figures(tmp_path, uri, monkeypatch):
    run = fake_runs.write(tmp_path / "runs", checkpoints=12)
    place = problems.folder("mnist")
    place.mkdir(parents=True)
    (place / "labels.npy").write_bytes(b"arrays")
    try:
        fake_runs.figures(tmp_path / "figures", [run])
        fake_runs.claims(tmp_path / "claims", [run])
        track([run], uri, figures=tmp_path / "figures", claims=tmp_path / "claims")
        (data,) = only(uri, "params.algorithm = 'eg'").inputs.dataset_inputs
        assert Path(mlflow.data.get_source(data).load(), "labels.npy").read_bytes() == b"arrays"
    finally:
        shutil.rmtree(place)
    files = Path(only(uri, "tags.paper = 'eg2008'").info.artifact_uri.removeprefix("file://"))
    assert json.loads((files / "answers.json").read_text())["claims"][0]["verdict"] == "reproduced"
    assert (
        "Randomized EG beats deterministic EG (Figure 5)\n  not reproduced" in (files / "answers.txt").read_text()
    )


def test_the_addresses_of_pages_are_those_of_experiments_and_of_their_views(tmp_path, uri, database):
    runs = [fake_runs.write(tmp_path / "runs", C=C, checkpoints=12) for C in (10.0, 2.0)]
    track(runs, uri)
    there = only(uri, "params.C = '2'").info.experiment_id
    page = f"http://x:1/#/experiments/{there}/runs?workflowType=machine_learning"
    view = f"{page}&compareRunsMode=CHART&viewStateShareKey=convergence"
    names = {"Convergence": "", "C = 2": "-C-2", "C = 10": "-C-10"}
    expected = [(f"  {name}", view + end) for name, end in names.items()]
    assert pages.addresses(database, "http://x:1") == [("mnist-log", page), *expected]
    (tmp_path / "none.db").write_text("no database at all, surely not" * 10)
    with pytest.raises(UserError, match=r"none\.db is no database of MLflow"):
        pages.addresses(tmp_path / "none.db", "http://x:1")


def test_the_saved_view_says_only_what_this_version_of_mlflow_reads(uri):
    """MLflow documents no saved views: an upgrade that knows other words than these breaks ours, and this test."""
    view = mlflow_view.experiment_tags("mnist-log")
    saved = json.loads(view["mlflow.sharedViewState.convergence"])
    state = json.loads(zlib.decompress(base64.b64decode(saved["state"].removeprefix("deflate;"))))
    said = {*state, *state["compareRunCharts"][0], *state["compareRunSections"][0]}
    said |= {"mlflow.sharedViewState.", '"deflate;"', view["mlflow.experimentKind"], "mlflow.experimentKind"}
    said |= {state["runsHiddenMode"], state["orderByKey"], "viewStateShareKey", "compareRunsMode", "workflowType"}
    said |= {"get-artifact?path=", "run_uuid=", "mlflow.runColor"}
    pages = Path(mlflow.__file__).parent / "server" / "js" / "build" / "static" / "js"
    programs = [file.read_text(encoding="utf-8") for file in pages.glob("*.js")]
    assert len(programs) > 10
    assert [word for word in sorted(said) if not any(word in program for program in programs)] == []
