"""What earlier workflows left behind goes, if it is ours and old; all else stays."""

import json
import os
import time

from structbench.bench.runs import problem_store, programs, update_costs
from structbench.bench.runs.spec import make
from structbench.bench.workflow import breakdown, config, sweep
from structbench.datasets import data_ref
from tests.bench import synthetic_curves
from tests.narrowing import fake

DAY = 24 * 3600.0
KEY = "mnist__log__C=0.5__eg"
NOTHING = fake(problems={}, costs_of={})


def put(file, days, content="{}"):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content)
    age(file, days)
    return file


def age(place, days):
    os.utime(place, (time.time() - days * DAY,) * 2)


def partial(root, key, days, *names):
    folder = root / "runs" / f"{key}.partial"
    for name in ("spec.json", "begun.json", "curve.jsonl", "lock", *names):
        put(folder / name, days)
    age(folder, days)
    return folder


def test_what_is_ours_and_old_goes(ours):
    root, finished = ours, make("mnist", "log", 0.5, "lbfgs")
    synthetic_curves.write(root / "runs", finished)
    logs = root / "logs" / "batches"
    go = [
        partial(root, KEY, 40),
        partial(root, finished.key, 40),
        put(root / "runs" / "other.traceback", 40),
        put(root / "batches" / "mnist-eg-deadbeef.1.json", 40),  # of an earlier program
        put(root / "batches" / "mnist-eg-deadbeef.2.journal", 40),
        put(logs / "mnist-eg-deadbeef.1.log", 40),
    ]
    stay = [
        partial(root, "young", 1),
        partial(root, "not-ours", 40, "thesis.tex"),
        put(root / "runs" / "young.traceback", 1),
        put(root / "runs" / "notes.txt", 40),
        put(root / "batches" / "mnist-sgd-feedbeef.1.journal", 1),
        put(root / "batches" / "mine.json", 40),
        root / "runs" / finished.key / "summary.json",
    ]
    sweep.sweep(NOTHING)
    assert not [file for file in go if file.exists()]
    assert all(file.exists() for file in stay)


def test_what_is_of_other_programs_or_data_is_made_again_by_a_job(ours, monkeypatch):
    data = data_ref("toy-points")
    grid = {"name": "a", "data": data.text, "C": [1], "algorithms": {"lbfgs": {}}}
    problem, costs = problem_store.note(data), update_costs.file(data)

    def swept():
        made = config.config_of({"name": "mine", "grids": [grid]})
        made.__dict__["costs_of"] = {"eg2008": [data]}
        sweep.sweep(made)
        return [file.exists() for file in (problem, costs)]

    problem_store.obtain(data)
    breakdown.write_breakdown(data, costs)
    assert swept() == [True, True]
    earlier = {name: each for name, each in json.loads(costs.read_text()).items() if name != "code_sha256"}
    costs.write_text(json.dumps(earlier))
    assert swept() == [True, True], "an earlier program did not note its hash"
    breakdown.write_breakdown(data, costs)
    with monkeypatch.context() as patch:
        patch.setattr(programs, "of_breakdown", lambda data: [])
        assert swept() == [True, False]
    breakdown.write_breakdown(data, costs)
    monkeypatch.setattr(programs, "sha256_of_data", lambda data: "another")
    assert swept() == [False, True], "its numbers may be the same"
