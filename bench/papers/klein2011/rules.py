"""What the claims of klein2011 measure, over repetitions; ``claims.toml`` says what each number has to be.

A rule takes runs in the lists and dictionaries in which ``claims`` asks for them. Errors are shares of wrong test
decisions after the last pass; differences are paired by repetition. Seconds are CPU seconds of the learner alone.
Mathematics is no claim: tests (``test_slides.py``) check bounds and losses.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from structbench.bench.drawing import curves
from structbench.bench.papers.klein2011 import readings
from structbench.bench.papers.klein2011.readings import POINT, last_error
from structbench.bench.papers.klein2011.setting import LEVEL
from structbench.bench.papers.measured import Estimate, Value, last, times, together_of
from structbench.bench.runs.store import Run

Repeated = Sequence[Run]  # one run a repetition
ENDS = 3  # passes
POINTS = "points of error"
SHARE = 0.03  # of an error: nearer is level


def _together(values: Iterable[Value]) -> Estimate:
    return together_of([*values], "repetitions")


def _apart(where: Mapping[str, Any], mine: Repeated, others: Repeated, **more: Any) -> Estimate:
    """Return the error of mine less the others', in points; 3 % of the error counts as none."""
    band = SHARE * float(np.mean([last_error(run) for run in (*mine, *others)])) / POINT
    return _together(
        Value(where, (last_error(a) - last_error(b)) / POINT, "difference", POINTS, band=band, **more)
        for a, b in zip(mine, others, strict=True)
    )


def averaging_gains(last: Repeated, averaged: Repeated) -> list[Estimate]:
    """Measure the error of the perceptron's last weights less that of its averaged ones."""
    return [_apart({}, last, averaged)]


def mira_averaging_gains(cases: dict[float, tuple[Repeated, Repeated]]) -> list[Estimate]:
    """Measure the same of MIRA, at each cap."""
    return [_apart({"cap": cap}, *pair) for cap, pair in cases.items()]


def larger_cap_loses(cases: dict[float, tuple[Repeated, Repeated]]) -> list[Estimate]:
    """Measure the error at each larger cap less that at the least, of averaged and of last weights."""
    least, *larger = sorted(cases)
    return [
        _apart({"cap": cap, "": name}, cases[cap][k], cases[least][k])
        for cap in larger
        for k, name in enumerate(("last weights", "averaged"))
    ]


def swing_over_averaged(last: Repeated, averaged: Repeated) -> list[Estimate]:
    """Measure the s.d. of the error over the later half of the passes, last weights' over averaged ones'."""
    return [_swings({}, last, averaged)]


def _swings(where: Mapping[str, Any], mine: Repeated, others: Repeated) -> Estimate:
    return _together(
        Value(where, max(readings.swing(a), 1e-12) / max(readings.swing(b), 1e-12))
        for a, b in zip(mine, others, strict=True)
    )


def rise_after_best(runs: Repeated) -> list[Estimate]:
    """Measure the error after the last passes less that around the pass that is best in the other repetitions."""
    each_pass = [readings.errors_by_pass(run) for run in runs]
    longest = max(map(len, each_pass))  # a run ends, and keeps its weights, when it makes no more mistakes
    errors = np.array([np.pad(each, (0, longest - len(each)), "edge") for each in each_pass])
    smooth = np.array([np.convolve(each, np.full(ENDS, 1 / ENDS), "valid") for each in errors])
    values = []
    for k in range(len(runs)):
        others = np.delete(smooth, k, axis=0) if len(runs) > 1 else smooth
        best = int(np.argmin(others.mean(axis=0)))
        rise, told = smooth[k, -1] - smooth[k, best], f"best after pass {best + 1 + ENDS // 2}"
        values.append(Value({}, rise / POINT, "difference", POINTS, told=told, band=0.1))
    return [_together(values)]


