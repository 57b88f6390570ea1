"""The claims of klein2011: which rows are judged on which task, and the runs that each rule gets."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from structbench.bench.papers.claim_rows import Part, Row, rows
from structbench.bench.papers.judging import Claim
from structbench.bench.papers.klein2011 import portrait, rules
from structbench.bench.papers.klein2011 import setting as ways
from structbench.bench.papers.klein2011.runs import OVERLAPPING, SEPARABLE, Scale, Task
from structbench.bench.papers.klein2011.setting import KERNELS, Way
from structbench.bench.papers.measured import Estimate
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec

FILE = Path(__file__).with_name("claims.toml")
# measures that read seconds
ON_SPEED = ("cutting_over_mira", "mira_pass_over_perceptron", "naive_over_smart", "kernels_over_primal")
PLANE, DIGITS = "points in the plane, generated", "MNIST, more and more of it"

Given = dict[str, tuple]  # measure -> its arguments, specs in lists and dictionaries


def claims(scale: Scale) -> list[Claim]:
    """Return all claims: those on each task, on points in the plane, and on more and more digits."""
    places = [(_kinds_of(task), f"-{task.stem}", task.name, _on(task, scale)) for task in scale.tasks]
    places += [({"plane"}, "", PLANE, _in_the_plane(scale)), ({"digits"}, "", DIGITS, _on_more_digits(scale))]
    return [
        _claim(row, stem, setting, given)
        for kinds, stem, setting, given in places
        for row in rows(FILE)
        if ({*row.only} & kinds if row.only else "task" in kinds)
    ]


def is_on_speed(claim: Claim) -> bool:
    """Tell whether a claim reads seconds."""
    return any(part.measure in ON_SPEED for part in claim.row.parts)


def _kinds_of(task: Task) -> set[str]:
    """Return what rows may call a task."""
    return {"task", "classes" if ways.NAIVE_SMO in portrait.ways_of(task) else "words"}


def _claim(row: Row, stem: str, setting: str, given: Given) -> Claim:
    """Make a claim whose rules get the runs of ``given``, in the same lists and dictionaries."""
    needed = [given[_name(part)] for part in row.parts]
    return Claim(
        id=f"klein2011/{row.id}{stem}",
        row=row,
        measure=partial(_measure, given),
        runs=list(dict.fromkeys(_flat(needed))),
        figures=[*row.figures],
        setting=setting,
    )


def _name(part: Part) -> str:
    return f"{part.measure} {part.given['way']}" if "way" in part.given else part.measure


def _measure(given: Given, part: Part, runs: Runs) -> list[Estimate]:
    part.takes("way")
    rule: Callable = getattr(rules, part.measure)
    return rule(*(_read(each, runs) for each in given[_name(part)]))


def _on(task: Task, scale: Scale) -> Given:
    def by_C(way: Way, **changes: Any) -> dict[float, list[Spec]]:
        return {C: task.specs(way, C=C, **changes) for C in scale.Cs}

    def by_cap(way: Way, **changes: Any) -> dict[float, list[Spec]]:
        return {cap: task.by_cap(way, cap, **changes) for cap in scale.caps}

    def optimisers(first: Way) -> tuple:
        each = (first, ways.CONJUGATE, ways.LBFGS)
        return {C: {way.name: task.first(way, C=C, passes=task.slow) for way in each} for C in scale.Cs}, task.slow

    svm, linear, mira, last = by_C(ways.CUTTING), by_C(ways.LBFGS), by_cap(ways.MIRA), by_cap(ways.MIRA_LAST)
    both = {cap: [last[cap], mira[cap]] for cap in mira}
    swings = [by_cap(way, same_data=True) for way in (ways.MIRA_LAST, ways.MIRA)]
    long = [task.specs(way, passes=task.long) for way in (ways.PERCEPTRON, ways.AVERAGED)]
    bayes = task.specs(next(way for way in (ways.BAYES, ways.HMM) if way in portrait.ways_of(task)))
    return {
        "averaging_gains": (task.specs(ways.PERCEPTRON), task.specs(ways.AVERAGED)),
        "swing_over_averaged": tuple(long),
        "rise_after_best": tuple(long[:1]),
        "mira_pass_over_perceptron": (task.specs(ways.MIRA), task.specs(ways.AVERAGED)),
        "mira_above_svm": (mira, svm),
        "mira_averaging_gains": (both,),
        "larger_cap_loses": (both,),
        "k_best_gains": (task.specs(ways.MIRA), {k: task.specs(ways.K_BEST, params={"k": k}) for k in scale.ks}),
        "cutting_over_mira": (svm, mira),
        "mira_swing_over_cutting": (by_C(ways.CUTTING, same_data=True), *swings),
        "bayes_above_linear": (bayes, linear),
        "svm_above_linear": (svm, linear),
        "optimiser_over_others scaling": optimisers(ways.SCALING),
        "optimiser_over_others ascent": optimisers(ways.GRADIENT),
        "outputs": (svm,),
        "share_of_outputs": (svm,),
        "naive_over_smart": (by_C(ways.NAIVE_SMO), by_C(ways.SMO)),
    }


def _in_the_plane(scale: Scale) -> Given:
    def after(way: Way, kind: str) -> list[list[Spec]]:
        return [scale.on_points(way, kind, scale.passes + more) for more in (0, 1)]

    hard = scale.on_points(ways.HARD_MARGIN, SEPARABLE, passes=1000.0)
    apart = (scale.on_points(ways.PERCEPTRON, SEPARABLE), hard)
    kinds = ((ways.PERCEPTRON, OVERLAPPING), (ways.AVERAGED, OVERLAPPING), (ways.PERCEPTRON, SEPARABLE))
    return {
        "turns": tuple(after(*kind) for kind in kinds),
        "share_of_margin": apart,
        "perceptron_above_svm": apart,
    }


def _on_more_digits(scale: Scale) -> Given:
    made = (scale.by_size(ways.AVERAGED), {name: scale.by_size(way) for name, way in KERNELS.items()})
    return {"growth_of_kernels": made, "kernels_over_primal": made}


def _read(given: Any, runs: Runs) -> Any:
    if isinstance(given, Spec):
        return runs[given]
    if isinstance(given, dict):
        return {name: _read(each, runs) for name, each in given.items()}
    return [_read(each, runs) for each in given] if isinstance(given, list | tuple) else given


def _flat(given: Any) -> list[Spec]:
    if isinstance(given, Spec):
        return [given]
    some = given.values() if isinstance(given, dict) else given if isinstance(given, list | tuple) else ()
    return [spec for each in some for spec in _flat(each)]
