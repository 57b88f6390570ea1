"""The report says what the files say, and nothing that they do not."""

import base64
import json
import re
import shutil
import struct
from html.parser import HTMLParser

import pytest
from plotly.offline import get_plotlyjs

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.drawing.best import best
from structbench.bench.report import explorer, images, report
from structbench.bench.runs import store
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import parse
from tests.bench import fake_runs

EXTERNAL = re.compile(
    r"""(?:src|href|action|data|srcset|poster)\s*=\s*["'](?!data:|#|explorer.html|index.html")|url\(|@import""",
    re.I,
)


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


def write(results, runs=None, **rest):
    runs = store.all_runs(results / "runs") if runs is None else runs
    out = report.write(results / "report" / "index.html", runs, results / "figures", results / "claims", **rest)
    return out.read_text(encoding="utf-8")


def without_plotly(results):
    page = (results / "report" / explorer.NAME).read_text(encoding="utf-8")
    assert page.count(get_plotlyjs()) == 1
    return page.replace(get_plotlyjs(), "")


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


def test_the_top_answers_what_was_reproduced_on_the_papers_own_data(results):
    text = str(Text(write(results)))
    top = text[: text.index("Filter")]
    assert "What was reproduced?" in top
    assert "from 22 runs of 2026-11-21 07:00 UTC" in top
    assert "of solving, scale quick, on Some CPU @ 3 GHz, commit 0123456789 ." in top
    assert (
        "The paper's own data 1 of 3 claims reproduced 1 reproduced 1 not reproduced 1 inconclusive eg2008 1 of 3"
        in top
    )


def test_twins_and_generated_data_stand_apart(results):
    file = results / "claims" / "eg2008.json"
    said = json.loads(file.read_text())
    key = "ocr__log__C=10__eg__passes=60"
    said["claims"][0]["runs"] = [key]
    said["claims"][1]["runs"] = [key.replace("ocr", "toy-english")]
    file.write_text(json.dumps(said))
    text = str(Text(write(results)))
    assert "The paper's own data 0 of 1 claim reproduced 1 inconclusive" in text
    assert "Twin: other data in their place 1 of 1 claim reproduced 1 reproduced" in text
    assert "Data generated here 0 of 1 claim reproduced 1 not reproduced" in text
    places = [
        text.index(words) for words in ("EG overtakes SGD", "The log of EG's duality", "Randomized EG beats")
    ]
    assert places == sorted(places)  # own data first, generated last


def test_each_figure_has_a_small_picture_at_the_top(results):
    page = write(results)
    top = page[: page.index('id="claims"')]
    assert top.count("data:image/png;base64,") == 2
    assert "The paper's own data 1 figure fig04-mnist eg2008 Twin: other data in their place 1 figure" in str(
        Text(top)
    )
    small = base64.b64decode(re.search(r"data:image/png;base64,([^\"]+)", top)[1])
    assert len(small) < 20_000
    assert struct.unpack(">II", small[16:24])[0] <= 320


def test_runs_that_are_missing_are_said_first_each_with_its_reason(results):
    reasons = {
        "mnist__log__C=10__eg__seed=8": "eg ran out of memory.",
        "mnist__log__C=10__eg__seed=9": "eg ran out of memory.",
        "mnist__log__C=1__sgd": "conll2002 cannot be had.",
    }
    page = write(results, missing=reasons)
    text = str(Text(page))
    alert = text[text.index("4 runs missing") : text.index("What was reproduced?")]
    assert "2 runs: eg ran out of memory. mnist__log__C=10__eg__seed=8 mnist__log__C=10__eg__seed=9" in alert
    assert "conll2002 cannot be had. mnist__log__C=1__sgd" in alert
    assert f"is asked for by a figure or claim, but not finished {fake_runs.MISSING}" in alert
    assert page.count("data-row=") == 22 + 4


def test_a_finished_run_that_is_said_to_be_missing_does_not_count(results):
    key = store.all_runs(results / "runs")[0].key
    page = write(results, missing={key: "its data are others."})
    assert "from 21 runs" in str(Text(page))
    assert page.count("data-row=") == 23


def test_what_is_left_out_is_said(results):
    assert "CoNLL-2002 cannot be had here." in str(
        Text(write(results, left_out=["CoNLL-2002 cannot be had here."]))
    )


def test_runs_that_diverged_are_said(results):
    text = str(Text(write(results)))
    assert "1 run diverged mnist__log__C=10__sgd:eta0=1__passes=60__seed=1 sgd met a value" in text
    assert "1 run diverged" not in write(results, [])


