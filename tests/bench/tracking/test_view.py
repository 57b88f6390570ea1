"""What MLflow shows of runs, figures and models is what their files hold."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import mlflow
import numpy as np
import pytest
from mlflow import MlflowClient
from mlflow.data import get_source

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.drawing import colours
from structbench.bench.runs import results, store
from structbench.bench.runs.spec import make
from structbench.bench.tracking import mlflow_view, opening
from structbench.bench.tracking.track import track
from structbench.datasets import data_ref
from tests.bench import fake_runs
from tests.bench.tracking.logged import counted, figures, history, models, only, shown
from tests.narrowing import not_none

ROOT = Path(__file__).parents[3]

pytestmark = pytest.mark.usefixtures("results")


def test_parameters_tags_metrics_and_artifacts_are_those_of_the_files(uri, run):
    track([run], uri)
    seen = only(uri)
    expected = {"data": "mnist", "loss": "log", "C": "10", "algorithm": "eg", "order": "random", "seed": "0"}
    assert expected.items() <= seen.data.params.items()
    provenance = {"host": "bench-host", "threads": "1", "data_sha256": "ba89" * 16, "status": "passes"}
    assert provenance.items() <= seen.data.tags.items()
    last = run.curve.iloc[-1]
    assert seen.data.metrics["primal"] == float(f"{last['primal']:.9g}")
    assert seen.data.metrics["test_error_percent"] == round(100 * last["test_error"], 3)
    assert seen.data.metrics["train_error_percent"] == pytest.approx(6)
    points = MlflowClient(uri).get_metric_history(seen.info.run_id, "gap")
    times = sorted(point.timestamp - seen.info.start_time for point in points)
    assert times == (1000 * run.curve["wall_seconds"]).round().tolist()
    steps, values = zip(*history(uri, "gap"), strict=True)
    assert list(steps) == [round(1000 * passes) for passes in run.curve["passes"]]
    assert list(values) == pytest.approx(run.curve["gap"].tolist(), rel=5e-4)
    (data,) = not_none(seen.inputs).dataset_inputs
    assert (data.dataset.name, data.dataset.digest) == ("mnist", "ba89" * 4)
    source = get_source(data).to_dict()
    assert source["tags"]["mlflow.source.name"] == "python -m bench data show mnist"
    assert seen.data.tags["mlflow.source.type"] == "LOCAL"
    assert seen.data.tags["mlflow.runColor"] == colours.colour("eg")
    start, end = not_none(seen.info.start_time), not_none(seen.info.end_time)
    assert start == round(1000 * run.started)
    assert end - start == round(1000 * last["wall_seconds"])
    assert run.command in seen.data.tags["mlflow.note.content"]
    spec = replace(run.spec, data=data_ref("mnist:validation=1of3"))
    fold = mlflow_view.of_run(replace(run, spec=spec, key=spec.key), []).tags["mlflow.note.content"]
    whole = run.spec.command(results.runs() / run.key)
    assert f"No model: each run held out a fold. `{whole}` trains on all" in fold
    lbfgs = replace(run, spec=replace(run.spec, algorithm="lbfgs", params=()))
    assert mlflow_view.of_run(lbfgs, []).tags["mlflow.runColor"] == colours.SLATE
    artifacts = Path(not_none(seen.info.artifact_uri).removeprefix("file://"))
    for name in ("spec.json", "summary.json", "curve.parquet"):
        assert (artifacts / name).read_bytes() == (run.folder / name).read_bytes()


def test_values_that_are_not_finite_are_left_out_and_said(results, uri):
    run = fake_runs.write(results / "runs", checkpoints=12, diverges=True)
    track([run], uri)
    seen = only(uri)
    assert seen.info.status == "FAILED"
    assert seen.data.tags["status"] == "diverged"
    assert seen.data.tags["non_finite_points"] == "primal: 1, gap: 1, relative_gap: 1"
    assert len(history(uri, "primal")) == 11
    assert len(history(uri, "dual")) == 12
    assert all(np.isfinite(value) for _, value in history(uri, "primal"))
    assert "test_f1_percent" not in seen.data.metrics  # does not apply, so none is left out


def test_of_scores_that_are_not_promised_as_curves_the_last_finite_value_is_a_metric(run):
    run.__dict__["curve"] = run.curve.assign(test_precision=[0.1] * 10 + [0.25, np.nan])
    points = [metric.value for metric in mlflow_view.of_run(run, []).metrics if metric.key == "test_precision"]
    assert points == [0.25]


@pytest.mark.parametrize("strengths", [[10.0] * 12, [10.0] * 6 + [1.0] * 6])
def test_the_strength_is_a_metric_where_it_changes(run, strengths):
    run.__dict__["curve"] = run.curve.assign(C=strengths)
    points = [metric.value for metric in mlflow_view.of_run(run, []).metrics if metric.key == "C"]
    assert points == (strengths if len(set(strengths)) > 1 else [])


def test_a_long_curve_keeps_few_points_first_and_last_among_them(results, uri):
    run = fake_runs.write(results / "runs", checkpoints=1500, data="ocr")
    run = store.amend(run, {"train_f1": 0.5, "notes": {f"note{number}": number for number in range(120)}})
    run.__dict__["curve"] = run.curve.assign(primal=np.arange(1500.0))
    track([run], uri)
    view, seen = mlflow_view.of_run(run, ["ocr-log"]), only(uri)  # more of all than MLflow takes in one call
    for key in {metric.key for metric in view.metrics}:
        assert len(history(uri, key)) == sum(metric.key == key for metric in view.metrics) <= 200
    assert view.tags.items() <= seen.data.tags.items()
    assert seen.data.metrics["train_f1_percent"] == 50
    assert seen.data.metrics["test_f1_percent"] == pytest.approx(100 * run.curve["test_f1"].iloc[-1])
    rows = [row for _, row in history(uri, "primal")]
    assert len(rows) == 200 and (rows[0], rows[-1]) == (0, 1499) and {*np.diff(rows)} == {7, 8}


STORED = dict.fromkeys((3, 4, 5), "377a3cf0b0507d0e")  # version -> hash of the names of tags and metrics
FILTERS = {
    "params.algorithm = 'eg' AND params.C = '10'": ["eg C=10", "eg C=10 seed=3", "eg:order=cyclic C=10"],
    "params.seed = '3'": ["eg C=10 seed=3"],
    "tags.status = 'diverged'": ["sgd:eta0=1 C=10"],
    "attributes.status = 'FAILED'": ["sgd:eta0=1 C=10"],
    "metrics.relative_gap < 1e-3 AND params.order = 'cyclic'": ["eg:order=cyclic C=10"],
    "tags.families LIKE 'eg2008/%'": ["lbfgs C=1"],
    "tags.git_commit LIKE '0123456%' AND params.algorithm = 'lbfgs'": ["lbfgs C=1"],
    "dataset.name = 'mnist' AND params.algorithm = 'lbfgs'": ["lbfgs C=1"],
    "tags.non_finite_points LIKE '%primal%'": ["sgd:eta0=1 C=10"],
}


def test_names_and_filters_those_of_the_guide_among_them(results, uri):
    given = [{}, {"order": "cyclic"}, {"seed": 3}, {"algorithm": "lbfgs", "C": 1.0}]
    runs = [fake_runs.write(results / "runs", checkpoints=12, passes=100.0, **options) for options in given]
    runs.append(
        fake_runs.write(results / "runs", algorithm="sgd", eta0=1.0, passes=100.0, checkpoints=12, diverges=True)
    )
    track(runs, uri, families={runs[3].key: ["eg2008/mnist-log"]})
    assert {each: shown(uri, each) for each in FILTERS} == FILTERS
    guide = (ROOT / "docs" / "how-to" / "tracking.md").read_text()
    filters = guide.split("```sql\n")[1].split("```")[0].splitlines()
    assert len(filters) >= 8
    for line in filters:
        shown(uri, line.partition("--")[0].strip())


def test_figures_of_two_configs_are_side_by_side_with_their_answers(results, uri, run):
    for config in ("quick", "paper"):
        figures(results, config, [run, fake_runs.write(results / "runs", data="ocr")])
        assert track([], uri, config=config) == counted(logged=1)
    assert shown(uri, "tags.paper = 'eg2008'") == ["eg2008", "eg2008"]
    seen = only(uri, "tags.config = 'quick'")
    files = Path(not_none(seen.info.artifact_uri).removeprefix("file://"))
    assert {"fig04-mnist.png", "fig04-mnist.pdf", "fig04-ocr.svg"} <= {file.name for file in files.iterdir()}
    assert json.loads((files / "eg2008.json").read_text())["claims"][0]["verdict"] == "reproduced"
    shutil.rmtree(results / "quick" / "claims")
    assert track([], uri, config="quick") == counted(replaced=1), "they are drawn, and not judged any more"
    assert track([], uri, config="nothing") == counted()


def test_a_grids_best_run_is_a_logged_model_with_its_metrics_and_data(results, uri, run):
    other = fake_runs.write(results / "runs", C=1.0, checkpoints=12)
    runs, families = [run, other], {each.key: ["grid/mine"] for each in (run, other)}
    assert track(runs, uri, families=families, models={"best": run}) == counted(logged=2, models=1)
    assert track(runs, uri, families=families, models={"best": run}) == counted(kept=2)
    (model,), seen = models(uri), only(uri, "params.C = '10'")
    assert (str(model.status), model.model_type, model.tags["model_of"]) == ("READY", "eg", "best")
    assert model.tags["mlflow.note.content"] == "best"
    assert (model.params, model.source_run_id) == (seen.data.params, seen.info.run_id)
    metrics = not_none(model.metrics)
    assert {metric.key: metric.value for metric in metrics} == seen.data.metrics
    assert {(metric.dataset_name, metric.dataset_digest) for metric in metrics} == {("mnist", "ba89" * 4)}
    assert [output.model_id for output in not_none(seen.outputs).model_outputs] == [model.model_id]
    assert len(history(uri, "primal", "params.C = '10'")) == 12, "no value is there twice"
    client = MlflowClient(uri)
    client.set_logged_model_tags(model.model_id, {"verdict": "publish", "mlflow.modelVersions": "[]"})
    assert track(runs, uri, families=families, models={"best": other}) == counted(kept=2, models=1)
    now, before = (
        next(each for each in models(uri) if (each.model_id == model.model_id) == old) for old in (0, 1)
    )
    assert (now.tags["model_of"], now.tags["verdict"]) == ("best", "publish")
    assert now.params["C"] == "1" and "mlflow.modelVersions" not in now.tags
    assert "model_of" not in before.tags and before.tags["verdict"] == "publish"


def test_a_logged_model_that_was_interrupted_is_logged_again(uri, run, monkeypatch):
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("mlflow.MlflowClient.log_outputs", lambda *given: (_ for _ in ()).throw(KeyboardInterrupt))
        track([run], uri, models={"best": run})
    assert track([run], uri, models={"best": run}) == counted(kept=1, models=1)
    assert [str(model.status) for model in models(uri) if "model_of" in model.tags] == ["READY"]


def test_the_addresses_of_pages_are_those_of_experiments(results, run):
    track([run])
    there = only(f"sqlite:///{results}/mlflow.db").info.experiment_id
    page = f"http://x:1/#/experiments/{there}/runs?workflowType=machine_learning&viewStateShareKey=measures"
    assert opening.addresses("http://x:1") == [("mnist-log", page)]
    (results / "mlflow.db").write_text("no database at all, surely not" * 10)
    with pytest.raises(UserError, match=r"mlflow\.db: file is not a database"):
        opening.addresses("http://x:1")


def test_mlflows_pages_know_the_tags_that_are_written_for_them():
    """MLflow documents none of these: its page reads the colour of a line, what it opens on, and its columns."""
    said = {"mlflow.runColor", "mlflow.experimentKind", "custom_model_development", "workflowType"}
    said |= {"viewStateShareKey", "mlflow.sharedViewState.", "selectedColumns", "orderByKey", "orderByAsc"}
    pages = Path(mlflow.__file__).parent / "server" / "js" / "build" / "static" / "js"
    programs = [file.read_text(encoding="utf-8") for file in pages.glob("*.js")]
    assert len(programs) > 10
    assert [word for word in sorted(said) if not any(word in program for program in programs)] == []


def test_what_is_shown_has_a_version(run):
    """If you change what MLflow shows of a run, raise VERSION: else runs that it has keep what they had."""
    view = mlflow_view.of_run(run, ["a"])
    metrics = {metric.key for metric in view.metrics}
    assert mlflow_view.sha([sorted(view.tags), sorted(metrics)]) == STORED[mlflow_view.VERSION]


def test_tables_are_sorted_by_validation_error_where_it_is_measured(uri, run):
    spec = make("mnist:validation=0.2", "log", 10.0, "eg")
    for each, name in (replace(run, key=spec.key, spec=spec), "a"), (run, "b"):
        track([each], uri, families={each.key: [name]})
    seen = [not_none(MlflowClient(uri).get_experiment_by_name(name)).tags for name in "ab"]
    assert [tags[opening.VIEW_TAG] for tags in seen] == opening.views_of_measures()
    assert {"metrics.`cpu_seconds`", "params.`loss`"} <= {*opening.COLUMNS}, "which tell runs of one name apart"


def test_an_experiment_of_an_earlier_program_gets_the_view_of_this_one(results, run):
    track([run])
    uri = f"sqlite:///{results}/mlflow.db"
    there, client = only(uri).info.experiment_id, MlflowClient(uri)
    client.set_experiment_tag(there, opening.VIEW_TAG, "another")
    track([run])
    assert client.get_experiment(there).tags[opening.VIEW_TAG] == opening.views_of_measures()[1]
