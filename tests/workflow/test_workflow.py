"""The whole workflow on a tiny config: end to end, interrupted, edited, and with bad luck."""

import json
import os
import re
import shutil
import signal
import sqlite3
import sys
import time
from contextlib import closing

import psutil
import pytest

from structbench.bench.papers.sentences import LONGEST
from structbench.bench.papers.verdicts import VERDICTS
from tests.workflow.conftest import Checkout, copy_project

pytestmark = pytest.mark.slow

TINY = ("--configfile", "config/tiny.yaml")
# two small data sets that need no download, a batch of runs each
MINE = {
    "scale": "tiny",
    "grids": [
        {
            "name": "mine",
            "data": ["synthetic:sequences=100"],
            "C": [1, 10],
            "algorithms": {"eg": {"order": ["random", "cyclic"]}, "lbfgs": {}},
            "passes": 5,
        }
    ],
}
ALL = 6
MAKE = ("--workflow-profile", "none", "--quiet", "host")  # what ``make run`` adds, as far as it says less


@pytest.fixture
def mine(checkout):
    write(checkout, MINE)
    return checkout


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    """A copy of the project in which all runs are made."""
    checkout = Checkout(copy_project(tmp_path_factory.mktemp("made") / "structbench"))
    write(checkout, MINE)
    code, said = make_runs(checkout)
    assert code == 0 and len(checkout.runs()) == ALL, said
    return checkout.folder


@pytest.fixture
def made(once, tmp_path):
    """A copy of that, for one test."""
    return Checkout(shutil.copytree(once, tmp_path / "structbench", symlinks=True))


def write(checkout, config):
    (checkout.folder / "config" / "mine.yaml").write_text(json.dumps(config))


def make(checkout, *words):
    return checkout.snakemake("--configfile", "config/mine.yaml", *words)


def make_runs(checkout):
    """The runs, and nothing that is made of them."""
    return make(checkout, "--until", "batch")


def test_batches_ask_a_cluster_for_memory_and_time_by_their_work(once):
    log = "".join(file.read_text() for file in once.glob(".snakemake/log/*"))
    asked = re.findall(r"\bruntime=(\d+), mem_mb=(\d+)", log)
    assert asked and all(5 < int(minutes) < 60 and 2000 < int(megabytes) < 4000 for minutes, megabytes in asked)


@pytest.mark.corpus
@pytest.mark.long
def test_everything_from_the_real_data_to_the_report(checkout):
    code, said = checkout.snakemake(*TINY)
    assert code == 0, said
    results = checkout.folder / "results"
    made = checkout.runs()
    assert len(made) > 40 and any(name.startswith("conll2000") for name in made)
    for summary in (json.loads((results / "runs" / name / "summary.json").read_text()) for name in made):
        assert summary["status"] in ("converged", "unverified", "passes", "finished", "stalled", "timeout"), (
            summary
        )
        if summary["gap"] is not None:
            assert summary["gap"] >= -1e-9 * abs(summary["primal"]), summary
    drawn = {folder.name: len(list(folder.glob("*.png"))) for folder in (results / "tiny" / "figures").iterdir()}
    assert drawn == {
        "eg2008": 27,
        "eg2004": 6,
        "l1m3n2009": 10,
        "laso2005": 8,
        "klein2011": 14,
        "bcfw2013": 1,
        "sag2015": 4,
        "methods": 4,
        "scaling": 1,
        "grid-hinge": 4,
    }
    for paper in ("eg2008", "eg2004", "l1m3n2009", "laso2005", "klein2011", "bcfw2013", "sag2015"):
        claims = json.loads((results / "tiny" / "claims" / f"{paper}.json").read_text())["claims"]
        assert {claim["verdict"] for claim in claims} <= {*VERDICTS} - {"not run"}
        assert all(0 < len(claim["answer"]) <= LONGEST for claim in claims)
    page = (results / "tiny" / "report" / "index.html").read_text()
    assert "eg2008" in page and not re.search(r'(src|href)="https?:', page)
    assert "of them timed alone on the machine: about" in said  # the plan
    assert "present when the DAG was created" not in said
    for line in ("tiny/report/index.html", "mlflow.db", "tiny/figures/", "tiny/claims/"):
        assert f"results/{line}" in said
    assert "For the papers' own sizes: python -m bench claims --published" in said

    from mlflow import MlflowClient

    client = MlflowClient(f"sqlite:///{results}/mlflow.db")
    experiments = [experiment.experiment_id for experiment in client.search_experiments()]
    tracked = client.search_runs(experiments, "tags.run_key != ''", max_results=1000)
    assert {run.data.tags["run_key"] for run in tracked} >= made.keys()

    code, said = checkout.snakemake(*TINY)
    assert code == 0 and "Nothing to be done" in said and checkout.runs() == made, said
    code, said = checkout.snakemake(*TINY, "--report", "report.zip")
    assert code == 0 and (checkout.folder / "report.zip").stat().st_size > 100_000, said


