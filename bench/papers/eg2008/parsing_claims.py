"""Claims of eg2008 on dependency parsing; ``parsing_rules`` says how each is judged."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from structbench.bench.papers.eg2008 import parsing_rules as rules
from structbench.bench.papers.eg2008.claims import judged_over_seeds
from structbench.bench.papers.eg2008.parsing import (
    BEST_C,
    LBFGS,
    METHODS,
    SGD,
    STARTS,
    TABLE3,
    TABLE3_BEST_C,
    Parsing,
)
from structbench.bench.papers.judging import Claim, Judgement, worst
from structbench.bench.papers.readings import most
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec

BEST = max(accuracy for *_, accuracy in TABLE3)


class _Sentence(NamedTuple):
    """A sentence of the paper. Its rule picks from the specs of the task's method ``find``.

    ``combine`` gives the verdict on several readings.
    """

    where: str
    text: str
    theirs: str
    rule: Callable
    find: str
    needs: Callable[[Parsing], list[Spec]]
    figure: str
    both_starts: bool = True
    combine: Callable[[list[str]], str] = worst


def claims(task: Parsing) -> list[Claim]:
    """Return all claims; those about the paper's numbers only if the data are all of the paper's."""
    runs = "" if task.whole else f", in runs of {task.passes:g} passes or {task.seconds:g} s"
    setting = f"{task.name}, the data of the paper{runs}"
    found = SENTENCES | (NUMBERS if task.whole else {})
    return [
        Claim(
            f"eg2008/{name}-parsing",
            "eg2008",
            said.where,
            said.text,
            said.theirs,
            partial(_judged, said, task),
            list(dict.fromkeys(said.needs(task))),
            [said.figure],
            setting,
        )
        for name, said in found.items()
    ]


def _judged(said: _Sentence, task: Parsing, runs: Runs) -> Judgement:
    """Judge the readings of all seeds; if EG's start matters, from both starts."""
    starts = [replace(task, start=start) for start in STARTS] if said.both_starts else [task]
    return judged_over_seeds(said.rule, starts, lambda each: getattr(each, said.find), runs, said.combine)


def _log(task: Parsing) -> list[Spec]:
    return task.all_specs()


def _at(*Cs: float) -> Callable[[Parsing], list[Spec]]:
    return lambda task: [spec for C in Cs for spec in task.problem(C)]


def _rates(task: Parsing) -> list[Spec]:
    return _at(*task.rates_at)(task)


def _hinge(task: Parsing) -> list[Spec]:
    return [spec for C in task.hinge_Cs for spec in task.hinge_problem(C)]


def _path(task: Parsing) -> list[Spec]:
    return [spec for start in STARTS for spec in replace(task, start=start).path()]


def _methods(task: Parsing) -> list[Spec]:
    return [spec for start in STARTS for loss in METHODS for spec in replace(task, start=start).method(loss)]


def _accuracies(algorithm: str) -> Callable[[Parsing], list[Spec]]:
    """Return EG from both starts at its best C, and the other algorithm at every C."""

    def needs(task: Parsing) -> list[Spec]:
        eg = [spec for start in STARTS for spec in task.specs("eg", BEST_C, start=start)]
        return eg + [spec for C in task.Cs for spec in task.specs(algorithm, C)]

    return needs


