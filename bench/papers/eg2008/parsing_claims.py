"""What eg2008 claims on dependency parsing; ``parsing_rules`` says how each claim is judged."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from bench.papers.eg2008 import parsing_rules as rules
from bench.papers.eg2008.parsing import BEST_C, LBFGS, METHODS, SGD, STARTS, TABLE3, TABLE3_BEST_C, Parsing
from bench.papers.judging import INCONCLUSIVE, Claim, Judgement, unanimous
from bench.papers.readings import FEWEST
from bench.runs.finished import Runs
from bench.runs.spec import Spec
from bench.runs.store import Run

BEST = max(accuracy for *_, accuracy in TABLE3)


class _Sentence(NamedTuple):
    """A sentence of the paper; ``find``: the method of a task whose specs its rule picks from."""

    where: str
    text: str
    theirs: str
    check: Callable
    find: str
    needs: Callable[[Parsing], list[Spec]]
    figure: str
    both_starts: bool = True


def claims(task: Parsing) -> list[Claim]:
    """All claims; those about numbers of the paper's where the data are all of the paper's."""
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
    """What the seeds and, where EG has a part in it, both of its starts agree on."""
    if not said.both_starts:
        return _over_seeds(said.check, task, getattr(task, said.find), runs)
    from_each = [replace(task, start=start) for start in STARTS]
    judged = [_over_seeds(said.check, each, getattr(each, said.find), runs) for each in from_each]
    verdicts, numbers, details = zip(*judged, strict=True)
    ours = "; ".join(f"EG {name}: {text}" for name, text in zip(("ours", "uniform"), numbers, strict=True) if text)
    apart = "" if len(set(verdicts)) == 1 else f"from our start {verdicts[0]}, from uniform u {verdicts[1]}"
    return unanimous([*verdicts]), ours, "; ".join(dict.fromkeys(text for text in (apart, *details) if text))


def _over_seeds(check: Callable, task: Parsing, find: Callable[..., list[Spec]], runs: Runs) -> Judgement:
    """A rule's verdict on each seed, if they agree; none of fewer seeds than three."""
    verdicts, ours, details = [], [], []
    for k, seed in enumerate(task.seeds):

        def pick(*chosen: Any, k: int = k, **params: Any) -> Run:
            specs = find(*chosen, **params)
            return runs[specs[min(k, len(specs) - 1)]]

        verdict, numbers, detail = check(task, runs, pick)
        verdicts.append(verdict)
        ours.append(numbers if len(task.seeds) == 1 else f"seed {seed}: {numbers}")
        details.append(detail)
    few = len(task.seeds) < FEWEST
    details.append(f"{len(task.seeds)} of {FEWEST} seeds: nothing is decided" if few else "")
    told = "; ".join(dict.fromkeys(detail for detail in details if detail))
    return INCONCLUSIVE if few else unanimous(verdicts), "; ".join(ours), told


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
    """EG from both starts at its best C, the other algorithm at all."""

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
