"""Fits of scikit-learn's data sets as they are, at nine C with both losses, beside scikit-learn's own classifiers.

    .venv/bin/python -m tests.campaigns.unscaled

A row has the algorithm, the relative gap, passes, CPU seconds and training accuracy of ``MulticlassCRF``, and
seconds and accuracy of LogisticRegression, or of LinearSVC with the loss of Crammer and Singer, at the same C.
"""

import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn import datasets
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from structbench.bench.estimators import MulticlassCRF

DATA = ("iris", "wine", "breast_cancer", "digits")
STRENGTHS = tuple(10.0**k for k in range(-4, 5))  # of our C: scikit-learn's is 1 / C, of two labels 2 / C
PEERS = {
    "log": lambda C, labels: LogisticRegression(C=(2 if labels == 2 else 1) / C),
    "hinge": lambda C, labels: LinearSVC(C=1 / C, multi_class="crammer_singer"),
}


class Fit(NamedTuple):
    """What became of one fit; ``theirs``: seconds and accuracy of the peer."""

    model: MulticlassCRF
    seconds: float
    accuracy: float
    warned: str
    theirs: tuple[float, float]


def fit(name: str, loss: str, C: float, peer: bool = True) -> Fit:
    """Fit a data set, and maybe the peer, which is silenced."""
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model, seconds = _timed(lambda: MulticlassCRF(C, loss=loss).fit(X, y))
    theirs = (np.nan, np.nan)
    if peer:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            other, other_seconds = _timed(lambda: PEERS[loss](C, len(set(y))).fit(X, y))
        theirs = (other_seconds, other.score(X, y))
    return Fit(model, seconds, model.score(X, y), "; ".join(str(each.message) for each in caught), theirs)


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    before = time.process_time()
    return work(), time.process_time() - before


def main() -> None:
    """Print the table, and how many fits are certified."""
    certified = count = 0
    for loss in PEERS:
        fit("iris", loss, 1.0, peer=False)  # compiles
    print("data | loss | C | algorithm | gap | passes | seconds | accuracy | peer's seconds | peer's accuracy")
    for name in DATA:
        for loss in PEERS:
            for C in STRENGTHS:
                found = fit(name, loss, C)
                model, gap = found.model, found.model.certificate_.relative_gap
                certified, count = certified + (gap <= model.tol), count + 1
                print(
                    f"{name} | {loss} | {C:.0e} | {model.algorithm_} | {gap:.1e} | {model.n_iter_} | "
                    f"{found.seconds:.2f} | {found.accuracy:.3f} | {found.theirs[0]:.2f} | {found.theirs[1]:.3f}"
                    + (f" | {found.warned}" if found.warned else ""),
                    flush=True,
                )
    print(f"{certified} of {count} are certified")


if __name__ == "__main__":
    main()
