"""What eg2004 claims; ``rules`` says how each claim is judged."""

from collections.abc import Callable
from functools import partial

from bench.papers.eg2004 import rules
from bench.papers.eg2004.runs import Task
from bench.papers.eg2004.setting import ADAPTIVE, CS, FIXED, QP_CS, QP_DATA
from bench.papers.judging import Claim, Judgement, unanimous, worst
from bench.runs.finished import Runs
from bench.runs.spec import Spec
from bench.runs.store import Run

# id: (where, the paper's sentence, its numbers, check, figures); one claim each C
SEQUENCES = {
    "smo-starts-quickly": (
        "Figure 4",
        "SMO starts up very quickly; EG lags at the start",
        "",
        rules.smo_starts_quickly,
        ["fig04a", "fig04b"],
    ),
    "smo-stalls": (
        "Figure 4",
        "SMO slows down in a suboptimal region",
        "",
        rules.smo_stalls,
        ["fig04a", "fig04b"],
    ),
    "eg-overtakes": (
        "Figure 4",
        "EG lags at the start, but overtakes SMO, for all settings of Figure 4",
        "",
        partial(rules.eg_overtakes, FIXED),
        ["fig04a", "fig04b"],
    ),
    "eg-overtakes-adaptive": (
        "Figure 4",
        "EG, here with adaptive steps, lags at the start, but overtakes SMO, for all settings of Figure 4",
        "",
        partial(rules.eg_overtakes, ADAPTIVE),
        ["fig04a", "fig04b"],
    ),
    "ten-percent": (
        "Figure 4",
        "EG achieves a larger than 10% increase in the value of the dual objective over SMO",
        "> 10%",
        partial(rules.ten_percent, FIXED),
        ["fig04a", "fig04b"],
    ),
    "ten-percent-adaptive": (
        "Figure 4",
        "EG, here with adaptive steps, achieves a larger than 10% increase in the dual objective over SMO",
        "> 10%",
        partial(rules.ten_percent, ADAPTIVE),
        ["fig04a", "fig04b"],
    ),
    "hybrid": (
        "Section 5",
        "A hybrid could get the benefits of both, several SMO updates and then EG",
        "not tried",
        rules.hybrid,
        ["fig04c"],
    ),
}
PROGRAMS = {
    "bound-respected": ("Theorem 2", "The bound on Q for eta = 0.4 / (B + lambda).", rules.bound_respected),
    "faster-than-bound": (
        "Theorem 2",
        "The distance from the optimum falls as 1 / T, as its bound, or faster (ours).",
        rules.faster_than_bound,
    ),
    "monotone": ("Lemma 3", "Q does not rise for eta below 0.567 / (B + lambda).", rules.monotone),
}
SAME = "EG by parts (Figure 2), and its primal form, which stores no theta, make the steps of EG-QP (Figure 3)."


def on_sequences(task: Task) -> list[Claim]:
    """The claims on sequences, once for each C."""
    found = []
    for C in CS:
        setting = f"{task.name}, C = {C:g}"
        for name, (where, sentence, theirs, check, stems) in SEQUENCES.items():
            judged = partial(_over_seeds, check, task, C)
            about = (f"eg2004/{name}-C{C:g}", "eg2004", where, f"{sentence} (C = {C:g}).", theirs)
            found.append(Claim(*about, judged, task.problem(C), stems, setting))
    return found


def on_programs(task: Task) -> list[Claim]:
    """The claims on small quadratic programs."""
    found = []
    small = f"a quadratic program, {QP_DATA}"
    programs = [[task.qp(C), task.exact(C)] for C in QP_CS]
    every = [spec for specs in programs for spec in specs]
    for name, (where, sentence, rule) in PROGRAMS.items():
        about = (f"eg2004/{name}", "eg2004", where, sentence, "")
        found.append(Claim(*about, partial(_each, rule, programs), every, ["fig-bound"], small))
    forms = [task.forms(C) for C in QP_CS]
    about = ("eg2004/same-sequence", "eg2004", "Theorem 1", SAME, "")
    every = [spec for specs in forms for spec in specs]
    return [
        *found,
        Claim(*about, partial(_each, lambda *runs: rules.same_sequence([*runs]), forms), every, [], small),
    ]


def _over_seeds(check: Callable[..., Judgement], task: Task, C: float, runs: Runs) -> Judgement:
    verdicts, ours, details = [], [], []
    for k, seed in enumerate(task.seeds):

        def pick(specs: list[Spec], k: int = k) -> Run:
            return runs[specs[k]]

        verdict, numbers, detail = check(task, C, runs, pick)
        verdicts.append(verdict)
        ours.append(numbers if len(task.seeds) == 1 else f"seed {seed}: {numbers}")
        details.append(detail)
    return unanimous(verdicts), "; ".join(ours), "; ".join(dict.fromkeys(d for d in details if d))


def _each(check: Callable[..., Judgement], cases: list[list[Spec]], runs: Runs) -> Judgement:
    """The verdict on the runs of each C, and on all."""
    verdicts, ours, details = [], [], []
    for specs in cases:
        verdict, numbers, detail = check(*runs.present(specs))
        verdicts.append(verdict)
        ours.append(f"C={specs[0].C:g}: {numbers}")
        details.append(f"C={specs[0].C:g}: {detail}" if detail else "")
    return worst(verdicts), ", ".join(ours), "; ".join(filter(None, details))
