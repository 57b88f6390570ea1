"""The claims of l1m3n2009: what each row is judged on, and the runs that it needs."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from structbench.bench.papers.claim_rows import Row, rows
from structbench.bench.papers.evidence import EXACT
from structbench.bench.papers.grid_runs import listed, named
from structbench.bench.papers.judging import Measure
from structbench.bench.papers.l1m3n2009 import extraction, path_rules, rules
from structbench.bench.papers.l1m3n2009 import runs as made
from structbench.bench.papers.l1m3n2009.extraction import Source
from structbench.bench.papers.l1m3n2009.rules import at_each
from structbench.bench.papers.l1m3n2009.runs import LAP_M3N, MODELS, Cross, Task, Way
from structbench.bench.papers.terms import Claim, Evidence, Part, Runs, Spec
from structbench.bench.papers.verdicts import UNDECIDED, verdict

FILE = Path(__file__).with_name("claims.toml")
BY_MODEL = {way.model: way for way in MODELS}


class Place(NamedTuple):
    """What rows are judged on: those whose ``only`` names it, which runs, how to measure, and how it is called."""

    only: str
    needs: Callable[[Row], list[Spec]]
    measure: Measure
    setting: str
    suffix: str = ""  # of its figures
    name: str = "{}"  # of its claims, with the row's in braces


def l1m3n2009_claims(task: Task, sources: Sequence[Source]) -> list[Claim]:
    """Return all claims; those on errors use the sizes that a scale has."""
    every = rows(FILE, [*rules.measure, *path_rules.measure, *extraction.measure, "same_verdict"])
    found = [
        Claim(
            f"l1m3n2009/{place.name.format(row.id)}", row, place.measure,
            place.needs(row), [f"{stem}{place.suffix}" for stem in row.figures], place.setting,
        )
        for place in _places(task, sources)
        for row in every
        if row.only == (place.only,)
    ]  # fmt: skip
    both = [[claim for claim in found if claim.row is row] for row in every if row.only == ("sizes",)]
    return found + [_agreement(row, both) for row in every if row.only == ("both inputs",) and task.iid]


def _agreement(row: Row, sentences: list[list[Claim]]) -> Claim:
    """Return the claim that each of these sentences has the same verdict on all kinds of inputs."""

    def measure(part: Part, runs: Runs) -> Iterator[Evidence]:
        for claims in sentences:
            said = [verdict(claim.conditions(runs), claim.row.quantifier) for claim in claims]
            state = "verdicts on both inputs" if UNDECIDED in said else ""
            where, same = {"": claims[0].row.id}, np.nan if state else float(len({*said}) == 1)
            yield Evidence(where, same, "category", state=state, told=" and ".join(said), source=EXACT)

    needs = [spec for claims in sentences for claim in claims for spec in claim.runs]
    setting = "synthetic, correlated and iid inputs"
    return Claim(f"l1m3n2009/{row.id}", row, measure, needs, [*row.figures], setting)


def _places(task: Task, sources: Sequence[Source]) -> Iterator[Place]:
    for variant in task.variants():
        sizes = [task.crosses(K, variant) for K in sorted(task.used, reverse=True)]
        setting = f"synthetic, {variant} inputs, {len(sizes[0])} of 10 data sets"
        suffix = "" if variant == "correlated" else f"-{variant}"
        measure = partial(_on_errors, task, sizes, task.laps[:1])
        yield Place("sizes", partial(_grids, task, sizes), measure, setting, suffix, f"{{}}{suffix}")
    about = f"synthetic, correlated inputs, {task.crfs} of 10 data sets"
    yield Place("weights", partial(_all_weights, task), partial(_on_errors, task, None, task.laps), about)

    def paths(only: str, setting: str, *crosses: Cross) -> Place:
        """Place the three ways along their constants, and EM with each of its fixed constants."""
        needed = [s for cross in crosses for s in task.methods(cross, (*made.METHODS, *task.ems[1:]))]
        return Place(only, lambda _: needed, partial(path_rules.measured, task, crosses[0]), setting)

    ocr = f"OCR, {max(task.words.values())} of 10 folds"
    words = [[task.ocr(words)] for words in sorted(task.words)]
    yield paths("paths", about, *task.crosses(10))
    yield paths("first", "synthetic, the first data set", task.first)
    paced = partial(path_rules.measured, task, task.paced)
    needed = task.methods(task.paced, (made.SUBGRADIENT,))
    folds = f"{len(task.paced.data)} folds of the first data sets"
    yield Place("paced", lambda row: needed, paced, f"synthetic, {folds}")
    yield Place(
        "ocr sizes", partial(_grids, task, words, laps=task.laps), partial(_on_errors, task, words, task.laps), ocr
    )
    yield paths("smallest", ocr, task.smallest)
    for source in sources:
        setting, suffix = f"{source.judged_on}: {source.name}, {source.draws} draws", f"-{source.stem}"
        measure = partial(extraction.measured, source)
        yield Place("extraction", lambda _, of=source: of.runs(), measure, setting, suffix, f"{{}}{suffix}")


def _ways(row: Row, laps: Sequence[Way] = ()) -> list[Way]:
    """Return the models that a row names; with LapM3N, also these."""
    given = [each for part in row.parts for each in listed(named(part.given, BY_MODEL)) if isinstance(each, Way)]
    return [*given, *(laps if LAP_M3N in given else ())]


def _on_errors(
    task: Task, sizes: list[list[Cross]] | None, laps: Sequence[Way], part: Part, runs: Runs
) -> list[Evidence]:
    """Measure on all sizes, and with each of these LapM3N; a rule on weights takes no sizes."""
    given = (task, runs) if sizes is None else (task, sizes, runs)

    def measured(lap: Way) -> Iterable[Evidence]:
        return rules.measure[part.measure](*given, **named(part.given, BY_MODEL | {LAP_M3N.model: lap}))

    return at_each(laps if LAP_M3N in listed(named(part.given, BY_MODEL)) else laps[:1], measured)


def _grids(task: Task, sizes: list[list[Cross]], row: Row, laps: Sequence[Way] = ()) -> list[Spec]:
    pairs = [(cross, way) for crosses in sizes for cross in crosses for way in _ways(row, laps)]
    return [spec for cross, way in pairs for spec in task.all_of(way, cross, task.grid_of(way, cross.kind))]


def _all_weights(task: Task, row: Row) -> list[Spec]:
    constants = task.tried if row.id == "noise-discarded" else partial(task.grid_of, kind=made.SYNTHETIC)
    pairs = [(cross, way) for cross in task.crosses(10) for way in _ways(row, task.laps)]
    return [spec for cross, way in pairs for spec in task.all_of(way, cross, constants(way))]
