"""Verdicts: how conditions add up under each quantifier, and an answer that a reader understands."""

from itertools import combinations_with_replacement, permutations, product

import pytest

from structbench.bench.papers.evidence import Evidence
from structbench.bench.papers.sentences import LONGEST, answer
from structbench.bench.papers.verdicts import VERDICTS, tally, verdict
from structbench.bench.papers.wording import setting
from tests.bench.papers.helpers import condition

BY_OUTCOME = {
    "holds": {},
    "weaker": {"size": 2.0},
    "too small": {"size": 8.0, "value": 1.2},
    "no difference": {"value": 1.0, "low": 0.99, "high": 1.01},
    "opposite": {"value": 0.5, "low": 0.4, "high": 0.6},
    "open": {"value": 1.5, "low": 0.5, "high": 4.5},
    "side only": {"value": 1.5, "low": 1.5, "high": float("inf"), "bound": "at least", "size": 2.0},
}


def of(*outcomes: str, **given: object) -> list[Evidence]:
    found = [condition(where={"C": 10**k}, **BY_OUTCOME[outcome], **given) for k, outcome in enumerate(outcomes)]
    assert [each.outcome for each in found] == [*outcomes]
    return found


def bound(value: float, **given: object) -> Evidence:
    return condition(**{"value": value, "low": value, "high": float("inf"), "bound": "at least"} | given)


@pytest.mark.parametrize(
    ("quantifier", "need"),
    [("all", "not decidable by 100 repetitions"), ("most", "needs more passes"), ("some", "needs 8 repetitions")],
)
def test_an_open_answer_says_what_as_many_as_it_speaks_of_need(quantifier: str, need: str) -> None:
    never = {"value": 1.1, "low": 0.5, "high": 2.4}
    made = [condition(**BY_OUTCOME["open"]), condition(**never), condition(value=float("nan"))]
    counts = "open in 3"
    assert answer(made, "open", quantifier) == f"Open: it is 1.1 to 1.5 times; {counts}; {need}."


@pytest.mark.parametrize(
    ("quantifier", "need"),
    [
        ("all", "not decidable by 100 repetitions"),
        ("most", "needs 8 repetitions"),
        ("some", "needs 5 repetitions"),
    ],
)
def test_what_decides_does_not_depend_on_the_order_of_conditions(quantifier: str, need: str) -> None:
    of_needs = [
        BY_OUTCOME["open"],
        {"low": 0.5, "high": 2.4, "value": 1.1},
        {"value": 1.2, "low": 0.9, "high": 1.6},
    ]
    for some in permutations([*of_needs, {"value": float("nan")}], 3 if quantifier == "most" else 4):
        made = [condition(**given) for given in some]
        if {each.needs for each in made} >= {"8 repetitions", "5 repetitions", "not decidable by 100 repetitions"}:
            assert answer(made, "open", quantifier).endswith(f"open in {len(made)}; {need}.")


@pytest.mark.parametrize(
    ("outcomes", "all_", "most", "some"),
    [
        ("holds, holds, holds", *["reproduced"] * 3),
        ("holds, holds, open", "open", "reproduced", "reproduced"),
        ("holds, open, open", "open", "open", "reproduced"),
        ("holds, opposite, opposite", "in part", "in part", "reproduced"),
        ("weaker, weaker", *["weaker"] * 3),
        ("holds, weaker", "weaker", "weaker", "reproduced"),
        ("weaker, open", "open", "open", "weaker"),
        ("weaker, too small, open, open", "in part", "open", "weaker"),
        ("holds, opposite, opposite, open", "in part", "in part", "reproduced"),
        ("open, opposite", "not reproduced", "not reproduced", "open"),
        ("side only", *["open"] * 3),
        ("no difference, opposite, too small", *["not reproduced"] * 3),
    ],
)
def test_how_conditions_add_up(outcomes: str, all_: str, most: str, some: str) -> None:
    made = of(*outcomes.split(", "))
    assert [verdict(made, q) for q in ("all", "most", "some")] == [all_, most, some]


@pytest.mark.parametrize("quantifier", ["all", "most", "some"])
def test_open_conditions_never_turn_a_settled_verdict(quantifier: str) -> None:
    """Whatever they become, a sentence that is reproduced stays so, and one that does not hold as a whole, too."""
    settled = {"reproduced": {"reproduced"}, "weaker": {"reproduced", "weaker"}}
    settled |= {said: {"in part", "not reproduced"} for said in ("in part", "not reproduced")}
    for outcomes in combinations_with_replacement(["holds", "weaker", "opposite", "open"], 4):
        said = verdict(of(*outcomes), quantifier)
        for others in product(("holds", "opposite", "weaker"), repeat=outcomes.count("open")):
            left = iter(others)
            become = [next(left) if one == "open" else one for one in outcomes]
            assert verdict(of(*become), quantifier) in settled.get(said, VERDICTS)
        assert said != "open" or "open" in outcomes


def test_each_part_of_a_sentence_has_to_hold() -> None:
    made = of("holds", "holds", "holds") + of("opposite", part=1)
    assert verdict(made, "most") == "in part"
    assert verdict(of("holds") + of("holds", part=1)) == "reproduced"
    assert verdict(of("holds") + of("holds", part=1, counted=False)) == "open"


