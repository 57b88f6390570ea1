"""The runs in MLflow's own pages: the table, the saved view with its charts, a run's metric, a comparison."""

import json
import re
import urllib.request
from urllib.parse import quote

import pytest

from structbench.bench.tracking.track import track
from tests.bench import fake_runs
from tests.bench.chromium import BINARY, chromium
from tests.bench.tracking import servers

pytestmark = [
    pytest.mark.page,
    pytest.mark.long,
    pytest.mark.skipif(BINARY is None, reason="Chromium is not installed"),
]

CURVES = "document.querySelectorAll('.js-plotly-plot path.js-line').length"


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    given = [{}, {"order": "cyclic"}, {"algorithm": "lbfgs"}, {"algorithm": "sgd", "eta0": 1.0, "diverges": True}]
    runs = [fake_runs.write(folder / "runs", checkpoints=20, **options) for options in given]
    fake_runs.figures(folder / "figures", runs)
    families = {run.key: ["eg2008/mnist-log"] for run in runs}
    track(runs, f"sqlite:///{folder}/mlflow.db", families=families, figures=folder / "figures")
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


TITLES = "[...document.querySelectorAll('.js-plotly-plot .xtitle')].map(title => title.textContent)"
FIGURE = "[...document.images].some(image => image.src.includes('fig04-mnist.png') && image.naturalWidth > 300)"
VIEW = "workflowType=machine_learning&viewStateShareKey=convergence"
SEEN = {  # a page, what it says, and what it draws
    "the saved view has the runs and charts against passes and seconds": (
        f"{{mnist}}?compareRunsMode=CHART&{VIEW}",
        ("eg order=cyclic C=10", "lbfgs C=10", "sgd eta0=1 C=10", "Convergence"),
        f"{CURVES} >= 6 && ['passes', 'wall_seconds'].every(name => {TITLES}.includes(name))",
    ),
    "and the columns that matter": (
        f"{{mnist}}?{VIEW}",
        ("eg order=cyclic C=10", "relative_gap", "test_error_percent", "4 matching runs"),
        "true",
    ),
    "a run shows how it ended and its command": (
        "{mnist}/{sgd eta0=1 C=10}",
        ("sgd met a value that is not finite", "python -m bench run --data mnist", "Failed"),
        "true",
    ),
    "a run draws its metrics": (
        "{mnist}/{eg order=cyclic C=10}/model-metrics",
        ("eg order=cyclic C=10", "primal", "gap"),
        f"{CURVES} >= 3",
    ),
    "figures are shown": ("experiments/{figures}/runs/{eg2008}", ("Figure 4 on mnist",), FIGURE),
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
    runs = quote(json.dumps([ids["eg C=10"], ids["lbfgs C=10"]]))
    experiments = quote(json.dumps([ids["eg2008/mnist-log"]]))
    browser.open("about:blank")
    browser.open(f"{server}/#/compare-runs?runs={runs}&experiments={experiments}", 1800, 1400)
    browser.wait_for(says("Comparing 2 Runs", "eg C=10", "lbfgs C=10", "algorithm"))
