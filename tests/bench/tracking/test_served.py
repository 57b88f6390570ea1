"""Models in MLflow: a logged model of their run, which MLflow loads and which labels text."""

from pathlib import Path

import pandas as pd
import pytest

import structbench
from structbench.algorithms.runtime.errors import UserError
from structbench.bench.__main__ import main
from structbench.bench.runs import results, spec
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


def test_a_tracked_model_is_loaded_by_mlflow(tmp_path, monkeypatch, capfd):
    import mlflow

    monkeypatch.setenv(results.VARIABLE, str(tmp_path / "results"))
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
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
    run, logged = only(uri), {model.tags["model_of"]: model for model in models(uri)}
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
