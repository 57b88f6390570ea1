"""Made-up configs and plans: each run takes five seconds, all else one."""

from types import SimpleNamespace

import pytest

from structbench.algorithms.runtime import kernel_folder
from structbench.bench.runs import kernels, results, yardstick
from structbench.bench.runs.spec import make
from structbench.bench.workflow import batches, estimate, plan

RATE = estimate.Rate(5.0, 0.1, 1e6)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty results folder, and rates of our own."""
    monkeypatch.setenv(results.VARIABLE, str(tmp_path))
    monkeypatch.setattr(estimate, "of", lambda spec: RATE)
    monkeypatch.setattr(estimate, "reference", lambda spec: RATE)
    monkeypatch.setattr(estimate, "is_measured", lambda spec: True)
    monkeypatch.setattr(estimate, "overhead", lambda what, data="": 1.0)
    monkeypatch.setattr(yardstick, "slowness", lambda: 1.0)
    monkeypatch.setattr(kernel_folder, "compiled", set)
    monkeypatch.setattr(kernels, "of_run", lambda spec: frozenset())
    return tmp_path


def a_config(timed=2, others=4, figures=0) -> SimpleNamespace:
    specs = [make("mnist", "log", float(C), "lbfgs") for C in range(1, timed + others + 1)]
    made = batches.of(specs, frozenset(specs[:timed]))
    return SimpleNamespace(
        name="mine",
        papers=(),
        batches=made,
        manifests={name: batch.manifest for name, batch in made.items()},
        runs_of={"grid-mine": specs},
        costs_of={},
        figures={"grid-mine": dict.fromkeys(f"figure{k}" for k in range(figures))},
        specs=specs,
        places={"mnist": "mirror"},
        left_out=["sklearn is not installed"],
        skipped=[],
    )


def a_plan(timed=2, others=4, cores=2, figures=0) -> plan.Plan:
    config = a_config(timed, others, figures)
    planned = plan.make_plan(config, cores)
    assert "(0 more" not in plan.describe(planned, config)
    return planned
