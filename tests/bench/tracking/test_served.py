"""Models in MLflow: a logged model of their run, which MLflow loads and which labels text."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pandas as pd
import pytest

import structbench
from structbench.algorithms.runtime import own_folders
from structbench.algorithms.runtime.errors import UserError
from structbench.bench.__main__ import main
from structbench.bench.runs import model, results, spec
from structbench.bench.runs.execute import run_one
from structbench.bench.tracking import served
from tests.bench.tracking.logged import models, only
from tests.narrowing import not_none

DATA = "toy-english:sentences=30,test_sentences=20"
CONFIG = f"""
scale: tiny
figures: []
grids: [{{name: mine, data: ["{DATA}"], C: [1], algorithms: {{lbfgs: {{}}}}, passes: 5, figures: [error-passes]}}]
"""


def _check_wheel(model: Path, away: Path, text: str, labels: str) -> None:
    """See that the wheel that a model's requirements name is all of structbench that a prediction needs."""
    wheel = next(line for line in (model / "requirements.txt").read_text().split() if line.startswith("wheels/"))
    with zipfile.ZipFile(model / wheel) as archive:
        assert "structbench/algorithms/my_steps.py" in archive.namelist(), "the user's own"
        archive.extractall(away)
    code = f"""
import pandas, sys, structbench
from structbench.bench.tracking.served import _load_pyfunc
print(structbench.__file__)
print(_load_pyfunc({str(model / "data" / "data")!r}).predict(pandas.DataFrame({{"example": [{text!r}]}})))
"""
    environment = {name: value for name, value in os.environ.items() if name != own_folders.VARIABLE}
    words = [sys.executable, "-c", code]
    environment |= {"PYTHONPATH": str(away)}
    done = subprocess.run(words, cwd=away, env=environment, capture_output=True, text=True)
    assert done.stdout.splitlines() == [str(away / "structbench" / "__init__.py"), str([labels])], done.stderr


@pytest.mark.long
def test_a_model_predicts_in_an_environment_of_its_requirements_alone(tmp_path, monkeypatch):
    """It downloads MLflow, numba and what these need."""
    of = spec.make(DATA, "log", 1.0, "lbfgs", passes=5)
    run = run_one(of, tmp_path / "run", lambda line: None)
    served.write_served(model.load(run.folder), tmp_path / "model", "", "", ())
    uv, python = [sys.executable, "-m", "uv"], tmp_path / "empty" / "bin" / "python"
    subprocess.run([*uv, "venv", "--quiet", str(tmp_path / "empty")], check=True)
    install = ["pip", "install", "--quiet", "--python", str(python), "-r", "requirements.txt"]
    subprocess.run([*uv, *install], cwd=tmp_path / "model", check=True)
    code = f"""
import mlflow, pandas
print(mlflow.pyfunc.load_model({str(tmp_path / "model")!r}).predict(pandas.DataFrame({{"example": ["Mary NNP"]}})))
"""
    bare = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    done = subprocess.run([str(python), "-c", code], cwd=tmp_path, env=bare, capture_output=True, text=True)
    wanted = structbench.load(run.folder).predict([[("Mary", "NNP")]])
    assert done.stdout.splitlines()[-1:] == [str([" ".join(wanted[0])])], done.stderr


def test_a_tracked_model_is_loaded_by_mlflow(tmp_path, monkeypatch, capfd):
    import mlflow

    monkeypatch.setenv(results.VARIABLE, str(tmp_path / "results"))
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    (tmp_path / "own" / "algorithms").mkdir(parents=True)
    (tmp_path / "own" / "algorithms" / "my_steps.py").write_text('"""Mine."""\n')
    monkeypatch.setenv(own_folders.VARIABLE, str(tmp_path / "own"))
    (config := tmp_path / "mine.yaml").write_text(CONFIG)
    of = spec.make(DATA, "log", 1.0, "lbfgs", passes=5)
    run_one(of, results.runs() / of.key, lambda line: None)
    usual = ["track", "--config", str(config)]
    words = [*usual, "--model", of.key]
    said = []
    for asked in (usual, usual, words):  # the best run of a grid has its model there, once; another is asked for
        assert main(asked) == 0
        said.append(capfd.readouterr().err.splitlines()[-1].partition(" runs replaced, ")[2])
    assert said == ["0 runs kept, 1 models", "1 runs kept, 0 models", "1 runs kept, 1 models"]
    uri = f"sqlite:///{tmp_path}/results/mlflow.db"
    run, logged = only(uri), {each.tags["model_of"]: each for each in models(uri)}
    assert logged.keys() == {f"best of mine on {DATA}", of.key}
    monkeypatch.setenv("MLFLOW_TRACKING_URI", uri)
    model_id = logged[of.key].model_id
    loaded = mlflow.pyfunc.load_model(f"models:/{model_id}")
    assert (loaded.metadata.model_id, loaded.metadata.run_id) == (model_id, run.info.run_id)
    described = Path(logged[of.key].artifact_location.removeprefix("file://"), "MLmodel")
    texts = ["the DT\ndog NN\n", "Mary NNP"]
    wanted = structbench.load(of.key).predict([[("the", "DT"), ("dog", "NN")], [("Mary", "NNP")]])
    assert loaded.predict(pd.DataFrame({"example": texts})) == [" ".join(labels) for labels in wanted]
    assert not_none(loaded.metadata.get_input_schema()).input_names() == ["example"]
    for each in (loaded, mlflow.pyfunc.load_model(f"runs:/{run.info.run_id}/model")):
        assert not_none(each.metadata.metadata)["key"] == of.key
    (registered,) = mlflow.search_registered_models(filter_string="name LIKE 'best of mine on toy-english%'")
    (newest,) = not_none(registered.latest_versions)
    assert (str(newest.version), newest.run_id) == ("1", run.info.run_id)
    assert mlflow.pyfunc.load_model(f"models:/{registered.name}/1").predict(pd.DataFrame({"example": texts[1:]}))
    _check_wheel(described.parent, tmp_path / "away", texts[0], " ".join(wanted[0]))
    example = not_none(loaded.input_example)
    assert example["example"].tolist() == ["Mary NNP\nlives VBZ\nin IN\nOslo NNP\n"]
    assert len(loaded.predict(example)[0].split()) == 4
    ours = served._load_pyfunc(str(described.parent / "data" / "data"))
    with pytest.raises(UserError, match="example 1: expected one example, found 2"):
        ours.predict(pd.DataFrame({"example": ["a DT\n\nb NN"]}))
    with pytest.raises(UserError, match="expected a column 'example' of text, found text"):
        ours.predict(pd.DataFrame({"text": ["a DT"]}))
    assert main([*words, "--model", "nothing"]) == 2
    monkeypatch.setattr(served.new_examples, "are_text", lambda data: False)
    assert main(words) == 2 and "its model takes no text: use `bench predict`" in capfd.readouterr().err