def test_a_second_start_is_refused_and_a_killed_one_goes_on_where_it_was(mine):
    with mine.running("snakemake", "--cores", "1", "--configfile", "config/mine.yaml") as first:
        give_up = time.monotonic() + 300
        while not mine.runs() and first.poll() is None and time.monotonic() < give_up:
            time.sleep(0.02)
        os.killpg(first.pid, signal.SIGSTOP)  # or it may be over before the second has started
        tree = [psutil.Process(first.pid), *psutil.Process(first.pid).children(recursive=True)]
        before, locks = mine.runs(), sorted(mine.folder.glob(".snakemake/locks/*"))
        assert before and locks
        code, said = make(mine, *MAKE)
        assert code == 2 and "error: a workflow makes results already (process " in said, said
        assert "the workflow before" not in said and " runs" not in said
        assert make(mine, "-n")[0] == make(mine, "--lint")[0] == 0, "what makes nothing is not refused"
        assert {each.status() for each in tree} == {psutil.STATUS_STOPPED} and mine.runs() == before
    assert sorted(mine.folder.glob(".snakemake/locks/*")) == locks
    left = mine.folder / "results" / "runs" / ".left.partial"
    (left / "complete").mkdir(parents=True)
    os.utime(left, (0, 0))
    code, said = make_runs(mine)
    assert code == 0 and "it goes on from there" in said, said
    after = mine.runs()
    assert len(after) == ALL
    assert {name: when for name, when in after.items() if name in before} == before  # kept as they were
    assert not left.exists()


def test_interrupted_all_that_it_started_ends_and_nothing_else_is_said(mine):
    config = json.loads(json.dumps(MINE))
    config["grids"][0] |= {"passes": 1e9, "gap": 0, "timed": False}
    write(mine, config)
    mine.env["PYTHONPATH"] = "workflow/plugins"
    words = "snakemake --workflow-profile none --logger structbench --cores 2 --configfile config/mine.yaml"
    with mine.running(sys.executable, "-m", *words.split()) as process:
        give_up = time.monotonic() + 300
        while not list(mine.folder.glob("results/runs/*.partial")) and time.monotonic() < give_up:
            time.sleep(0.02)
        tree = psutil.Process(process.pid).children(recursive=True)
        assert len(tree) >= 3  # a shell, a batch, and the process that makes its runs
        process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=60)[0].splitlines()
    assert not [each for each in tree if each.is_running() and each.status() != psutil.STATUS_ZOMBIE]
    assert process.returncode == 1 and said[-1].startswith("Interrupted: what is finished is kept.")
    assert [line for line in said[:-1] if not line.startswith(("6 runs", "data: ", "0/6 runs, "))] == []
    assert not list(mine.folder.glob(".snakemake/locks/*"))


def test_an_edit_makes_again_what_it_touches_and_nothing_else(made):
    before = made.runs()
    file = made.folder / "algorithms" / "gradient" / "lbfgs.py"
    file.write_text(file.read_text().replace("CURVATURE = 1e-4, 0.9", "CURVATURE = 1e-4, 0.8"))
    code, said = make_runs(made)
    assert code == 0, said
    changed = {name for name, when in made.runs().items() if before[name] != when}
    assert changed == {name for name in before if "lbfgs" in name}


BROKEN = """
    if objective.C == 1:
        raise ArithmeticError("broken")
    import os
    open("killed", "a").write(".")
    os.kill(os.getpid(), 9)
    n = parts.num"""


@pytest.mark.long
def test_a_run_that_fails_leaves_the_others_and_is_tried_again(mine):
    file = mine.folder / "algorithms" / "gradient" / "lbfgs.py"
    good = file.read_text()
    file.write_text(good.replace("\n    n = parts.num", BROKEN, 1))
    code, said = make(mine, "--retries", "1")  # it may get more memory
    assert (mine.folder / "killed").read_text() == "..", said
    missing = said.partition("2 runs are missing")[2]
    assert code != 0 and "broken" in missing and "killed by SIGKILL" in missing, said
    kept = mine.runs()
    assert len(kept) == 4 and all("__eg" in name for name in kept)
    results = mine.folder / "results" / "mine"
    assert len(list((results / "figures" / "grid-mine").glob("*.png"))) == 5
    assert "2 of its runs are missing" in (results / "report" / "grid-mine" / "index.html").read_text()
    assert not (results / "complete").exists()
    file.write_text(good)
    code, said = make(mine)
    assert code == 0, said
    after = mine.runs()
    assert len(after) == ALL and {name: after[name] for name in kept} == kept
    code, said = make(mine)
    assert code == 0 and "Nothing to be done" in said and mine.runs() == after, said


