"""Made-up configs and plans: each run takes five seconds, and compiling none."""

from typing import Any

import pytest

from structbench.bench.runs import results
from structbench.bench.runs.spec import make
from structbench.bench.workflow import batches, estimate, plan
from tests.narrowing import fake


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty results folder, and estimates of our own."""
    monkeypatch.setenv(results.VARIABLE, str(tmp_path))
    monkeypatch.setattr(estimate, "seconds", lambda spec: 5.0)
    monkeypatch.setattr(estimate, "compiling", lambda specs: 0.0)
    monkeypatch.setattr(plan.os, "getloadavg", lambda: (0.0, 0.0, 0.0))
    return tmp_path


def a_config(timed=2, others=4, figures=0) -> Any:
    specs = [make("mnist", "log", float(C), "lbfgs") for C in range(1, timed + others + 1)]
    made = batches.cut(specs, frozenset(specs[:timed]), frozenset())
    return fake(
        batches=made,
        runs_of={"grid-mine": specs},
        figures={"grid-mine": dict.fromkeys(f"figure{k}" for k in range(figures))},
        specs=specs,
        left_out=["sklearn is not installed"],
        skipped=[],
    )


def a_plan(timed=2, others=4, cores=2, figures=0) -> plan.Plan:
    return plan.make_plan(a_config(timed, others, figures), cores)
