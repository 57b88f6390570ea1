"""The workflow on SLURM nodes, with its profile and nothing else, while one of them dies."""

import json
import time

import psutil
import pytest

from tests.campaigns.small_work import numbers

pytestmark = pytest.mark.cluster

CONFIG = ("--configfile", "config/mine.yaml")
DATA = {2: 6, 4: 14}  # nodes -> data sets. A SLURM job takes 4 batches, of a data set each: a job for each node
PATIENCE = 300.0  # seconds until all nodes are at work


def config(data_sets: int) -> dict:
    """Four runs a data set."""
    grid = {
        "name": "mine",
        "data": [f"synthetic:sequences={100 + 10 * k}" for k in range(data_sets)],
        "C": [10],
        "algorithms": {"eg": {}, "sdca": {}, "conjugate-gradient": {}, "lbfgs": {}},
        "gap": 0,
        "passes": 300,
        "threads": 2,  # all that a node has
    }
    return {"scale": "tiny", "figures": [], "grids": [grid]}


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


@pytest.mark.parametrize("cluster", DATA, indirect=True, ids="{} nodes".format)
def test_a_node_dies_half_way_and_the_numbers_are_those_of_one_machine(cluster, checkout):
    count = len(cluster.nodes)
    (checkout.folder / "config" / "mine.yaml").write_text(json.dumps(config(DATA[count])))
    with checkout.running("snakemake", "--profile", "workflow/profiles/slurm", *CONFIG) as workflow:
        given: dict[str, set[str]] = {node: set() for node in cluster.nodes}
        give_up = time.monotonic() + PATIENCE
        while True:  # until all nodes have begun, and one has made a run and not all of its own
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
    assert len(after) == 4 * DATA[count] and {key: after[key] for key in made} == made
    # A job a node and the lost one again: nothing but the batches left this machine.
    jobs = cluster.jobs()
    assert [job for job in jobs if job[1] != "COMPLETED"] == [(doomed, "NODE_FAIL")] and len(jobs) == count + 1
    assert {node for node, _ in jobs} == {*cluster.nodes}
    assert (checkout.folder / "results" / "mlflow.db").is_file()

    checkout.env["STRUCTBENCH_RESULTS"] = "undisturbed"
    code, said = checkout.bench("batch", "--out", "undisturbed/batch.1.json", *after)
    assert code == 0, said
    assert numbers(checkout.folder / "results" / "runs") == numbers(checkout.folder / "undisturbed" / "runs")
