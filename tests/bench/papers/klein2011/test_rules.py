"""The rules of klein2011: each tells runs that obey its sentence from runs that break it."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from structbench.bench.papers import intervals, klein2011
from structbench.bench.papers.klein2011 import rules
from structbench.bench.runs.store import Run

YES, NO, MAYBE = "reproduced", "not reproduced", "inconclusive"


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
    return [run(wave + noise * np.random.default_rng(k).normal(size=20)) for k in range(5)]


SWING = 0.01 * (-1.0) ** np.arange(10)
CASES = [
    (rules.averaging_helps, (repeated(0.12), repeated(0.10)), YES),
    (rules.averaging_helps, (repeated(0.10), repeated(0.12)), NO),
    (rules.averaging_helps, ([run([0.1]), run([0.2])], [run([0.15]), run([0.14])]), MAYBE),
    (rules.averaging_helps, ([run([0.2])], [run([0.1])]), MAYBE),  # one repetition shows nothing
    (
        rules.averaging_helps_at_all,
        ({"a": [repeated(0.12), repeated(0.1)], "b": [repeated(0.1), repeated(0.12)]},),
        NO,
    ),
    (rules.thrashes, (repeated(0.1, 0.02), repeated(0.1, 0.002)), YES),
    (rules.thrashes, (repeated(0.1, 0.015), repeated(0.1, 0.01)), MAYBE),
    (rules.thrashes, (repeated(0.1, 0.01), repeated(0.1, 0.02)), NO),
    (rules.thrashes, (repeated(0.1, 0.02)[:2], repeated(0.1, 0.002)[:2]), MAYBE),  # two repetitions
    (rules.thrashes, ([run(0.1 + k * SWING) for k in (0.1, 1, 9)], repeated(0.1, 0.005)[:3]), MAYBE),  # far apart
    (rules.thrashes_in_the_plane, ([20.0, 9.0, 30.0], [0.5, 0.2, 1.0], [0.0, 0.0]), YES),
    (rules.thrashes_in_the_plane, ([20.0, 9.0, 30.0], [0.5, 0.2, 1.0], [2.0, 2.0]), MAYBE),  # the control fails
    (rules.thrashes_in_the_plane, ([2.0], [3.0], [0.0]), NO),
    (rules.thrashes_in_the_plane, ([5.5], [0.1], [0.0]), YES),
    (rules.thrashes_in_the_plane, ([4.5], [0.1], [0.0]), MAYBE),  # not by 5 degrees
    (rules.overtraining, (overtrained(0.03),), YES),
    (rules.overtraining, (overtrained(-0.05),), NO),
    (rules.barely_separates, ([0.1, 0.2, 0.15, 0.3],), YES),
    (rules.barely_separates, ([0.1, 0.9],), MAYBE),
    (rules.barely_separates, ([0.95, 0.97, 0.99],), NO),
    (rules.mira_as_fast, (repeated(0.1, second_per_pass=0.11), repeated(0.1)), YES),
    (rules.mira_as_fast, (repeated(0.1, second_per_pass=0.13), repeated(0.1)), MAYBE),
    (rules.mira_as_fast, (repeated(0.1, second_per_pass=0.2), repeated(0.1)), NO),
    (rules.mira_as_fast, ([run([0.1], s) for s in (0.08, 0.1, 0.13)], repeated(0.1)[:3]), MAYBE),
    (rules.mira_near_svm, ({"a": repeated(0.105)}, {1.0: repeated(0.2), 10.0: repeated(0.1)}), YES),
    (rules.mira_near_svm, ({"a": repeated(0.105), "b": repeated(0.13)}, {10.0: repeated(0.1)}), NO),
    (rules.mira_near_svm, ({"a": [run([0.1]), run([0.13])]}, {10.0: [run([0.1]), run([0.1])]}), MAYBE),
    (rules.k_best_gains_little, (repeated(0.1), {"k=5": repeated(0.099), "k=10": repeated(0.1)}), YES),
    (rules.k_best_gains_little, (repeated(0.1), {"k=5": repeated(0.09), "k=10": repeated(0.1)}), NO),
    (rules.few_constraints, ({1.0: repeated(0.1, outputs=2000.0)},), YES),
    (rules.few_constraints, ({1.0: repeated(0.1, outputs=2000.0, gap=0.1)},), MAYBE),  # not there yet
    (rules.few_constraints, ({1.0: repeated(0.1, outputs=20_000.0)},), NO),
    (rules.cutting_planes_fast, ({1.0: repeated(0.1)}, {"a": repeated(0.1)}), YES),
    (rules.cutting_planes_fast, ({1.0: repeated(0.1, second_per_pass=1.0)}, {"a": repeated(0.1)}), NO),
    (rules.cutting_planes_fast, ({1.0: repeated(0.1)}, {"a": repeated(0.2)}), YES),  # MIRA never gets there
    (
        rules.cutting_planes_more_stable,
        ({1.0: repeated(0.1, 1e-5, 1e-5)}, {"a": repeated(0.1, 0.01, 0.01)}, {"a": repeated(0.1)}),
        YES,
    ),
    (
        rules.cutting_planes_more_stable,
        ({1.0: repeated(0.1, 0.02, 0.001)}, {"a": repeated(0.1, 0.01, 0.01)}, {"a": repeated(0.1)}),
        NO,
    ),
    (rules.iterative_scaling, ({1.0: {"is": np.inf, "cg": 10.0, "lbfgs": 8.0}}, 100.0), YES),
    (rules.iterative_scaling, ({1.0: {"is": 9.0, "cg": 10.0, "lbfgs": 8.0}}, 100.0), MAYBE),
    (rules.iterative_scaling, ({1.0: {"is": 5.0, "cg": 10.0, "lbfgs": 8.0}}, 100.0), NO),
    (rules.gradient_ascent, ({1.0: {"ga": 30.0, "cg": 10.0, "lbfgs": 8.0}}, 100.0), YES),
    (rules.gradient_ascent, ({1.0: {"ga": 15.0, "cg": 10.0, "lbfgs": 8.0}}, 100.0), NO),
    (rules.gradient_ascent, ({1.0: {"ga": 4.0, "cg": 10.0, "lbfgs": 8.0}}, 100.0), NO),
    (rules.gradient_ascent, ({1.0: {"ga": np.inf, "cg": np.inf, "lbfgs": np.inf}}, 100.0), MAYBE),
    (rules.gradient_ascent, ({1.0: {"ga": 30.0, "cg": np.inf, "lbfgs": 8.0}}, 100.0), NO),
    (rules.smarter_smo, ({1.0: repeated(0.1, second_per_pass=0.2)}, {1.0: repeated(0.1)}), YES),
    (rules.smarter_smo, ({1.0: repeated(0.1)}, {1.0: repeated(0.1, second_per_pass=0.2)}), NO),
    (rules.smarter_smo, ({1.0: repeated(0.1, gap=0.1)}, {1.0: repeated(0.1, gap=0.1)}), MAYBE),
    (rules.kernels_very_slow, ([1e3, 2e3, 4e3], [1.0, 2.0, 4.0], {"rbf": [10.0, 40.0, 160.0]}), YES),
    (rules.kernels_very_slow, ([1e3, 2e3, 4e3], [1.0, 2.0, 4.0], {"rbf": [1.0, 4.0, 16.0]}), MAYBE),
    (rules.kernels_very_slow, ([1e3, 2e3, 4e3], [1.0, 2.0, 4.0], {"rbf": [10.0, 20.0, 40.0]}), NO),
    (rules.discriminative, (repeated(0.2), {1.0: repeated(0.1), 10.0: repeated(0.12)}), YES),
    (rules.discriminative, (repeated(0.1), {1.0: repeated(0.2)}), NO),
    (rules.discriminative, (repeated(0.11), {1.0: repeated(0.1), 10.0: repeated(0.12)}), MAYBE),
]


@pytest.mark.parametrize(("rule", "given", "verdict"), CASES)
def test_each_rule_tells_runs_that_obey_from_runs_that_do_not(rule, given, verdict):
    assert rule(*given)[0] == verdict


def test_an_interval_is_students():
    found = intervals.interval([1.0, 2.0, 3.0])
    assert found.mean == 2.0 and found.high == pytest.approx(2 + 4.3027 / np.sqrt(3), abs=1e-4)
    assert intervals.interval([1.0]).low == -np.inf


def test_every_claim_has_its_rule_in_the_list_and_a_figure_that_shows_it():
    stems = set(klein2011.figures_of("quick"))
    for claim in klein2011.claims_of("quick"):
        name = claim.id.removeprefix("klein2011/").removesuffix("-ocr").removesuffix("-mnist")
        assert f"\n{name} " in rules.__doc__, claim.id
        assert set(claim.figures) <= stems, claim.id
