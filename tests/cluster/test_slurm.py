"""The workflow on two SLURM nodes, with its profile and nothing else, while one of them dies."""

import json
import time
from pathlib import Path

import psutil
import pytest

from bench.runs import store

pytestmark = pytest.mark.cluster

CONFIG = ("--configfile", "config/mine.yaml")
# 16 runs in 8 batches, so in two SLURM jobs of four batches each, one a node
MINE = {
    "scale": "tiny",
    "figures": [],
    "grids": [
        {
            "name": "mine",
            "data": ["synthetic:sequences=100", "synthetic:sequences=120"],
            "C": [1, 10],
            "algorithms": {"eg": {}, "sdca": {}, "sgd": {}, "lbfgs": {}},
            "gap": 0,
            "passes": 300,
            "threads": 2,  # all that a node has
        }
    ],
}
RUNS, BATCHES = 16, 8
PATIENCE = 300.0  # seconds until both nodes are at work


def numbers(folder: Path) -> dict[str, tuple]:
    """Run -> all bits of what it gave, but not how long it took."""
    found = {}
    for run in store.all_runs(folder / "runs"):
        curve = run.curve.drop(columns=[name for name in run.curve if name.endswith("_seconds")])
        bits = (store.weights_of(run).tobytes(), [*curve], curve.to_numpy().tobytes())
        found[run.key] = (run.spec, run.summary["status"], run.summary["primal"], *bits)
    return found


def half_made(node: str, made: set[str]) -> set[str]:
    """The finished ones among the runs of a batch that a node has begun and not finished; empty: there is none."""
    for process in psutil.process_iter():
        try:
            words = process.cmdline()
            if words[1:4] == ["-m", "bench", "batch"] and process.environ().get("SLURMD_NODENAME") == node:
                keys = set(words[words.index("--out") + 2 :])
                if keys & made and not keys <= made:
                    return keys & made
        except psutil.Error:  # it has ended meanwhile
            continue
    return set()


def test_a_node_dies_half_way_and_the_numbers_are_those_of_one_machine(cluster, checkout):
    (checkout.folder / "config" / "mine.yaml").write_text(json.dumps(MINE))
    survivor, doomed = cluster.nodes
    workflow = checkout.start("snakemake", "--profile", "workflow/profiles/slurm", *CONFIG)
    give_up = time.monotonic() + PATIENCE
    while not (kept := half_made(doomed, set(checkout.runs()))):
        assert workflow.poll() is None and time.monotonic() < give_up, workflow.communicate()[0]
        time.sleep(0.1)
    cluster.kill(doomed)
    made = checkout.runs()

    said = workflow.communicate()[0]
    assert workflow.returncode == 0, said
    after = checkout.runs()
    assert len(after) == RUNS and {key: after[key] for key in made} == made and kept <= made.keys()
    # A job a node and the lost one again: nothing but the batches left this machine.
    assert sorted(cluster.jobs()) == sorted([*2 * [(survivor, "COMPLETED")], (doomed, "NODE_FAIL")])
    assert len(list(checkout.folder.glob("results/batches/[!.]*.json"))) == BATCHES
    assert (checkout.folder / "results" / "mlflow.db").is_file()

    checkout.env["STRUCTBENCH_RESULTS"] = "undisturbed"
    code, said = checkout.bench("batch", "--out", "undisturbed/batch.json", *after)
    assert code == 0, said
    assert numbers(checkout.folder / "results") == numbers(checkout.folder / "undisturbed")
