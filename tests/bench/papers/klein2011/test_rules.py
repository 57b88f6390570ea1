"""The rules of klein2011: each tells runs that obey its sentence from runs that break it."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from structbench.bench.papers.claim_rows import rows
from structbench.bench.papers.judged import Judged
from structbench.bench.papers.klein2011 import readings, rules
from structbench.bench.papers.klein2011.runs import AS_IS, Tried
from structbench.bench.papers.verdicts import verdict
from structbench.bench.runs.store import Run
from tests.bench.papers.hand_made import spec_of
from tests.bench.papers.helpers import cases, judged, rules_are_fair

YES, NO, OPEN, PART, LESS = "reproduced", "not reproduced", "open", "in part", "weaker"
ROWS = {row.id: row for row in rows(rules.FILE)}


def run(errors, second_per_pass: float = 0.1, outputs: float = 500.0, gap: float = 0.005) -> Run:
    """A run with a checkpoint before the first pass and after each, with these test errors; of 100 examples."""
    passes = np.arange(len(errors) + 1.0)
    curve = pd.DataFrame({"passes": passes, "visits": 100 * passes, "cpu_seconds": passes * second_per_pass})
    curve["test_error"] = [0.9, *errors]
    curve["relative_gap"] = [1.0] * len(errors) + [gap]
    seconds = len(errors) * second_per_pass
    summary = {"num_examples": 100, "relative_gap": gap, "cpu_seconds": seconds, "notes": {"outputs": outputs}}
    found = Run("key", Path("nowhere"), spec_of(passes=100.0), summary)
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


def plain(runs: list, called: str = "") -> Tried:
    """A learner that is tried in one way."""
    return Tried(called, "", False, {AS_IS: runs})


def by(name: str, made: dict, best: bool = False, called: str = "") -> Tried:
    return Tried(called, name, best, made)


def courses(last: float, averaged: float) -> tuple:
    """How far errors of the last and of averaged weights rise again."""
    return ([plain(overtrained(last), "last"), plain(overtrained(averaged), "averaged")],)


def pair(error: float, other: float) -> tuple:
    return plain(repeated(error)), plain(repeated(other))


def paces(naive: float, smart: float, gap: float = 0.005) -> tuple:
    return tuple(by("C", {1.0: repeated(0.1, second_per_pass=pace, gap=gap)}) for pace in (naive, smart))


def optimisers(*each: float) -> tuple:
    """Passes to the gap of a learner and of two others; infinite: a gap of 2 % for the first, else 5 %."""

    def of(passes: float, k: int) -> Run:
        arrives = np.isfinite(passes)
        return run([0.1] * int(passes if arrives else 100), gap=0.005 if arrives else (0.05, 0.02, 0.02)[k])

    mine, *others = (Tried(str(k), "C", False, {1.0: [of(passes, k)]}) for k, passes in enumerate(each))
    return mine, others


def kernels(*seconds: float) -> tuple:
    by_size = {n: repeated(0.1, second_per_pass=n / 1e4) for n in (1000, 2000, 4000)}
    times = {n: repeated(0.1, second_per_pass=each / 10) for n, each in zip(by_size, seconds, strict=True)}
    return by("n", by_size), [by("n", times)]


def turning(mine: float, other: float) -> tuple:
    last, *controls = (by("passes", {0: [angle] * 3, 1: [0.0] * 3}) for angle in (mine, other, 0.0))
    return last, controls


def margins(share: float, error: float) -> tuple:
    return plain([(share, run([error])) for _ in range(3)]), plain([(1.0, run([0.1])) for _ in range(3)])


LAST = by("cap", {0.01: LOW, 1.0: repeated(0.12)}, called="last weights")
AVERAGED = by("cap", {0.01: LOW, 1.0: repeated(0.11)}, called="averaged")
BEST = by("C", {1.0: LOW}, best=True)

OBEYING = {
    "averaging-helps": pair(0.12, 0.10),
    "thrashes": ([plain(repeated(0.1, 0.02))], plain(repeated(0.1, 0.002))),
    "overtraining": courses(0.03, 0.02),
    "mira-as-fast": (plain(repeated(0.1, second_per_pass=0.11)), plain(LOW)),
    "mira-near-svm": (by("cap", {0.1: repeated(0.105)}), by("C", {1.0: repeated(0.2), 10.0: LOW}, best=True)),
    "mira-averaged": (by("cap", {0.1: repeated(0.12)}), by("cap", {0.1: LOW})),
    "large-updates": (LAST, AVERAGED),
    "k-best-gains-little": (plain(LOW), by("k", {5: repeated(0.099)})),
    "cutting-planes-fast": (by("C", {1.0: LOW}), by("cap", {0.1: LOW})),
    "cutting-planes-more-stable": (
        [by("cap", {0.1: runs}, called=str(k)) for k, runs in enumerate((SHAKY, repeated(0.1, 0.001)))],
        by("C", {1.0: repeated(0.1, 1e-4)}),
    ),
    "discriminative": (plain(repeated(0.2)), by("C", {1.0: LOW, 10.0: repeated(0.12)})),
    "svm-as-maxent": (BEST, BEST),
    "iterative-scaling": optimisers(80.0, 10.0, 8.0),
    "gradient-ascent": optimisers(30.0, 10.0, 8.0),
    "few-constraints": (by("C", {1.0: repeated(0.1, outputs=2000.0)}),),
    "few-outputs": (by("C", {1.0: repeated(0.1, outputs=150.0)}),),
    "smarter-smo": paces(0.2, 0.1),
    "thrashes-in-the-plane": turning(20.0, 0.5),
    "barely-separates": margins(0.2, 0.12),
    "kernels-very-slow": kernels(10.0, 40.0, 160.0),
}


@pytest.fixture(autouse=True)
def plane(monkeypatch: pytest.MonkeyPatch) -> None:
    """Margins and angles are what the made-up runs say."""
    monkeypatch.setattr(readings, "angle", lambda one, other: one)
    monkeypatch.setattr(readings, "margins", lambda each: readings.Margins(np.array([each[0]]), 1.0))
    last_error = rules.last_error
    monkeypatch.setattr(rules, "last_error", lambda each: last_error(each[1] if isinstance(each, tuple) else each))


def said(name: str, given: tuple) -> tuple[str, Judged]:
    row = ROWS[name]
    found = [
        part.condition(each, k) for k, part in enumerate(row.parts) for each in rules.measure[part.measure](*given)
    ]
    return verdict(found, row.quantifier), judged(id=name, conditions=found)


def test_all_claims_hold_on_runs_that_obey_them() -> None:
    found = {name: said(name, given) for name, given in OBEYING.items()}
    assert {name: each for name, each in found.items() if each[0] != YES} == {}
    assert found.keys() == ROWS.keys()
    rules_are_fair([each for _, each in found.values()])


RULES = [
    ("averaging-helps", pair, {(0.10, 0.12): NO, (0.1, 0.1): NO}),
    ("averaging-helps", (plain([run([0.1]), run([0.2])]), plain([run([0.15]), run([0.14])])), OPEN),  # two repeats
    (
        "mira-averaged",
        (by("cap", {0.01: repeated(0.12), 0.1: LOW}), by("cap", {0.01: LOW, 0.1: repeated(0.12)})),
        PART,
    ),
    (
        "thrashes",
        lambda one, other: ([plain(repeated(0.1, one))], plain(repeated(0.1, other))),
        {(0.015, 0.01): LESS, (0.01, 0.02): NO},
    ),
    ("thrashes-in-the-plane", turning, {(3.0, 3.0): LESS, (0.5, 0.1): NO}),
    ("overtraining", courses, {(-0.05, -0.05): NO, (-0.05, 0.03): PART}),
    ("barely-separates", margins, {(0.9, 0.12): PART, (0.9, 0.08): NO}),
    ("mira-as-fast", lambda pace: (plain(repeated(0.1, second_per_pass=pace)), plain(LOW)), {0.2: NO}),
    ("mira-as-fast", (plain([run([0.1], pace) for pace in (0.08, 0.1, 0.13)]), plain(LOW[:3])), OPEN),
    ("mira-near-svm", (by("cap", {0.1: repeated(0.105), 1.0: repeated(0.13)}), BEST), PART),
    ("large-updates", (by("cap", {0.01: LOW, 1.0: LOW}, called="last weights"), AVERAGED), PART),
    ("k-best-gains-little", lambda error: (plain(LOW), by("k", {5: repeated(error), 10: LOW})), {0.09: PART}),
    (
        "few-constraints",
        lambda outputs, gap: (by("C", {1.0: repeated(0.1, outputs=outputs, gap=gap)}),),
        {(2000.0, 0.1): OPEN, (20_000.0, 0.005): NO},
    ),
    ("few-outputs", lambda outputs: (by("C", {1.0: repeated(0.1, outputs=outputs)}),), {300.0: NO}),
    (
        "cutting-planes-fast",
        lambda pace, err: (by("C", {1.0: repeated(0.1, second_per_pass=pace)}), by("cap", {0.1: repeated(err)})),
        {(1.0, 0.1): NO, (0.1, 0.2): YES},  # in the last MIRA never gets there
    ),
    (
        "cutting-planes-more-stable",
        lambda swing: ([by("cap", {0.1: each}) for each in (SHAKY, LOW)], by("C", {1.0: repeated(0.1, swing)})),
        {0.02: NO},
    ),
    ("iterative-scaling", optimisers, {(9.0, 10.0, 8.0): PART, (5.0, 10.0, 8.0): NO, (np.inf,) * 3: YES}),
    ("gradient-ascent", optimisers, {(15.0, 10.0, 8.0): LESS, (4.0, 10.0, 8.0): NO, (np.inf, np.inf, 8.0): YES}),
    ("smarter-smo", paces, {(0.1, 0.2): NO, (0.1, 0.1, 0.1): OPEN}),
    ("kernels-very-slow", kernels, {(1.0, 4.0, 16.0): LESS, (0.1, 0.2, 0.4): NO}),
    (
        "discriminative",
        lambda bayes: (plain(repeated(bayes)), by("C", {1.0: LOW, 10.0: repeated(0.12)})),
        {0.11: PART, 0.09: NO},
    ),
    ("svm-as-maxent", lambda error: (BEST, by("C", {1.0: repeated(error)}, best=True)), {0.2: NO}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "given", "verdict"), cases(RULES))
def test_each_rule_tells_runs_that_obey_from_runs_that_do_not(name: str, given: tuple, verdict: str) -> None:
    assert said(name, given)[0] == verdict
