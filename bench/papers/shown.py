"""Show evidence to readers: each condition as a row in words and numbers, and all of them as a CSV table."""

import csv
import io
import json
import math
from collections.abc import Iterable
from typing import NamedTuple, TypeVar

from structbench.bench.drawing import plotted
from structbench.bench.papers.evidence import EQUAL, FACTORS, NUMBER, SAME, Evidence
from structbench.bench.papers.judged import Judged
from structbench.bench.papers.verdicts import NOT_REPRODUCED, REPRODUCED
from structbench.bench.papers.wording import in_digits, setting, unit_of
from structbench.bench.runs import records

Claim = TypeVar("Claim", bound=Judged)

FINDINGS = 5  # at most
FIRST = ("claim", "quantifier", "verdict")
FIELDS = (
    "part", "where", "choice", "counted", "says", "kind", "unit", "value", "low", "high", "source", "count",
    "bound", "claimed", "none", "band", "size", "theirs", "state", "outcome", "needs", "told",
)  # fmt: skip
NUMBERS = ("value", "low", "high", "none", "band", "size", "theirs")


def findings(claims: Iterable[Claim]) -> list[Claim]:
    """The judged claims that answer a question, one for each; a plain yes or no comes first."""
    first: dict[str, Claim] = {}
    for claim in claims:
        first.setdefault(claim.asks, claim)
    answers = [claim for asks, claim in first.items() if asks]
    return sorted(answers, key=lambda claim: claim.verdict not in (REPRODUCED, NOT_REPRODUCED))[:FINDINGS]


def row(condition: Evidence) -> dict[str, str]:
    """One condition, as cells under their headings."""
    aside = "" if condition.counted else f"{condition.choice or 'control'}, not counted"
    return {
        "setting": "; ".join(filter(None, [setting(condition), aside])) or "-",
        "what": condition.says.replace("{}", "N"),
        "N": measured(condition),
        "needed": asked(condition),
        "outcome": condition.outcome,
        "to decide": condition.needs or "-",
        "details": condition.told or "-",
    }


def measured(condition: Evidence) -> str:
    """The number with its interval, as in ``3.5 [2.9, 4.1]``."""
    if math.isnan(condition.certain):
        return "-"
    unit = unit_of(condition)
    said = in_digits(condition.certain, condition)
    if condition.bound:
        return f"{condition.bound} {said}{unit}"
    if math.isfinite(condition.high - condition.low) and condition.low < condition.high:
        said += f" [{in_digits(condition.low, condition)}, {in_digits(condition.high, condition)}]"
    return said + unit


def asked(condition: Evidence) -> str:
    """What the sentence asks of the number."""
    if condition.claimed == SAME:
        return "the paper's"

    def said(value: float) -> str:  # the number measured has the unit, in the cell before
        return in_digits(value, condition) + ("%" if unit_of(condition) == "%" else "")

    word = {EQUAL: "as", NUMBER: "theirs:"}.get(condition.claimed, condition.claimed)
    factor = condition.kind in FACTORS
    band = f"a factor of {condition.band:.3g}" if factor else said(condition.band).removeprefix("+")
    more = [] if condition.band == (1.0 if factor else 0.0) else [f"band {band}"]
    more += [] if math.isnan(condition.size) else [f"size {said(condition.size)}"]
    return f"{word} {said(condition.none)}" + (f" ({', '.join(more)})" if more else "")


class Tabled(NamedTuple):
    """What a table of conditions says of a claim."""

    id: str
    quantifier: str
    verdict: str
    conditions: list[Evidence]


def conditions_csv(claims: Iterable[Judged | Tabled]) -> str:
    """All conditions as CSV; from it each outcome and verdict can be computed again (``read_conditions``)."""
    rows = [
        dict(zip(FIRST, (claim.id, claim.quantifier, claim.verdict), strict=True))
        | (each.record() | {"where": json.dumps(each.where), "counted": "yes" if each.counted else "no"})
        for claim in claims
        for each in claim.conditions
    ]
    return plotted.csv_text([*FIRST, *FIELDS], rows)


def read_conditions(text: str) -> list[Tabled]:
    """The claims of such a table; a ValueError if it is none."""
    found: dict[str, Tabled] = {}
    try:
        for line in csv.DictReader(io.StringIO(text)):
            counts = {name: int(line[name]) for name in ("part", "count")}
            others = {"where": json.loads(line["where"]), "counted": line["counted"] == "yes"}
            numbers = {name: line[name] or None for name in NUMBERS}
            condition = records.made(Evidence, line | counts | others | numbers)
            claim = Tabled(line["claim"], line["quantifier"], line["verdict"], [])
            found.setdefault(line["claim"], claim).conditions.append(condition)
    except (KeyError, TypeError, csv.Error) as error:
        raise ValueError(f"not a table of conditions: {error}") from error
    return [*found.values()]
