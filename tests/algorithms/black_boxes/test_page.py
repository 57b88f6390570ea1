"""The examples of docs/how-to/black-boxes.md, pasted."""

import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.black_boxes import box, declared
from structbench.algorithms.learning.objective import Objective
from structbench.algorithms.runtime.modules import ROOT
from structbench.algorithms.structures import interface as parts
from structbench.bench.runs import driver
from structbench.bench.runs.spec import make

PAGE = (ROOT / "docs" / "how-to" / "black-boxes.md").read_text()
EXAMPLES = dict(re.findall(r"`mine/algorithms/(\w+)\.yaml`:\n\n```yaml\n(.*?)```", PAGE, re.DOTALL))
TAGGER = """#!/bin/sh
# Each token gets the label of the first one.
label=$(head -n 1 "$1" | sed 's/.* //')
sed "/./s/.*/$label/" "$2" > "$3"
"""


def points(folder, name, data, **params):
    file = folder / f"{name}.yaml"
    file.write_text(EXAMPLES[name])
    problem = datasets.build(data)
    test = parts.compiled(problem.test)
    problem = problem._replace(train=parts.compiled(problem.train), test=test)
    objective = Objective(problem.train, "none", 1.0)
    solver = declared.module(file).solve(problem, objective, np.random.default_rng(0), **params)
    found = [each for each, _ in zip(solver, range(4), strict=False)]
    solver.close()
    predicted, right, _ = found[-1].hints.model.predictions(test, found[-1].vector)
    return found, float(np.mean(predicted != right))


def test_the_page_has_both_examples():
    assert {*EXAMPLES} == {"forest", "tagger"}
    assert all(f"{{{name}}}" in PAGE for name in box.KNOWN) and len(PAGE.splitlines()) < 90


def test_the_class_of_the_page_learns(tmp_path):
    found, error = points(tmp_path, "forest", "toy-points", max_depth=4, criterion="gini")
    assert [each.visits for each in found] == [0, 60, 120, 180] and error < 0.2


def test_the_command_of_the_page_labels(tmp_path):
    tagger = tmp_path / "tagger.sh"
    tagger.write_text(TAGGER)
    tagger.chmod(0o700)
    data = "toy-english:sentences=20,test_sentences=10"
    found, error = points(tmp_path, "tagger", data)
    assert len({*found[-1].hints.model.given}) == 1 and 0 < error < 1


def test_the_command_of_the_page_runs_from_a_folder_of_the_users(tmp_path):
    folder = tmp_path / "mine" / "algorithms"
    folder.mkdir(parents=True)
    (folder / "tagger.yaml").write_text(EXAMPLES["tagger"])
    (folder / "tagger.sh").write_text(TAGGER)
    (folder / "tagger.sh").chmod(0o700)
    data = "toy-english:sentences=20,test_sentences=10"
    words = ["-m", "bench", "run", "--with", "mine", "--data", data, "--algorithm", "tagger", "--set", "cost=2"]
    env = os.environ | {"PYTHONPATH": str(ROOT), "STRUCTBENCH_RESULTS": str(tmp_path / "results")}
    done = subprocess.run(
        [sys.executable, *words], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert made["passes"] == 1 and 0 < made["test_error"] < 1 and made["primal"] is None
    assert (made["status"], made["message"]) == ("finished", "tagger ended by itself after 1 passes")
    assert made["num_weights"] == 0, "labels are no weights"


def test_the_class_of_the_page_needs_a_test_file(tmp_path):
    (folder := tmp_path / "mine" / "algorithms").mkdir(parents=True)
    (folder / "forest.yaml").write_text(EXAMPLES["forest"])
    (tmp_path / "train").write_text("1 1:1\n2 1:2\n1 2:1\n2 2:2\n")
    words = ["-m", "bench", "run", "--with", "mine", "--data", "svmlight:train", "--algorithm", "forest"]
    env = os.environ | {"PYTHONPATH": str(ROOT), "STRUCTBENCH_RESULTS": str(tmp_path / "results")}
    done = subprocess.run(
        [sys.executable, *words], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    said = "error: forest gives only labels of a test split, which these data lack: give a test file\n"
    assert done.returncode == 2 and done.stderr.endswith(said)


RESTLESS = """
import os

import numpy as np


class Restless:
    def fit(self, x, y):
        self.count = y.max() + 1

    def predict(self, x):
        return np.frombuffer(os.urandom(x.shape[0]), np.uint8) % self.count
"""


def test_bench_check_finds_a_wrong_strength_of_the_penalty_and_tries_columns(tmp_path):
    folder = tmp_path / "mine" / "algorithms"
    folder.mkdir(parents=True)
    real = (ROOT / "algorithms" / "black_boxes" / "sklearn.yaml").read_text()
    (folder / "fine.yaml").write_text(real.replace("label: scikit-learn", "label: fine"))
    (folder / "wrong.yaml").write_text(real.replace("1/(C_of", "2/(C_of"))
    for name in ("forest", "tagger"):
        (folder / f"{name}.yaml").write_text(EXAMPLES[name])
    (folder / "tagger.sh").write_text(TAGGER)
    (folder / "tagger.sh").chmod(0o700)
    (folder / "restless.yaml").write_text("about: other labels each time\nclass: restless.py:Restless\n")
    (folder / "restless.py").write_text(RESTLESS)
    env = os.environ | {"PYTHONPATH": str(ROOT), "STRUCTBENCH_RESULTS": str(tmp_path / "results")}
    words = [sys.executable, "-m", "bench", "check", "mine"]
    done = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert {f"algorithm {name}: all is well" for name in ("fine", "forest", "tagger")} <= {
        *done.stdout.splitlines()
    }
    assert "algorithm wrong:\n" in done.stdout and "of the optimum above it" in done.stdout
    assert "the same run again, with 1 threads, gives other weights" in done.stdout.partition("restless:")[2]


@pytest.mark.parametrize("algorithm", ["sgd-classifier", "sklearn"])
def test_figures_say_what_a_point_of_a_black_box_is(algorithm):
    from structbench.bench.drawing import comparison

    loss = None if algorithm == "sgd-classifier" else "log"
    spec = make("toy-points", loss, loss and 1.0, algorithm)
    captions = [each.caption for stem, each in comparison.figures("mine", [spec]).items() if "error" in stem]
    said = driver.algorithm_module.declaration(algorithm).black_box
    assert captions and all(f": {said}." in each for each in captions)
