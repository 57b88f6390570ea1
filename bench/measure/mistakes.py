"""A pass of the perceptron: ours against scikit-learn's on MNIST, CRFsuite's averaged one on CoNLL-2000."""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from algorithms.learning.objective import Objective
from algorithms.structures import interface as parts
from bench.measure.row import Row
from bench.runs import algorithm_module, catalogue, problems
from bench.runs.quality import quality
from bench.runs.spec import make

PASSES = 5
REPEATS = 3  # of which the fastest counts
SHARE = {"mnist": 0.5, "conll2000": 0.25}  # of their seconds that ours may take


def rows() -> Iterator[Row]:
    """A pass of the perceptron: CPU seconds, and what the averaged weights get wrong after five."""
    for peer in ("crfsuite", "sklearn"):
        catalogue.require(peer)
    digits, chunks = problems.obtain("mnist")[0], problems.obtain("conll2000")[0]
    yield _row("mnist", digits, "scikit-learn's Perceptron", _sklearn(digits))
    yield _row("conll2000", chunks, "CRFsuite's ap", _crfsuite(chunks))


def _row(data: str, problem: Any, name: str, theirs: tuple[float, float]) -> Row:
    ours, most = _ours(data, problem), SHARE[data]
    ratio = ours[0] / theirs[0]
    what = f"a pass of the averaged perceptron over {data}, against {name}"
    said = f"{ours[0]:.3f} s, {ratio:.2f} x; {100 * ours[1]:.2f} % wrong after {PASSES}"
    limit = f"at most {most:g} x"
    return Row("mistakes", what, said, f"{theirs[0]:.3f} s; {100 * theirs[1]:.2f} %", limit, ratio <= most)


def _ours(data: str, problem: Any) -> tuple[float, float]:
    from algorithms.learning.weights import Weights
    from bench.runs.driver import predictor, warm_up

    spec = make(data, None, None, "perceptron", {"average": "uniform"})
    warm_up(spec, problem)
    n, fastest = parts.num_examples(problem.train), np.inf
    for _ in range(REPEATS):
        objective = Objective(problem.train, "none", 0.0)
        solver = algorithm_module.solver("perceptron")(
            problem, objective, np.random.default_rng(0), **dict(spec.params)
        )
        next(solver)
        started = time.process_time()
        iterate = next(iterate for iterate in solver if iterate.visits >= PASSES * n)
        fastest = min(fastest, (time.process_time() - started) / PASSES)
    model, w = iterate.model or Weights(predictor(spec)), iterate.vector * iterate.scale
    return fastest, quality(problem, model, problem.test, w, "test")["test_error"]


def _sklearn(problem: Any) -> tuple[float, float]:
    """Ten binary perceptrons, one class against the rest; it has no average."""
    from sklearn.linear_model import Perceptron

    from algorithms.peers.harness import rows_and_labels

    x, y = rows_and_labels("sklearn", problem.train)
    fastest = np.inf
    for _ in range(REPEATS):
        model = Perceptron(max_iter=PASSES, tol=None, fit_intercept=False, random_state=0)
        started = time.process_time()
        model.fit(x, y)
        fastest = min(fastest, (time.process_time() - started) / PASSES)
    return fastest, 1.0 - float(model.score(*rows_and_labels("sklearn", problem.test)))


def _crfsuite(problem: Any) -> tuple[float, float]:
    from algorithms.structures.prediction import error_rate

    objective = Objective(problem.train, "log", 1.0)
    solver = algorithm_module.solver("crfsuite")(problem, objective, np.random.default_rng(0), method="ap")
    n = parts.num_examples(problem.train)
    iterate = next(iterate for iterate in solver if iterate.visits >= PASSES * n)
    return iterate.seconds[1] / iterate.visits * n, error_rate(problem.test, iterate.vector * iterate.scale)
