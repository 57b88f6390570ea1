"""The workflow on SLURM nodes, with its profile and nothing else, while one of them dies."""

import time
from pathlib import Path

import psutil
import pytest

from structbench.bench.runs import store
from tests.cluster import work

pytestmark = pytest.mark.cluster

A_JOB, A_BATCH = 4, 2  # batches of timed runs in a SLURM job (group-components); runs of a batch
PATIENCE = 600.0  # seconds in which no job begins or ends, no batch begins and no run is made


def mine(nodes: int) -> dict:
    """A grid with a SLURM job for each node. The last job has two batches, the others four."""
    return {
        "name": "mine",
        "data": [f"synthetic:sequences={100 + n}" for n in range((A_JOB * nodes - 2) // 2)],
        "C": [10],
        "algorithms": {"eg": {}, "sdca": {}, "conjugate-gradient": {}, "lbfgs": {}},
        "gap": 0,
        "passes": 300,
        "threads": 2,  # all that a node has
        "figures": ["gap-passes"],
    }


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
    grid = mine(len(cluster.nodes))
    work.give(checkout, grid, A_BATCH)
    with checkout.running("snakemake", *work.OPTIONS) as workflow:
        begun: dict[str, set[str]] = {node: set() for node in cluster.nodes}
        made, half = {}, []
        progress, give_up = None, time.monotonic() + PATIENCE
        while not (half and all(runs & made.keys() for runs in begun.values())):  # all have made some
            assert workflow.poll() is None and time.monotonic() < give_up, cluster.jobs()
            time.sleep(0.1)
            for node, runs in begun.items():
                runs |= made_by(node)
            made = checkout.runs()
            if (seen := (cluster.jobs(), made, [*map(len, begun.values())])) != progress:
                progress, give_up = seen, time.monotonic() + PATIENCE
            half = [node for node, runs in begun.items() if runs & made.keys() and runs - made.keys()]
        doomed = min(half, key=lambda node: len(begun[node]))  # it has most to do
        cluster.kill(doomed)
        made = checkout.runs()
        said = workflow.communicate()[0]
        assert workflow.returncode == 0, said

    after = checkout.runs()
    assert len(after) == len(grid["algorithms"]) * len(grid["data"])
    assert {key: after[key] for key in made} == made
    # A job a node and the lost one again: nothing but the batches left this machine.
    ended = cluster.jobs()
    assert [job for job in ended if job[1] != "COMPLETED"] == [(doomed, "NODE_FAIL")], ended
    again = [node for node, _ in ended if node != doomed]
    assert len(again) == len(ended) - 1 == len(cluster.nodes) and {*again} == {*cluster.nodes} - {doomed}
    assert (checkout.folder / "results" / "mlflow.db").is_file()

    checkout.env["STRUCTBENCH_RESULTS"] = "undisturbed"
    code, said = checkout.bench("batch", "--out", "undisturbed/batch.1.journal", *after)
    assert code == 0, said
    assert numbers(checkout.folder / "results") == numbers(checkout.folder / "undisturbed")
