"""The folder of runs that obey every claim."""

from pathlib import Path

import numpy as np
import pytest

from structbench.bench.papers.l1m3n2009.extraction import extraction
from tests.bench import synthetic_curves
from tests.bench.papers.l1m3n2009.obedient_runs import curved, listed, made


@pytest.fixture(scope="session")
def obedient(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of runs that obey every claim."""
    root = tmp_path_factory.mktemp("obedient") / "runs"
    for spec, *about in listed():
        run = synthetic_curves.write(root, spec)
        summary, w = made(*about, {})
        synthetic_curves.keep(root, spec, curved(run, summary), run.summary | summary, w)
    for rank, spec in enumerate(spec for specs in extraction("tiny").runs_of().values() for spec in specs):
        run = synthetic_curves.write(root, spec)
        scores = {"test_average_f1": 0.9 - rank / 100, "test_instance_accuracy": 0.8, "num_nonzero": 10 + rank}
        synthetic_curves.keep(root, spec, run.curve, run.summary | scores, np.zeros(3))
    return root
