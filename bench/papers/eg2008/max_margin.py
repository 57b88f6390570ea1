"""Max-margin models in eg2008: Figure 13 on chunking, EG against SVM-struct, and log loss against hinge.

The rules by which its claims are judged, written down before any was applied to a run; see ``rules``
for what "passes" and the verdicts over several C and seeds are. The certified distance of a run is (primal -
bound) / primal with the greatest dual value of all our runs of that C as bound.

==================  ====================================================================================
beats-svm-struct    seconds until the certified distance stays below 1%: EG at least twice as fast as SVM-struct
                    (or there alone within its limits) at 3 or more of the 5 C, and slower at none; not
                    reproduced if it is so at 1 C or none
comparable-C1       the same seconds at C = 1 within a factor 3 of each other, and EG at least 3 times as fast
                    at two of the other C (else not)
log-faster          online EG, passes to a relative gap of 1% at C = 10: fewer for the log loss than for the
                    hinge, by more than a factor 1.2; not reproduced if more by that
online-beats-batch  passes to a relative gap of 1% at C = 10, log loss and hinge: online EG needs at most half of
                    batch EG's, both with adaptive steps; not reproduced if it needs more than batch EG
==================  ====================================================================================
"""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from bench.drawing import curves, style
from bench.drawing.draw import Figure
from bench.papers.eg2008 import panels as shared
from bench.papers.eg2008.claims import judged_over_seeds, setting
from bench.papers.eg2008.rules import SPACING, Pick
from bench.papers.eg2008.runs import Task
from bench.papers.judging import INCONCLUSIVE, NOT_REPRODUCED, RATIOS, REPRODUCED, Claim, Judgement, graded, worst
from bench.runs import catalogue
from bench.runs.finished import Runs
from bench.runs.spec import Spec

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawn

CS = (10000.0, 1000.0, 100.0, 10.0, 1.0)  # Figure 13
BEST_C = 100.0  # for validation error, in the paper
NEAR = 0.01  # relative distance to the optimum
EG, SVM = "eg", "cutting-plane"


def specs(task: Task, algorithm: str, C: float, **params) -> list[Spec]:
    """The runs of one algorithm for the hinge; SVM-struct's may take at most the task's seconds."""
    limits = {"seconds": task.seconds} if algorithm == SVM else {}
    return task.specs(algorithm, C, "hinge", limits, **params)


def all_specs(task: Task) -> list[Spec]:
    """All runs for the hinge, and batch EG for both losses."""
    found = timed(task) if task.stem == "chunking" else specs(task, EG, 10.0)
    return found + _batch(task)


def timed(task: Task) -> list[Spec]:
    """The runs of Figure 13, of which the seconds are read."""
    return [spec for C in CS for algorithm in (EG, SVM) for spec in specs(task, algorithm, C)]


def _batch(task: Task) -> list[Spec]:
    return specs(task, EG, 10.0, mode="batch") + task.specs(
        EG, 10.0, "log", {"passes": task.hinge_passes}, mode="batch"
    )


def figure(task: Task) -> Figure:
    """Figure 13 on the chunking task."""
    return Figure(
        f"eg2008, Figure 13 (twin): EG and SVM-struct, {task.name}",
        "Max-margin models: primal (solid) and negated dual (dashed) objective of online EG and of SVM-struct "
        "(n-slack cutting planes, margin rescaling) against the seconds of one thread, for each C; the primal of "
        "SVM-struct is that of its last weights. Bottom right: accuracy on the validation data of SVM-struct at "
        f"several C and of EG at C = {BEST_C:g}. The seconds' axes are logarithmic (ours). Theirs: dependency "
        f"parsing, C++, hours. A twin of ours: {task.name}. EG makes at most {task.hinge_passes:g} "
        f"passes, SVM-struct takes at most {task.seconds:g} s; a dot ends a run that reached a relative gap of "
        "1e-6.",
        partial(_draw, task),
    )


