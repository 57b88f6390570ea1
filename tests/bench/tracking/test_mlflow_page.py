"""The runs in MLflow's own pages: the table, the saved view with its charts, a run's metric, a comparison."""

import json
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


@pytest.fixture
def page(browser):
    browser.open("about:blank")
    return browser


def says(*texts):
    return " && ".join(f"document.body.innerText.includes({json.dumps(text)})" for text in texts)


def test_the_saved_view_has_the_runs_and_charts_against_passes_and_seconds(page, server, ids):
    view = "compareRunsMode=CHART&workflowType=machine_learning&viewStateShareKey=convergence"
    page.open(f"{server}/#/experiments/{ids['eg2008/mnist-log']}/runs?{view}", 1800, 1400)
    page.wait_for(says("eg C=10 order=cyclic", "lbfgs C=10", "sgd C=10 eta0=1", "Convergence"))
    page.wait_for(f"{CURVES} >= 6")  # the relative gap of three runs, against two axes
    titles = "[...document.querySelectorAll('.js-plotly-plot .xtitle')].map(title => title.textContent)"
    assert {"passes", "wall_seconds"} <= set(page.wait_for(f"{titles}.length >= 2 && {titles}"))


def test_the_saved_view_has_the_columns_that_matter(page, server, ids):
    view = "workflowType=machine_learning&viewStateShareKey=convergence"
    page.open(f"{server}/#/experiments/{ids['eg2008/mnist-log']}/runs?{view}", 2400, 1000)
    page.wait_for(says("eg C=10 order=cyclic", "relative_gap", "primal", "wall_seconds", "4 matching runs"))


def test_a_run_shows_how_it_ended_and_its_command(page, server, ids):
    page.open(f"{server}/#/experiments/{ids['eg2008/mnist-log']}/runs/{ids['sgd C=10 eta0=1']}", 1800, 1400)
    page.wait_for(says("sgd met a value that is not finite", "python -m bench run --data mnist", "Failed"))


def test_a_run_draws_its_metrics(page, server, ids):
    run = ids["eg C=10 order=cyclic"]
    page.open(f"{server}/#/experiments/{ids['eg2008/mnist-log']}/runs/{run}/model-metrics", 1800, 1400)
    page.wait_for(says("eg C=10 order=cyclic", "primal", "gap"))
    page.wait_for(f"{CURVES} >= 3")


def test_runs_are_compared_side_by_side(page, server, ids):
    runs = quote(json.dumps([ids["eg C=10"], ids["lbfgs C=10"]]))
    experiments = quote(json.dumps([ids["eg2008/mnist-log"]]))
    page.open(f"{server}/#/compare-runs?runs={runs}&experiments={experiments}", 1800, 1400)
    page.wait_for(says("Comparing 2 Runs", "eg C=10", "lbfgs C=10", "algorithm"))


def test_figures_are_shown(page, server, ids):
    page.open(f"{server}/#/experiments/{ids['figures']}/runs/{ids['eg2008']}", 1800, 1400)
    page.wait_for(says("Figure 4 on mnist"))
    page.wait_for(
        "[...document.images].some(image => image.src.includes('fig04-mnist.png') && image.naturalWidth > 300)"
    )
