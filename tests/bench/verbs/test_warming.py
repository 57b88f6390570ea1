"""``bench warm`` compiles what a run of the same arguments, its probabilities and its k best outputs call."""

import json
import os
import subprocess
import sys

import pytest

from structbench.algorithms.runtime.kernel import COMPILED

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


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_after_it_nothing_of_the_run_or_its_answers_compiles(tmp_path):
    given = os.environ | {"STRUCTBENCH_KERNELS": str(tmp_path / "kernels"), "STRUCTBENCH_RESULTS": str(tmp_path)}

    def said(*command: str) -> subprocess.CompletedProcess:
        return subprocess.run([sys.executable, *command], env=given, capture_output=True, text=True, check=True)

    warmed = said("-m", "bench", "warm", *ASKED)
    assert json.loads(warmed.stdout)["compiled"] > 10 and "compiling for multiclass, once" in warmed.stderr
    assert said("-c", USE).stdout == "[]\n"
