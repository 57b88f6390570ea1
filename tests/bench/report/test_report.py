"""The report says what the files say, and nothing that they do not."""

import base64
import json
import re
import shutil
from html.parser import HTMLParser

import pytest

from algorithms.runtime.errors import UserError
from bench.report import report
from bench.runs import store
from tests.bench import fake_runs

EXTERNAL = re.compile(r"""(?:src|href|action|data|srcset|poster)\s*=\s*["'](?!data:|#)|url\(|@import""", re.I)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    runs = fake_runs.grid(folder / "runs")
    fake_runs.figures(folder / "figures", runs)
    fake_runs.claims(folder / "claims", runs)
    return folder


@pytest.fixture
def results(made, tmp_path):
    return shutil.copytree(made, tmp_path / "results")


def write(results, runs=None):
    runs = store.all_runs(results / "runs") if runs is None else runs
    out = report.write(results / "report" / "index.html", runs, results / "figures", results / "claims")
    return out.read_text(encoding="utf-8")


def undated(page):
    return re.sub(r"<time>.*?</time>", "", page)


class Text(HTMLParser):
    """The words of a page, without tags, styles and scripts; spaces made one."""

    def __init__(self, page):
        super().__init__()
        self.words, self.skipping, self.open = [], False, []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.skipping = tag in ("style", "script")
        if tag not in ("meta", "link", "img", "br", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        self.skipping = False
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not self.skipping:
            self.words += data.split()

    def __str__(self):
        return " ".join(self.words)


def test_the_top_says_how_many_runs_and_claims(results):
    text = str(Text(write(results)))
    top = text[: text.index("Diverged or missing")]
    for words in ("1 claim reproduced", "1 claim not reproduced", "1 claim inconclusive", "22 finished runs"):
        assert words in top
    assert "2 figures" in top
    assert "on Some CPU @ 3 GHz, commit 0123456789 ." in top
    assert "from runs of 2026-11-21 07:00 UTC" in top


def test_runs_that_diverged_or_are_missing_are_said(results):
    text = str(Text(write(results)))
    alert = text[text.index("Diverged or missing") : text.index("Verdict Claim Paper Here")]
    assert "1 run diverged mnist__log__C=10__sgd:eta0=1__passes=60__seed=1 sgd met a value" in alert
    assert f"1 run missing {fake_runs.MISSING}" in alert
    fine = write(results, [])
    assert "1 run diverged" not in fine


def test_what_is_right_is_not_alarming(tmp_path):
    page = str(Text(write(tmp_path, [fake_runs.write(tmp_path / "runs")])))
    assert "No run diverged, and none that a figure or claim asks for is missing." in page
    assert "Diverged or missing" not in page


def test_claims_stand_beside_the_papers_numbers(results):
    text = str(Text(write(results)))
    assert "reproduced The log of EG's duality gap falls about linearly Figure 4 · fig04-mnist · 1 run" in text
    assert "slope -0.1 slope -0.2 <at C = 10> least squares on log10 gap" in text
    assert "Scale: quick." in text


def test_figures_have_their_captions_and_provenance(results):
    text = str(Text(write(results)))
    assert "Figure 4 on mnist Primal objective against effective passes at C = 10." in text
    assert "fig04-mnist · 7 runs · commit 0123456789 · mnist ba89ba89ba" in text


def test_a_table_is_shown_as_text_instead_of_its_image(results):
    sidecar = results / "figures" / "eg2008" / "fig04-mnist.json"
    rows = [{"C": "10", "theirs, passes": "<11>"}, {"C": "1", "theirs, passes": "59"}]
    sidecar.write_text(json.dumps(json.loads(sidecar.read_text()) | {"table": rows}))
    page = write(results)
    assert "C theirs, passes 10 <11> 1 59" in str(Text(page))
    assert page.count("data:image/svg+xml;base64,") == 1


def test_a_run_is_a_row_with_its_numbers(results):
    page = write(results)
    row = next(row for row in page.split("<tr ") if "mnist__log__C=100__lbfgs__passes=60" in row and "<td" in row)
    run = store.read(results / "runs" / "mnist__log__C=100__lbfgs__passes=60")
    assert f'data-v="{run.summary["primal"]}">23,445.785<' in row
    assert f'data-v="{run.summary["relative_gap"]}">0.00418<' in row
    assert ">7.5<" in row
    assert 'data-v="">-<' in row  # no F1 on MNIST
    assert page.count("data-row=") == 23


def test_data_sets_and_environment_are_said(results):
    text = str(Text(write(results)))
    assert "59,000 7,840 CC BY-SA 3.0" in text
    assert "ba89" * 16 in text
    for words in ("numba 0.68.1", "scipy 1.17.1", "host bench-host", "cpu Some CPU @ 3 GHz"):
        assert words in text
    assert "0123456789abcdef0123456789abcdef01234567" in text


def test_environments_that_differ_are_counted(tmp_path):
    runs = [fake_runs.write(tmp_path / "runs", C=C) for C in (1.0, 2.0, 3.0)]
    runs[0].summary["provenance"]["cpu"] = "Another CPU"
    assert "Some CPU @ 3 GHz (2 runs), Another CPU (1 run)" in str(Text(write(tmp_path, runs))).replace(" ,", ",")


def test_the_page_asks_for_nothing_outside_itself(results):
    page = write(results)
    assert EXTERNAL.findall(page) == []
    assert "http" not in page.replace("https://www.w3.org", "")
    assert page.count("data:image/svg+xml;base64,") == 2


def test_a_large_vector_image_is_shown_as_pixels(results):
    svg = results / "figures" / "eg2008" / "fig04-mnist.svg"
    svg.write_text(svg.read_text() + " " * report.LARGEST_SVG)
    page = write(results)
    png = svg.with_suffix(".png").read_bytes()
    assert f'src="data:image/png;base64,{base64.b64encode(png).decode()}"' in page
    assert page.count("data:image/svg+xml;base64,") == 1


def test_the_same_results_give_the_same_page(results):
    runs = store.all_runs(results / "runs")
    assert undated(write(results, runs)) == undated(write(results, runs[::-1]))


def test_names_cannot_break_the_page(tmp_path):
    run = fake_runs.write(tmp_path / "runs")
    run.summary["message"] = "</td><script>alert(1)</script>"
    run.summary["provenance"]["cpu"] = '"><img src=x>'
    page = write(tmp_path, [run])
    assert "<script>alert" not in page
    assert "<img src=x>" not in page


def test_every_tag_is_closed_and_every_link_leads_somewhere(results):
    page = write(results)
    assert Text(page).open == []
    targets = set(re.findall(r'\bid="([^"]+)"', page))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= targets
    assert len(re.findall(r'\bid="([^"]+)"', page)) == len(targets)


def test_nothing_has_run_yet(tmp_path):
    text = str(Text(write(tmp_path, [])))
    for words in ("No claim has been judged yet", "No figure has been drawn yet", "No run is finished yet"):
        assert words in text


@pytest.mark.parametrize("text", ["{", "[]", "3", '{"paper": "eg2008"}', ""])
def test_broken_claims_are_named(results, text):
    (results / "claims" / "eg2008.json").write_text(text)
    with pytest.raises(UserError, match=r"eg2008.json is broken \(.*delete it and make it again"):
        write(results)


@pytest.mark.parametrize("text", ["{", '{"title": "x"}'])
def test_a_broken_sidecar_is_named_and_the_page_before_stays(results, text):
    before = write(results)
    (results / "figures" / "eg2008" / "fig04-ocr.json").write_text(text)
    with pytest.raises(UserError, match=r"fig04-ocr.json is broken"):
        write(results)
    assert (results / "report" / "index.html").read_text() == before


def test_a_missing_image_is_named_and_no_half_page_stays(results):
    (results / "figures" / "eg2008" / "fig04-ocr.svg").unlink()
    with pytest.raises(UserError, match=r"cannot read .*fig04-ocr.svg .*draw fig04-ocr again"):
        write(results)
    assert list((results / "report").iterdir()) == []


def test_a_folder_that_cannot_be_made_is_said(results):
    (results / "report").touch()
    with pytest.raises(UserError, match=r"cannot write the report to .*index.html"):
        write(results)


def test_curves_are_not_read(results):
    for file in (results / "runs").glob("*/curve.parquet"):
        file.write_bytes(b"")
    assert "22 finished runs" in str(Text(write(results)))


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (None, 4, "-"),
        (0, 4, "0"),
        (7.5, 4, "7.5"),
        (18569.14987, 8, "18,569.15"),
        (18569.14987, 3, "18,569"),
        (100.0, 4, "100"),
        (0.0052589, 3, "0.00526"),
        (3.0739e-9, 3, "3.07e-09"),
        (-12.3456, 4, "-12.35"),
        (2.5e12, 4, "2.5e+12"),
    ],
)
def test_numbers_are_short(value, digits, text):
    assert report._number(value, digits) == text


def test_a_commit_keeps_the_mark_of_its_changes():
    assert [report._short(commit) for commit in ("0123456789abcdef", "0123456789abcdef+")] == [
        "0123456789",
        "0123456789+",
    ]


def test_durations_are_words():
    assert [report._duration(seconds) for seconds in (3.21, 150, 7265)] == ["3.2 s", "2 min", "2 h 1 min"]


def test_a_claim_of_a_paper_without_figures_is_shown(results):
    file = results / "claims" / "eg2008.json"
    claims = json.loads(file.read_text())
    claims["claims"][0]["figures"] = []
    file.write_text(json.dumps(claims))
    shutil.rmtree(results / "figures")
    text = str(Text(write(results)))
    assert "The log of EG's duality gap falls about linearly Figure 4 · 1 run" in text
    assert "Randomized EG beats deterministic EG Figure 5 · fig04-mnist (not drawn) · 1 run" in text
