"""What eg2008 claims of EG for the log loss; ``rules`` says how each claim is judged."""

from collections.abc import Callable
from functools import partial
from typing import Any

from bench.papers.eg2008.rules import (
    Pick,
    anneal_faster,
    beats_lbfgs,
    cost,
    error_C10_C1,
    eta0_post_hoc,
    eta0_selected,
    faster_larger_C,
    lbfgs_error,
    linear_gap,
    overtakes_sgd,
    random_order,
    sgd_lead_in_error,
    sgd_slow_objective,
    table2_errors,
    table2_passes,
)
from bench.papers.eg2008.runs import Task
from bench.papers.eg2008.setting import CS, POST_HOC, SGD_ERROR_CS, UNIFORM
from bench.papers.judging import Claim, Judgement, unanimous
from bench.runs.finished import Runs
from bench.runs.spec import Spec
from bench.runs.store import Run

FROM_UNIFORM = (  # depend on where EG starts: judged once more for the other start
    "linear-gap",
    "faster-larger-C",
    "table2-passes",
    "overtakes-sgd",
    "overtakes-sgd-C1",
    "sgd-lead-in-error",
    "beats-lbfgs",
    "lbfgs-error",
    "anneal-faster",
)
MNIST_ONLY = ("table2-errors", "table2-passes", "eta0-selected", "eta0-post-hoc")


def claims(task: Task) -> list[Claim]:
    """The claims on one task; those with numbers that only MNIST has are left out for the others.

    For a task that starts from uniform u: those that may depend on it, with an id and sentence of their own.
    """
    own, uniform = task.stem == "mnist", task.start == UNIFORM
    said = [] if own else [f"twin: {task.name}"]
    said += ["EG started from uniform u"] if uniform else []
    aside = f" ({'; '.join(said)})" if said else ""
    made = []
    for name, (where, sentence, theirs, check, needs, stems) in CLAIMS.items():
        if (name in MNIST_ONLY and not own) or (uniform and name not in FROM_UNIFORM):
            continue
        made.append(
            Claim(
                id=f"eg2008/{name}{'-uniform' if uniform else ''}-{task.stem}",
                paper="eg2008",
                where=where,
                claim=sentence + aside,
                theirs=theirs if own or not theirs else f"on MNIST: {theirs}",
                check=partial(judged_over_seeds, check, task, task.specs),
                runs=needs(task),
                figures=[f"{stem}-{task.stem}" for stem in stems],
                setting=setting(task),
            )
        )
    return made


def setting(task: Task) -> str:
    """On what a claim is judged."""
    own = "the data of the paper" if task.stem == "mnist" else "a twin of ours"
    return f"{task.name}, {own}{', EG started from uniform u' if task.start == UNIFORM else ''}"


def judged_over_seeds(
    check: Callable[[Task, Runs, Pick], Judgement], task: Task, find: Callable[..., list[Spec]], runs: Runs
) -> Judgement:
    """A rule's verdict on the seeds, what they agree on; ``find`` gives the specs, one a seed, of a pick."""
    verdicts, ours, details = [], [], []
    for k, seed in enumerate(task.seeds):

        def pick(*chosen: Any, k: int = k, **params: Any) -> Run:
            specs = find(*chosen, **params)
            return runs[specs[min(k, len(specs) - 1)]]

        verdict, numbers, detail = check(task, runs, pick)
        verdicts.append(verdict)
        ours.append(numbers if len(task.seeds) == 1 else f"seed {seed}: {numbers}")
        details.append(detail)
    return unanimous(verdicts), "; ".join(ours), "; ".join(dict.fromkeys(d for d in details if d))


def _eg(task: Task) -> list[Spec]:
    return [spec for C in CS for spec in task.specs("eg", C)]


def _sgd(task: Task) -> list[Spec]:
    return [spec for C in CS for spec in task.specs("sgd", C)]


def _problems(task: Task, Cs: tuple[float, ...] = CS) -> list[Spec]:
    return [spec for C in Cs for spec in task.problem(C)]