def test_what_is_right_is_not_alarming(tmp_path):
    page = str(Text(write(tmp_path, [fake_runs.write(tmp_path / "runs")])))
    assert "missing: what follows" not in page
    assert "1 run diverged" not in page


@pytest.mark.parametrize("verdict", ["missing", 'odd "verdict"'])
def test_a_verdict_that_nobody_knows_is_shown_as_it_is(results, verdict):
    file = results / "claims" / "eg2008.json"
    said = json.loads(file.read_text())
    said["claims"][0] |= {"verdict": verdict, "ours": ""}
    file.write_text(json.dumps(said))
    page = write(results)
    text = str(Text(page))
    assert (
        f"The paper's own data 0 of 3 claims reproduced 1 not reproduced 1 inconclusive 1 {verdict} eg2008" in text
    )
    assert f"{verdict} eg2008 Figure 4 The log of EG's duality gap" in text
    assert Text(page).open == []


def test_a_run_with_a_status_that_nobody_knows_is_shown(results):
    runs = store.all_runs(results / "runs")
    runs[0].summary["status"] = "enchanted"
    assert "1 enchanted" in str(Text(write(results, runs)))


def test_claims_stand_beside_the_papers_numbers(results):
    text = str(Text(write(results)))
    assert (
        "reproduced eg2008 Figure 4 The log of EG's duality gap falls about linearly fig04-mnist · 1 run" in text
    )
    assert (
        "The paper's own data MNIST, the data of the paper slope -0.1 slope -0.2 <at C = 10> least squares on"
        in text
    )


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


def test_the_pages_ask_for_nothing_outside_themselves(results):
    page = write(results)
    assert EXTERNAL.findall(page) == []
    assert EXTERNAL.findall(without_plotly(results)) == []
    for text in (page, without_plotly(results)):
        assert "http" not in re.sub(r"https?://www\.w3\.org|http-equiv", "", text)
        assert "default-src 'none'" in text
    assert page.count("data:image/svg+xml;base64,") == 2


def test_a_large_vector_image_is_shown_as_pixels(results):
    svg = results / "figures" / "eg2008" / "fig04-mnist.svg"
    svg.write_text(svg.read_text() + " " * images.LARGEST_SVG)
    page = write(results)
    png = svg.with_suffix(".png").read_bytes()
    assert f'src="data:image/png;base64,{base64.b64encode(png).decode()}"' in page
    assert page.count("data:image/svg+xml;base64,") == 1


def test_the_same_results_give_the_same_page(results):
    runs = store.all_runs(results / "runs")
    first = undated(write(results, runs)), without_plotly(results)
    assert first == (undated(write(results, runs[::-1])), without_plotly(results))


EVIL = "</td></script><script>alert(1)</script><img src=x onerror=alert(2)>"


def test_names_cannot_break_the_pages(results):
    runs = store.all_runs(results / "runs")
    runs[0].summary.update(message=EVIL, status=EVIL)
    runs[0].summary["provenance"].update(cpu=EVIL, host=EVIL)
    for file in (results / "claims" / "eg2008.json", results / "figures" / "eg2008" / "fig04-mnist.json"):
        said = json.loads(file.read_text())
        for one in (*said.get("claims", ()), said):
            one |= dict.fromkeys(
                ("id", "claim", "theirs", "ours", "detail", "setting", "where", "verdict", "title"), EVIL
            )
            one |= {"caption": EVIL}
        file.write_text(json.dumps(said))
    page = write(results, runs, missing={EVIL: EVIL}, left_out=[EVIL])
    for text in (page, without_plotly(results)):
        assert "<script>alert" not in text
        assert "<img src=x" not in text
    assert Text(page).open == []


def test_every_tag_is_closed_and_every_link_leads_somewhere(results):
    page = write(results)
    assert Text(page).open == Text(without_plotly(results)).open == []
    targets = set(re.findall(r'\bid="([^"]+)"', page))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= targets
    assert len(re.findall(r'\bid="([^"]+)"', page)) == len(targets)


def test_nothing_has_run_yet(tmp_path):
    text = str(Text(write(tmp_path, [])))
    for words in ("No claim has been judged yet", "No figure has been drawn yet", "No run is finished yet"):
        assert words in text
    assert '"runs":[]' in without_plotly(tmp_path)


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


def test_a_figure_of_pixels_alone_is_shown_so(results):
    sidecar = results / "figures" / "eg2008" / "fig04-mnist.json"
    sidecar.write_text(json.dumps(json.loads(sidecar.read_text()) | {"images": ["png"]}))
    sidecar.with_suffix(".svg").unlink()
    assert write(results).count("data:image/svg+xml;base64,") == 1


