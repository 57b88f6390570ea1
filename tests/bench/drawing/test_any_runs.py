"""Every figure of every paper, and of a grid, is drawn from any runs: cut, few, none, equal, zero, not finite.

And every claim is judged by such runs.
"""

import importlib
import json
import math
from collections.abc import Callable, Iterable
from functools import cache
from itertools import product
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd
import pytest
from matplotlib.layout_engine import ConstrainedLayoutEngine

from structbench.bench.drawing import comparison, draw
from structbench.bench.drawing.draw import Figure
from structbench.bench.papers.judging import judge
from structbench.bench.papers.klein2011 import figures as klein
from structbench.bench.runs import catalogue, documents, finished, problem_store
from structbench.bench.runs.finished import Machine, Runs
from structbench.bench.runs.spec import Spec, make
from tests.bench import synthetic_curves

VALUES = (
    "visits", "wall_seconds", "cpu_seconds", "primal", "dual", "gap", "relative_gap", "weight_norm", "updates",
    *("test_error", "test_f1", "test_precision", "test_recall", "test_tag_error", "test_chunk_error"),
    *("test_complete", "test_word_attachment", "test_average_f1", "test_instance_accuracy", "test_cost"),
    "test_seconds",
)  # fmt: skip
PATH = (1000.0, 1000.0, 700.0, 490.0, 343.0)  # values of C along a path
GRID = [
    make("toy-points", loss, C, algorithm, passes=10.0)
    for loss, algorithms in (("log", ("eg", "sgd", "lbfgs")), ("none", ("perceptron",)))
    for C in ((1.0, 10.0) if loss == "log" else (None,))
    for algorithm in algorithms
]


def number(spec: Spec) -> int:
    """A number that looks random and is always the same."""
    return crc32(spec.key.encode())


def whole(spec: Spec) -> pd.DataFrame:
    """A curve as a run leaves it; one without an objective is evaluated after whole passes."""
    passes = np.arange(9.0) if spec.loss == "none" else np.array([0, 0.1, 0.3, 1, 2, 3, 10, 40, 120])
    left = np.exp(-passes * (0.1 + number(spec) % 7 / 5))
    curve = dict.fromkeys(VALUES, 0.3 + left / 2) | {"C": np.full(len(passes), spec.C or math.nan)}
    curve |= {"passes": passes, "visits": 100 * passes, "updates": 9 * passes, "gap": 2 * left}
    curve |= {"primal": 100 + left, "dual": 100 - left, "relative_gap": left / 50}
    curve |= {"cpu_seconds": 0.1 + passes / 10, "wall_seconds": 0.1 + passes / 9}
    if spec.algorithm.endswith("-path"):
        curve["C"] = np.array([*PATH, *[PATH[-1]] * 4])
    return pd.DataFrame(curve)


def constant(value: float) -> Callable[[Spec], pd.DataFrame]:
    return lambda spec: whole(spec).assign(**dict.fromkeys(VALUES, value))


CURVES: dict[str, Callable[[Spec], pd.DataFrame]] = {
    "whole": whole,
    "first checkpoint": lambda spec: whole(spec).head(1),
    "cut": lambda spec: whole(spec).head(1 + number(spec) % 8),  # each after another time
    "equal": constant(1.0),
    "zero": constant(0.0),
    "NaN": constant(math.nan),
    "infinite": constant(math.inf),
}
LAST = {"zero": 0.0, "NaN": math.nan, "infinite": math.inf}  # of numbers in notes, and weights


def keep(runs: Runs, spec: Spec, kind: str) -> None:
    """A finished run of this kind, whose summary is as JSON keeps it."""
    curve, value = CURVES[kind](spec), LAST.get(kind, 1.0)
    notes = {"eta0": 0.01, "A": 10.0, "B": 1.0, "lambda": 1.0}
    notes |= {"updates": 0, "outputs": 0} if value == 0 or len(curve) == 1 else {"updates": 7, "outputs": 300}
    if len(curve) > 1:  # an algorithm's first iterate has not all of them
        notes |= {"retried": 3, **dict.fromkeys(("divergence", "first_Q", "margin"), value)}
    known = {"key": spec.key, "message": "", "num_examples": 100, "num_weights": 12, "peak_memory": None}
    known |= {"status": "timeout" if np.isfinite(value) else "diverged", "notes": notes}
    summary = curve.iloc[-1].to_dict() | known | {"num_nonzero": 3, "provenance": synthetic_curves.PROVENANCE}
    rng = np.random.default_rng(number(spec))
    size = {"toy-documents": 12, "synthetic": 204}.get(spec.data.name, 6)
    weights = np.full(size, value) if kind in (*LAST, "equal") else rng.normal(size=size)
    run = synthetic_curves.keep(runs, spec, curve, json.loads(json.dumps(documents.to_jsonable(summary))), weights)
    run.__dict__["chunks"] = np.ones((len(curve), 3, 3), int)