def mira_pass_over_perceptron(mira: Repeated, perceptron: Repeated) -> list[Estimate]:
    """Measure seconds a pass."""
    pairs = zip(
        *([curves.seconds_per_pass(run.curve) for run in runs] for runs in (mira, perceptron)), strict=True
    )
    return [_together(Value({}, mine / other) for mine, other in pairs)]


def mira_above_svm(mira: dict[float, Repeated], svm: dict[float, Repeated]) -> list[Estimate]:
    """Measure MIRA's error, at each cap, less that of the SVM at its best C."""
    _, best = _best(svm)
    return [_apart({"cap": cap}, runs, best) for cap, runs in mira.items()]


def k_best_gains(one: Repeated, more: dict[int, Repeated]) -> list[Estimate]:
    """Measure the error of 1-best MIRA less that of k-best."""
    return [_apart({"k": k}, one, runs) for k, runs in more.items()]


def outputs(svm: dict[float, Repeated]) -> list[Estimate]:
    """Measure the outputs in the working sets of cutting planes, the mean over examples."""
    return _outputs(svm, "value", 1.0)


def share_of_outputs(svm: dict[float, Repeated], labels: int = 10) -> list[Estimate]:
    """Measure them as a share of all outputs of an example."""
    return _outputs(svm, "share", 1.0 / labels)


def _outputs(svm: dict[float, Repeated], kind: str, scale: float) -> list[Estimate]:
    found = []
    for C, runs in svm.items():
        far = any(run.summary["relative_gap"] > LEVEL for run in runs)
        state = "certified runs" if far else ""
        found.append(_together(Value({"C": C}, scale * outputs_an_example(r), kind, state=state) for r in runs))
    return found


def outputs_an_example(run: Run) -> float:
    """Return the final outputs in the working sets of cutting planes, the mean over examples."""
    return run.summary["notes"]["outputs"] / run.summary["num_examples"]


def cutting_over_mira(svm: dict[float, Repeated], mira: dict[float, Repeated]) -> list[Estimate]:
    """Measure seconds until within a point of the SVM's last error, over those of MIRA at its best cap."""
    found = []
    for C, runs in svm.items():
        goals = [last_error(run) + POINT for run in runs]
        cap = min(mira, key=lambda cap: _median_seconds(mira[cap], goals))
        values = []
        for *pair, goal in zip(runs, mira[cap], goals, strict=True):
            values.append(_times({"C": C, "cap": cap}, pair, [readings.seconds_until(run, goal) for run in pair]))
        found.append(_together(values))
    return found


def _times(where: Mapping[str, Any], pair: Repeated, seconds: Sequence[float]) -> Value:
    """Return how many times as many seconds the first run takes as the second."""
    return times(where, *seconds, tuple(last(run, "cpu_seconds") for run in pair))


def mira_swing_over_cutting(
    svm: dict[float, Repeated], mira: dict[float, Repeated], averaged: dict[float, Repeated]
) -> list[Estimate]:
    """Measure MIRA's s.d. of the error over the later passes, at its best cap, over that of cutting planes.

    The sentence compares with MIRA as it is used, averaged or not: both count.
    """
    return [
        _swings({"C": C, "": name}, _best(runs)[1], planes)
        for C, planes in svm.items()
        for name, runs in (("last weights", mira), ("averaged", averaged))
    ]


def optimiser_over_others(passes: dict[float, dict[str, Run]], most: float) -> list[Estimate]:
    """Measure passes to a certified gap of 1 % over those of each other optimiser.

    Where neither gets there, the gaps after as many passes.
    """
    found = []
    for C, each in passes.items():
        (_, mine), *others = each.items()
        for name, other in others:
            where, pair = {"C": C, "over": name}, [curves.to_gap(run.curve, LEVEL) for run in (mine, other)]
            if np.isinf(pair).all():
                gaps = [last(run, "relative_gap") for run in (mine, other)]
                value = Value(where, gaps[0] / gaps[1], told=f"gaps {gaps[0]:.2g} and {gaps[1]:.2g}", exact=True)
            else:
                value = times(where, *pair, (most, most), exact=True)
            found.append(together_of([value]))
    return found


