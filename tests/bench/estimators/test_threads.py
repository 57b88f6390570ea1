"""Fits and predictions in many threads and processes at once: none hangs, fails, or changes another."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import joblib
import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from threadpoolctl import threadpool_info

from structbench.algorithms.runtime import parallel
from structbench.bench.estimators import ChainCRF
from tests.bench.estimators.fits_in_processes import TAGS, WORDS, learn

ROOT = Path(__file__).resolve().parents[3]
PATIENCE = 300.0  # seconds; a child that waits for threads that are not there waits for ever


@pytest.mark.parametrize(
    "method, parent, child",
    [
        *((method, *jobs) for method in ("fork", "os.fork") for jobs in ((2, 1), (2, 2), (1, 2))),
        *((method, 2, 2) for method in ("spawn", "forkserver")),  # these know nothing of their parent's threads
    ],
)
def test_a_process_that_a_fit_starts_learns_and_predicts_the_same(method, parent, child):
    words = [sys.executable, "-m", "tests.bench.estimators.fits_in_processes", method, str(parent), str(child)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False, timeout=PATIENCE)
    first, second, third = done.stdout.splitlines()
    assert (first, third, done.returncode) == (second, "True", 0), done.stderr


@pytest.mark.parametrize("jobs", [(2, 2, 2), (1, 2, 3)])
def test_fits_in_threads_give_what_each_gives_alone(jobs):
    alone = learn(1).certificate_
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(learn, jobs * 3))
    assert {model.certificate_ for model in found} == {alone}


def test_a_fit_beside_predictions():
    model = learn(2)
    with ThreadPoolExecutor(3) as pool:
        fits = [pool.submit(learn, 2) for _ in range(3)]
        predicted = list(pool.map(model.predict, [WORDS] * 20))
    assert all(each == TAGS for each in predicted)
    assert {each.result().certificate_ for each in fits} == {model.certificate_}


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_a_grid_search_in_threads_or_processes_has_all_its_scores(backend):
    def search():
        return GridSearchCV(ChainCRF(max_passes=20, n_jobs=2), {"C": [0.1, 1.0, 10.0]}, cv=2).fit(WORDS, TAGS)

    with joblib.parallel_config(backend, n_jobs=2):
        found = search().cv_results_["mean_test_score"]
    np.testing.assert_array_equal(found, search().cv_results_["mean_test_score"])


def test_a_fit_leaves_the_number_of_threads_as_it_was():
    before = {each["filepath"]: each["num_threads"] for each in threadpool_info()}
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(learn, (2, 2, 2, 2)))
    learn(2)
    assert parallel.threads() == 1
    assert {each["filepath"]: each["num_threads"] for each in threadpool_info()} == before
