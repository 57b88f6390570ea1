"""The claims of eg2004 on the data at hand: which rows are judged, and the runs that they need."""

from collections.abc import Callable
from pathlib import Path

from structbench.bench.papers.claim_rows import OURS, Part, Row, rows
from structbench.bench.papers.eg2004 import rules
from structbench.bench.papers.eg2004.grammar import Grammars
from structbench.bench.papers.eg2004.runs import Task
from structbench.bench.papers.eg2004.setting import CS
from structbench.bench.papers.judging import Claim
from structbench.bench.runs.spec import Spec

FILE = Path(__file__).with_name("claims.toml")


def claims(task: Task | None, trees: Grammars | None) -> list[Claim]:
    """Return the claims of Figure 4 on sentences, and ours on trees.

    Generated sentences do not show the paper's effects: nothing is judged on them.
    """
    found = []
    for row in rows(FILE):
        if row.by == OURS and trees:
            models = rules.grammar_models(trees)
            found.append(_claim(row, lambda part, runs: _rule(part)(trees, runs), models, trees.name))
        elif row.by != OURS and task and not task.generated:
            needs = [spec for C in CS for spec in task.problem(C)]
            found.append(_claim(row, lambda part, runs: rules.over_C(_rule(part), task, runs), needs, task.name))
    return found


def _rule(part: Part) -> Callable:
    part.takes()
    return getattr(rules, part.measure)


def _claim(row: Row, measure: Callable, needs: list[Spec], setting: str) -> Claim:
    return Claim(f"eg2004/{row.id}", row, measure, needs, [*row.figures], setting, theirs=row.theirs)