def naive_over_smart(naive: dict[float, Repeated], smart: dict[float, Repeated]) -> list[Estimate]:
    """Measure seconds until a certified gap of 1 %."""

    def until(run: Run) -> float:
        return curves.to_gap(run.curve, LEVEL, "cpu_seconds")

    pairs = {C: zip(runs, smart[C], strict=True) for C, runs in naive.items()}
    return [_together(_times({"C": C}, pair, [*map(until, pair)]) for pair in each) for C, each in pairs.items()]


def growth_of_kernels(primal: dict[int, Repeated], kernels: dict[str, dict[int, Repeated]]) -> list[Estimate]:
    """Measure the power of n with which seconds of all passes grow; the primal perceptron's is the control."""
    found = [_growth("primal", primal)._replace(counted=False)]
    return found + [_growth(name, by_size) for name, by_size in kernels.items()]


def _growth(name: str, by_size: dict[int, Repeated]) -> Estimate:
    sizes = np.log([*by_size])
    by_order = zip(*([run.summary["cpu_seconds"] for run in runs] for runs in by_size.values()), strict=True)
    powers = [float(np.polyfit(sizes, np.log(seconds), 1)[0]) for seconds in by_order]
    return _together(Value({"": name}, power, "value") for power in powers)


def kernels_over_primal(primal: dict[int, Repeated], kernels: dict[str, dict[int, Repeated]]) -> list[Estimate]:
    """Measure seconds of all passes at the largest n."""
    n = max(primal)
    base = float(np.median([run.summary["cpu_seconds"] for run in primal[n]]))
    return [
        _together(Value({"": name, "n": n}, run.summary["cpu_seconds"] / base) for run in by_size[n])
        for name, by_size in kernels.items()
    ]


def bayes_above_linear(bayes: Repeated, linear: dict[float, Repeated]) -> list[Estimate]:
    """Measure naive Bayes's error less that of the log-linear model, at each C."""
    return [_apart({"C": C}, bayes, runs) for C, runs in linear.items()]


def svm_above_linear(svm: dict[float, Repeated], linear: dict[float, Repeated]) -> list[Estimate]:
    """Measure the SVM's error less that of the log-linear model, each at its best C."""
    (one, mine), (other, theirs) = _best(svm), _best(linear)
    return [_apart({}, mine, theirs, told=f"C = {one:g} and {other:g}")]


def turns(last: list[Repeated], averaged: list[Repeated], separable: list[Repeated]) -> list[Estimate]:
    """Measure the angle between the weights after P and after P + 1 passes; separable points are the control."""
    made = (("last weights", last, True), ("averaged", averaged, False), ("separable points", separable, False))
    return [
        _together(
            Value({"": name}, readings.angle(one, other), "value", "degrees", counted=counted)
            for one, other in zip(*pair, strict=True)
        )
        for name, pair, counted in made
    ]


def share_of_margin(mine: Repeated, best: Repeated) -> list[Estimate]:
    """Measure the margin of the perceptron's last weights over the greatest there is."""
    pairs = zip(*([readings.margins(run).least for run in runs] for runs in (mine, best)), strict=True)
    return [_together(Value({}, least / greatest, "share") for least, greatest in pairs)]


def perceptron_above_svm(mine: Repeated, best: Repeated) -> list[Estimate]:
    """Measure the perceptron's error less that of the hard-margin SVM."""
    return [_apart({}, mine, best)]


def _best(runs: dict[float, Repeated]) -> tuple[float, Repeated]:
    """Return the C or cap of least error, with its runs."""
    return min(runs.items(), key=lambda item: np.mean([last_error(run) for run in item[1]]))


def _median_seconds(runs: Repeated, goals: list[float]) -> float:
    return float(np.median([readings.seconds_until(run, goal) for run, goal in zip(runs, goals, strict=True)]))
