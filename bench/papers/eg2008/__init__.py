"""Figures 4 to 16 and Tables 1 to 3 of eg2008: EG against SGD, L-BFGS and SVM-struct.

The paper uses MNIST and, in Figures 12, 13, 15 and Table 3, dependency parsing. We add OCR letters and chunking:
the same C, algorithms and axes for a chain. ``docs/reference/eg2008.md`` says what the paper leaves open and
what we decided.
"""

from structbench.bench.papers import figure_rows
from structbench.bench.papers.eg2008 import claims, figures, parsing, parsing_figures, path, rates, update_cost
from structbench.bench.papers.eg2008.runs import Task, tasks
from structbench.bench.papers.terms import Claim, Figure, Spec
from structbench.datasets import DataRef

NAME = "Collins et al. 2008 (EG)"
CORPORA = ("conll2000", parsing.DATA)
OWN_DATA = ("mnist", parsing.DATA)


def costs_of(scale: str, without: frozenset[str] = frozenset()) -> list[DataRef]:
    """Return the data sets of Figure 16, the cost of one update."""
    return [task.data for task in tasks(scale, without)]


def _all(scale: str, without: frozenset[str]) -> list[Task]:
    """Return all tasks, dependency parsing last."""
    trees = parsing.task_of(scale, without)
    return [*tasks(scale, without), *([trees] if trees else [])]


def timed_of(scale: str, without: frozenset[str] = frozenset()) -> list[Spec]:
    """Return the runs whose seconds Figures 13 to 16 read."""
    return [spec for task in _all(scale, without) for spec in task.timed()]


def runs_of(scale: str, without: frozenset[str] = frozenset()) -> dict[str, list[Spec]]:
    made = tasks(scale, without)
    found = {f"eg2008/{task.stem}-log": task.all_specs() for task in made}
    found["eg2008/mnist-path"] = [spec for each in made[0].for_paths() for spec in each.path()]
    found["eg2008/mnist-rates"] = rates.all_specs(scale)
    trees = parsing.task_of(scale, without)
    return found | (trees.runs_of() if trees else {})


def figures_of(scale: str, without: frozenset[str] = frozenset()) -> dict[str, Figure]:
    """Return all figures and tables by file stem, such as ``fig04-mnist``."""
    found: dict[str, Figure] = {}
    for task in _all(scale, without):
        found |= figures_on(task)
    task = tasks(scale, without)[0]
    count = len(task.for_paths()[0].seeds)
    means = f" Ours: means over {count} seeds." if count > 1 else ""
    found |= figure_rows.figures(__file__, {"table1-mnist": rates.table1_mnist}, scale)
    found |= figure_rows.figures(__file__, {"table2-mnist": path.table2_mnist}, task, task=task, means=means)
    return dict(sorted(found.items()))


def figures_on(task: Task) -> dict[str, Figure]:
    if isinstance(task, parsing.Parsing):
        part = "" if task.whole else ", a part of the data"
        theirs = "" if task.whole else "Theirs is on all of the data: no number compares. "
        return figure_rows.figures(__file__, parsing_figures.draws, task, task=task, part=part, theirs=theirs)
    on = "" if task.stem == "mnist" else ", substitute data"
    drawn = figures.draws | update_cost.draws
    return figure_rows.figures(__file__, drawn, task, suffix=f"-{task.stem}", task=task, on=on)


def claims_of(scale: str, without: frozenset[str] = frozenset()) -> list[Claim]:
    return [claim for task in _all(scale, without) for claim in claims.eg2008_claims(task)]
