"""Claims of eg2008's section 7.1 and appendix F: ``sentences`` judged over seeds and starts."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from structbench.bench.papers import readings
from structbench.bench.papers.eg2008.runs import Task
from structbench.bench.papers.eg2008.sentences import SENTENCES
from structbench.bench.papers.eg2008.setting import STARTS
from structbench.bench.papers.judging import Claim, Judgement, unanimous
from structbench.bench.papers.readings import FEWEST
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.store import Run


def claims(task: Task) -> list[Claim]:
    """Return the claims on one task; if their numbers are for MNIST alone, other tasks leave them out."""
    own = task.stem == "mnist"
    aside = "" if own else f" (twin: {task.name})"
    made = []
    for name, said in SENTENCES.items():
        if (said.only == "mnist" and not own) or (said.only == "controls" and not task.controls):
            continue
        starts = [replace(task, start=start) for start in STARTS] if said.both_starts else [task]
        made.append(
            Claim(
                id=f"eg2008/{name}-{task.stem}",
                paper="eg2008",
                where=said.where,
                claim=said.text + aside,
                theirs=said.theirs if own or not said.theirs else f"on MNIST: {said.theirs}",
                check=partial(judged_over_seeds, said.rule, starts, lambda each: each.specs),
                runs=list(dict.fromkeys(spec for each in starts for spec in said.needs(each))),
                figures=[f"{stem}-{task.stem}" for stem in said.figures],
                setting=setting(task),
            )
        )
    return made


def setting(task: Task) -> str:
    """Say what a claim is judged on."""
    return f"{task.name}, {'the data of the paper' if task.stem == 'mnist' else 'a twin of ours'}"


def judged_over_seeds(
    rule: Callable,
    starts: list[Task],
    find: Callable[[Any], Callable[..., list[Spec]]],
    runs: Runs,
    combine: Callable[[list[str]], str] = readings.worst,
) -> Judgement:
    """Judge a rule's readings of all seeds from each of EG's starts; return the verdict that the starts agree on.

    Args:
        starts: The task, once for each start.
        find: Takes a task; returns a function from a pick to its specs, one a seed.
        combine: Gives the verdict on several readings.
    """
    verdicts, told = [], []
    for task in starts:
        by_seed = [list(rule(task, runs, partial(_picked, find(task), runs, k))) for k in range(len(task.seeds))]
        verdict, numbers, _ = readings.judged(by_seed, combine)
        verdicts.append(verdict)
        told.append(numbers)
    few = len(starts[0].seeds)
    detail = f"{few} seed{'s' if few > 1 else ''}: no interval, and none decides" if few < FEWEST else ""
    if len(starts) == 1:
        return verdicts[0], told[0], detail
    apart = "" if len(set(verdicts)) == 1 else f"from our start {verdicts[0]}, from uniform u {verdicts[1]}"
    ours = "; ".join(
        f"EG from {where}: {text}" for where, text in zip(("our start", "uniform u"), told, strict=True)
    )
    return unanimous(verdicts), ours, "; ".join(filter(None, (apart, detail)))


def _picked(find: Callable[..., list[Spec]], runs: Runs, k: int, *chosen: Any, **params: Any) -> Run:
    specs = find(*chosen, **params)
    return runs[specs[min(k, len(specs) - 1)]]
