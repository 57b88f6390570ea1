"""Figures 4 to 16 and Tables 1 to 3 of eg2008: EG against SGD, L-BFGS and SVM-struct.

The paper uses MNIST and, in Figures 12, 13, 15 and Table 3, dependency parsing. We add OCR letters and chunking:
the same C, algorithms and axes for a chain. ``docs/eg2008.md`` says what the paper leaves open and what we
decided.
"""

from functools import partial

from structbench.bench.drawing.draw import Figure
from structbench.bench.papers.eg2008 import (
    claims,
    figures,
    figures_against,
    parsing,
    parsing_claims,
    parsing_figures,
    parsing_methods,
    path,
    rates,
    update_cost,
)
from structbench.bench.papers.eg2008.runs import Task, tasks
from structbench.bench.papers.eg2008.setting import GAP, START
from structbench.bench.papers.judging import Claim
from structbench.bench.runs.spec import Spec

__all__ = ["claims_of", "costs_of", "figures_of", "runs_of", "timed_of"]

NAME = "Collins et al. 2008"
CORPORA = ("conll2000", parsing.DATA)
OWN_DATA = ("mnist", parsing.DATA)


def costs_of(scale: str, without: frozenset[str] = frozenset()) -> list[str]:
    """Return the data sets of Figure 16, the cost of one update."""
    return [task.data for task in tasks(scale, without)]


def timed_of(scale: str, without: frozenset[str] = frozenset()) -> list[Spec]:
    """Return the runs whose seconds Figures 13 to 16 read."""
    made, trees = tasks(scale, without), parsing.task_of(scale, without)
    return [
        *(spec for task in made for spec in task.timed()),
        *(trees.timed() if trees else ()),
    ]


def runs_of(scale: str, without: frozenset[str] = frozenset()) -> dict[str, list[Spec]]:
    """Return the runs of each task by MLflow experiment."""
    found = {}
    for task in tasks(scale, without):
        found[f"eg2008/{task.stem}-log"] = task.all_specs()
    found["eg2008/mnist-path"] = path.all_specs(tasks(scale)[0])
    found["eg2008/mnist-rates"] = rates.all_specs(scale)
    trees = parsing.task_of(scale, without)
    return found | (trees.runs_of() if trees else {})


def figures_of(scale: str, without: frozenset[str] = frozenset()) -> dict[str, Figure]:
    """Return all figures and tables by file stem, such as ``fig04-mnist``."""
    made = tasks(scale, without)
    drawn = figures.DRAWN | figures_against.DRAWN
    found = {
        f"{stem}-{task.stem}": Figure(
            f"eg2008, Figure {int(stem[3:])}{'' if task.stem == 'mnist' else ' (twin)'}: {title}, {task.name}",
            f"{caption} {task.setting} {_ours(task)}",
            partial(draw, task),
        )
        for task in made
        for stem, (title, caption, draw) in drawn.items()
    }
    found |= {f"fig16-{task.stem}": update_cost.figure(task) for task in made}
    found["table1-mnist"] = rates.figure(scale)
    found["table2-mnist"] = path.figure(made[0])
    if trees := parsing.task_of(scale, without):
        found |= parsing_figures.figures(trees) | {"parsing-methods": parsing_methods.figure(trees)}
    return dict(sorted(found.items()))


def claims_of(scale: str, without: frozenset[str] = frozenset()) -> list[Claim]:
    """Return the claims."""
    made = tasks(scale, without)
    found = [claim for task in made for claim in claims.claims(task)]
    if trees := parsing.task_of(scale, without):
        found += parsing_claims.claims(trees)
    return found


def _ours(task: Task) -> str:
    """Return what every caption says of our choices."""
    repeated = f" Lines are means over {len(task.seeds)} seeds, bands their range." if len(task.seeds) > 1 else ""
    return (
        f"Ours: EG's first dual point, u proportional to exp(-{START:g} x Hamming loss) and, for a \"uniform "
        "start\", uniform (theirs is not given); the axes' ranges and the lines' styles. A dot ends a run that "
        f"reached a relative gap of {GAP:g}; dotted lines lead from there to the run's name.{repeated}"
    )
