"""Made-up runs of a few methods, and what is ranked of them."""

import numpy as np

from structbench.bench.drawing import best, ranking
from structbench.bench.runs.spec import make
from tests.bench import synthetic_curves

DATA = "mnist:train=100"
FIELDS = ("passes", "cpu_seconds", "wall_seconds", "primal", "dual", "relative_gap", "test_error", "test_f1")


def runs_of(*made):
    """Runs of these specs, each with the error that it ends at and what else makes it up."""
    runs = synthetic_curves.of()
    for spec, error, how in made:
        run = synthetic_curves.write(runs, spec, error=error, haste=5.0, **how)
        run.summary.update({name: float(run.curve[name].iloc[-1]) for name in FIELDS})
    return runs


def eg(C, order="random", seed=0, passes=20.0):
    return make(DATA, "log", C, "eg", {"order": order}, passes=passes, seed=seed)


def lbfgs(C):
    return make(DATA, "log", C, "lbfgs", passes=20.0)


def ranked(*made, **how):
    """``made``: of each run its spec, its error, and what else makes it up."""
    made = [(spec, error, dict(*more)) for spec, error, *more in made]
    return best.best([spec for spec, *_ in made], runs_of(*made), **how)


def cells(found, *columns, table=0):
    return [tuple(row[column] for column in columns) for row in ranking.texts(found.tables[table])]


def right(share, seed=0, examples=400):
    """Counts of examples of five decisions, of which so many are right."""
    found = np.random.default_rng(seed).binomial(5, share, size=examples)
    return np.stack([found, np.full(examples, 5)], axis=1)
