"""All rows of all papers: what each says, how often, and by which measure."""

import re
from contextlib import nullcontext

import pytest

from structbench.bench.papers.claim_rows import WITHIN
from structbench.bench.papers.verdicts import AT_SOME
from tests.bench.papers.helpers import ROWS, condition, judged, rules_are_fair

# a word of a sentence -> the quantifiers that it asks for
QUANTIFIED = {
    **dict.fromkeys(["all", "always", "any", "both", "consistently", "every", "none"], "all"),
    **dict.fromkeys(["generally", "most", "often", "typically", "usually"], "most"),
    "can": "some",
    "only": "",
}
# "most" of superlatives and of bounds, "can" of what a reader sees, "only" of an amount
OTHERWISE = re.compile(r"\b(?:at most|the most|can be seen|only \d+)\b")
LISTED = [
    pytest.param(row, id=f"{file.parent.name} {row.id}") for file, rows in ROWS.items() for row in rows.values()
]


def unfit(text: str, quantifier: str) -> set[str]:
    """The words of a sentence if they ask for another quantifier; without any, it speaks of all."""
    words = {word for word in QUANTIFIED if re.search(rf"\b{word}\b", OTHERWISE.sub("", text.lower()))}
    asked = {QUANTIFIED[word] for word in words} or {"all"}
    return set() if asked == {quantifier.partition(AT_SOME)[0]} else words or {"no word"}


@pytest.mark.parametrize("row", LISTED)
def test_a_row_speaks_of_as_many_conditions_as_its_sentence(row) -> None:
    asked = unfit(row.text, row.quantifier)
    assert not asked or row.reading, f"{asked} and quantifier {row.quantifier!r}: mend it, or say the reading"
    assert asked or not row.reading, "nothing to read otherwise"


@pytest.mark.parametrize("row", LISTED)
def test_no_two_parts_of_a_row_measure_the_same_number(row) -> None:
    measured = [(part.measure, part.given) for part in row.parts]
    assert all(each not in measured[:k] for k, each in enumerate(measured))


@pytest.mark.parametrize(("least", "none", "fair"), [(0.0, 0.1, True), (0.1, 0.1, False), (0.1, 0.2, True)])
def test_a_rule_that_can_only_fail_is_not_fair(monkeypatch, least: float, none: float, fair: bool) -> None:
    """As that of a tenth of ten outputs, one of which is always kept."""
    monkeypatch.setitem(WITHIN, "share_of_constraints", (least, 1.0))
    asked = condition(kind="share", claimed="at most", none=none, band=0.0)
    with nullcontext() if fair else pytest.raises(AssertionError, match="can only be"):
        rules_are_fair([judged(id="few-outputs", conditions=[asked])])


def test_two_conditions_at_one_setting_are_not_fair() -> None:
    with pytest.raises(AssertionError, match="averaging-helps"):
        rules_are_fair([judged(id="averaging-helps", conditions=[condition(), condition(value=1.6)])])


def test_words_are_read_and_not_those_that_mean_something_else() -> None:
    assert unfit("They usually win.", "all") == {"usually"}
    assert unfit("They win for all C.", "most") == {"all"}
    assert not unfit("It can be seen that at most 5 are the most costly.", "all")
    assert unfit("It wins only for C = 1.", "all") == {"only"}
    assert unfit("It wins.", "most") == {"no word"}
