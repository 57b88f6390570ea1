"""What tests of papers share: tables of rules with both sides of each threshold, and drawing of all figures."""

import json
import math
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import pytest

from structbench.bench.drawing.draw import Figure, draw_figures
from structbench.bench.papers import claim_rows
from structbench.bench.papers.claim_rows import WITHIN
from structbench.bench.papers.evidence import FACTORS, Evidence
from structbench.bench.papers.judged import Judged
from structbench.bench.papers.verdicts import settled
from structbench.bench.papers.wording import setting
from structbench.bench.runs.finished import Runs
from tests import stored


def cases(table: Sequence[tuple[str, Callable | dict, dict | str]]) -> list[Any]:
    """Return test cases: a claim, what is changed, and the verdict.

    A row of ``table`` is a claim, the changes, and the verdict. Or the changes depend on a number or tuple, and
    the row has a verdict for each of several.
    """
    found = []
    for claim, change, verdicts in table:
        for value, verdict in verdicts.items() if isinstance(verdicts, dict) else [("", verdicts)]:
            given = value if isinstance(value, tuple) else (value,)
            changed = change(*given) if callable(change) else change
            found.append(pytest.param(claim, changed, verdict, id=f"{claim} {value}"))
    return found


def of(name: str, option: str, **more: Any) -> Callable:
    """Changes of one option of these runs."""
    return lambda value: {name: {option: value, **more}}


def drawn(
    paper: str, figures: dict[str, Figure], runs: Runs, folder: Path, lacking: bool = False
) -> dict[str, Any]:
    """What is said beside each figure once it is drawn; ``lacking``: whether each of them lacks runs."""
    found = {file.stem: json.loads(file.read_text()) for file in draw_figures(paper, figures, runs, folder)}
    assert {stem: bool(said["missing"]) for stem, said in found.items()} == dict.fromkeys(found, lacking)
    return found


def shown(found: dict[str, Any]) -> set[str]:
    """The runs that figures show."""
    return {key for said in found.values() for key in said["runs"]}


def condition(**given: Any) -> Evidence:
    """A ratio of 1.5 between 1.2 and 1.8 over three seeds, said to be above 1, but for what is given."""
    usual: dict[str, Any] = {
        "where": {}, "says": "it is {} times", "kind": "ratio", "value": 1.5, "low": 1.2, "high": 1.8, "count": 3,
        "claimed": "above", "none": 1.0, "band": 1.1,
    }  # fmt: skip
    return Evidence(**usual | given)


def judged(**given: Any) -> Judged:
    """A claim with nothing in it but what is given."""
    words = ("id", "paper", "where", "setting", "claim", "by", "theirs", "verdict", "answer")
    lists = ("conditions", "missing", "runs", "figures")
    usual: dict[str, Any] = (
        dict.fromkeys(words, "") | {name: [] for name in lists} | {"holds": 0, "of": 0, "quantifier": "all"}
    )
    return Judged(**usual | given)


def rules_are_fair(judged: list[Judged]) -> None:
    """See that each counted condition holds on the paper's own number, and that it can hold and can fail.

    No two conditions of a part are at one setting.
    """
    counted = [(claim.id, each) for claim in judged for each in claim.conditions if each.counted]
    assert counted
    places = [(name, each.part, *each.where.items()) for name, each in counted]
    twice = [each for each in {*places} if places.count(each) > 1]
    assert not twice, twice
    for name, each in counted:
        if not math.isnan(each.theirs):
            assert certain(each, each.theirs).outcome == "holds", (
                f"{name} fails on the paper's own {each.theirs:g}"
            )
        tried = {settled(certain(each, value)) for value in attainable(each, measure_of(name, each.part))}
        assert {"holds", "fails"} <= tried, f"{name} can only be {tried} at {dict(each.where)}"


RANGES = {"ratio": (0, math.inf), "count": (0, math.inf), "share": (0, 1), "category": (0, 1)}  # of kinds


def attainable(like: Evidence, measure: str) -> list[float]:
    """Numbers far below, at and far above no effect, as near to them as the measure gets: not quite its ends."""
    least, most = WITHIN.get(measure) or RANGES.get(like.kind, (-math.inf, math.inf))
    if like.kind != "category" and math.isfinite(most - least):
        least, most = least + 1e-4 * (most - least), most - 1e-4 * (most - least)
    none = 0.5 if like.kind == "category" else like.none
    far = 100 * (abs(none) + abs(like.band if like.kind != "category" else 0) + 1)
    low = none / far if like.kind in FACTORS else none - far
    return [min(max(value, least), most) for value in (low, none, none + far)]


PAPERS = [*Path(claim_rows.__file__).parent.glob("*/*claims.toml")]
ROWS = {file: {row.id: row for row in claim_rows.rows(file)} for file in PAPERS}


def measure_of(claim: str, part: int) -> str:
    """What a part of a claim measures, by the row whose id begins the claim's name."""
    paper, _, name = claim.rpartition("/")
    fit = [
        row
        for file, rows in ROWS.items()
        for row in rows.values()
        if f"{name}-".startswith(f"{row.id}-") and paper in ("", file.parent.name)
    ]
    row = max(fit, key=lambda row: (len(row.id), len(row.parts)))
    return row.parts[part].measure


def certain(like: Evidence, value: float) -> Evidence:
    """The condition with this value, known without doubt."""
    return like._replace(value=value, low=value, high=value, bound="", state="", count=9)


def as_stored(name: str, judged: Collection[Judged]) -> None:
    """See that answers and numbers are those of a stored file, a claim a line."""
    file = Path(__file__).with_name("stored") / f"{name}.txt"
    stored.as_stored(file, {claim.id: _stored_line(claim) for claim in judged}, 2e-3)


def _stored_line(claim: Judged) -> str:
    """A claim's answer, then its conditions: the number, and what it is set against if that is not as before."""
    said, before = [claim.answer], ""
    for each in claim.conditions:
        ends = f" [{each.low:.4g}, {each.high:.4g}]" if each.high - each.low > 1e-9 else ""
        first = {"": "for ", "to": "", "over": "", "in": "", "by": ""}.get(next(iter(each.where), "to"), "at ")
        number = f"{first}{setting(each)}: {each.value:.4g}{ends}".removeprefix(": ")
        told = " ".join(filter(None, [number, each.bound, each.state or each.needs, each.told]))
        known = {name: getattr(each, name) for name in ("none", "band", "size", "theirs")}
        against = [f"{name} {value:.4g}" for name, value in known.items() if not math.isnan(value)]
        against = ", ".join(filter(None, [*against, f"{each.count} {each.source}", each.choice]))
        said.append(f"{told} ({against})" if against != before else told)
        before = against
    return "; ".join(said)