def test_a_missing_image_is_named_and_no_half_page_stays(results):
    (results / "figures" / "eg2008" / "fig04-ocr.svg").unlink()
    with pytest.raises(UserError, match=r"cannot read .*fig04-ocr.svg .*draw fig04-ocr again"):
        write(results)
    assert not (results / "report" / "index.html").exists()


def test_a_folder_that_cannot_be_made_is_said(results):
    (results / "report").touch()
    with pytest.raises(UserError, match=r"cannot write the report to .*report/explorer.html"):
        write(results)


def test_a_run_whose_curve_cannot_be_read_is_missing(results):
    key = "mnist__log__C=10__eg__passes=60"
    (results / "runs" / key / "curve.parquet").write_bytes(b"PAR1")
    text = str(Text(write(results)))
    alert = text[: text.index("What was reproduced?")]
    assert "2 runs missing" in alert
    assert f"{key}/curve.parquet cannot be read (" in alert
    assert key not in without_plotly(results)


def test_runs_of_other_machines_are_in_the_explorer_alone(results, tmp_path):
    key = "mnist__log__C=10__eg__passes=60"
    there = [fake_runs.write(tmp_path / "there", host="there"), fake_runs.write(tmp_path / "there", C=7.0)]
    (there[1].folder / "curve.parquet").write_bytes(b"PAR1")
    page = write(results, elsewhere=there)
    assert "from 22 runs" in str(Text(page))
    assert "missing: what follows" in page and there[1].key not in page
    data = json.loads(re.search(r'id="data">(.*?)</script>', without_plotly(results))[1])
    hosts = [data["hosts"][run["host"]] for run in data["runs"] if run["key"] == key]
    assert hosts == ["bench-host (Some CPU @ 3 GHz)", "there (Some CPU @ 3 GHz)"]


def test_a_claim_of_a_paper_without_figures_is_shown(results):
    file = results / "claims" / "eg2008.json"
    claims = json.loads(file.read_text())
    claims["claims"][0]["figures"] = []
    file.write_text(json.dumps(claims))
    shutil.rmtree(results / "figures")
    text = str(Text(write(results)))
    assert "eg2008 Figure 4 The log of EG's duality gap falls about linearly 1 run" in text
    assert "eg2008 Figure 5 Randomized EG beats deterministic EG fig04-mnist (not drawn) · 1 run" in text


def grid_of(results, *runs):
    """Which of these runs are best, or of all, as the report of a grid shows it."""
    there = Runs(results / "runs")
    return best([parse(run.key) for run in runs or store.all_runs(results / "runs")], there)


def test_of_a_config_that_has_only_grids_the_best_methods_come_first(tmp_path):
    runs = [
        fake_runs.write(tmp_path / "runs", C=C, algorithm=name) for C in (1.0, 10.0) for name in ("eg", "lbfgs")
    ]
    page = write(tmp_path, runs, papers={"grid-mine": ()}, name="mine", grids={"grid-mine": grid_of(tmp_path)})
    text = str(Text(page))
    assert "<title>structbench: results of mine, 4 runs</title>" in page
    top = text[text.index("Results of mine") : text.index("No figure has been drawn yet")]
    places = [
        top.index(words)
        for words in (
            "mnist, by test error",
            "log loss, C = 10 Within 0.1 % of the optimum after",
            "log loss, C = 1 Within 0.1 % of the optimum after",
            "method C test error % gap distance seconds passes seeds EG",
            "Each method has the C of its best error on the test split: this error is optimistic.",
        )
    ]
    assert places == sorted(places)
    for words in ("What was reproduced?", "Claims", "No claim has been judged", "reproduced"):
        assert words not in text
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(re.findall(r'\bid="([^"]+)"', page))
    assert Text(page).open == []


def test_a_grid_beside_papers_has_its_best_methods_in_its_own_part(results):
    run = store.read(results / "runs" / "ocr__log__C=10__eg__passes=60")
    grids = {"grid-mine": grid_of(results, run)}
    page = write(results, papers={"eg2008": ("fig04-mnist",), "grid-mine": ()}, name="quick", grids=grids)
    text = str(Text(page))
    assert "What was reproduced?" in text and "No claim" not in text
    part = text[text.index("grid-mine ocr, by test error") :]
    assert "method C test error % test F1 % gap distance seconds passes seeds EG 10" in part
    assert '<a class="sub" href="#figures-grid-mine">' in page and 'id="figures-grid-mine"' in page
    assert Text(page).open == []


def test_figures_of_an_earlier_config_are_not_shown(results):
    page = write(results, papers={"eg2008": ("fig04-mnist",)})
    assert "fig04-mnist" in page and 'id="eg2008-fig04-ocr"' not in page
