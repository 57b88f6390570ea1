"""The rules of klein2011: each tells runs that obey its sentence from runs that break it."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from structbench.bench.papers.klein2011 import rules
from structbench.bench.runs.store import Run
from tests.bench.papers.helpers import cases

YES, NO, OPEN = "reproduced", "not reproduced", "inconclusive"


def run(errors, second_per_pass: float = 0.1, outputs: float = 500.0, gap: float = 0.005) -> Run:
    """A run with a checkpoint before the first pass and after each, with these test errors; of 100 examples."""
    passes = np.arange(len(errors) + 1.0)
    curve = pd.DataFrame({"passes": passes, "visits": 100 * passes, "cpu_seconds": passes * second_per_pass})
    curve["test_error"] = [0.9, *errors]
    curve["relative_gap"] = [1.0] * len(errors) + [gap]
    summary = {"num_examples": 100, "relative_gap": gap, "notes": {"outputs": outputs}}
    found = Run("key", Path("nowhere"), {}, summary)
    found.__dict__["curve"] = curve
    return found


def repeated(error: float, swing: float = 0.0, noise: float = 0.001, passes: int = 10, **how) -> list[Run]:
    """Five runs about an error, up and down by ``swing`` from pass to pass."""
    shifts = noise * np.array([-2, -1, 0, 1, 2])
    sign = (-1.0) ** np.arange(passes)
    return [run(error + shift + swing * sign, **how) for shift in shifts]


def overtrained(rise: float, noise: float = 0.001) -> list[Run]:
    wave = np.concatenate([np.linspace(0.2, 0.1, 5), np.linspace(0.1, 0.1 + rise, 15)])
    return [run(wave + noise * np.random.default_rng(k).normal(size=20)) for k in range(3)]


LOW, SHAKY = repeated(0.1), repeated(0.1, 0.01, 0.01)
SWING = 0.01 * (-1.0) ** np.arange(10)
FAR_APART = [run(0.1 + k * SWING) for k in (0.1, 1, 9)]
TURNS = [20.0, 9.0, 30.0], [0.5, 0.2, 1.0]


def paces(naive: float, smart: float, gap: float) -> tuple:
    return tuple({1.0: repeated(0.1, second_per_pass=pace, gap=gap)} for pace in (naive, smart))


def passes(*each: float) -> tuple:
    """Of a learner and of two others, at most 100."""
    return {1.0: dict(zip(("ours", "cg", "lbfgs"), each, strict=True))}, 100.0


RULES = [
    (
        "averaging_helps",
        lambda *errors: [repeated(error) for error in errors],
        {(0.12, 0.10): YES, (0.10, 0.12): NO, (0.1, 0.1): OPEN},
    ),
    ("averaging_helps", ([run([0.1]), run([0.2])], [run([0.15]), run([0.14])]), OPEN),
    ("averaging_helps", ([run([0.2])], [run([0.1])]), OPEN),  # one repetition shows nothing
    ("averaging_helps_at_all", ({"a": [repeated(0.12), LOW], "b": [LOW, repeated(0.12)]},), NO),
    (
        "thrashes",
        lambda *swings: [repeated(0.1, swing) for swing in swings],
        {(0.02, 0.002): YES, (0.015, 0.01): OPEN, (0.01, 0.02): NO},
    ),
    ("thrashes", (repeated(0.1, 0.02)[:2], repeated(0.1, 0.002)[:2]), OPEN),  # two repetitions
    ("thrashes", (FAR_APART, repeated(0.1, 0.005)[:3]), OPEN),
    ("thrashes_in_the_plane", lambda control: (*TURNS, [control] * 2), {0.0: YES, 2.0: OPEN}),  # the control fails
    # from five degrees on
    (
        "thrashes_in_the_plane",
        lambda mine, other: ([mine], [other], [0.0]),
        {(2.0, 3.0): NO, (5.5, 0.1): YES, (4.5, 0.1): OPEN},
    ),
    ("overtraining", lambda rise: (overtrained(rise),), {0.03: YES, -0.05: NO}),
    ("barely_separates", lambda *shares: (shares,), {(0.1, 0.2, 0.15, 0.3): YES, (0.55, 0.6, 0.65): OPEN}),
    ("barely_separates", ([0.95, 0.97, 0.99],), NO),
    ("mira_as_fast", lambda pace: (repeated(0.1, second_per_pass=pace), LOW), {0.11: YES, 0.13: OPEN, 0.2: NO}),
    ("mira_as_fast", ([run([0.1], pace) for pace in (0.08, 0.1, 0.13)], LOW[:3]), OPEN),
    ("mira_near_svm", ({"a": repeated(0.105)}, {1.0: repeated(0.2), 10.0: LOW}), YES),
    ("mira_near_svm", ({"a": repeated(0.105), "b": repeated(0.13)}, {10.0: LOW}), NO),
    ("mira_near_svm", ({"a": [run([0.1]), run([0.13])]}, {10.0: [run([0.1]), run([0.1])]}), OPEN),
    ("k_best_gains_little", lambda error: (LOW, {"k=5": repeated(error), "k=10": LOW}), {0.099: YES, 0.09: NO}),
    (
        "few_constraints",
        lambda outputs, gap: ({1.0: repeated(0.1, outputs=outputs, gap=gap)},),
        {(2000.0, 0.005): YES, (2000.0, 0.1): OPEN, (20_000.0, 0.005): NO},
    ),
    (
        "cutting_planes_fast",
        lambda pace, error: ({1.0: repeated(0.1, second_per_pass=pace)}, {"a": repeated(error)}),
        {(0.1, 0.1): YES, (1.0, 0.1): NO, (0.1, 0.2): YES},  # in the last MIRA never gets there
    ),
    (
        "cutting_planes_more_stable",
        lambda swing, noise: ({1.0: repeated(0.1, swing, noise)}, {"a": SHAKY}, {"a": LOW}),
        {(1e-5, 1e-5): YES, (0.02, 0.001): NO},
    ),
    ("iterative_scaling", passes, {(np.inf, 10.0, 8.0): YES, (9.0, 10.0, 8.0): OPEN, (5.0, 10.0, 8.0): NO}),
    ("gradient_ascent", passes, {(30.0, 10.0, 8.0): YES, (15.0, 10.0, 8.0): NO, (4.0, 10.0, 8.0): NO}),
    ("gradient_ascent", passes, {(np.inf, np.inf, np.inf): OPEN, (30.0, np.inf, 8.0): NO}),
    ("smarter_smo", paces, {(0.2, 0.1, 0.005): YES, (0.1, 0.2, 0.005): NO, (0.1, 0.1, 0.1): OPEN}),
    (
        "kernels_very_slow",
        lambda *seconds: ([1e3, 2e3, 4e3], [1.0, 2.0, 4.0], {"rbf": seconds}),
        {(10.0, 40.0, 160.0): YES, (1.0, 4.0, 16.0): OPEN, (10.0, 20.0, 40.0): NO},
    ),
    ("discriminative", lambda bayes: (repeated(bayes), {1.0: LOW, 10.0: repeated(0.12)}), {0.2: YES, 0.11: OPEN}),
    ("discriminative", (LOW, {1.0: repeated(0.2)}), NO),
]


@pytest.mark.parametrize(("rule", "given", "verdict"), cases(RULES))
def test_each_rule_tells_runs_that_obey_from_runs_that_do_not(rule, given, verdict):
    assert getattr(rules, rule)(*given)[0] == verdict