@pytest.mark.long
def test_a_figure_that_fails_takes_nothing_else_with_it_and_is_drawn_once_it_is_mended(made):
    file = made.folder / "bench" / "drawing" / "comparison.py"
    good = file.read_text()
    begins = "    left_out = "
    file.write_text(good.replace(begins, f"    if kind.y is error:\n        raise ValueError('no')\n{begins}", 1))
    before = made.runs()
    code, said = make(made)
    failed = said.partition("error: 1 figure is not drawn")[2]
    assert (
        code != 0 and "grid-mine/synthetic-sequences=100-log-error-passes: it failed with ValueError: no" in failed
    ), said
    results = made.folder / "results" / "mine"
    drawn = {each.stem: each.stat().st_mtime_ns for each in results.glob("figures/*/*.png")}
    assert (
        len(drawn) == 5
        and (made.folder / "results" / "mlflow.db").exists()
        and not (results / "complete").exists()
    )
    assert "1 figure not drawn" in (results / "report" / "index.html").read_text()
    code, said = make(made)
    assert code != 0 and "1 figure is not drawn" in said, said
    assert {each.stem: each.stat().st_mtime_ns for each in results.glob("figures/*/*.png")} == drawn
    file.write_text(good)
    code, said = make(made)
    assert code == 0 and (results / "complete").exists() and made.runs() == before, said
    assert "not drawn" not in (results / "report" / "index.html").read_text()


def broken_run(checkout):
    """Leave a run that cannot be read, of another config."""
    other = checkout.folder / "results" / "runs" / "other"
    other.mkdir()
    for name in ("spec.json", "summary.json", "curve.parquet", "weights.npz"):
        (other / name).write_text("{")


def test_a_full_disk_is_said_and_a_broken_run_of_another_config_is_left_out(made):
    before = made.runs()
    limited = f"ulimit -f 64; trap '' XFSZ; exec {sys.executable} -m bench track --config config/mine.yaml"
    code, said = made.run("bash", "-c", limited)
    assert code == 2 and said.startswith("error: ") and "Traceback" not in said
    assert made.runs() == before
    broken_run(made)
    code, said = made.bench("track", "--config", "config/mine.yaml")
    assert code == 0 and "left out: " in said and f"{ALL} runs logged" in said, said


@pytest.mark.long
def test_what_a_user_does_in_mlflow_while_logging_fails_stays(made):
    file = made.folder / "bench" / "tracking" / "track.py"
    begins = "    place, given = address.address_of(uri), list(runs)\n"
    fault = """
    if config:
        from mlflow import MlflowClient

        MlflowClient(place.uri).create_experiment("theirs")
        raise SystemExit(1)
"""
    file.write_text(file.read_text().replace(begins, begins + fault))
    code, said = make(made, "--until", "track")
    assert code != 0, said
    stamp = made.folder / "results" / "mine" / "runs-tracked"
    assert stamp.exists()
    code, said = make(made, "--delete-all-output")
    assert code == 0 and not stamp.exists(), said
    with closing(sqlite3.connect(made.folder / "results" / "mlflow.db")) as database:
        assert database.execute("SELECT count(*) FROM experiments WHERE name = 'theirs'").fetchone() == (1,)


def contents(folder):
    """What files hold, except that those of views follow the runs that are there."""
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file() and file.suffix != ".runs"}


def test_a_run_that_is_gone_or_broken_is_made_again(made):
    first, second, *kept = sorted(made.runs())
    runs = made.folder / "results" / "runs"
    shutil.rmtree(runs / first)
    (runs / second / "summary.json").write_text('{"status": "pas')
    broken_run(made)
    before = made.runs()
    files = contents(made.folder / "results")
    code, said = make(made, "-n")
    assert code == 0 and "hinge" not in said  # nothing of the default config
    assert contents(made.folder / "results") == files
    code, said = make_runs(made)
    assert code == 0, said
    after = made.runs()
    assert len(after) == ALL + 1 and {name: after[name] for name in kept} == {name: before[name] for name in kept}
    assert json.loads((runs / second / "summary.json").read_text())["status"]


def test_a_mistake_in_a_config_is_said_before_anything_runs(checkout):
    write(checkout, {"grids": [MINE["grids"][0] | {"data": ["mnst"]}]})
    code, said = make(checkout)
    assert code == 2 and said.count("did you mean 'mnist'") == 1 and "Traceback" not in said, said
    assert "WorkflowError" not in said and "common.smk" not in said
    write(checkout, {"scale": "tiny"})
    code, said = make(checkout, "-n")
    assert code == 2 and "there are neither figures nor grids" in said  # those of the default config do not count
    (checkout.folder / "config" / "quick.yaml").write_text("scale: quick\nfigures: [eg2008\ngrids:\n")
    code, said = checkout.snakemake("-n")
    assert code == 2 and "error: config/quick.yaml, line 3: not YAML: " in said and "WorkflowError" not in said
    assert not checkout.runs()
