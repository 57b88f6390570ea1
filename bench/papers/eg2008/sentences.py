"""The sentences of eg2008 on EG for the log loss, with the rule and the runs of each."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from structbench.bench.papers.eg2008 import rules, rules_against
from structbench.bench.papers.eg2008.runs import Task
from structbench.bench.papers.eg2008.setting import (
    ALIKE_CS,
    CONJUGATE_CS,
    CS,
    FIXED_RATE,
    POST_HOC,
    SGD_ERROR_CS,
    SLOW_C,
)
from structbench.bench.runs.spec import Spec

Needs = Callable[[Task], list[Spec]]


class Sentence(NamedTuple):
    """A sentence of the paper.

    Attributes:
        theirs: The paper's numbers.
        rule: Gives the readings of one seed.
        needs: Gives the runs that the rule reads, for a task that says where EG starts.
        both_starts: Whether EG's start matters.
        only: ``mnist`` if the numbers are for MNIST alone, ``controls`` if only a task with controls has the runs.
    """

    where: str
    text: str
    theirs: str
    rule: Callable
    needs: Needs
    figures: tuple[str, ...]
    both_starts: bool = True
    only: str = ""


def _of(algorithm: str, Cs: tuple[float, ...] = CS, **params: Any) -> Needs:
    """Return the runs of one algorithm at several C."""
    return lambda task: [spec for C in Cs for spec in task.specs(algorithm, C, **params)]


def _all(*needs: Needs) -> Needs:
    return lambda task: [spec for each in needs for spec in each(task)]


def _problems(task: Task, Cs: tuple[float, ...] = CS) -> list[Spec]:
    return [spec for C in Cs for spec in task.problem(C)]


_AT_10, _AT_1, _STRONG = (
    partial(_problems, Cs=(10.0,)),
    partial(_problems, Cs=(1.0,)),
    partial(_problems, Cs=CS[:3]),
)

SENTENCES: dict[str, Sentence] = {
    "linear-gap": Sentence(
        "Figure 6",
        "The log of EG's duality gap decreases more or less linearly with the computation spent.",
        "",
        rules.linear_gap,
        _of("eg"),
        ("fig06",),
    ),
    "same-value": Sentence(
        "Figure 5",
        "In all cases the primal and dual objectives of EG converge to the same value.",
        "",
        rules.same_value,
        _of("eg"),
        ("fig05", "fig06"),
    ),
    "faster-larger-C": Sentence(
        "Figure 5",
        "EG's primal and dual converge faster for larger values of C.",
        "",
        rules.faster_larger_C,
        _of("eg"),
        ("fig05", "fig06"),
    ),
    "random-order": Sentence(
        "Figure 7",
        "At C = 1 randomized EG is clearly much faster to converge than deterministic EG.",
        "",
        rules.random_order,
        _AT_1,
        ("fig07",),
    ),
    "error-C10-C1": Sentence(
        "Figure 4",
        "There is little to choose between C = 10 and C = 1 in validation error, whose minimum is around there.",
        "Table 2: .1011 at C = 1000, .0809 at 82.35, .0744 at 9.689, .0740 at 1.140 (best .0729 at 1.628)",
        rules.error_C10_C1,
        _of("eg"),
        ("fig04",),
        both_starts=False,
    ),
    "table2-passes": Sentence(
        "Table 2",
        "EG reaches a gap of 0.1% of the primal at C = 1000, from a cold start, in 11 effective iterations.",
        "11 passes",
        rules.table2_passes,
        _of("eg", CS[:1]),
        ("fig06",),
        only="mnist",
    ),
    "overtakes-sgd": Sentence(
        "Figure 10",
        "For C = 1000, 100 and 10 SGD's primal is better at first, but after around 5 passes EG overtakes it.",
        "around 5 passes",
        partial(rules_against.overtakes_sgd, CS[:3]),
        _STRONG,
        ("fig10",),
    ),
    "overtakes-sgd-C1": Sentence(
        "Figure 10",
        "For C = 1, too, EG outperforms SGD in the primal after the initial few iterations.",
        "a few passes",
        partial(rules_against.overtakes_sgd, CS[3:]),
        _AT_1,
        ("fig10",),
    ),
    "converges-before-sgd": Sentence(
        "Figure 10",
        "For C = 1000, 100 and 10 EG converges much more quickly to the optimal point than SGD.",
        "",
        rules_against.converges_before_sgd,
        _STRONG,
        ("fig10",),
    ),
    "more-pronounced": Sentence(
        "Figure 10",
        "The difference between EG and SGD becomes more pronounced as C becomes smaller.",
        "",
        rules_against.more_pronounced,
        _problems,
        ("fig10",),
    ),
    "sgd-lead-in-error": Sentence(
        "Figure 9",
        "SGD has the better validation error for roughly 5 passes; beyond that EG is very competitive.",
        "roughly 5 passes",
        rules_against.sgd_lead_in_error,
        _all(_of("eg", (10.0,)), _of("sgd", SGD_ERROR_CS)),
        ("fig09",),
    ),
    "sgd-alike-small-C": Sentence(
        "Figure 9",
        "For SGD the curves of validation error for C = 1, 0.1 and 0.01 are nearly identical.",
        "",
        rules_against.sgd_alike_small_C,
        _of("sgd", ALIKE_CS),
        ("fig09",),
        both_starts=False,
        only="controls",
    ),
    "eta0-selected": Sentence(
        "Section 7.1.3",
        "Selection after one pass takes eta0 = 0.01 for SGD, at C = 1000 0.001.",
        "0.001 at C = 1000, 0.01 at 100, 10 and 1",
        rules_against.eta0_selected,
        _of("sgd"),
        ("fig10",),
        both_starts=False,
        only="mnist",
    ),
    "eta0-post-hoc": Sentence(
        "Figure 10",
        "At C = 1, eta0 = 0.1 takes SGD to a better primal in the end than the eta0 that was selected.",
        "selected: 0.01",
        rules_against.eta0_post_hoc,
        _all(_of("sgd", (1.0,)), _of("sgd", (1.0,), **POST_HOC)),
        ("fig10",),
        both_starts=False,
        only="mnist",
    ),
    "decay-beats-fixed": Sentence(
        "Section 7.1.3",
        "For SGD a learning rate that decays performs consistently better than a single, fixed one.",
        "",
        rules_against.decay_beats_fixed,
        _all(_of("sgd"), _of("sgd", **FIXED_RATE)),
        (),
        both_starts=False,
        only="controls",
    ),
    "beats-lbfgs": Sentence(
        "Figure 11",
        "The primal value of EG converges considerably faster than that of L-BFGS.",
        "",
        rules_against.beats_lbfgs,
        _problems,
        ("fig11",),
    ),
    "beats-conjugate": Sentence(
        "Section 9",
        "Conjugate gradient converges more slowly than online EG.",
        "",
        rules_against.beats_conjugate,
        partial(_problems, Cs=CONJUGATE_CS),
        (),
        only="controls",
    ),
    "conjugate-below-lbfgs": Sentence(
        "Section 7, note 10",
        "Conjugate gradient performs worse than L-BFGS.",
        "",
        rules_against.conjugate_below_lbfgs,
        partial(_problems, Cs=CONJUGATE_CS),
        (),
        both_starts=False,
        only="controls",
    ),
    "online-beats-batch": Sentence(
        "Section 7",
        "LLEG-Batch converges much more slowly than the online algorithm.",
        "",
        rules.online_beats_batch,
        _AT_10,
        (),
    ),
    "lbfgs-error": Sentence(
        "Figure 11",
        "L-BFGS does not outperform the validation error curve of EG at C = 10 for any C.",
        "",
        rules_against.lbfgs_error,
        _all(_of("eg", (10.0,)), _of("lbfgs")),
        ("fig11",),
    ),
    "few-retries": Sentence(
        "Section 7.1.4, note 14",
        "EG's line search evaluates more than one point in less than 10% of the cases.",
        "< 10%",
        rules.few_retries,
        _of("eg"),
        (),
    ),
    "linear-in-C": Sentence(
        "Section 7.1.1",
        "Convergence time scales linearly with 1 / C, as the bounds on convergence predict.",
        "",
        rules.linear_in_1_over_C,
        _of("eg", (10.0, 1.0)),
        ("fig06",),
    ),
    "slow-low-C": Sentence(
        "Section 7.1",
        "Convergence of EG for low values of C, 0.1 and 0.01, is slow.",
        "",
        rules.slow_low_C,
        _of("eg", (1.0, SLOW_C)),
        (),
        only="controls",
    ),
    "cost-sgd": Sentence(
        "Appendix F",
        "EG requires only 10% more time per iteration, its search for a step size included, than SGD.",
        "1.1 x",
        partial(rules_against.cost, "sgd"),
        _all(_of("eg", (10.0,)), _of("sgd", (10.0,))),
        ("fig14",),
        both_starts=False,
    ),
    "cost-lbfgs": Sentence(
        "Appendix F",
        "EG requires only 10% more time per iteration, its search for a step size included, than L-BFGS.",
        "1.1 x",
        partial(rules_against.cost, "lbfgs"),
        _all(_of("eg", (10.0,)), _of("lbfgs", (10.0,))),
        ("fig14",),
        both_starts=False,
    ),
    "fastest-in-seconds": Sentence(
        "Figure 14",
        "In running time, too, the EG objective converges faster than those of L-BFGS and SGD.",
        "",
        rules_against.fastest_in_seconds,
        _AT_10,
        ("fig14",),
    ),
    "sgd-quick-in-accuracy": Sentence(
        "Figure 14",
        "SGD converges quickly in accuracy, but its objective converges very slowly to the optimum.",
        "",
        rules_against.sgd_quick_in_accuracy,
        _AT_10,
        ("fig14",),
    ),
    "anneal-faster": Sentence(
        "Figure 8",
        "At C = 1 annealing C from 10 makes convergence significantly faster.",
        "",
        rules.anneal_faster,
        _AT_1,
        ("fig08", "fig10"),
    ),
}
