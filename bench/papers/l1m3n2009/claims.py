"""The claims of l1m3n2009: what each row is judged on, and the runs that it needs."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from structbench.bench.papers.claim_rows import Part, Row, rows
from structbench.bench.papers.judging import Claim
from structbench.bench.papers.l1m3n2009 import extraction_rules, path_rules, rules
from structbench.bench.papers.l1m3n2009.extraction import Extraction
from structbench.bench.papers.l1m3n2009.runs import Cross, Task
from structbench.bench.papers.l1m3n2009.setting import EM, METHODS, MODELS, SYNTHETIC, Way
from structbench.bench.papers.measured import Estimate
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec

FILE = Path(__file__).with_name("claims.toml")
BY_MODEL = {way.model: way for way in MODELS}


def claims(task: Task, chosen: Extraction) -> list[Claim]:
    """Return all claims; those on errors use the sizes that a scale has."""
    places = []
    for variant in task.variants():
        sizes = [task.crosses(K, variant) for K in sorted(task.used, reverse=True)]
        suffix = "" if variant == "correlated" else f"-{variant}"
        setting = f"synthetic, {variant} inputs, {len(sizes[0])} of 10 data sets"
        places.append(("sizes", suffix, setting, partial(_on_sizes, task, sizes), partial(_grids, task, sizes)))
    setting = f"synthetic, correlated inputs, {task.crfs} of 10 data sets"
    places.append(("weights", "", setting, partial(_on_weights, task), partial(_all_weights, task)))
    sets = task.crosses(10)
    places.append(("paths", "", setting, partial(_on_paths, task), partial(_along, task, sets)))
    first, smallest = task.first, task.smallest
    about = "synthetic, the first data set"
    places.append(("first", "", about, partial(_on_a_path, task, first), partial(_along, task, [first])))
    words, about = (
        [[task.ocr(words)] for words in sorted(task.words)],
        f"OCR, {max(task.words.values())} of 10 folds",
    )
    places.append(("ocr sizes", "", about, partial(_on_sizes, task, words), partial(_grids, task, words)))
    places.append(("smallest", "", about, partial(_on_a_path, task, smallest), partial(_along, task, [smallest])))
    made = rows(FILE)
    found = [
        _claim(row, f"{row.id}{suffix}", measure, needs(row), [f"{stem}{suffix}" for stem in row.figures], setting)
        for on, suffix, setting, measure, needs in places
        for row in made
        if row.only == (on,)
    ]
    for source in chosen.sources:
        setting = f"{source.judged_on}: {source.name}, {chosen.draws_of(source)} draws"
        for row in made:
            if row.only == ("extraction",):
                name = f"{source.stem}-{row.id.removeprefix('extraction-')}"
                measure = partial(_on_extraction, chosen, source)
                figures = [f"{stem}-{source.stem}" for stem in row.figures]
                found.append(_claim(row, name, measure, chosen.of(source), figures, setting))
    return found


def _claim(row: Row, name: str, measure: Callable, runs: list[Spec], figures: list[str], setting: str) -> Claim:
    needed = list(dict.fromkeys(runs))
    return Claim(f"l1m3n2009/{name}", row, measure, needed, figures, setting, theirs=row.theirs)


def _given(part: Part) -> dict[str, Any]:
    """Return what a measure is called with: models in place of their names."""
    found: dict[str, Any] = dict(part.given)
    if "ways" in found:
        found["ways"] = [BY_MODEL[name] for name in found["ways"]]
    if "pairs" in found:
        found["pairs"] = [(BY_MODEL[one], BY_MODEL[other]) for one, other in found["pairs"]]
    return found


def _ways(row: Row) -> list[Way]:
    """Return the models that a row names."""
    given = [_given(part) for part in row.parts]
    named = [way for each in given for way in each.get("ways", ())]
    return list(dict.fromkeys(named + [way for each in given for pair in each.get("pairs", ()) for way in pair]))


def _on_sizes(task: Task, sizes: list[list[Cross]], part: Part, runs: Runs) -> list[Estimate]:
    return getattr(rules, part.measure)(task, sizes, runs, **_given(part))


def _on_weights(task: Task, part: Part, runs: Runs) -> list[Estimate]:
    return getattr(rules, part.measure)(task, runs, **_given(part))


def _on_paths(task: Task, part: Part, runs: Runs) -> list[Estimate]:
    return getattr(path_rules, part.measure)(task, runs)


def _on_a_path(task: Task, cross: Cross, part: Part, runs: Runs) -> list[Estimate]:
    return getattr(path_rules, part.measure)(task, cross, runs)


def _on_extraction(chosen: Extraction, source: Any, part: Part, runs: Runs) -> list[Estimate]:
    return extraction_rules.measure(getattr(extraction_rules, part.measure), chosen, source, runs)


def _grids(task: Task, sizes: list[list[Cross]], row: Row) -> list[Spec]:
    return [
        spec
        for crosses in sizes
        for cross in crosses
        for way in _ways(row)
        for spec in task.all_of(way, cross, task.grid_of(way, cross.kind))
    ]


def _all_weights(task: Task, row: Row) -> list[Spec]:
    constants = task.tried if row.id == "noise-discarded" else partial(task.grid_of, kind=SYNTHETIC)
    return [s for cross in task.crosses(10) for way in _ways(row) for s in task.all_of(way, cross, constants(way))]


def _along(task: Task, crosses: Sequence[Cross], row: Row | None = None) -> list[Spec]:
    """Return the runs of the three ways along their constants; for EM, with each of its fixed constants.

    Which of these counts is found on all data sets.
    """
    found = [spec for cross in crosses for spec in task.methods(cross, (*METHODS, *task.ems[1:]))]
    if len(task.ems) > 1:
        found += [spec for cross in task.crosses(10) for spec in task.methods(cross, (EM, *task.ems[1:]))]
    return found