def test_what_is_not_counted_has_no_say() -> None:
    made = of("holds") + of("opposite", counted=False, choice="from uniform u")
    assert verdict(made) == "reproduced"
    assert answer(made, "reproduced") == "Yes: it is 1.5 times (from uniform u 0.50, does not hold)."
    assert answer(of("holds", choice="from uniform u"), "reproduced") == "Yes: it is 1.5 times."
    assert verdict([]) == "open"


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (of("holds", "holds"), "Yes: it is 1.5 times."),
        ([condition(value=3.5), condition(value=8.52)], "Yes: it is 3.5 to 8.5 times."),
        (of("opposite", theirs=1.1), "No: it is 0.50 times (the paper: 1.1)."),
        (of("no difference", "open"), "No difference shown: it is 1.00 to 1.5 times."),
        (of("no difference", "opposite"), "No: it is 0.50 to 1.00 times."),
        (of("holds", "opposite"), "In part: it is 0.50 to 1.5 times; holds in 1 of 2."),
        (of("weaker"), "Yes, but less: it is 1.5 times."),
        (of("holds", "weaker"), "Yes, but less: it is 1.5 times; holds in 1 of 2."),
        (of("holds", "open"),
         "Open: it is 1.5 times; holds in 1, open in 1; needs 8 repetitions."),
        (of("open"), "Open: it is 1.5 times; needs 8 repetitions."),
        ([condition(value=float("nan"))], "Open: no number was reached; needs more passes."),
        ([condition(kind="share", value=0.193, none=0.0, low=0.18, high=0.2, band=0.01)], "Yes: it is 19% times."),
        ([condition(kind="share", value=1e-6, none=-1.0, low=1e-6, high=1e-6)],
         "No difference shown: it is 0.0001% times."),
        ([condition(kind="difference", unit="points", value=0.35, low=0.1, high=0.6, none=0.0, band=0.2)],
         "Yes: it is +0.35 points times."),
        ([bound(1.35)], "Yes: it is at least 1.4 times."),
        ([bound(2.0), bound(3.0)], "Yes: it is at least 2.0 times."),
        ([bound(3.0), condition(value=2.0)], "Yes: it is 2.0 to 3.0 or more times."),
        ([bound(2.0), condition(value=3.0)], "Yes: it is 2.0 or more to 3.0 times."),
        ([bound(0.0, low=0.0, high=1e-6, bound="at most"), condition(value=0.26, low=0.2, high=0.3)],
         "No: it is at most 0.26 times."),
        ([bound(0.0, low=0.0, high=1e-6, bound="at most"), bound(2.0)],
         "In part: it is 0 or less to 2.0 or more times; holds in 1 of 2."),
        ([bound(4.0, low=1.3)], "Yes: it is at least 1.3 times."),  # the mean of bounds and numbers
        (of("holds") + of("opposite", part=1, says="in seconds {}"),
         "In part: it is 1.5 times; in seconds 0.50; holds in 1 of 2."),
        (of("holds") + of("weaker", part=2, says="in seconds {}"),
         "Yes, but less: it is 1.5 times; in seconds 1.5; holds in 1 of 2."),
        (of("opposite") + of("weaker", "opposite", part=1, says="in seconds {}"),
         "In part: it is 0.50 times; in seconds 0.50 to 1.5; is weaker in 1 of 3."),
        ([condition(where={"": name, "C": C}, **BY_OUTCOME["open" if name == "M3N" else "holds"])
          for name in ("CRF", "M3N") for C in range(5)],
         "Open: it is 1.5 times; holds in 5, open in 5; needs 8 repetitions."),
    ],
)  # fmt: skip
def test_answers(made: list[Evidence], text: str) -> None:
    assert answer(made, verdict(made)) == text


def test_another_choice_is_told_behind_each_thing_that_was_measured() -> None:
    also = {"counted": False, "choice": "from uniform u"}
    time = {"part": 1, "says": "in seconds {}"}
    made = of("holds") + of("holds", **time) + of("opposite", **time, **also)
    more = "from uniform u 0.50, does not hold"
    assert answer(made, "reproduced") == f"Yes: it is 1.5 times; in seconds 1.5 ({more})."
    made += of("weaker", **also)
    both = f"it is 1.5 times (from uniform u 1.5, weaker); in seconds 1.5 ({more})"
    assert answer(made, "reproduced") == f"Yes: {both}."


@pytest.mark.parametrize(
    ("at_1", "at_2", "said"),
    [
        ("holds opposite", "holds holds", "reproduced"),
        ("opposite holds", "holds opposite", "in part"),  # at different C': at neither both
        ("opposite opposite", "holds open", "open"),
        ("opposite opposite", "holds opposite", "in part"),
        ("opposite opposite", "opposite opposite", "not reproduced"),
    ],
)
def test_all_at_some_value_of_a_setting_have_to_hold_at_one_of_them(at_1: str, at_2: str, said: str) -> None:
    made = [
        condition(where={"row": row, "C'": C}, part=row, **BY_OUTCOME[outcome])
        for C, outcomes in ((1.0, at_1), (2.0, at_2))
        for row, outcome in enumerate(outcomes.split())
    ]
    assert verdict(made, "all at some C'") == said
    of_each = condition(where={"": "another"}, **BY_OUTCOME["opposite"])  # without a C'
    assert verdict([of_each, *made], "all at some C'") in ("in part", "not reproduced")


