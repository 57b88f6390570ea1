"""A pass of logistic regression over MNIST: ours against Vowpal Wabbit's, read from its own cache of examples."""

import importlib.util
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from algorithms.learning.objective import Objective
from algorithms.runtime.errors import UserError
from algorithms.structures import features as ft
from algorithms.structures import interface as parts
from algorithms.structures.prediction import error_rate
from bench.measure.row import Row
from bench.runs import algorithm_module, problems
from bench.runs.spec import make

PASSES = 5
REPEATS = 3  # of which the fastest counts
C = 10.0
SHARE = 0.5
VOWPAL = "--oaa {labels} --loss_function logistic --noconstant --holdout_off --quiet"  # else its own defaults


def rows() -> Iterator[Row]:
    """A pass over MNIST against Vowpal Wabbit's: CPU seconds, and what the weights get wrong after five."""
    if importlib.util.find_spec("vowpalwabbit") is None:
        raise UserError("vowpal: Vowpal Wabbit is not there: `uv pip install --group vowpal` installs it")
    problem = problems.obtain("mnist")[0]
    seconds, wrong = _theirs(problem)
    for algorithm, params in (("sgd", {}), ("sdca", {})):
        mine, error = _ours(problem, algorithm, params)
        what = f"a pass of {algorithm}, log loss, over mnist, against Vowpal Wabbit's one against all"
        said = f"{mine:.3f} s, {mine / seconds:.2f} x; {100 * error:.2f} % wrong after {PASSES}"
        holds = mine <= SHARE * seconds and error <= wrong
        limit = f"at most {SHARE:g} x, no more wrong"
        yield Row("vowpal", what, said, f"{seconds:.3f} s; {100 * wrong:.2f} %", limit, holds)


def _ours(problem: Any, algorithm: str, params: dict[str, Any]) -> tuple[float, float]:
    from bench.runs.driver import warm_up

    spec = make("mnist", "log", C, algorithm, params)
    warm_up(spec, problem)
    n, fastest = parts.num_examples(problem.train), np.inf
    for _ in range(REPEATS):
        objective = Objective(problem.train, "log", C)
        solver = algorithm_module.solver(algorithm)(
            problem, objective, np.random.default_rng(0), **dict(spec.params)
        )
        first = next(solver).visits
        started = time.process_time()
        iterate = next(iterate for iterate in solver if iterate.visits >= first + PASSES * n)
        fastest = min(fastest, (time.process_time() - started) / (iterate.visits - first) * n)
    return fastest, error_rate(problem.test, iterate.vector * iterate.scale)


def _theirs(problem: Any) -> tuple[float, float]:
    """Seconds of a pass, as six passes less one: the first reads the text, the others the cache that it leaves."""
    import vowpalwabbit

    labels = parts.classes(problem.train).num_labels
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder, "train.txt")
        text.write_text("\n".join(_lines(parts.classes(problem.train))) + "\n", encoding="ascii")

        def learned(passes: int) -> tuple[float, Any]:
            words = f"{VOWPAL.format(labels=labels)} -d {text} --passes {passes} --cache_file {folder}/cache -k"
            started = time.process_time()
            model = vowpalwabbit.Workspace(words)
            model.run_parser()
            return time.process_time() - started, model

        seconds, model = np.inf, None
        for _ in range(REPEATS):
            once, _first = learned(1)
            all_of_them, model = learned(1 + PASSES)
            seconds = min(seconds, (all_of_them - once) / PASSES)
        test = parts.classes(problem.test)
        said = [model.predict(line.partition(" ")[2]) - 1 for line in _lines(test)]
    return seconds, float(np.mean(np.array(said) != test.y))


def _lines(examples: parts.Classes) -> Iterator[str]:
    """Examples as Vowpal Wabbit reads them; labels count from 1."""
    import scipy.sparse as sp

    x = sp.csr_array(ft.as_matrix(examples.x))
    for i, label in enumerate(examples.y):
        row = slice(x.indptr[i], x.indptr[i + 1])
        pairs = zip(x.indices[row].tolist(), x.data[row].tolist(), strict=True)
        yield f"{label + 1} | " + " ".join(f"{column}:{value:.7g}" for column, value in pairs)
