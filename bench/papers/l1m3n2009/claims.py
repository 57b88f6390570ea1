"""The claims of l1m3n2009: what each row is judged on, and the runs that it needs."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from structbench.bench.papers.claim_rows import Part, Row, rows
from structbench.bench.papers.judging import Claim
from structbench.bench.papers.l1m3n2009 import extraction_rules, path_rules, rules
from structbench.bench.papers.l1m3n2009.extraction import Extraction, Source
from structbench.bench.papers.l1m3n2009.path_rules import Along
from structbench.bench.papers.l1m3n2009.runs import Cross, Task
from structbench.bench.papers.l1m3n2009.setting import EM, METHODS, MODELS, SYNTHETIC, Way
from structbench.bench.papers.measured import Estimate
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec

FILE = Path(__file__).with_name("claims.toml")
BY_MODEL = {way.model: way for way in MODELS}


class Place(NamedTuple):
    """What rows are judged on: those whose ``only`` names it, what it is called, how to measure, which runs."""

    only: str
    suffix: str
    setting: str
    measure: Callable[[Part, Runs], Sequence[Estimate]]
    needs: Callable[[Row], list[Spec]]


def claims(task: Task, chosen: Extraction) -> list[Claim]:
    """Return all claims; those on errors use the sizes that a scale has."""
    made = rows(FILE)
    found = [
        _claim(row, f"{row.id}{place.suffix}", place.measure, place.needs(row), place.suffix, place.setting)
        for place in _places(task)
        for row in made
        if row.only == (place.only,)
    ]
    for source in chosen.sources:
        setting = f"{source.judged_on}: {source.name}, {chosen.draws_of(source)} draws"
        measure = partial(_on_extraction, chosen, source)
        for row in (row for row in made if row.only == ("extraction",)):
            name = f"{source.stem}-{row.id.removeprefix('extraction-')}"
            found.append(_claim(row, name, measure, chosen.of(source), f"-{source.stem}", setting))
    return found


def _places(task: Task) -> list[Place]:
    places = []
    for variant in task.variants():
        sizes = [task.crosses(K, variant) for K in sorted(task.used, reverse=True)]
        suffix = "" if variant == "correlated" else f"-{variant}"
        setting = f"synthetic, {variant} inputs, {len(sizes[0])} of 10 data sets"
        measure = partial(_on_errors, task, sizes)
        places.append(Place("sizes", suffix, setting, measure, partial(_grids, task, sizes)))
    about = f"synthetic, correlated inputs, {task.crfs} of 10 data sets"
    places.append(Place("weights", "", about, partial(_on_errors, task, None), partial(_all_weights, task)))
    ocr, words = (
        f"OCR, {max(task.words.values())} of 10 folds",
        [[task.ocr(words)] for words in sorted(task.words)],
    )
    on_words = Place("ocr sizes", "", ocr, partial(_on_errors, task, words), partial(_grids, task, words))
    for only, setting, crosses in (
        ("paths", about, task.crosses(10)),
        ("first", "synthetic, the first data set", [task.first]),
        ("smallest", ocr, [task.smallest]),
    ):
        places += [on_words] if only == "smallest" else []
        measure = partial(_along_a_path, task, crosses[0])
        places.append(Place(only, "", setting, measure, partial(_methods, task, crosses)))
    return places


def _claim(row: Row, name: str, measure: Callable, runs: list[Spec], suffix: str, setting: str) -> Claim:
    figures = [f"{stem}{suffix}" for stem in row.figures]
    return Claim(f"l1m3n2009/{name}", row, measure, list(dict.fromkeys(runs)), figures, setting, theirs=row.theirs)


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


def _on_errors(task: Task, sizes: list[list[Cross]] | None, part: Part, runs: Runs) -> list[Estimate]:
    """Measure on all sizes; a rule on weights takes none."""
    rule = getattr(rules, part.measure)
    return rule(task, *([] if sizes is None else [sizes]), runs, **_given(part))


def _along_a_path(task: Task, cross: Cross, part: Part, runs: Runs) -> list[Estimate]:
    return getattr(path_rules, part.measure)(Along(task, runs, cross))


def _on_extraction(chosen: Extraction, source: Source, part: Part, runs: Runs) -> list[Estimate]:
    return extraction_rules.measure(getattr(extraction_rules, part.measure), chosen, source, runs, **part.given)


def _grids(task: Task, sizes: list[list[Cross]], row: Row) -> list[Spec]:
    pairs = [(cross, way) for crosses in sizes for cross in crosses for way in _ways(row)]
    return [spec for cross, way in pairs for spec in task.all_of(way, cross, task.grid_of(way, cross.kind))]


def _all_weights(task: Task, row: Row) -> list[Spec]:
    constants = task.tried if row.id == "noise-discarded" else partial(task.grid_of, kind=SYNTHETIC)
    return [s for cross in task.crosses(10) for way in _ways(row) for s in task.all_of(way, cross, constants(way))]


def _methods(task: Task, crosses: Sequence[Cross], row: Row) -> list[Spec]:
    """Return the runs of the three ways along their constants; for EM, with each of its fixed constants.

    Which of these counts is found on all data sets.
    """
    found = [spec for cross in crosses for spec in task.methods(cross, (*METHODS, *task.ems[1:]))]
    if len(task.ems) > 1:
        found += [spec for cross in task.crosses(10) for spec in task.methods(cross, (EM, *task.ems[1:]))]
    return found
