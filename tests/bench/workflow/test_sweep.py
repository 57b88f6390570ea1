"""What earlier workflows left behind goes, if it is ours and old; all else stays."""

import json
import os
import time

from structbench.bench.runs.spec import make
from structbench.bench.workflow import sweep
from tests.bench import synthetic_curves

DAY = 24 * 3600.0
KEY = "mnist__log__C=0.5__eg"


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
    (root / "quick").mkdir()
    (root / "quick" / "batches.json").write_text(json.dumps({"mnist-eg-0badcafe": [KEY]}))
    logs = root / "logs" / "batches"
    go = [
        partial(root, KEY, 40),
        partial(root, finished.key, 1),
        put(root / "runs" / f"{finished.key}.traceback", 1),
        put(root / "runs" / "other.traceback", 40),
        put(root / "batches" / "mnist-eg-deadbeef.1.json", 40),
        put(root / "batches" / "mnist-eg-deadbeef.2.journal", 40),
        put(logs / "mnist-eg-deadbeef.1.log", 40),
    ]
    stay = [
        partial(root, "young", 1),
        partial(root, "not-ours", 40, "thesis.tex"),
        put(root / "runs" / "young.traceback", 1),
        put(root / "runs" / "notes.txt", 40),
        put(root / "batches" / "mnist-eg-0badcafe.1.json", 40),  # of another config
        put(root / "batches" / "mnist-sgd-0a0a0a0a.1.json", 40),  # of this one
        put(root / "batches" / "mnist-sgd-feedbeef.1.json", 1),
        put(root / "batches" / "mine.json", 40),
        root / "runs" / finished.key / "summary.json",
    ]
    sweep.sweep({"mnist-sgd-0a0a0a0a"})
    assert not [file for file in go if file.exists()]
    assert all(file.exists() for file in stay)
