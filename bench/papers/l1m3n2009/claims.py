"""Claims of l1m3n2009; ``rules`` and ``path_rules`` say how they are judged."""

from collections.abc import Callable
from functools import partial

from structbench.bench.papers.judging import Claim
from structbench.bench.papers.l1m3n2009 import path_rules, rules
from structbench.bench.papers.l1m3n2009.runs import Cross, Task
from structbench.bench.papers.l1m3n2009.setting import (
    CRF,
    CUTTING_PLANE,
    EM,
    L1_CRF,
    L2_CRF,
    LAP_M3N,
    M3N,
    METHODS,
    MODELS,
    SUBGRADIENT,
    SYNTHETIC,
    Way,
)
from structbench.bench.runs.spec import Spec

AXIS_2, AXIS_4 = "errors between 0.18 and 0.30 (the axis)", "errors between 0.25 and 0.40 (the axis)"

# id: (where, the paper's sentence, its numbers, check, models)
ERRORS: dict[str, tuple[str, str, str, Callable, tuple[Way, ...]]] = {
    "sparse-beats-m3n": (
        "Figure 2",
        "The primal sparse models (l1-M3N and L1-CRFs) outperform the M3N, which is only dual sparse.",
        AXIS_2,
        rules.sparse_beats_m3n,
        (EM, L1_CRF, M3N),
    ),
    "lap-as-l1m3n": (
        "Figure 2",
        "The LapM3N performs similarly to the primal sparse models.",
        AXIS_2,
        partial(rules.about_equal, LAP_M3N, (EM, L1_CRF), (M3N, None)),
        (LAP_M3N, EM, L1_CRF, M3N),
    ),
    "crf-worst": (
        "Figure 2",
        "The un-regularized CRFs perform much worse than the other models on these sparse data sets.",
        AXIS_2,
        rules.crf_worst,
        MODELS,
    ),
    "l2crf-as-m3n": (
        "Figure 2",
        "The L2-CRFs perform comparably with the M3N.",
        AXIS_2,
        partial(rules.about_equal, L2_CRF, (M3N,), (M3N, EM)),
        (L2_CRF, M3N, EM),
    ),
    "l1crf-sensitive": (
        "Section 5.1",
        "L1-CRFs are sensitive to the regularization constant; the l1-M3N with the EM style algorithm is very "
        "robust.",
        AXIS_2,
        rules.l1crf_sensitive,
        (L1_CRF, EM),
    ),
}
OCR_ERRORS: dict[str, tuple[str, str, str, Callable, tuple[Way, ...]]] = {
    "ocr-more-data": (
        "Figure 4",
        "As the number of training data increases, all the models get lower error rates and smaller variances.",
        AXIS_4,
        rules.more_data,
        MODELS,
    ),
    "ocr-lap-as-l1m3n": (
        "Figure 4",
        "The l1-M3N performs comparably with the LapM3N.",
        AXIS_4,
        partial(rules.about_equal, LAP_M3N, (EM,), (M3N, None)),
        (LAP_M3N, EM, M3N),
    ),
    "ocr-l1m3n-best": (
        "Figure 4",
        "The l1-M3N consistently outperforms all the other models but the LapM3N.",
        AXIS_4,
        rules.l1m3n_best,
        (EM, CRF, L2_CRF, L1_CRF, M3N),
    ),
    "ocr-l2crf-as-m3n": (
        "Figure 4",
        "L2-CRFs perform comparably with M3N.",
        AXIS_4,
        partial(rules.about_equal, L2_CRF, (M3N,), (CRF, M3N)),
        (L2_CRF, M3N, CRF),
    ),
    "ocr-m3n-beats-crfs": (
        "Figure 4",
        "M3N outperforms the standard, un-regularized, CRFs and the L1-CRFs.",
        AXIS_4,
        rules.m3n_beats_crfs,
        (M3N, CRF, L1_CRF),
    ),
}
WEIGHTS: dict[str, tuple[str, str, Callable, tuple[Way, ...]]] = {
    "noise-discarded": (
        "Both l1-M3N and L1-CRFs can discard all the noise features with an appropriate constant.",
        "",
        rules.noise_discarded,
        (EM, L1_CRF, M3N),
    ),
    "dense-models": (
        "For CRFs, L2-CRFs, LapM3N and M3N all the weights are non-zero.",
        "200 of 200",
        rules.dense_models,
        (CRF, L2_CRF, LAP_M3N, M3N),
    ),
    "lap-shrinks": (
        "The weights of LapM3N are generally much smaller because of the shrinkage effect; it can shrink those of "
        "irrelevant features to be extremely small.",
        "",
        rules.lap_shrinks,
        (LAP_M3N, M3N),
    ),
    "weights-differ": (
        "All the models have quite different average weights from the model that generates the data.",
        "",
        rules.weights_differ,
        MODELS,
    ),
}
SPARSITY: dict[str, tuple[str, str, Callable, tuple[Way, ...]]] = {
    "em-as-cutting-plane": (
        "EM has similar numbers of non-zero weights as the cutting plane method.",
        "EM 28 to 200, cutting planes 13 to 189",
        path_rules.em_as_cutting_plane,
        (EM, CUTTING_PLANE),
    ),
    "subgradient-tail": (
        "The subgradient method keeps many features, whose weights are small but not exactly zero.",
        "196 to 200 at every radius",
        path_rules.subgradient_tail,
        METHODS,
    ),
    "tail-is-small": (
        "Truncating the subgradient's weights at 1e-4 does not change the sparse pattern much.",
        "",
        path_rules.tail_is_small,
        (SUBGRADIENT,),
    ),
}
COSTS: dict[str, tuple[str, str, Callable, tuple[Way, ...]]] = {
    "best-comparable": (
        "The best performance of all the three algorithms on this data set is comparable.",
        "",
        path_rules.best_comparable,
        METHODS,
    ),
    "em-robust-error": (
        "Subgradient and cutting plane are sensitive to their constants; the error rate of EM is stable.",
        "",
        path_rules.em_robust_error,
        METHODS,
    ),
    "em-robust-time": (
        "Subgradient and cutting plane are sensitive to their constants; the training time of EM is stable.",
        "some 3.7 s an iteration of EM, of 15",
        path_rules.em_robust_time,
        METHODS,
    ),
    "cutting-plane-slows": (
        "As C' gets bigger, the training time of the cutting plane method increases very fast.",
        "0 to some 600 s in the figure",
        path_rules.cutting_plane_slows,
        (CUTTING_PLANE,),
    ),
    "time-follows-non-zeros": (
        "The training time increases because more features have non-zero weights.",
        "",
        path_rules.time_follows_non_zeros,
        (CUTTING_PLANE,),
    ),
    "subgradient-speeds-up": (
        "The training time of the subgradient method decreases when the radius increases.",
        "",
        path_rules.subgradient_speeds_up,
        (SUBGRADIENT,),
    ),
    "subgradient-fastest": (
        "The training time of the projected subgradient algorithm is smaller than those of the other two.",
        "",
        path_rules.subgradient_fastest,
        METHODS,
    ),
}
OCR_COSTS: dict[str, tuple[str, str, str, Callable, tuple[Way, ...]]] = {
    "ocr-both-robust": (
        "Figure 6",
        "Both algorithms, EM and the subgradient method, are robust in the performance on this data set.",
        "errors between 0.34 and 0.40 (the axes)",
        path_rules.both_robust,
        (EM, SUBGRADIENT),
    ),
    "ocr-em-better": (
        "Figure 6",
        "The best performance of EM is slightly better than that of the subgradient method.",
        "",
        path_rules.em_better,
        (EM, SUBGRADIENT),
    ),
    "ocr-em-time": (
        "Figure 6",
        "In training time the subgradient method is sensitive to its constant; EM is very stable.",
        "",
        path_rules.em_time,
        (EM, SUBGRADIENT),
    ),
    "ocr-cutting-plane": (
        "Section 5.2",
        "The cutting plane method is extremely slow: 600 iterations on OCR100 take some 20 hours for ten folds.",
        "20 hours, error about 0.45",
        path_rules.cutting_plane_on_ocr,
        (CUTTING_PLANE, EM),
    ),
}


