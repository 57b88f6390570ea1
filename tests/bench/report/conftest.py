"""One browser for the tests of all pages, one explorer, and the results that a report is of."""

import json
import shutil
from dataclasses import replace
from urllib.parse import quote

import pytest

from structbench.bench.report import explorer, report
from structbench.datasets import DataRef
from tests.bench import fake_runs
from tests.bench.chromium import chromium
from tests.bench.report.explorer_page import FIGURE, HERE, LONG, SEEDS, THERE


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    with chromium(tmp_path_factory.mktemp("profile")) as page:
        yield page


@pytest.fixture(scope="session")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    made = [fake_runs.write(folder, seed=seed, machine=HERE | {"alone": seed != 2}) for seed in SEEDS]
    made += [fake_runs.write(folder, seed=seed, order="cyclic", machine=THERE) for seed in SEEDS]
    made += [fake_runs.write(folder, algorithm="lbfgs", passes=20.0, machine=HERE)]
    made += [fake_runs.write(folder, algorithm="lbfgs", machine=HERE)]  # the same, longer
    made += [fake_runs.write(folder, algorithm="sgd", machine=HERE)]
    made += [fake_runs.write(folder, algorithm="sgd", eta0=9.0, seed=seed, diverges=seed == 1) for seed in SEEDS]
    made += [fake_runs.write(folder, data=data, C=1.0) for data in ("mnist", "ocr")]
    made += [fake_runs.write(folder, C=3.0)]
    spec = replace(made[-1].spec, data=DataRef(LONG))
    made[-1] = replace(made[-1], spec=spec, key=made[-1].key.replace("mnist", quote(LONG, safe=":=,")))
    return made


@pytest.fixture(scope="session")
def file(runs, tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    fake_runs.figures(folder / "figures", [run for run in runs if "cyclic" in run.key])
    said = json.loads((folder / "figures" / f"{FIGURE}.json").read_text())
    said["runs"].append(next(run.key for run in runs if run.spec.C == 3))
    (folder / "figures" / f"{FIGURE}.json").write_text(json.dumps(said))
    return report.write_report(folder / "report", runs, folder / "figures", folder).with_name(explorer.NAME)


@pytest.fixture(scope="module")
def opened(browser, file):
    browser.open(file.as_uri())
    return browser


@pytest.fixture
def page(opened):
    def show(address=""):
        """The page that is open, at another address: reading it again takes longer."""
        opened.evaluate(f"history.replaceState(null, '', '#' + {address!r})")
        opened.evaluate("dispatchEvent(new HashChangeEvent('hashchange'))")
        return opened

    return show


@pytest.fixture
def fresh(opened, file):
    def open_again(address=""):
        opened.open("about:blank")
        opened.open(file.as_uri() + (f"#{address}" if address else ""))
        return opened

    return open_again


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    runs = fake_runs.grid(folder / "runs")
    fake_runs.figures(folder / "figures", runs)
    fake_runs.claims(folder / "claims", runs)
    return folder


@pytest.fixture
def results(made, tmp_path):
    return shutil.copytree(made, tmp_path / "results")