def test_an_answer_tells_what_other_values_of_the_setting_show() -> None:
    made = [
        condition(where={"C'": C}, **BY_OUTCOME[outcome]) for C, outcome in ((1.0, "opposite"), (2.0, "holds"))
    ]
    text = answer(made, verdict(made, "all at some C'"), "all at some C'")
    assert text == "Yes: it is 1.5 times (at other C' 0.50, does not hold)."


def test_a_sentence_about_most_says_in_how_many_it_holds() -> None:
    made = of("holds", "holds", "opposite")
    assert answer(made, verdict(made, "most"), "most") == "Yes: it is 0.50 to 1.5 times; holds in 2 of 3."
    aside = of("opposite", "opposite", counted=False, choice="at other C")
    assert answer(of("holds") + aside, "reproduced").endswith("1.5 times (at other C 0.50, does not hold).")


@pytest.mark.parametrize(
    ("says", "values", "text"),
    [
        ("it errs {} more than that", (0.35,), "it errs 0.35 points more than that"),
        ("it errs {} more than that", (-0.35, -1.2), "it errs 0.35 to 1.20 points less than that"),
        ("it errs {} more", (-0.35, 1.2), "it errs more in 1 of 2, by 1.20 points"),
        ("it is {} ahead of that", (-0.35,), "it is 0.35 points behind that"),
        ("averaging gains {}", (-0.35,), "averaging loses 0.35 points"),
        ("averaging gains {}", (-0.35, 1.2), "averaging gains in 1 of 2, by 1.20 points"),
        ("they are {} from theirs", (-0.35, 1.2), "they are up to 1.20 points from theirs, either way"),
    ],
)
def test_a_word_says_on_which_side_a_difference_lies(says: str, values: tuple, text: str) -> None:
    like = {"kind": "difference", "unit": "points", "none": 0.0, "band": 0.2, "says": says, "source": "exact"}
    made = [condition(**like, value=value, low=value, high=value) for value in values]
    assert answer(made, "not reproduced") == f"No: {text}."
    aside = condition(**like, value=-2.0, low=-2.0, high=-2.0, counted=False, choice="from uniform u")
    turned = {"more": "2.00 points less", "ahead": "2.00 points behind"}
    side = next((words for word, words in turned.items() if f"{{}} {word}" in says), "-2.00 points")
    alike = "" if max(values) < 0 else ", does not hold"
    assert answer([*made, aside], "not reproduced").endswith(f" (from uniform u {side}{alike}).")


def test_shares_on_both_sides_are_counted_too() -> None:
    like = {"kind": "share", "none": 0.0, "band": 0.001, "says": "it is {} above that", "source": "exact"}
    made = [condition(**like, value=value, low=value, high=value) for value in (-15.0, 0.0, 0.118)]
    assert (
        answer(made, verdict(made, "some"), "some") == "Yes: it is above that in 1 of 3, by 12%; holds in 1 of 3."
    )


def test_the_papers_number_has_its_side_in_words_too() -> None:
    like = {
        "kind": "difference",
        "unit": "points",
        "none": 0.0,
        "band": 0.2,
        "theirs": 0.6,
        "says": "it is {} ahead",
    }
    made = [condition(**like, value=-1.0, low=-1.1, high=-0.9)]
    assert answer(made, verdict(made)) == "No: it is 1.00 points behind (the paper: 0.60 points ahead)."


def test_an_answer_is_short_and_has_no_riddle() -> None:
    says = "a rather long account of what is measured here, with {} in it and more words behind it"
    made = of("holds", "opposite", "open", "no difference", says=says) + of("holds", says=f"{says}, too", part=1)
    text = answer(made, verdict(made))
    assert len(text) <= LONGEST
    assert not any(word in text for word in ("nan", "inf", "never", "None"))


@pytest.mark.parametrize("letters", range(1, 9))
def test_a_cut_answer_ends_behind_a_word_and_is_no_longer_than_others(letters: int) -> None:
    made = of("holds", says=" ".join(["{}", *["w" * letters] * LONGEST]))
    text = answer(made, verdict(made))
    assert LONGEST - 6 - letters < len(text) <= LONGEST and text.endswith(f" {'w' * letters} ....")


def test_verdicts_are_counted_in_their_order() -> None:
    assert tally(reversed(VERDICTS)) == ", ".join(f"1 {one}" for one in VERDICTS)


@pytest.mark.parametrize(
    ("where", "text"),
    [({"C": 1.0}, "C = 1"), ({"": "EG", "C'": 10}, "EG, C' = 10"), ({"in": "chunking"}, "in chunking"), ({}, "")],
)
def test_a_setting_is_told_in_words(where: dict, text: str) -> None:
    assert setting(condition(where=where)) == text
