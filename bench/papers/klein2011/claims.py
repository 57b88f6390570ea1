"""The claims of klein2011 that experiments can judge; ``rules`` says how."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from structbench.bench.papers.judging import Claim, Judgement
from structbench.bench.papers.klein2011 import geometry, portrait, rules
from structbench.bench.papers.klein2011.runs import OVERLAPPING, SEPARABLE, Scale, Task
from structbench.bench.papers.klein2011.setting import (
    AVERAGED,
    BAYES,
    CONJUGATE,
    CUTTING,
    GRADIENT,
    HARD_MARGIN,
    HMM,
    K_BEST,
    KERNELS,
    LBFGS,
    MIRA,
    MIRA_LAST,
    NAIVE_SMO,
    PERCEPTRON,
    SCALING,
    SMO,
    Way,
)
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.store import Run

ISSUES = "Issues with Perceptrons"


# prefixes of the ids of claims whose rules read seconds
ON_SPEED = tuple(f"klein2011/{name}" for name in ("cutting-planes-fast", "mira-as-fast", "smarter-smo"))


def claims(scale: Scale) -> list[Claim]:
    """Return all claims: those on each task, and those on points in the plane."""
    tasks = [claim for task in scale.tasks for claim in _on(task, scale)]
    return tasks + _in_the_plane(scale) + _on_more_digits(scale)


def _on_more_digits(scale: Scale) -> list[Claim]:
    kernels = {name: scale.by_size(way) for name, way in KERNELS.items()}
    made = partial(_claim, stem="", setting="MNIST, more and more of it")
    return [
        made("kernels-very-slow", "A Tale of Two Approaches", "Kernelized linear models: flexible, powerful, very "
             "very slow.", _slow, (scale.by_size(AVERAGED), kernels), ["kernels"]),
    ]  # fmt: skip


def _slow(primal: dict[int, list[Run]], kernels: dict[str, dict[int, list[Run]]]) -> Judgement:
    def seconds(by_size: dict[int, list[Run]]) -> list[float]:
        return [float(np.median([run.summary["cpu_seconds"] for run in runs])) for runs in by_size.values()]

    told = {name: seconds(by_size) for name, by_size in kernels.items()}
    return rules.kernels_very_slow([float(n) for n in primal], seconds(primal), told)


def _on(task: Task, scale: Scale) -> list[Claim]:
    svm = {C: task.specs(CUTTING, C=C) for C in scale.Cs}
    long = {way: task.specs(way, passes=task.long) for way in (PERCEPTRON, AVERAGED)}
    mira, last = (_by_cap(task, scale, way) for way in (MIRA, MIRA_LAST))
    more = {f"k={k}": task.specs(K_BEST, params={"k": k}) for k in scale.ks}
    seeds = [_by_cap(task, scale, way, same_data=True) for way in (MIRA_LAST, MIRA)]
    same = {C: task.specs(CUTTING, C=C, same_data=True) for C in scale.Cs}
    bayes = task.specs(next(way for way in (BAYES, HMM) if way in portrait.ways(task)))
    scaling, ascent = (
        {
            C: {way.name: task.first(way, C=C, passes=task.slow) for way in (first, CONJUGATE, LBFGS)}
            for C in scale.Cs
        }
        for first in (SCALING, GRADIENT)
    )
    linear = {C: task.specs(LBFGS, C=C) for C in scale.Cs}
    made = partial(_claim, stem=f"-{task.stem}", setting=task.name)
    smo = [{C: task.specs(way, C=C) for C in scale.Cs} for way in (NAIVE_SMO, SMO)]
    smarter = [
        made("smarter-smo", "SMO", "Can speed this up by being clever about skipping examples and label pairs "
             "which will make little or no difference.", rules.smarter_smo, smo, ["portrait"]),
    ] if NAIVE_SMO in portrait.ways(task) else []  # fmt: skip
    return [
        *smarter,
        made("averaging-helps", ISSUES, "Averaging weight vectors over time can help.",
             rules.averaging_helps, (task.specs(PERCEPTRON), task.specs(AVERAGED)), ["perceptron"]),
        made("thrashes", ISSUES, "If the data isn't separable, weights often thrash around.",
             rules.thrashes, (long[PERCEPTRON], long[AVERAGED]), ["perceptron"]),
        made("overtraining", ISSUES, "Overtraining: test accuracy usually rises, then falls.",
             rules.overtraining, (long[PERCEPTRON],), ["perceptron"]),
        made("mira-as-fast", "MIRA / Perceptron", "Use perceptron but be smarter about the updates; "
             "as fast as that (our reading).", rules.mira_as_fast, (task.specs(MIRA), task.specs(AVERAGED)),
             ["portrait"]),
        made("mira-near-svm", "MIRA / Perceptron", "This should remind you of the margin objective; its error "
             "is near the SVM's (our reading).", rules.mira_near_svm, (mira, svm), ["mira"]),
        made("mira-averaged", "MIRA", "MIRA needs to be averaged, just like the perceptron.",
             rules.averaging_helps_at_all, ({cap: [last[cap], mira[cap]] for cap in mira},), ["mira"]),
        made("k-best-gains-little", "MIRA", "The general version of MIRA considers the top-K predictions; no one "
             "uses this: it gains little (our reading).", rules.k_best_gains_little, (task.specs(MIRA), more),
             ["portrait"]),
        made("cutting-planes-fast", "Cutting Plane", "In practice, works pretty well; fast like MIRA.",
             rules.cutting_planes_fast, (svm, mira), ["mira"]),
        made("cutting-planes-more-stable", "Cutting Plane", "More stable than MIRA, no averaging.",
             rules.cutting_planes_more_stable, (same, *seeds), ["mira"]),
        made("discriminative", "Learning Classifier Weights", "Often weights which are good for classification "
             "aren't the ones which best describe the data.", rules.discriminative, (bayes, linear), ["portrait"]),
        made("iterative-scaling", "Unconstrained Optimization", "There are special-purpose optimization "
             "techniques for maxent, like iterative scaling, but they aren't better.",
             partial(_passes, rules.iterative_scaling, task.slow), (scaling,), ["optimisers"]),
        made("gradient-ascent", "Unconstrained Optimization", "Basic gradient ascent isn't very efficient, but "
             "there are simple enhancements: conjugate gradient, L-BFGS.",
             partial(_passes, rules.gradient_ascent, task.slow), (ascent,), ["optimisers"]),
        made("few-constraints", "Cutting Plane", "The number of constraints you actually need per instance is "
             "typically very small.", rules.few_constraints, (svm,), ["constraints"]),
    ]  # fmt: skip


def _by_cap(task: Task, scale: Scale, way: Way, **changes: Any) -> dict[str, list[Spec]]:
    return {f"cap {cap:g}": task.specs(way, params=way.params | {"cap": cap}, **changes) for cap in scale.caps}


def _in_the_plane(scale: Scale) -> list[Claim]:
    def after(average: str, kind: str) -> list[list[Spec]]:
        way = AVERAGED if average else PERCEPTRON
        return [scale.on_points(way, kind, scale.passes + more) for more in (0, 1)]

    made = partial(_claim, stem="", setting="points in the plane, generated")
    turns = (after("", OVERLAPPING), after("uniform", OVERLAPPING), after("", SEPARABLE))
    apart = (scale.on_points(PERCEPTRON, SEPARABLE), scale.on_points(HARD_MARGIN, SEPARABLE, passes=1000.0))
    return [
        made("thrashes-in-the-plane", ISSUES, "If the data isn't separable, weights often thrash around.",
             lambda *each: rules.thrashes_in_the_plane(*map(_turns, each)), turns, ["thrashing"]),
        made("barely-separates", ISSUES, "Mediocre generalization: finds a 'barely' separating solution.",
             lambda mine, best: rules.barely_separates(_shares(mine, best)), apart, ["separators"]),
    ]  # fmt: skip


def _turns(after: list[list[Any]]) -> list[float]:
    return [geometry.angle(one, other) for one, other in zip(*after, strict=True)]


def _passes(rule: Callable[..., Judgement], most: float, runs: dict[float, dict[str, Run]]) -> Judgement:
    found = {C: {name: rules.passes_to_level(run) for name, run in each.items()} for C, each in runs.items()}
    return rule(found, most)


def _shares(mine: list[Any], best: list[Any]) -> list[float]:
    """Return the margins of runs over the greatest possible ones."""
    pairs = zip(mine, best, strict=True)
    return [geometry.margins(run).least / geometry.margins(other).least for run, other in pairs]


def _claim(
    name: str,
    slide: str,
    sentence: str,
    rule: Callable[..., Judgement],
    given: tuple,
    figures: list[str],
    *,
    stem: str,
    setting: str,
) -> Claim:
    """Make a claim whose rule gets the runs of ``given``, in the same lists and dictionaries."""
    specs = list(dict.fromkeys(_flat(given)))
    about = (f"klein2011/{name}{stem}", "klein2011", f"slide {slide!r}", sentence, "")
    return Claim(*about, partial(_judged, rule, given), specs, figures, setting)


def _judged(rule: Callable[..., Judgement], given: tuple, runs: Runs) -> Judgement:
    return rule(*(_read(each, runs) for each in given))


def _read(given: Any, runs: Runs) -> Any:
    if isinstance(given, Spec):
        return runs[given]
    if isinstance(given, dict):
        return {name: _read(each, runs) for name, each in given.items()}
    return [_read(each, runs) for each in given]


def _flat(given: Any) -> list[Spec]:
    if isinstance(given, Spec):
        return [given]
    return [spec for each in (given.values() if isinstance(given, dict) else given) for spec in _flat(each)]
