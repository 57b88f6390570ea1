"""The claims of eg2008 on MNIST and on our two chains: which rows are judged, from which starts, by which runs."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from structbench.bench.papers.claim_rows import Part, Row, rows
from structbench.bench.papers.eg2008 import path, rules, rules_against, update_cost
from structbench.bench.papers.eg2008.runs import Task
from structbench.bench.papers.eg2008.setting import CS, START, STARTS
from structbench.bench.papers.judging import Claim
from structbench.bench.papers.measured import Estimate, Value, over_seeds
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.store import Run

FILE = Path(__file__).with_name("claims.toml")
PATH, PROBLEM = "path", "problem"
MODULES = (rules, rules_against, path)

Find = Callable[..., list[Spec]]  # (algorithm, C, **params) -> a spec a seed


def claims(task: Task) -> list[Claim]:
    """Return the claims on one task; those on numbers of the paper's are for MNIST alone."""
    own = task.stem == "mnist"
    kinds = {"mnist"} if own else set()
    kinds |= {"controls"} if task.controls else set()
    made = []
    for row in rows(FILE):
        if {*row.only} <= kinds:
            starts = _starts(row, task)
            made.append(
                Claim(
                    id=f"eg2008/{row.id}-{task.stem}",
                    row=row,
                    measure=partial(_measure, starts),
                    runs=list(dict.fromkeys(spec for each in starts for spec in _needs(row, each))),
                    figures=[f"{stem}-{task.stem}" for stem in row.figures],
                    setting=setting(task),
                    data=() if row.runs else (task.data,),
                    theirs=row.theirs if own or not row.theirs else f"on MNIST: {row.theirs}",
                    text=row.text if own else f"{row.text} (twin: {task.name})",
                )
            )
    return made


def setting(task: Task) -> str:
    """Say what a claim is judged on."""
    return f"{task.name}, {'the data of the paper' if task.stem == 'mnist' else 'a twin of ours'}"


def over_starts(rule: Callable, starts: Sequence[Any], find: Callable[[Any], Find], runs: Runs) -> list[Estimate]:
    """Measure over seeds from each of EG's starts; that nearest to the paper counts, the other is shown.

    Args:
        rule: Takes the task, the runs and a pick, and yields the values of one seed.
        starts: The task, once for each start.
        find: Takes the task; gives the specs of an algorithm.
    """
    found = []
    for task in starts:
        by_seed = [[*rule(task, runs, partial(_picked, find(task), runs, k))] for k in range(len(task.seeds))]
        estimates = _put_together(rule, by_seed)
        aside = {} if task.start == START else {"counted": False, "choice": "from uniform u"}
        found += [each._replace(**aside) for each in estimates]
    return found


def _put_together(rule: Callable, by_seed: list[list[Value]]) -> list[Estimate]:
    apart = getattr(rule, "func", rule) is rules.trials_apart
    return rules.spread(by_seed) if apart else over_seeds(by_seed)


def _picked(find: Find, runs: Runs, k: int, *chosen: Any, **params: Any) -> Run:
    specs = find(*chosen, **params)
    return runs[specs[min(k, len(specs) - 1)]]


def _measure(starts: list[Task], part: Part, runs: Runs) -> list[Estimate]:
    if part.measure == update_cost.shared_over_extra.__name__:
        return update_cost.shared_over_extra(starts[0], runs)
    rule = next(getattr(module, part.measure) for module in MODULES if hasattr(module, part.measure))
    given = {name: numbers(value) for name, value in part.given.items()}
    return over_starts(partial(rule, **given), starts, lambda task: partial(_specs, task), runs)


def numbers(value: Any) -> Any:
    """Return the value with its whole numbers as floats, as specs have them."""
    if isinstance(value, list):
        return tuple(map(numbers, value))
    return float(value) if isinstance(value, int) else value


def _starts(row: Row, task: Task) -> list[Task]:
    """Return the task for each start of EG, ours first; only ours if the row has no EG."""
    if any(PATH in name for name in row.runs):
        return path.from_each_start(task)
    with_eg = any(name.split()[0] in ("eg", PROBLEM) for name in row.runs)
    return [replace(task, start=start) for start in STARTS] if with_eg else [task]


def _needs(row: Row, task: Task) -> list[Spec]:
    """Return the runs that a row names: an algorithm, ``problem`` or ``path``, then the values of C if not all."""
    found: list[Spec] = []
    for name in row.runs:
        kind, *Cs = name.split()
        for C in map(float, Cs) if Cs else CS if kind != PATH else (None,):
            found += task.problem(C) if kind == PROBLEM else _specs(task, kind, C)
    return found


def _specs(task: Task, algorithm: str, C: float | None = None, **params: Any) -> list[Spec]:
    return path.specs(task) if algorithm == PATH else task.specs(algorithm, C, **params)
