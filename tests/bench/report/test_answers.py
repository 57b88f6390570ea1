"""The page of answers: each question from published claims and contests, and what speaks against reading them."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from structbench.algorithms.runtime import own_folders
from structbench.algorithms.runtime.errors import UserError
from structbench.bench.__main__ import main
from structbench.bench.papers import claim_rows
from structbench.bench.papers.evidence import Evidence
from structbench.bench.papers.shown import Tabled, conditions_csv
from structbench.bench.report import answers, performance
from structbench.bench.report.answers import Cited, Question
from structbench.bench.report.published import not_run
from structbench.bench.runs import catalogue
from structbench.bench.verbs import running
from structbench.bench.verbs.command_line import parse_words
from structbench.bench.workflow import config

ROOT = Path(__file__).resolve().parents[3]
TOLD = {
    "claim": "Is | faster.", "where": "Figure 11", "theirs": "", "by": "paper", "holds": 1, "of": 1, "runs": [],
}  # fmt: skip
MEASURED = Evidence(
    {"C": 1.0}, 3.0, low=2.0, high=4.0, count=5, says="{} times", claimed="above", none=1.0, band=1.1
)
POINTS = MEASURED._replace(kind="difference", unit="points", none=0.0, band=0.0, says="{} more")


@pytest.fixture
def published(tmp_path):
    """A function that publishes claims of eg2008: id -> conditions."""

    def put(claims, code="that of today", changed="", contests=()):
        folder = tmp_path / "results" / "eg2008"
        folder.mkdir(parents=True, exist_ok=True)
        told = [Tabled(f"eg2008/{name}", "all", "", conditions) for name, conditions in claims.items()]
        (folder / "evidence.csv").write_text(conditions_csv(told))
        rows = {each.id: TOLD | {"verdict": "reproduced", "answer": "", "origin": "own"} for each in told}
        record = {"scale": "tiny", "seconds": 1.0, "counts": {}, "figures": {}, "claims": rows, "files": {}}
        record |= {name: [] for name in ("machines", "commits", "days", "findings", "missing")}
        (folder / "published.json").write_text(json.dumps(record))
        (folder / "README.md").write_text(f"# eg2008\n\nCode: {code}\n")
        (folder / "fig11-mnist.svg").write_text("<svg/>")
        (tmp_path / "results" / "changed-rules.md").write_text(changed)
        (tmp_path / "results" / performance.RECORD).write_text(json.dumps({"contests": contests}))
        return tmp_path / "results"

    return put


def row(folder, **question):
    """The cells of the one row that answers a question."""
    text = answers.page(folder, [Question("Faster?", **question)])
    (found,) = [line for line in text.split("\n") if line.startswith("| Faster?")]
    return found[2:-2].split(" | ")


def cited(read="reproduced, holds 1", **more):
    return Cited("eg2008/beats-lbfgs-mnist", f"{read}: 3.0", **more)


def asked(says="It takes {slot} times.", **more):
    return {"answer": "yes", "says": says, "cites": {"slot": cited(**more)}, "figure": "eg2008/fig11-mnist"}


def test_a_sentence_takes_the_published_number_and_links_its_claim_and_figure(published):
    folder = published({"beats-lbfgs-mnist": [MEASURED._replace(value=3.4)]})
    see = "[Collins et al. 2008 (EG)](results/eg2008/README.md), Figure 11"
    figure = "[figure](results/eg2008/fig11-mnist.svg)"
    assert row(folder, **asked()) == ["Faster?", "**yes**", "It takes 3.4 times.", f"{see}; {figure}"]
    assert row(folder, cites={"slot": Cited("eg2008/sgd-slower-mnist", "not run: no number")})[1:3] == [
        "**not measured yet**", "",
    ]  # fmt: skip
    (folder.parent / "reference").mkdir()
    (folder.parent / "reference" / "bcfw2013.md").touch()
    waits = {"says": "Nobody ran it.", "cites": {"slot": Cited("bcfw2013/overfits", "not run: no number")}}
    link = "[Lacoste-Julien et al. 2013 (BCFW)](reference/bcfw2013.md)"
    assert row(folder, **waits)[1:] == ["**not measured yet**", "Nobody ran it.", link]


def test_a_slot_takes_the_conditions_that_its_part_choice_and_settings_select(published):
    at_10 = MEASURED._replace(where={"C": 10.0}, value=3.5)
    uniform = MEASURED._replace(value=2.1, choice="from uniform u", counted=False)
    second = MEASURED._replace(value=8.1, low=8.0, high=9.0, part=1)
    folder = published({"beats-lbfgs-mnist": [MEASURED, at_10, uniform, second]})

    def said(says="{slot}", **more):
        return row(folder, **asked(says, **more))[2]

    assert said(read="reproduced, holds 3") == "3.0 to 8.1"
    assert said("{slot:least}, {slot:greatest}", read="reproduced, holds 3") == "3.0, 8.1"
    assert said(read="reproduced, holds 2", part=0) == "3.0 to 3.5"
    assert said(part=0, where={"C": [10, 100]}) == "3.5"
    assert said(choice="from uniform u") == "2.1"


def test_numbers_of_a_sentence_have_no_sign_and_no_range_across_0(published):
    below = POINTS._replace(value=-0.3, low=-0.4, high=-0.2)
    folder = published({"beats-lbfgs-mnist": [below, below._replace(value=-0.25)]})
    assert (
        row(folder, **asked("{slot} behind", read="not reproduced, below 0 2, opposite 2"))[2]
        == "0.25 to 0.30 behind"
    )
    folder = published({"beats-lbfgs-mnist": [below, POINTS._replace(value=0.2, low=0.1, high=0.25)]})
    both = {"read": "in part, below 0 1, holds 1, opposite 1"}
    assert row(folder, **asked("up to {slot:greatest}, either way", **both))[2] == "up to 0.30, either way"
    with pytest.raises(UserError, match="a range across 0"):
        row(folder, **asked(**both))


def test_a_sentence_whose_outcomes_changed_is_not_shown_until_it_is_read_again(published):
    folder = published({"beats-lbfgs-mnist": [MEASURED._replace(value=0.5, low=0.4, high=0.6)]})
    assert row(folder, **asked())[1:3] == ["**to be read again**", "No: 0.50 times."]
    (message,) = answers.outdated(Question("Faster?", **asked()), answers.claims_by_id(folder))
    assert message == (
        "Faster? Read its sentence again: slot was 'reproduced, holds 1: 3.0', "
        "and is 'not reproduced, opposite 1: 0.50'"
    )
    text = answers.page(
        folder, [Question("Which?", **asked(read="not reproduced, opposite 1")), Question("Faster?", **asked())]
    )
    assert (
        text.index("## Answered")
        < text.index("| Which?")
        < text.index("## To be read again")
        < text.index("| Fast")
    )


def test_what_speaks_against_an_answer_stands_beside_it(published):
    def marks(**more):
        return row(published({"beats-lbfgs-mnist": [MEASURED]}, **more), **asked())[1].removeprefix("**yes**")

    assert marks() == marks(changed="| eg2008/beats-lbfgs-C1 | eg2008/beats-lbfgs | b | c |") == ""
    assert marks(code="**frozen** at the commits below.") == "\\*"
    assert marks(changed="| eg2008/beats-lbfgs | a | b | c |") == "†"
    assert marks(changed="| eg2008/cost-sgd, beats-lbfgs | a | b | c |", code="**frozen**") == "\\*†"
    text = answers.page(
        published({"beats-lbfgs-mnist": [MEASURED]}, code="**frozen**"), [Question("F", **asked())]
    )
    assert "\\*: from runs of earlier programs" in text and "†" not in text


def test_a_mark_on_every_answer_is_said_once_above_them(published):
    folder = published(
        {"beats-lbfgs-mnist": [MEASURED]}, code="**frozen**", changed="| eg2008/beats-lbfgs | a | b | c |"
    )
    other: dict[str, Any] = asked() | {"cites": {"slot": Cited("eg2008/sgd-slower-mnist", "not run: no number")}}
    text = answers.page(folder, [Question("A", **asked()), Question("B", **asked()), Question("C", **other)])
    assert "All answers that link a paper's results: from runs of earlier programs" in text
    assert "**yes** |" in text and "\\*" not in text and "†" not in text


def test_each_sentence_is_short_and_was_read_since_verdicts_and_outcomes_changed():
    known = answers.claims_by_id(ROOT / answers.RESULTS)
    for question in answers.questions():
        assert answers.outdated(question, known) == [], f"in {answers.QUESTIONS.name}"
        said = question.says.format_map(
            {name: answers.numbers(each, known) for name, each in question.cites.items()}
        )
        assert len(re.findall(r"\S*\w\S*", said)) <= 30, question.asks
        waits = all(each.read.startswith("not run") for each in question.cites.values())
        assert question.contests or bool(question.answer) != waits, question.asks


def contest(what, ours, theirs, **more):
    """A comparison of seconds, given the numbers of both sides."""
    said = {
        "ours": {"method": "EG, order gap", "values": ours},
        "theirs": {"method": "CRFsuite", "values": theirs},
    }
    said["theirs"] |= {"given": 4.0}
    return {"part": "peers", "what": f"CPU seconds to {what}", "quantity": "distance-seconds"} | said | more


def test_contests_answer_with_the_ratio_and_its_range(published):
    contests = [
        contest("0.001, ocr, log loss", [1.0], [2.0, 4.0, 5.0]),
        contest("1e-06, ocr, log loss", [1.0], ["inf"]),
        contest("0.001, mnist, log loss", [1.2, 1.5, 1.6], [1.0]),
        contest("0.001, mnist, hinge loss", [0.9, 1.0, 1.1], [1.0]),
    ]
    folder = published({}, contests=contests)
    cells = row(folder, contests=("peers/ocr",), command="python -m bench")
    assert cells[1:] == [
        "**ours**",
        "In CPU seconds to 0.001 on handwriting, CRFsuite needs 4 (2 to 5) times as many as EG (order gap): log "
        "loss. In CPU seconds to 1e-06 on handwriting, CRFsuite does not get there, given 4 times as many as EG "
        "(order gap) needs: log loss. Try `python -m bench`",
        "[performance](reference/performance.md)",
    ]
    assert row(folder, contests=("peers/ocr",), names=True)[1] == "**EG (order gap)**"
    assert row(folder, contests=("peers/mnist, log",), names=True)[1] == "**CRFsuite**"
    slower = row(folder, contests=("peers/mnist, log",))[2]
    assert slower.endswith("on digits, EG (order gap) needs 1.5 (1.2 to 1.6) times as many as CRFsuite: log loss.")
    assert row(folder, contests=("peers/mnist, log",))[1] == "**theirs**"
    assert row(folder, contests=("peers/hinge",))[1] == "**it depends**"
    assert row(folder, contests=("peers/ocr", "peers/mnist, log"))[1] == "**it depends**"
    assert row(folder, contests=("passes/ocr",))[1:3] == ["**not measured yet**", ""]


def test_strengths_of_one_comparison_are_one_sentence(published):
    strengths = ((100, 2.0), (10, 3.0), (1, 4.0))
    folder = published(
        {}, contests=[contest(f"1, mnist, log loss, C = {C}", [1.0], [other]) for C, other in strengths]
    )
    assert row(folder, contests=("peers/mnist",))[2] == (
        "In CPU seconds to 1 on digits, CRFsuite needs 2 (one repeat), 3 (one repeat) and 4 (one repeat) times as "
        "many as EG (order gap): log loss, C = 100, 10 and 1."
    )


def test_a_method_that_does_not_get_there_never_wins(published):
    def word(ours, theirs, **more):
        folder = published({}, contests=[contest("1, ocr, log", [ours], [theirs], **more)])
        return row(folder, contests=("peers/ocr",))[1:3]

    def said(text):
        return f"In CPU seconds to 1 on handwriting, {text}: log."

    assert word("inf", 3.0) == ["**theirs**", said("EG (order gap) does not get there, CRFsuite does")]
    assert word("inf", "inf") == ["**it depends**", said("EG (order gap) does not get there, nor does CRFsuite")]
    soon = said("CRFsuite does not get there, given 125 times as many as EG (order gap) needs")
    assert word(0.032, "inf") == ["**ours**", soon]
    assert word(8.0, "inf")[0] == "**it depends**"
    assert word(1.0, 3.0, notes=["1 stale: it is of other programs"])[0] == "**ours**\\*"


def test_methods_of_ours_alone_share_a_row_which_says_what_is_missed_and_what_is_not_whole(published):
    def alone(method, memory, **more):
        about = {"part": "p", "what": "peak memory, ocr, log loss", "quantity": "memory", "at_most": 2e9}
        return about | {"ours": {"method": method, "values": memory}} | more

    made = {"machine": "Xeon", "versions": {}, "commits": ["abc"], "load": 1.0}
    rival = contest(
        "1, ocr", [1.0, 3.0], [4.0, 8.0], at_most=0.2, notes=["1 missing: it was not made yet"], made=made
    )
    text = performance.page(published({}, contests=[alone("EG", [1e9]), rival, alone("SMO", [1e9, 3e9, 4e9])]))
    assert [line for line in text.splitlines() if line.startswith(("## ", "| ocr", "Machine:"))] == [
        "## CPU seconds to 1",
        r"| ocr | EG, order gap: 2 s | CRFsuite: 6 s | 0.333 x (0.125 to 0.75) | at most 0.2 x, **missed**\* |",
        "Machine: Xeon.",
        "## Peak memory",
        "| ocr, log loss | EG: 1.00 GB; SMO: 3.00 GB |  |  | at most 2.00 GB, **missed** |",
        "## Machines and versions",
    ]


def test_the_questions_name_claims_contests_figures_and_commands_that_there_are():
    stems = set()
    for paper in catalogue.papers():
        tables = own_folders.files(f"bench/papers/{paper}", "*figures.toml").values()
        stems |= {f"{paper}/{stem}" for file in tables for stem in claim_rows.tables(file) if stem != "words"}
    stems |= {f"{file.parent.name}/{file.stem}" for file in (ROOT / answers.RESULTS).glob("*/*.svg")}
    known = {*answers.claims_by_id(ROOT / answers.RESULTS)}
    for paper in not_run({each.partition("/")[0] for each in known}):
        known |= {f"{paper}/{row.id}" for row in claim_rows.rows(ROOT / "bench/papers" / paper / "claims.toml")}
    contests = {each.part for each in config.read_config("measure").contests}
    for question in answers.questions():
        assert {each.claim for each in question.cites.values()} <= known, question.asks
        assert {name.partition("/")[0] for name in question.contests} <= contests, question.asks
        stem = question.figure  # perhaps with the data set behind it
        assert {stem, stem.rpartition("-")[0]} & stems or not stem, question.asks
        if question.command:
            program, *words = shlex.split(question.command.removeprefix("python -m "))
            assert program == "bench" and running.asked(parse_words(words)), question.asks


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('asks = "a"\nclaims = ["b"]', "'a': unknown claims"),
        ('asks = "a"\nsays = "{b}"', "'a': unknown b"),
        ('asks = "a"', "'a': give it cites or contests"),
    ],
)
def test_a_question_that_is_wrong_is_said(tmp_path, text, said):
    file = tmp_path / "questions.toml"
    file.write_text(f"[[questions]]\n{text}\n")
    with pytest.raises(UserError, match=said):
        answers.questions(file)


def test_publishing_into_the_projects_results_brings_the_page_up_to_date(tmp_path, monkeypatch, capsys):
    for folder in ("reference", "results"):
        (tmp_path / "docs" / folder).mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(answers, "page", lambda: "of today")
    assert main(["publish", "--optima"]) == 0 and "docs/answers.md" in capsys.readouterr().err
    assert answers.PAGE.read_text() == "of today" and performance.PAGE.read_text() == performance.page(
        answers.RESULTS
    )
    assert main(["publish", "--optima", "--out", str(tmp_path)]) == 0
    assert "answers.md" not in capsys.readouterr().err


@pytest.mark.parametrize("made", [answers, performance])
def test_the_page_is_that_of_the_published_results(made):
    assert (ROOT / made.PAGE).read_text(encoding="utf-8") == made.page(ROOT / answers.RESULTS)
