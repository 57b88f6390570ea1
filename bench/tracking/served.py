"""A model as MLflow has it: a folder that ``mlflow models predict`` and ``serve`` take, without pickle.

The input has one column of text, ``example``: an example in the format of the training data. The output is the
labels of each, separated by blanks.
"""

import shutil
import tempfile
import warnings
from collections.abc import Collection
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.runs import model as models
from structbench.bench.runs import results
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.store import Run
from structbench.bench.tracking.wheel import write_wheel
from structbench.datasets.problems import new_examples

if TYPE_CHECKING:
    import pandas as pd

WHEELS = "wheels"  # the folder of a model that holds these programs, which its requirements name
PINNED = ("numba", "numpy", "pandas", "scipy")  # what a prediction may depend on, beside MLflow
COLUMN, NAME = "example", "model"  # of MLflow's logged model: runs:/RUN_ID/model is the model of a run


class Served:
    """A model as MLflow calls it."""

    def __init__(self, model: models.Model) -> None:
        self.model = model

    def predict(self, model_input: "pd.DataFrame", params: dict[str, str] | None = None) -> list[str]:
        """The labels of each example, separated by blanks; a UserError if a text is not one example."""
        if COLUMN not in model_input:
            raise UserError(f"expected a column {COLUMN!r} of text, found {', '.join(map(str, model_input))}")
        found = []
        for number, text in enumerate(model_input[COLUMN], 1):
            labels = self.model.best(self.model.encode_text(str(text).encode(), f"example {number}"))
            if len(labels) != 1:
                raise UserError(f"example {number}: expected one example, found {len(labels)}")
            found.append(" ".join(labels[0]))
        return found


def _load_pyfunc(folder: str) -> Served:
    """What MLflow calls to load a model."""
    return Served(models.load(folder))


def can_serve(run: Run) -> bool:
    """Whether the model of a run labels text."""
    data, summary = run.spec.data, run.summary
    has_weights = summary["status"] != "diverged" and summary.get("weights_of", models.FEATURES) == models.FEATURES
    return has_weights and new_examples.supported(data) and new_examples.are_text(data)


def of_fold(spec: Spec) -> str:
    """Why a run that held out a fold has no model, and what makes the model that its user wants."""
    whole = replace(spec, data=spec.data.whole)
    return (
        f"each run held out a fold. `{whole.command(results.runs() / whole.key)}` trains on all; then track again."
    )


def write_served(model: models.Model, folder: Path, run_id: str, model_id: str, loaded: Collection[str]) -> None:
    """Write the model to a new folder in the form of MLflow, as that of a run and of a logged model.

    ``loaded``: the files that its run loaded.
    """
    with tempfile.TemporaryDirectory() as place, warnings.catch_warnings():
        # MLflow warns about type hints of its own, about models without an example, and pandas about MLflow
        warnings.simplefilter("ignore")
        import mlflow.pyfunc
        import pandas as pd
        from mlflow.models import Model, ModelSignature
        from mlflow.types import ColSpec, Schema

        programs = write_wheel(Path(place, WHEELS), loaded)
        text = new_examples.example(model.spec.data, model.vocabulary)
        example: Any = pd.DataFrame({COLUMN: [text]}) if text else None  # which MLflow takes, and does not declare
        mlflow.pyfunc.save_model(
            folder,
            loader_module=__name__,
            data_path=str(model.write(Path(place, "data"))),
            mlflow_model=Model(run_id=run_id, model_id=model_id),
            signature=ModelSignature(Schema([ColSpec("string", COLUMN)]), Schema([ColSpec("string")])),
            pip_requirements=[f"{WHEELS}/{programs.name}", *(f"{name}=={version(name)}" for name in PINNED)],
            metadata={"key": model.about["key"], "labels": [*model.labels]},
            input_example=example,
        )
        shutil.copytree(programs.parent, folder / WHEELS)
