"""The page of answers: each question from published claims and contests, and what speaks against reading them."""

import json
import shlex
from pathlib import Path

import pytest

from structbench.algorithms.runtime import own_folders
from structbench.algorithms.runtime.errors import UserError
from structbench.bench.__main__ import main
from structbench.bench.papers import claim_rows
from structbench.bench.report import answers, performance
from structbench.bench.report.answers import Question
from structbench.bench.runs import catalogue
from structbench.bench.verbs import running, sharing
from structbench.bench.verbs.command_line import parse_words
from structbench.bench.workflow import config

ROOT = Path(__file__).resolve().parents[3]
TOLD = {
    "claim": "Is | faster.", "where": "Figure 11", "theirs": "", "by": "paper", "holds": 1, "of": 1, "runs": [],
}  # fmt: skip


@pytest.fixture
def published(tmp_path):
    """A function that publishes claims of eg2008: id -> verdict and, if it is of today's rules, answer."""

    def put(claims, code="that of today", changed="", contests=()):
        folder = tmp_path / "results" / "eg2008"
        folder.mkdir(parents=True, exist_ok=True)
        rows = {
            f"eg2008/{name}": TOLD
            | {"verdict": verdict, "answer": answer, "origin": "substitute" if name.endswith("ocr") else "own"}
            for name, (verdict, answer) in claims.items()
        }
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


ASKED = {"claims": ("eg2008/beats-lbfgs",), "figure": "eg2008/fig11-mnist"}


def test_a_claim_answers_with_its_number_its_sentence_and_its_figure(published):
    folder = published({"beats-lbfgs-mnist": ("reproduced", "Yes: 3 times.")})
    see = "[Collins et al. 2008 (EG)](results/eg2008/README.md), Figure 11"
    figure = "[figure](results/eg2008/fig11-mnist.svg)"
    assert row(folder, **ASKED) == ["Faster?", "**yes**", "3 times.", f"{see}; {figure}"]


@pytest.mark.parametrize(
    ("verdict", "word"),
    [("not reproduced", "no"), ("in part", "it depends"), ("weaker", "yes, but less"), ("open", "open")],
)  # fmt: skip
def test_a_verdict_is_a_plain_word(published, verdict, word):
    assert row(published({"beats-lbfgs-mnist": (verdict, "So: 2.")}), **ASKED)[1] == f"**{word}**"


def test_other_data_are_told_apart_and_never_count_for_the_paper(published):
    both = {"beats-lbfgs-mnist": ("reproduced", "Yes: 3."), "beats-lbfgs-ocr": ("not reproduced", "No: 1.")}
    assert row(published(both), **ASKED)[1:3] == ["**yes**", "3. Other data: no on handwriting."]
    other = {"beats-lbfgs-ocr": ("not reproduced", "No: 1.")}
    assert row(published(other), **ASKED)[1:3] == ["**no**", "1. On other data than the paper's."]


def test_claims_that_disagree_say_which_says_what(published):
    two = {"beats-lbfgs-mnist": ("reproduced", "Yes: 3."), "faster-than-lbfgs-parsing": ("not reproduced", "No.")}
    cells = row(published(two), claims=("eg2008/beats-lbfgs", "eg2008/faster-than-lbfgs"))
    assert cells[1:3] == ["**it depends**", "On digits, yes: 3. By data: yes on digits; no on trees."]


def test_what_speaks_against_an_answer_stands_beside_it(published):
    of_today = {"beats-lbfgs-mnist": ("reproduced", "Yes: 3.")}
    folder = published(of_today, code="**frozen** at the commits below.")
    assert row(folder, **ASKED)[1:3] == ["**yes**\\*", "3."]
    assert "\\*: the answer is of an earlier version" in answers.page(folder, [Question("Faster?", **ASKED)])
    folder = published(of_today, changed="| eg2008/beats-lbfgs | a | b | c |")
    assert row(folder, **ASKED)[2] == "3. Its rule [changed](results/changed-rules.md) after its runs were seen."
    folder = published(of_today, changed="| eg2008/cost-sgd, beats-lbfgs | a | b | c |")
    assert row(folder, **ASKED)[2].endswith(
        "Its rule [changed](results/changed-rules.md) after its runs were seen."
    )
    folder = published(of_today, changed="| eg2008/beats-lbfgs-C1 | eg2008/beats-lbfgs | b | c |")
    assert row(folder, **ASKED)[2] == "3."
    assert row(folder, claims=("eg2008/cost-sgd",))[1:3] == ["**not measured yet**", ""]