# id: (where, the paper's sentence, the paper's numbers, check, the runs it needs, figures)
CLAIMS: dict[str, tuple[str, str, str, Callable, Callable[[Task], list[Spec]], tuple[str, ...]]] = {
    "linear-gap": (
        "Figure 6",
        "The log of EG's duality gap decreases more or less linearly with the computation spent.",
        "",
        linear_gap,
        _eg,
        ("fig06",),
    ),
    "faster-larger-C": (
        "Figure 5",
        "EG's primal and dual converge to the same value, faster for larger C.",
        "",
        faster_larger_C,
        _eg,
        ("fig05", "fig06"),
    ),
    "random-order": (
        "Figure 7",
        "At C = 1 randomized EG is clearly much faster to converge than deterministic EG.",
        "",
        random_order,
        partial(_problems, Cs=(1.0,)),
        ("fig07",),
    ),
    "error-C10-C1": (
        "Figure 4",
        "There is little to choose between C = 10 and C = 1 in validation error; both beat C = 1000 and 100.",
        "Table 2: .1011 at C = 1000, .0809 at 82.35, .0744 at 9.689, .0740 at 1.140 (best .0729 at 1.628)",
        error_C10_C1,
        _eg,
        ("fig04",),
    ),
    "table2-errors": (
        "Table 2",
        "The validation errors at the optimum for C = 1000, 100, 10 and 1.",
        ".1011 at C = 1000, .0809 at 82.35, .0744 at 9.689, .0740 at 1.140",
        table2_errors,
        _eg,
        ("fig04",),
    ),
    "table2-passes": (
        "Table 2",
        "EG reaches a gap of 0.1% of the primal at C = 1000, from a cold start, in 11 effective iterations.",
        "11 passes",
        table2_passes,
        _eg,
        ("fig06",),
    ),
    "overtakes-sgd": (
        "Figure 10",
        "For C = 1000, 100 and 10 SGD's primal is better at first, but after around 5 passes EG overtakes it.",
        "around 5 passes",
        partial(overtakes_sgd, CS[:3]),
        partial(_problems, Cs=CS[:3]),
        ("fig10",),
    ),
    "overtakes-sgd-C1": (
        "Figure 10",
        "For C = 1, too, EG outperforms SGD in the primal after the initial few iterations.",
        "a few passes",
        partial(overtakes_sgd, CS[3:]),
        partial(_problems, Cs=CS[3:]),
        ("fig10",),
    ),
    "sgd-lead-in-error": (
        "Figure 9",
        "SGD has the better validation error for roughly 5 passes; beyond that EG is very competitive.",
        "roughly 5 passes",
        sgd_lead_in_error,
        lambda task: [*task.specs("eg", 10.0), *(s for C in SGD_ERROR_CS for s in task.specs("sgd", C))],
        ("fig09",),
    ),
    "eta0-selected": (
        "Section 7.1.3",
        "Selection after one pass takes eta0 = 0.01 for SGD, at C = 1000 0.001.",
        "0.001 at C = 1000, 0.01 at 100, 10 and 1",
        eta0_selected,
        _sgd,
        ("fig10",),
    ),
    "eta0-post-hoc": (
        "Figure 10",
        "At C = 1, eta0 = 0.1 takes SGD to a better primal in the end than the eta0 that was selected.",
        "selected: 0.01",
        eta0_post_hoc,
        lambda task: task.specs("sgd", 1.0) + task.specs("sgd", 1.0, **POST_HOC),
        ("fig10",),
    ),
    "beats-lbfgs": (
        "Figure 11",
        "The primal value of EG converges considerably faster than that of L-BFGS.",
        "",
        beats_lbfgs,
        _problems,
        ("fig11",),
    ),
    "lbfgs-error": (
        "Figure 11",
        "L-BFGS does not outperform the validation error curve of EG at C = 10 for any C.",
        "",
        lbfgs_error,
        lambda task: [*task.specs("eg", 10.0), *(s for C in CS for s in task.specs("lbfgs", C))],
        ("fig11",),
    ),
    "cost-sgd": (
        "Appendix F",
        "A pass of EG takes only 10% more time than one of SGD, its search for a step size included.",
        "1.1 x",
        partial(cost, "sgd"),
        lambda task: task.specs("eg", 10.0) + task.specs("sgd", 10.0),
        ("fig14",),
    ),
    "cost-lbfgs": (
        "Appendix F",
        "A pass of EG takes only 10% more time than one of L-BFGS.",
        "1.1 x",
        partial(cost, "lbfgs"),
        lambda task: task.specs("eg", 10.0) + task.specs("lbfgs", 10.0),
        ("fig14",),
    ),
    "sgd-slow-objective": (
        "Figure 14",
        "SGD converges quickly in accuracy, but its objective converges very slowly to the optimum.",
        "",
        sgd_slow_objective,
        partial(_problems, Cs=(10.0,)),
        ("fig14",),
    ),
    "anneal-faster": (
        "Figure 8",
        "At C = 1 annealing C from 10 makes convergence significantly faster.",
        "",
        anneal_faster,
        partial(_problems, Cs=(1.0,)),
        ("fig08", "fig10"),
    ),
}