def _draw(task: Task, runs: Runs) -> "Drawn":
    figure, panels = style.panels(3, 2)
    for axes, C in zip(panels.flat, CS, strict=False):
        both = runs.present(specs(task, EG, C) + specs(task, SVM, C))
        for algorithm in (EG, SVM):
            found, look = runs.present(specs(task, algorithm, C)), {"color": style.COLOURS[algorithm]}
            name = catalogue.label(algorithm)
            style.line(axes, found, shared.later("primal"), "wall_seconds", label=f"{name}, primal", **look)
            look["linestyle"] = style.DUAL
            style.line(axes, found, shared.later("dual"), "wall_seconds", label=f"{name}, dual", **look)
        best = curves.optimum(both)
        if both:
            most = max(np.nanmax(shared.later("primal")(run.curve)) for run in both)
            axes.set_ylim(0.55 * best.primal, min(2.2 * best.primal, 1.05 * most))
        axes.set(title=f"C = {C:g}", xlabel="seconds", ylabel="objective")
        shared.log_seconds(axes)
        style.thousands(axes)
    axes = panels[2, 1]
    lines = [
        (_accuracy(axes, runs, specs(task, SVM, C), style.shade(SVM, rank, len(CS))), f"SVM-struct, C = {C:g}")
        for rank, C in enumerate(CS)
    ]
    lines.append((_accuracy(axes, runs, specs(task, EG, BEST_C), style.COLOURS[EG]), f"EG, C = {BEST_C:g}"))
    axes.set(title="accuracy", xlabel="seconds", ylabel=f"validation accuracy (% of {task.wrong})")
    heights = [y for line, _ in lines if line is not None for y in line.get_ydata()[len(line.get_ydata()) // 2 :]]
    if heights:
        margin = 0.15 * (max(heights) - min(heights)) or 1.0
        axes.set_ylim(min(heights) - margin, max(heights) + margin)
    shared.log_seconds(axes)
    style.label_ends(axes, lines)
    style.legend_above(figure)
    return figure


def _accuracy(axes, runs: Runs, members: list[Spec], colour):
    def accuracy(curve) -> np.ndarray:
        return 100 * (1 - shared.later("test_error")(curve))

    algorithm = members[0].algorithm
    look = {"color": colour, "linestyle": style.DASHES[algorithm]}
    return style.line(axes, runs.present(members), accuracy, "wall_seconds", **look)


def beats_svm_struct(task: Task, runs: Runs, pick: Pick) -> Judgement:
    ratios = _ratios(task, runs, pick)
    faster = sum(ratio >= RATIOS["considerably"] for ratio in ratios.values())
    known = not any(np.isnan(ratio) for ratio in ratios.values())
    good = faster >= 3 and all(ratio >= 1 for ratio in ratios.values())
    return graded(known and good, known and faster <= 1), _seconds_of(task, runs, pick), _said(ratios)


def comparable_C1(task: Task, runs: Runs, pick: Pick) -> Judgement:
    ratios = _ratios(task, runs, pick)
    if any(np.isnan(ratio) for ratio in ratios.values()):
        return INCONCLUSIVE, _seconds_of(task, runs, pick), "neither gets there at some C"
    good = 1 / 3 <= ratios[1.0] <= 3 and sum(ratios[C] >= 3 for C in CS[:-1]) >= 2
    return graded(good, not good), _seconds_of(task, runs, pick), _said(ratios)


def _times(task: Task, runs: Runs, pick: Pick, C: float) -> tuple[float, float]:
    """Seconds to the certified distance of EG and SVM-struct; infinity if never."""
    bound = curves.optimum(runs.present(specs(task, EG, C) + specs(task, SVM, C))).dual
    return tuple(curves.seconds_to(pick(name, C).curve, bound, NEAR) for name in (EG, SVM))


def _ratios(task: Task, runs: Runs, pick: Pick) -> dict[float, float]:
    """SVM-struct's seconds over EG's; NaN where neither gets there."""
    found = {}
    for C in CS:
        eg, svm = _times(task, runs, pick, C)
        found[C] = np.nan if np.isinf(eg) and np.isinf(svm) else svm / eg
    return found


def _seconds_of(task: Task, runs: Runs, pick: Pick) -> str:
    told = []
    for C in CS:
        eg, svm = (f"{s:.3g}" if np.isfinite(s) else "never" for s in _times(task, runs, pick, C))
        told.append(f"C={C:g}: {eg} / {svm}")
    return f"seconds EG / SVM-struct to 1%: {', '.join(told)}"


def _said(ratios: dict[float, float]) -> str:
    return "ratio " + ", ".join(f"C={C:g}: {ratio:.3g}" for C, ratio in ratios.items())


def log_faster(task: Task, runs: Runs, pick: Pick) -> Judgement:
    log, hinge = (curves.passes_to_gap(pick(EG, loss).curve, NEAR) for loss in ("log", "hinge"))
    told = f"passes to a gap of 1% at C = 10: log {_passes(log)}, hinge {_passes(hinge)}"
    known = np.isfinite(min(log, hinge))
    return graded(known and SPACING * log < hinge, known and log > SPACING * hinge), told, ""


def online_beats_batch(task: Task, runs: Runs, pick: Pick) -> Judgement:
    verdicts, told = [], []
    for loss in ("log", "hinge"):
        online, batch = (
            curves.passes_to_gap(pick(EG, loss, **mode).curve, NEAR) for mode in ({}, {"mode": "batch"})
        )
        if np.isfinite(online):
            verdicts.append(
                REPRODUCED
                if RATIOS["much"] * online <= batch
                else NOT_REPRODUCED
                if online > batch
                else INCONCLUSIVE
            )
        else:
            verdicts.append(NOT_REPRODUCED if np.isfinite(batch) else INCONCLUSIVE)
        told.append(f"{loss}: {_passes(online)} / {_passes(batch)}")
    return worst(verdicts), f"passes to a gap of 1% online / batch: {', '.join(told)}", ""


def _passes(passes: float) -> str:
    return f"{passes:.1f}" if np.isfinite(passes) else "never"


def claims(task: Task) -> list[Claim]:
    """The claims on one task; those of Figure 13 on chunking alone."""

    def by_loss(algorithm: str, loss: str, **params) -> list[Spec]:
        if params:
            return [s for s in _batch(task) if s.loss == loss]
        return specs(task, algorithm, 10.0) if loss == "hinge" else task.specs(algorithm, 10.0)

    def claim(name: str, where: str, sentence: str, check, find, needs: list[Spec], stems: list[str]) -> Claim:
        aside = "" if task.stem == "mnist" else f" (twin: {task.name})"
        check = partial(judged_over_seeds, check, task, find)
        about = (f"eg2008/{name}-{task.stem}", "eg2008", where, sentence + aside, "")
        return Claim(*about, check, needs, stems, setting(task))

    online = [s for loss in ("log", "hinge") for s in by_loss(EG, loss)]
    found = [
        claim(
            "log-faster",
            "Sections 5.1 and 9",
            "EG converges faster for log-linear models than for max-margin ones.",
            log_faster,
            by_loss,
            online,
            [],
        ),
        claim(
            "online-beats-batch",
            "Section 7",
            "Online EG is much faster than batch EG in practice.",
            online_beats_batch,
            by_loss,
            online + _batch(task),
            [],
        ),
    ]
    if task.stem != "chunking":
        return found
    needs = [spec for C in CS for algorithm in (EG, SVM) for spec in specs(task, algorithm, C)]
    find = partial(specs, task)
    return [
        claim(
            "beats-svm-struct",
            "Figure 13",
            "EG is considerably faster than SVM-struct for most values of C.",
            beats_svm_struct,
            find,
            needs,
            ["fig13-chunking"],
        ),
        claim(
            "comparable-C1",
            "Figure 13",
            "The performance of EG and SVM-struct is comparable only for C = 1.",
            comparable_C1,
            find,
            needs,
            ["fig13-chunking"],
        ),
        *found,
    ]
