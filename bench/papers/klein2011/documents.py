"""The table of the slides on text classification: scores of "win the election" by their weights and ours."""

import numpy as np

from structbench.bench.drawing.tables import Rows
from structbench.bench.papers.klein2011.runs import spec_of
from structbench.bench.papers.klein2011.setting import AVERAGED, DOCUMENTS, LEVEL, MIRA, PLANE_LOG, PLANE_SVM
from structbench.bench.runs import problems
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.store import weights_of

SLIDE = ((1, 1, -1, -2), (1, -1, 1, -2), (-2, -1, -1, 1))  # "Linear Models: Scoring": by class, words in order
LEARNERS = (AVERAGED, MIRA, PLANE_SVM, PLANE_LOG)
PASSES = 200.0


def specs() -> list[Spec]:
    """Return a run for each learner."""
    return [spec_of(way, DOCUMENTS, 0, PASSES, LEVEL) for way in LEARNERS]


def table(runs: Runs) -> Rows:
    """Return the scores of the first document and the class that wins, for each weight vector."""
    found = [
        (way.name, run) for way, spec in zip(LEARNERS, specs(), strict=True) if (run := runs[spec]) is not None
    ]
    problem, _ = problems.obtain(DOCUMENTS)
    x = problem.train.x.dense[0]
    weights = {"the slide's weights": np.array(SLIDE, float).T}
    weights |= {name: weights_of(run).reshape(len(x), -1) for name, run in found}
    rows = []
    for name, W in weights.items():
        scores = x @ W
        told = {label: f"{score:.3g}" for label, score in zip(problem.labels, scores, strict=True)}
        rows.append({"learner": name} | told | {"predicted": problem.labels[int(scores.argmax())]})
    return rows
