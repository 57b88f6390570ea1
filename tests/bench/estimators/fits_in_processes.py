"""A fit, then fits and predictions in processes that it starts: ``METHOD PARENT_JOBS CHILD_JOBS``.

Prints the primal value of each fit, and whether the model predicts right. Whoever calls it can end it if it hangs.
"""

import multiprocessing
import os
import pickle
import sys
from typing import Any

from structbench.bench.estimators import ChainCRF

WORDS = [["the", "dog", "barks"], ["a", "cat", "sleeps", "well"], ["dogs", "bark"], ["the", "cat", "barks"]] * 10
TAGS = [["D", "N", "V"], ["D", "N", "V", "A"], ["N", "V"], ["D", "N", "V"]] * 10


def learn(jobs: int) -> ChainCRF:
    """A fitted model on this many threads."""
    return ChainCRF(max_passes=20, n_jobs=jobs).fit(WORDS, TAGS)


def fit(jobs: int) -> None:
    """Learn and print what came of it."""
    model = learn(jobs)
    print(f"{model.certificate_.primal:.12g} {model.predict(WORDS) == TAGS}", flush=True)


def predict(pickled: bytes) -> None:
    """Predict with a pickled model, and print whether it is right."""
    print(pickle.loads(pickled).predict(WORDS) == TAGS, flush=True)


def main(method: str, parent_jobs: int, child_jobs: int) -> None:
    """Fit here, then fit and predict in a child each."""
    model = learn(parent_jobs)
    fit(parent_jobs)
    tasks = [(fit, (child_jobs,)), (predict, (pickle.dumps(model),))]
    if method == "os.fork":
        for function, given in tasks:
            if not (child := os.fork()):
                function(*given)
                os._exit(0)
            os.waitpid(child, 0)
        return
    context: Any = multiprocessing.get_context(method)
    for function, given in tasks:
        process = context.Process(target=function, args=given)
        process.start()
        process.join()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
