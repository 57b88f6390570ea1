"""The workflow on two SLURM nodes, with nothing but its profile."""

import hashlib
import json
import time
from pathlib import Path

import pytest

from bench.runs import store

pytestmark = pytest.mark.cluster

PROFILE = ("--profile", "workflow/profiles/slurm", "--configfile", "config/mine.yaml")
# 16 runs in 8 batches, so two SLURM jobs of four batches each: one a node
MINE = {
    "scale": "tiny",
    "figures": [],
    "grids": [
        {
            "name": "mine",
            "data": ["synthetic:sequences=100", "synthetic:sequences=120"],
            "C": [1, 10],
            "algorithms": {"eg": {}, "sdca": {}, "sgd": {}, "lbfgs": {}},
            "passes": 5,
        }
    ],
}
ALL = 16
TIMES = ("wall_seconds", "cpu_seconds")


def results(folder: Path) -> dict[str, str]:
    """Run -> a hash of all that it gave, seconds apart."""
    found = {}
    for run in store.all_runs(folder / "results" / "runs"):
        digest = hashlib.sha256(store.weights_of(run).tobytes())
        curve = run.curve
        for column in sorted(set(curve) - set(TIMES)):
            digest.update(column.encode() + curve[column].to_numpy().tobytes())
        digest.update(json.dumps([run.spec, run.summary["status"], run.summary["primal"]]).encode())
        found[run.key] = digest.hexdigest()
    return found


def test_a_node_dies_half_way_and_the_results_are_those_of_one_machine(cluster, checkout):
    (checkout.folder / "config" / "mine.yaml").write_text(json.dumps(MINE))
    survivor, doomed = cluster.nodes
    workflow = checkout.start("snakemake", *PROFILE)
    on_doomed = lambda: ("RUNNING" in [state for node, state in cluster.jobs() if node == doomed])  # noqa: E731
    while workflow.poll() is None and not (on_doomed() and checkout.runs()):
        time.sleep(0.2)
    assert workflow.poll() is None, workflow.communicate()[0]
    cluster.kill(doomed)
    before = checkout.runs()
    said = workflow.communicate()[0]
    assert workflow.returncode == 0, said
