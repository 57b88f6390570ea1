"""``bench warm`` compiles what a run of the same arguments, its probabilities and its k best outputs call."""

import json
import os
import subprocess
import sys

import pytest

from structbench.algorithms.runtime.kernel import COMPILED
from tests.bench.test_own_folder import written

ASKED = ("--data", "toy-points:points=20", "--loss", "log", "--C", "1", "--algorithm", "eg")
USE = """
import numpy as np
from structbench.algorithms.runtime import compiling
from structbench.algorithms.structures import prediction, interface as parts
from structbench.bench.runs import driver, problem_store
from structbench.bench.runs.spec import make
heard, spec = [], make("toy-points:points=20", "log", 1.0, "eg", passes=2.0)
with compiling.heard(lambda name, done: heard.append(name)):
    problem = problem_store.obtain(spec.data)[0]
    weights = driver.run(spec, problem).weights
    prediction.k_best(problem.train, weights, 2)
    prediction.label_probabilities(problem.train, weights, 1.0, 2)
print(heard)
"""


FAILS = """import os

from structbench.algorithms.learning.declaration import algorithm


@algorithm(needs=("parts",), loss="any", random=False)
def solve(problem, objective, rng):
    os.system("echo of a child")
    print("of ours")
    yield 1 / 0
"""


def test_an_algorithm_that_fails_is_a_sentence(tmp_path):
    written(tmp_path, {"algorithms/fails.py": FAILS})
    words = ["-m", "bench", "warm", "--with", str(tmp_path), *ASKED[:-1], "fails"]
    given = os.environ | {"STRUCTBENCH_RESULTS": str(tmp_path)}
    done = subprocess.run([sys.executable, *words], env=given, capture_output=True, text=True)
    assert done.returncode and not done.stdout, done.stderr
    assert (
        "of a child" in done.stderr and "fails failed with ZeroDivisionError: division by zero at" in done.stderr
    )
    assert "fails.py:10" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_after_it_nothing_of_the_run_or_its_answers_compiles(tmp_path):
    given = os.environ | {"STRUCTBENCH_KERNELS": str(tmp_path / "kernels"), "STRUCTBENCH_RESULTS": str(tmp_path)}

    def said(*command: str) -> subprocess.CompletedProcess:
        return subprocess.run([sys.executable, *command], env=given, capture_output=True, text=True, check=True)

    warmed = said("-m", "bench", "warm", *ASKED)
    assert json.loads(warmed.stdout)["compiled"] > 10 and "compiling for multiclass, once" in warmed.stderr
    assert said("-c", USE).stdout == "[]\n"