def test_what_has_an_answer_comes_first(published):
    folder = published({"beats-lbfgs-mnist": ("open", "Open."), "overtakes-sgd-mnist": ("reproduced", "Yes.")})
    asked = [Question(name, claims=(f"eg2008/{name}",)) for name in ("sgd-slower", "beats-lbfgs", "overtakes-sgd")]
    text = answers.page(folder, asked)
    found = [line for line in text.split("\n") if line.startswith(("## ", "| sgd", "| beats", "| over"))]
    assert [line.partition(" | ")[0].lstrip("# |") for line in found] == [
        "Answered", "overtakes-sgd", "Open", "beats-lbfgs", "Not measured yet", "sgd-slower",
    ]  # fmt: skip


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
        "CPU seconds to 0.001, ocr, log loss: CRFsuite needs 4 (2 to 5) times as many as EG (order gap); CPU "
        "seconds to 1e-06: CRFsuite does not get there, given 4 times as many as EG (order gap) needs. "
        "Try `python -m bench`",
        "[performance](reference/performance.md)",
    ]
    assert row(folder, contests=("peers/ocr",), names=True)[1] == "**EG (order gap)**"
    assert row(folder, contests=("peers/mnist, log",), names=True)[1] == "**CRFsuite**"
    slower = row(folder, contests=("peers/mnist, log",))[2]
    assert slower.endswith("log loss: EG (order gap) needs 1.5 (1.2 to 1.6) times as many as CRFsuite.")
    assert row(folder, contests=("peers/mnist, log",))[1] == "**theirs**"
    assert row(folder, contests=("peers/hinge",))[1] == "**it depends**"
    assert row(folder, contests=("peers/ocr", "peers/mnist, log"))[1] == "**it depends**"
    assert row(folder, contests=("passes/ocr",))[1:3] == ["**not measured yet**", ""]


def test_a_method_that_does_not_get_there_never_wins(published):
    def word(ours, theirs, **more):
        folder = published({}, contests=[contest("1, ocr", [ours], [theirs], **more)])
        return row(folder, contests=("peers/ocr",))[1:3]

    def said(text):
        return f"CPU seconds to 1, ocr: {text}."

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

    rival = contest("1, ocr", [1.0, 3.0], [4.0, 8.0], at_most=0.2, notes=["1 missing: it was not made yet"])
    text = performance.page(published({}, contests=[alone("EG", [1e9]), rival, alone("SMO", [1e9, 3e9, 4e9])]))
    assert [line for line in text.splitlines() if line.startswith(("## ", "| ocr"))] == [
        "## CPU seconds to 1",
        r"| ocr | EG, order gap: 2 s | CRFsuite: 6 s | 0.333 x (0.125 to 0.75) | at most 0.2 x, **missed**\* |",
        "## Peak memory",
        "| ocr, log loss | EG: 1.00 GB; SMO: 3.00 GB |  |  | at most 2.00 GB, **missed** |",
        "## Machines and versions",
    ]


def test_the_questions_name_claims_contests_figures_and_commands_that_there_are():
    rows, stems = set(), set()
    for paper in catalogue.papers():
        files = own_folders.files(f"bench/papers/{paper}", "*claims.toml").values()
        rows |= {f"{paper}/{row.id}" for file in files for row in claim_rows.rows(file)}
        tables = own_folders.files(f"bench/papers/{paper}", "*figures.toml").values()
        stems |= {f"{paper}/{stem}" for file in tables for stem in claim_rows.tables(file) if stem != "words"}
    contests = {each.part for each in config.read_config("measure").contests}
    for question in answers.questions():
        assert {*question.claims} <= rows, question.asks
        assert {name.partition("/")[0] for name in question.contests} <= contests, question.asks
        stem = question.figure  # perhaps with the data set behind it
        assert {stem, stem.rpartition("-")[0]} & stems or not stem, question.asks
        if question.command:
            program, *words = shlex.split(question.command.removeprefix("python -m "))
            assert program == "bench" and running.asked(parse_words(words)), question.asks


@pytest.mark.parametrize(
    ("text", "said"),
    [('asks = "a"\nclaim = ["b"]', "'a': unknown claim"), ('asks = "a"', "'a': give it claims or contests")],
)
def test_a_question_that_is_wrong_is_said(tmp_path, text, said):
    file = tmp_path / "questions.toml"
    file.write_text(f"[[questions]]\n{text}\n")
    with pytest.raises(UserError, match=said):
        answers.questions(file)


def test_a_check_of_the_published_results_brings_the_page_up_to_date(tmp_path, monkeypatch, capsys):
    for folder in ("reference", "results"):
        (tmp_path / "docs" / folder).mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sharing, "_check_published", lambda out: 1)
    monkeypatch.setattr(answers, "page", lambda: "of today")
    assert main(["publish", "--check"]) == 1 and "wrote docs/answers.md" in capsys.readouterr().err
    assert answers.PAGE.read_text() == "of today" and performance.PAGE.read_text() == performance.page(
        answers.RESULTS
    )
    assert main(["publish", "--check", "--out", str(tmp_path)]) == 1 and capsys.readouterr().err == ""


@pytest.mark.parametrize("made", [answers, performance])
def test_the_page_is_that_of_the_published_results(made):
    assert (ROOT / made.PAGE).read_text(encoding="utf-8") == made.page(ROOT / answers.RESULTS)