SENTENCES = {
    "converge": _Sentence(
        "Figure 12",
        "L-BFGS and EG both converge to the optimal value.",
        "",
        rules.converge,
        "specs",
        _log,
        "fig12-parsing",
    ),
    "faster-than-lbfgs": _Sentence(
        "Figure 12",
        "EG is significantly faster than L-BFGS.",
        "",
        rules.faster_than_lbfgs,
        "specs",
        _log,
        "fig12-parsing",
    ),
    "sgd-fails": _Sentence(
        "Figure 12",
        "SGD does not converge to the optimum at C = 1 and 10.",
        "",
        rules.sgd_fails,
        "specs",
        _at(1.0, 10.0),
        "fig12-parsing",
        both_starts=False,
    ),
    "sgd-slower": _Sentence(
        "Figure 12",
        "When SGD does converge to the optimum, it is slower than EG.",
        "",
        rules.sgd_slower,
        "specs",
        _log,
        "fig12-parsing",
    ),
    "sgd-good-rates": _Sentence(
        "Section 7.2",
        "There are learning rates with which SGD converges to the optimum at C = 1 and 10, but that they are "
        "optimal only becomes evident after 10 iterations or more.",
        "10 passes or more",
        rules.sgd_good_rates,
        "specs",
        _rates,
        "fig12-parsing",
        both_starts=False,
    ),
    "accuracy-above-lbfgs": _Sentence(
        "Figure 12",
        "In validation error EG at C = 10 significantly outperforms L-BFGS at various C.",
        "",
        rules.accuracy_above_lbfgs,
        "specs",
        _accuracies(LBFGS),
        "fig12-parsing",
    ),
    "accuracy-as-sgd": _Sentence(
        "Figure 12",
        "In validation error SGD is comparable to EG.",
        "",
        rules.accuracy_as_sgd,
        "specs",
        _accuracies(SGD),
        "fig12-parsing",
    ),
    "fastest-in-seconds": _Sentence(
        "Figure 15",
        "In running time, too, EG's objective converges faster than those of L-BFGS and SGD.",
        "",
        rules.fastest_in_seconds,
        "specs",
        _at(BEST_C),
        "fig15-parsing",
    ),
    "sgd-quick-in-accuracy": _Sentence(
        "Figure 15",
        "SGD converges quickly in accuracy, but its objective converges very slowly to the optimum.",
        "",
        rules.sgd_quick_in_accuracy,
        "specs",
        _at(BEST_C),
        "fig15-parsing",
    ),
    "above-perceptron": _Sentence(
        "Section 7.2",
        "Regularized max-margin and log-linear models typically outperform the averaged perceptron on these data "
        "(of Koo et al., 2007).",
        "",
        rules.above_perceptron,
        "method",
        _methods,
        "parsing-methods",
    ),
    "faster-than-svm-struct": _Sentence(
        "Figure 13",
        "EG is considerably faster than SVM-struct for most C.",
        "",
        rules.faster_than_svm_struct,
        "hinge",
        _hinge,
        "fig13-parsing",
        combine=most,
    ),
    "comparable-at-C1": _Sentence(
        "Figure 13",
        "EG and SVM-struct are comparable only for C = 1, where convergence is slow for both.",
        "",
        rules.comparable_at_C1,
        "hinge",
        _hinge,
        "fig13-parsing",
    ),
}
NUMBERS = {
    "table3-total": _Sentence(
        "Table 3",
        "A sequence of 21 values of C from 1000 to 0.797 is optimized with 389.65 effective iterations.",
        f"{TABLE3[-1][2]:g} passes",
        rules.table3_total,
        "path",
        _path,
        "table3-parsing",
    ),
    "table3-accuracies": _Sentence(
        "Table 3",
        "The validation accuracies at the 21 values of C.",
        f"{TABLE3[0][3]} at C = 1000, {BEST} at {TABLE3_BEST_C:g}, {TABLE3[-1][3]} at 0.797",
        rules.table3_accuracies,
        "path",
        _path,
        "table3-parsing",
    ),
    "table3-best-C": _Sentence(
        "Table 3",
        f"The optimal accuracy is reached at C = {TABLE3_BEST_C:g}.",
        f"{BEST} at C = {TABLE3_BEST_C:g}",
        rules.table3_best_C,
        "path",
        _path,
        "table3-parsing",
    ),
    "table3-best-accuracy": _Sentence(
        "Table 3",
        f"The accuracy at C = {TABLE3_BEST_C:g}.",
        f"{BEST}",
        rules.table3_best_accuracy,
        "path",
        _path,
        "table3-parsing",
    ),
    "best-C-log": _Sentence(
        "Section 7.2",
        "Of C = 0.1, 1, 10, 100 and 1000 the value with optimal validation error is 10.",
        "C = 10",
        rules.best_C_log,
        "specs",
        _log,
        "fig12-parsing",
    ),
    "best-C-hinge": _Sentence(
        "Section 8",
        "For max-margin models, of C = 1, 10, 100, 1000 and 10000 the value with optimal validation error is 100.",
        "C = 100",
        rules.best_C_hinge,
        "hinge",
        _hinge,
        "fig13-parsing",
    ),
}
