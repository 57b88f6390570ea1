"""The runs in MLflow's own pages: the table, the charts, a run's metric, a logged model, a comparison."""

import json
import re
import urllib.request
from urllib.parse import quote

import pytest

from structbench.bench.tracking.track import track
from tests.bench import fake_runs
from tests.bench.chromium import BINARY, chromium
from tests.bench.tracking import servers
from tests.bench.tracking.logged import figures

pytestmark = [
    pytest.mark.page,
    pytest.mark.long,
    pytest.mark.skipif(BINARY is None, reason="Chromium is not installed"),
]

CURVES = "document.querySelectorAll('.js-plotly-plot path.js-line').length"


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STRUCTBENCH_RESULTS", str(folder))
        return filled(folder)


def filled(folder):
    """A database with four runs, one of them the best of a grid, and figures."""
    given = [{}, {"order": "cyclic"}, {"algorithm": "lbfgs"}, {"algorithm": "sgd", "eta0": 1.0, "diverges": True}]
    runs = [fake_runs.write(folder / "runs", checkpoints=20, **options) for options in given]
    config, families = figures(folder, runs=runs), {run.key: ["eg2008/mnist-log"] for run in runs}
    models = {"best of mine on mnist": runs[0]}
    track(runs, f"sqlite:///{folder}/mlflow.db", families=families, config=config, models=models)
    return folder / "mlflow.db"


@pytest.fixture(scope="module")
def server(database):
    with servers.mlflow_server(f"sqlite:///{database}", database.parent) as running:
        yield running.address


def ask(server, path, body):
    request = urllib.request.Request(
        f"{server}/api/2.0/mlflow/{path}", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


@pytest.fixture(scope="module")
def ids(server):
    """Experiment name or run name -> MLflow's id."""
    found = {
        e["name"]: e["experiment_id"]
        for e in ask(server, "experiments/search", {"max_results": 10})["experiments"]
    }
    runs = ask(server, "runs/search", {"experiment_ids": list(found.values())})["runs"]
    return found | {run["info"]["run_name"]: run["info"]["run_id"] for run in runs}


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with chromium(tmp_path_factory.mktemp("profile")) as page:
        yield page


def says(*texts):
    return " && ".join(f"document.body.innerText.includes({json.dumps(text)})" for text in texts)


FIGURE = "[...document.images].some(image => image.naturalWidth > 300)"
SEEN = {  # a page, what it says, and what it draws
    "charts have the runs": (
        "{mnist}?compareRunsMode=CHART&workflowType=machine_learning",
        ("eg:order=cyclic C=10", "lbfgs C=10", "sgd:eta0=1 C=10"),
        f"{CURVES} >= 3",
    ),
    "so has the table": (
        "{mnist}?workflowType=machine_learning",
        ("eg:order=cyclic C=10", "4 matching runs"),
        "true",
    ),
    "the view that addresses open has the measures first": (
        "{mnist}?workflowType=machine_learning&viewStateShareKey=measures",
        ("Measures", "relative_gap", "test_error_percent", "disturbed"),
        "true",
    ),
    "the best run of a grid is a logged model with its data and metrics": (
        "experiments/{eg2008/mnist-log}/models?workflowType=machine_learning",
        ("eg C=10", "mnist", "relative_gap"),
        "true",
    ),
    "a run shows how it ended and its command": (
        "{mnist}/{sgd:eta0=1 C=10 passes=60}",
        ("sgd met a value that is not finite", "python -m bench run --data mnist", "Failed"),
        "true",
    ),
    "a run draws its metrics": (
        "{mnist}/{eg:order=cyclic C=10 passes=60}/model-metrics",
        ("eg:order=cyclic C=10", "primal", "gap"),
        f"{CURVES} >= 3",
    ),
    "figures are shown": (
        "experiments/{figures}/runs/{eg2008}/artifacts/fig04-mnist.png",
        ("fig04-mnist.png",),
        FIGURE,
    ),
}


@pytest.mark.parametrize("name", SEEN)
def test_what_mlflows_pages_show(browser, server, ids, name):
    path, texts, drawn = SEEN[name]
    path = path.replace("{mnist}", "experiments/{eg2008/mnist-log}/runs")
    browser.open("about:blank")
    browser.open(f"{server}/#/{re.sub('{(.*?)}', lambda each: ids[each[1]], path)}", 2400, 1400)
    browser.wait_for(says(*texts))
    browser.wait_for(drawn)


def test_runs_are_compared_side_by_side(browser, server, ids):
    runs = quote(json.dumps([ids["eg C=10 passes=60"], ids["lbfgs C=10 passes=60"]]))
    experiments = quote(json.dumps([ids["eg2008/mnist-log"]]))
    browser.open("about:blank")
    browser.open(f"{server}/#/compare-runs?runs={runs}&experiments={experiments}", 1800, 1400)
    browser.wait_for(says("Comparing 2 Runs", "eg C=10", "lbfgs C=10", "algorithm"))
