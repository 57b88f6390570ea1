"""Peak memory: of a process that makes one run and nothing else."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from structbench.algorithms.runtime.errors import Fault
from structbench.bench.runs import memory
from structbench.bench.runs.spec import make

ROOT = Path(__file__).resolve().parents[3]
TRAINING = """
import sys

from structbench import datasets
from structbench.bench.runs import driver, memory
from structbench.bench.runs.spec import make

data = f"crfsuite:{sys.argv[1]}"
problem = datasets.build(data)
for algorithm in ("sgd", "eg", "lbfgs", "sdca"):
    driver.run(make(data, "log", 1.0, algorithm, passes=2.0), problem)
print(memory.peak())
"""

pytestmark = pytest.mark.skipif(not memory.STATUS.exists(), reason="the system does not tell")


def test_a_run_is_measured_in_a_process_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("train.svm").write_text("0 1:1\n1 2:1\n" * 5)
    held = np.ones(2**27)  # a gigabyte that this process has, and the other has not
    assert memory.peak() > held.nbytes
    spec = make("svmlight:train.svm", "log", 1.0, "sgd", {"eta0": 0.1}, passes=1.0)
    found = memory.of_run(spec)
    assert 2**25 < found["peak_memory"] < held.nbytes and found["sentence_seconds"] is None


def test_memory_does_not_grow_with_the_square_of_a_sequence(tmp_path):
    """The inner products of all pairs of 20,000 tokens are 3 gigabytes."""
    drawn, path = np.random.default_rng(0).integers(0, 50, size=(20_000, 3)), tmp_path / "long.txt"
    path.write_text("".join(f"{a % 2}\ta{a}\tb{b}\tc{c}\n" for a, b, c in drawn))
    words = [sys.executable, "-c", TRAINING, path]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 2**30


def test_a_process_that_fails_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Fault, match=r"measures the memory of sgd failed: UserError: cannot read '.*none.svm'"):
        memory.of_run(make("svmlight:none.svm", "log", 1.0, "sgd"))


def test_nothing_is_measured_where_the_system_does_not_tell(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "STATUS", tmp_path / "none")
    assert memory.of_run(make("svmlight:none.svm", "log", 1.0, "sgd")) == {}