def claims(task: Task) -> list[Claim]:
    """Return all claims; those on errors use the sizes that a scale has."""
    found = []
    for variant in task.variants():
        sizes = [task.crosses(K, variant) for K in sorted(task.used, reverse=True)]
        suffix = "" if variant == "correlated" else f"-{variant}"
        setting = f"synthetic, {variant} inputs, {len(sizes[0])} of 10 data sets"
        for name, (where, sentence, theirs, check, ways) in ERRORS.items():
            runs = [s for crosses in sizes for cross in crosses for s in _grids(task, ways, cross)]
            about = (f"l1m3n2009/{name}{suffix}", "l1m3n2009", where, sentence, theirs)
            found.append(Claim(*about, partial(check, task, sizes), runs, [f"fig02{suffix}"], setting))
    setting = f"synthetic, correlated inputs, {task.crfs} of 10 data sets"
    for name, (sentence, theirs, check, ways) in WEIGHTS.items():
        about = (f"l1m3n2009/{name}", "l1m3n2009", "Figure 3", sentence, theirs)
        constants = task.tried if name == "noise-discarded" else partial(task.grid_of, kind=SYNTHETIC)
        runs = [
            spec for cross in task.crosses(10) for way in ways for spec in task.all_of(way, cross, constants(way))
        ]
        found.append(Claim(*about, partial(check, task), runs, ["fig03", "table1"], setting))
    for name, (sentence, theirs, check, ways) in SPARSITY.items():
        about = (f"l1m3n2009/{name}", "l1m3n2009", "Table 1", sentence, theirs)
        runs = [spec for cross in task.crosses(10) for spec in _along(task, ways, cross)]
        found.append(Claim(*about, partial(check, task), runs, ["table1"], setting))
    setting = "synthetic, the first data set"
    for name, (sentence, theirs, check, ways) in COSTS.items():
        about = (f"l1m3n2009/{name}", "l1m3n2009", "Figure 5", sentence, theirs)
        judged = partial(check, task, task.first)
        found.append(Claim(*about, judged, _along(task, ways, task.first), ["fig05"], setting))
    return found + _on_ocr(task)


