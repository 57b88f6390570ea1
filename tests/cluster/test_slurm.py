"""The workflow on two SLURM nodes, with its profile and nothing else, while one of them dies."""

import json
import time
from collections import defaultdict
from pathlib import Path

import psutil
import pytest

from structbench.bench.runs import store
from structbench.bench.workflow import config as configs

pytestmark = pytest.mark.cluster

CONFIG = ("--configfile", "config/mine.yaml")
# 24 runs, in two SLURM jobs, of 4 and 2 batches, one a node
MINE = {
    "scale": "tiny",
    "figures": [],
    "grids": [
        {
            "name": "mine",
            "data": [f"synthetic:sequences={n}" for n in range(100, 160, 10)],
            "C": [10],
            "algorithms": {"eg": {}, "sdca": {}, "conjugate-gradient": {}, "lbfgs": {}},
            "gap": 0,
            "passes": 300,
            "threads": 2,  # all that a node has
        }
    ],
}
RUNS = 24
PATIENCE = 300.0  # seconds until both nodes are at work


def cut_by_data(config: dict, folder: Path) -> None:
    """Have a batch for each data set: so little work would be one."""
    cut = defaultdict(list)
    for spec in configs.of({"name": "mine", **config}).specs:
        cut[spec.data].append(spec.key)
    folder.mkdir(parents=True)
    (folder / "batches.json").write_text(json.dumps(dict(enumerate(cut.values()))))


def numbers(folder: Path) -> dict[str, tuple]:
    """Run -> all bits of what it gave, but not how long it took."""
    found = {}
    for run in store.all_runs(folder / "runs"):
        curve = run.curve.drop(columns=[name for name in run.curve if name.endswith("_seconds")])
        bits = (store.weights_of(run).tobytes(), [*curve], curve.to_numpy().tobytes())
        found[run.key] = (run.spec, run.summary["status"], run.summary["primal"], *bits)
    return found


def made_by(node: str) -> set[str]:
    """The runs of the batches that a node is making at the moment."""
    keys: set[str] = set()
    for process in psutil.process_iter():
        try:
            words = process.cmdline()
            if words[1:4] == ["-m", "bench", "batch"] and process.environ().get("SLURMD_NODENAME") == node:
                keys |= {word for word in words if "__" in word}
        except psutil.Error:  # it has ended meanwhile
            continue
    return keys


def test_a_node_dies_half_way_and_the_numbers_are_those_of_one_machine(cluster, checkout):
    (checkout.folder / "config" / "mine.yaml").write_text(json.dumps(MINE))
    cut_by_data(MINE, checkout.folder / "results" / "mine")
    with checkout.running("snakemake", "--profile", "workflow/profiles/slurm", *CONFIG) as workflow:
        given: dict[str, set[str]] = {node: set() for node in cluster.nodes}
        give_up = time.monotonic() + PATIENCE
        while True:  # until both nodes have begun, and one has made a run and not all of its own
            made = checkout.runs()
            for node, runs in given.items():
                runs |= made_by(node)
            half = [node for node, runs in given.items() if runs & made.keys() and runs - made.keys()]
            if half and all(given.values()):
                break
            assert workflow.poll() is None and time.monotonic() < give_up, cluster.jobs()
            time.sleep(0.1)
        doomed = half[0]
        cluster.kill(doomed)
        made = checkout.runs()
        said = workflow.communicate()[0]
        assert workflow.returncode == 0, said

    after = checkout.runs()
    assert len(after) == RUNS and {key: after[key] for key in made} == made
    # A job a node and the lost one again: nothing but the batches left this machine.
    survivor = next(node for node in cluster.nodes if node != doomed)
    assert sorted(cluster.jobs()) == sorted([*2 * [(survivor, "COMPLETED")], (doomed, "NODE_FAIL")])
    assert (checkout.folder / "results" / "mlflow.db").is_file()

    checkout.env["STRUCTBENCH_RESULTS"] = "undisturbed"
    code, said = checkout.bench("batch", "--out", "undisturbed/batch.1.json", *after)
    assert code == 0, said
    assert numbers(checkout.folder / "results") == numbers(checkout.folder / "undisturbed")
