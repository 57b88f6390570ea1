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

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.workflow import config as configs
from tests.workflow.conftest import kill

pytestmark = pytest.mark.slow

TINY = ("--configfile", "config/tiny.yaml")
# two small data sets that need no download, a batch of runs each
MINE = {
    "scale": "tiny",
    "figures": [],
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


@pytest.fixture
def mine(checkout):
    write(checkout, MINE)
    return checkout


def write(checkout, config):
    (checkout.folder / "config" / "mine.yaml").write_text(json.dumps(config))


def make(checkout, *words):
    return checkout.snakemake("--configfile", "config/mine.yaml", *words)


def make_runs(checkout):
    """The runs, and nothing that is made of them."""
    return make(checkout, "--until", "batch")


def bench(checkout, *words):
    """A command of what is made of the runs, by itself."""
    return checkout.bench(*words, "--config", "config/mine.yaml")


@pytest.mark.corpus
@pytest.mark.long
def test_everything_from_the_real_data_to_the_report(checkout):
    code, said = checkout.snakemake(*TINY)
    assert code == 0, said
    results = checkout.folder / "results"
    made = checkout.runs()
    assert len(made) > 40 and any(name.startswith("conll2000") for name in made)
    for summary in (json.loads((results / "runs" / name / "summary.json").read_text()) for name in made):
        assert summary["status"] in ("converged", "passes", "stalled", "timeout"), summary
        if summary["gap"] is not None:
            assert summary["gap"] >= -1e-9 * abs(summary["primal"]), summary
    drawn = {folder.name: len(list(folder.glob("*.png"))) for folder in (results / "tiny" / "figures").iterdir()}
    assert drawn == {
        "eg2008": 27,
        "eg2004": 6,
        "l1m3n2009": 11,
        "laso2005": 10,
        "klein2011": 14,
        "methods": 4,
        "scaling": 1,
        "grid-hinge": 5,
    }
    for paper in ("eg2008", "eg2004", "l1m3n2009", "laso2005", "klein2011"):
        claims = json.loads((results / "tiny" / "claims" / f"{paper}.json").read_text())["claims"]
        assert {claim["verdict"] for claim in claims} <= {"reproduced", "not reproduced", "inconclusive"}
    page = (results / "tiny" / "report" / "index.html").read_text()
    assert "eg2008" in page and not re.search(r'(src|href)="https?:', page)
    assert "of them timed alone on the machine: about" in said  # the plan
    assert "present when the DAG was created" not in said
    for line in ("tiny/report/index.html", "mlflow.db", "tiny/figures/", "tiny/claims/"):
        assert f"results/{line}" in said
    assert re.search(r"\d+ sentences need `make paper`", said) and "inconclusive" not in said

    from mlflow import MlflowClient

    client = MlflowClient(f"sqlite:///{results}/mlflow.db")
    experiments = [experiment.experiment_id for experiment in client.search_experiments()]
    tracked = client.search_runs(experiments, "tags.run_key != ''", max_results=1000)
    assert {run.data.tags["run_key"] for run in tracked} >= made.keys()

    code, said = checkout.snakemake(*TINY)
    assert code == 0 and "Nothing to be done" in said and checkout.runs() == made, said
    code, said = checkout.snakemake(*TINY, "--report", "report.zip")
    assert code == 0 and (checkout.folder / "report.zip").stat().st_size > 100_000, said


def test_killed_half_way_it_goes_on_where_it_was(mine):
    process = mine.start("snakemake", "--cores", "1", "--configfile", "config/mine.yaml")
    give_up = time.monotonic() + 300
    while not mine.runs() and process.poll() is None and time.monotonic() < give_up:
        time.sleep(0.02)
    kill(process)
    before = mine.runs()
    assert len(before) > 0
    code, said = make_runs(mine)
    assert code != 0 and mine.runs() == before  # the killed one's lock is there still
    left = mine.folder / "results" / "runs" / ".left.partial"
    (left / "complete").mkdir(parents=True)
    os.utime(left, (0, 0))
    code, said = mine.bench("unlock")
    assert code == 0 and "it goes on from there" in said, said
    code, said = make_runs(mine)
    assert code == 0, said
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
    assert [line for line in said[:-1] if not line.startswith(("6 runs", "compiling kernels", "data: "))] == []
    assert not list(mine.folder.glob(".snakemake/locks/*"))


def test_two_at_once_the_second_is_refused_and_the_first_goes_on(mine):
    first = mine.start("snakemake", "--cores", "1", "--configfile", "config/mine.yaml")
    give_up = time.monotonic() + 120
    while not list(mine.folder.glob(".snakemake/locks/*")) and time.monotonic() < give_up:
        time.sleep(0.01)
    code, said = make(mine)
    assert code != 0 and "cannot be locked" in said
    code, said = mine.bench("unlock")
    assert code == 2 and "a workflow is running in this folder" in said
    said = first.communicate()[0]
    assert first.returncode == 0, said
    assert len(mine.runs()) == ALL


def test_an_edit_makes_again_what_it_touches_and_nothing_else(mine):
    assert make_runs(mine)[0] == 0
    before = mine.runs()
    file = mine.folder / "algorithms" / "gradient" / "lbfgs.py"
    file.write_text(file.read_text().replace("CURVATURE = 1e-4, 0.9", "CURVATURE = 1e-4, 0.8"))
    code, said = make_runs(mine)
    assert code == 0, said
    changed = {name for name, when in mine.runs().items() if before[name] != when}
    assert changed == {name for name in before if "lbfgs" in name}
    file.write_text(file.read_text() + "# a remark\n")
    before = mine.runs()
    assert make_runs(mine)[0] == 0 and mine.runs() == before  # a comment changes no result


def test_a_run_that_fails_leaves_the_others_and_is_tried_again(mine):
    file = mine.folder / "algorithms" / "gradient" / "lbfgs.py"
    good = file.read_text()
    file.write_text(good.replace("    n = parts.num", "    raise ArithmeticError('broken')\n    n = parts.num", 1))
    code, said = make(mine)
    assert code != 0 and "2 runs are missing" in said and "broken" in said, said
    kept = mine.runs()
    assert len(kept) == 4 and all("__eg" in name for name in kept)
    made = mine.folder / "results" / "mine"
    assert len(list((made / "figures" / "grid-mine").glob("*.png"))) == 5
    assert "2 missing" in (made / "report" / "index.html").read_text()
    assert not (made / "complete").exists()
    file.write_text(
        good.replace("    n = parts.num", "    import os\n    os.kill(os.getpid(), 9)\n    n = parts.num", 1)
    )
    assert make_runs(mine)[0] == 0 and mine.runs() == kept
    code, said = bench(mine, "outcome", "--out", "results/mine/complete")
    assert code == 1 and said.count("killed by SIGKILL") == 2 and not (made / "complete").exists(), said
    file.write_text(good)
    code, said = make(mine)
    assert code == 0, said
    after = mine.runs()
    assert len(after) == ALL and {name: after[name] for name in kept} == kept
    code, said = make(mine)
    assert code == 0 and "Nothing to be done" in said and mine.runs() == after, said


def test_a_full_disk_is_said_and_what_was_finished_is_kept(mine):
    assert make_runs(mine)[0] == 0
    before = mine.runs()
    (mine.folder / "results" / "mlflow.db").unlink(missing_ok=True)
    limited = f"ulimit -f 64; trap '' XFSZ; exec {sys.executable} -m bench track --config config/mine.yaml"
    code, said = mine.run("bash", "-c", limited)
    assert code == 2 and said.startswith("error: ") and "Traceback" not in said
    assert mine.runs() == before
    code, said = bench(mine, "track")
    assert code == 0 and f"{ALL} runs logged" in said, said


def test_what_a_user_does_in_mlflow_while_logging_fails_stays(mine):
    code, said = make(mine, "--until", "track")
    assert code == 0, said
    file = mine.folder / "bench" / "tracking" / "track.py"
    begins = "    place = address.of(uri)\n"
    fault = """
    if figures:
        from mlflow import MlflowClient

        MlflowClient(place.uri).create_experiment("theirs")
        raise SystemExit(1)
"""
    file.write_text(file.read_text().replace(begins, begins + fault))
    code, said = make(mine, "--until", "track")
    assert code != 0, said
    stamp = mine.folder / "results" / "mine" / "runs-tracked"
    assert stamp.exists()
    code, said = make(mine, "--delete-all-output")
    assert code == 0 and not stamp.exists(), said
    with closing(sqlite3.connect(mine.folder / "results" / "mlflow.db")) as database:
        assert database.execute("SELECT count(*) FROM experiments WHERE name = 'theirs'").fetchone() == (1,)


def test_a_run_that_is_gone_or_broken_is_made_again(mine):
    assert make_runs(mine)[0] == 0
    first, second, *kept = sorted(mine.runs())
    runs = mine.folder / "results" / "runs"
    shutil.rmtree(runs / first)
    (runs / second / "summary.json").write_text('{"status": "pas')
    before = mine.runs()
    files = {file: file.read_bytes() for file in (mine.folder / "results").rglob("*") if file.is_file()}
    assert make(mine, "-n")[0] == make(mine, "--lint")[0] == 0
    assert {file: file.read_bytes() for file in (mine.folder / "results").rglob("*") if file.is_file()} == files
    code, said = make_runs(mine)
    assert code == 0, said
    after = mine.runs()
    assert len(after) == ALL and {name: after[name] for name in kept} == {name: before[name] for name in kept}
    assert json.loads((runs / second / "summary.json").read_text())["status"]


def test_a_broken_run_of_another_config_is_left_out_and_said(mine):
    other = mine.folder / "results" / "runs" / "other"
    other.mkdir(parents=True)
    for name in ("spec.json", "summary.json", "curve.parquet", "weights.npz"):
        (other / name).write_text("{")
    assert make_runs(mine)[0] == 0 and len(mine.runs()) == ALL + 1
    code, said = bench(mine, "track")
    assert code == 0 and "left out: " in said and f"{ALL} runs logged" in said, said


def test_a_config_is_all_there_is(checkout):
    """Nothing of the default config gets into another."""
    write(checkout, {"grids": MINE["grids"]})
    code, said = make(checkout, "-n")
    assert code == 0 and "hinge" not in said
    write(checkout, {"scale": "tiny"})
    code, said = make(checkout, "-n")
    assert code == 2 and "there are neither figures nor grids" in said


def broken(**changes):
    config = json.loads(json.dumps(MINE))
    for name, value in changes.items():
        if name in config:
            config[name] = value
        else:
            config["grids"][0][name] = value
    return config


MISTAKES = [
    (broken(scale="huge"), "scale: must be one of tiny, quick, paper, not 'huge'"),
    (broken(figures=["eg2009"]), "unknown paper 'eg2009'"),
    (MINE | {"grid": []}, "there is no key 'grid': did you mean 'grids'?"),
    (broken(colour="red"), "there is no key 'colour'"),
    (broken(C=[0]), "C: must be above 0, not 0"),
    (broken(C=["one"]), "C: must be a number, not 'one'"),
    (broken(data=["mnst"]), "did you mean 'mnist'"),
    (broken(data=["svmlight:nowhere.txt"]), "nowhere.txt"),
    (broken(algorithms={"gd": {}}), "unknown algorithm 'gd'"),
    (broken(algorithms={"eg": {"etaa": [1]}}), "did you mean 'eta'"),
    (broken(algorithms={"eg": {"eta": [-1]}}), "eta must be at least 0"),
    (broken(loss=["hinge"]), "lbfgs minimises the log or smoothed-hinge-TAU or softmax-margin loss"),
    (MINE | {"mirror": "nowhere"}, "mirror 'nowhere' is not a folder"),
]


@pytest.mark.parametrize(("config", "said_of_it"), MISTAKES)
def test_a_mistake_in_the_config_is_a_users_mistake(config, said_of_it):
    with pytest.raises(UserError) as error:
        configs.of(config)
    assert said_of_it in str(error.value)


@pytest.mark.parametrize(("config", "said_of_it"), MISTAKES[:8:7])  # of the schema, and of a data set
def test_a_mistake_in_the_config_is_said_before_anything_runs(checkout, config, said_of_it):
    write(checkout, config)
    code, said = make(checkout)
    assert code == 2 and said.count(said_of_it) == 1 and "Traceback" not in said, said
    assert "WorkflowError" not in said and "common.smk" not in said
    assert not checkout.runs()


def test_a_broken_default_config_is_said_with_its_line(checkout):
    (checkout.folder / "config" / "quick.yaml").write_text("scale: quick\nfigures: [eg2008\ngrids:\n")
    code, said = checkout.snakemake("-n")
    assert code == 2 and "error: config/quick.yaml, line 3: not YAML: " in said and "WorkflowError" not in said
