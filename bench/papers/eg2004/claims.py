"""What eg2004 claims; ``rules`` says how each claim is judged."""

from collections.abc import Callable
from functools import partial

from structbench.bench.papers import readings
from structbench.bench.papers.eg2004 import rules
from structbench.bench.papers.eg2004.runs import Task
from structbench.bench.papers.eg2004.setting import CS
from structbench.bench.papers.judging import Claim, Judgement, unanimous
from structbench.bench.papers.readings import FEWEST
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.store import Run

FIGURES = ["fig04a", "fig04b"]
# id: (the paper's sentence, its numbers, rule, figures)
SENTENCES = {
    "smo-starts-quickly": ("SMO starts up very quickly.", "", rules.smo_starts_quickly, FIGURES),
    "smo-stalls": ("SMO slows down in a suboptimal region.", "", rules.smo_stalls, FIGURES),
    "eg-overtakes": (
        "EG lags at the start, but overtakes SMO, for all settings of Figure 4.",
        "",
        rules.eg_overtakes,
        FIGURES,
    ),
    "ten-percent": (
        "EG achieves a larger than 10% increase in the value of the dual objective over SMO.",
        "> 10%",
        rules.ten_percent,
        FIGURES,
    ),
    "hybrid": (
        "A hybrid could get the benefits of both, several SMO updates and then EG.",
        "not tried",
        rules.hybrid,
        ["fig04c"],
    ),
}


def on_sequences(task: Task) -> list[Claim]:
    """Return the claims of Figure 4; none on generated sentences, which do not show the paper's effects."""
    if task.generated:
        return []
    needs = [spec for C in CS for spec in task.problem(C)]
    return [
        Claim(
            f"eg2004/{name}",
            "eg2004",
            "Section 5" if name == "hybrid" else "Figure 4",
            sentence,
            theirs,
            partial(_judged, rule, task),
            needs,
            stems,
            task.name,
        )
        for name, (sentence, theirs, rule, stems) in SENTENCES.items()
    ]


def _judged(rule: Callable, task: Task, runs: Runs) -> Judgement:
    """Return the verdict that the readings of all seeds give at each C, if all C agree."""
    verdicts, told = {}, []
    for C in CS:
        by_seed = [list(rule(task, C, runs, partial(_picked, runs, k))) for k in range(len(task.seeds))]
        verdicts[C], numbers, _ = readings.judged(by_seed)
        told.append(f"C={C:g}: {numbers}")
    apart = ", ".join(f"{verdict} at C={C:g}" for C, verdict in verdicts.items())
    details = [apart if len(set(verdicts.values())) > 1 else ""]
    if len(task.seeds) < FEWEST:
        details.append(f"{len(task.seeds)} of {FEWEST} seeds: nothing is decided")
    return unanimous([*verdicts.values()]), "; ".join(told), "; ".join(filter(None, details))


def _picked(runs: Runs, k: int, specs: list[Spec]) -> Run:
    return runs[specs[k]]