def _on_ocr(task: Task) -> list[Claim]:
    sizes = [[task.ocr(words)] for words in sorted(task.words)]
    setting = f"OCR, {max(task.words.values())} of 10 folds"
    found = []
    for name, (where, sentence, theirs, check, ways) in OCR_ERRORS.items():
        runs = [spec for (cross,) in sizes for spec in _grids(task, ways, cross)]
        about = (f"l1m3n2009/{name}", "l1m3n2009", where, sentence, theirs)
        found.append(Claim(*about, partial(check, task, sizes), runs, ["fig04"], setting))
    for name, (where, sentence, theirs, check, ways) in OCR_COSTS.items():
        about = (f"l1m3n2009/{name}", "l1m3n2009", where, sentence, theirs)
        judged = partial(check, task, task.smallest)
        found.append(Claim(*about, judged, _along(task, ways, task.smallest), ["fig06"], setting))
    return found


def _along(task: Task, ways: tuple[Way, ...], cross: Cross) -> list[Spec]:
    """Return the runs along the paths; for EM, with each of its fixed constants."""
    return task.methods(cross, (*ways, *(task.ems[1:] if EM in ways else ())))


def _grids(task: Task, ways: tuple[Way, ...], cross: Cross) -> list[Spec]:
    return [spec for way in ways for spec in task.all_of(way, cross, task.grid_of(way, cross.kind))]