def runs_of(specs: Iterable[Spec], kinds: tuple[str, ...]) -> Runs:
    """Of each spec a run of one of these kinds; no run of those that get the kind ``none``."""
    runs = synthetic_curves.of()
    for spec in dict.fromkeys(specs):
        kind = kinds[number(spec) % len(kinds)]
        if kind != "none":
            keep(runs, spec, kind)
    return runs


@cache
def drawings(name: str, scale: str) -> tuple[dict[str, Figure], list[Spec]]:
    """The figures of a paper, or of a grid, and the runs that they read. At ``quick``: what ``tiny`` lacks."""
    if name == "grid":
        return comparison.figures(name, GRID), GRID
    paper = importlib.import_module(f"structbench.bench.papers.{name}")
    known = paper.figures_of("tiny") if scale == "quick" else {}
    found = {stem: figure for stem, figure in paper.figures_of(scale).items() if stem not in known}
    return found, [spec for made in paper.runs_of(scale).values() for spec in made] if found else []


@pytest.fixture(autouse=True)
def nothing_is_built_or_measured(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """No data set is fetched for the number of its outputs."""
    monkeypatch.setenv("STRUCTBENCH_RESULTS", str(tmp_path))
    monkeypatch.setattr(problem_store, "fingerprint", lambda *given: None)
    monkeypatch.setattr(klein, "all_outputs", lambda task: {"all": 10.0})


STATES = {
    "none": ("none",),
    "first": ("first checkpoint",),
    "some cut": ("none", "cut"),
    "equal": ("equal",),
    "zero": ("zero",),
    "not finite": ("NaN", "infinite"),
    "mixed": (*CURVES, "none"),
}


CASES = [
    *product([*catalogue.papers(), "grid"], ["tiny"], STATES),
    *product(catalogue.papers(), ["quick"], ["mixed"]),
]


@pytest.mark.parametrize(("name", "scale", "state"), CASES)
def test_it_is_a_picture_or_a_sentence_never_an_exception(name, scale, state, tmp_path, monkeypatch):
    """What an exception would leave in place of a figure is no picture of ours."""
    if state != "mixed":  # all is measured, but moved only there: that takes as long once more
        monkeypatch.setattr(ConstrainedLayoutEngine, "execute", lambda engine, figure: figure.get_tightbbox())
    figures, specs = drawings(name, scale)
    for sidecar in draw.draw_figures(name, figures, runs_of(specs, STATES[state]), tmp_path, kinds=()):
        said = json.loads(sidecar.read_text())
        assert "failed" not in said, f"{sidecar.stem}: {said['failed']}"
        assert state != "none" or said["runs"] == []


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # numbers that are not known are NaN
@pytest.mark.parametrize("state", [*STATES, "two machines"])
@pytest.mark.parametrize("name", catalogue.papers())
def test_every_claim_is_judged_whatever_the_runs(name, state, monkeypatch):
    """A rule that raises would leave out the paper's figures, the report and MLflow, too."""
    if state == "two machines":  # rules are called once more, without seconds
        monkeypatch.setattr(finished, "machine_of", lambda run: Machine("ab"[number(run.spec) % 2], "cpu", ""))
    paper, (_, specs) = importlib.import_module(f"structbench.bench.papers.{name}"), drawings(name, "tiny")
    claims = paper.claims_of("tiny")
    found = judge(claims, runs_of(specs, STATES.get(state, ("whole", "cut"))))
    assert [each.id for each in found] == [claim.id for claim in claims]
    for each in found:  # one that cannot be judged says why
        assert each.conditions or each.verdict == "not run" or each.answer.startswith("Open: "), each.answer
