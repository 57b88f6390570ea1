"""The report says what the files say, and nothing that they do not."""

import base64
import json
import re
import shutil
import struct
from contextlib import contextmanager
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.drawing.best import best
from structbench.bench.report import explorer, images, report
from structbench.bench.runs import store
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import parse
from tests.bench import fake_runs

EXTERNAL = re.compile(
    r"""(?:src|href|action|data|srcset|poster)\s*=\s*["'](?!data:|#|explorer.html|index.html")|\burl\(|@import""",
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
    """The report in one file."""
    runs = store.all_runs(results / "runs") if runs is None else runs
    rest = {"one_file": True} | rest
    out = report.write(results / "report", runs, results / "figures", results / "claims", **rest)
    page = out.read_text(encoding="utf-8")
    assert Text(page).open == [], "a tag is not closed"
    targets = re.findall(r'\bid="([^"]+)"', page)
    links = {link for link in re.findall(r'href="#([^"]+)"', page) if not link.startswith("of:")}
    assert len(targets) == len({*targets}) and (links <= {*targets} or not rest["one_file"])
    return page


def text_of(results, runs=None, **rest):
    return str(Text(write(results, runs, **rest)))


@contextmanager
def edited(file):
    """What a JSON file holds, written back once it was changed."""
    said = json.loads(file.read_text())
    yield said
    file.write_text(json.dumps(said))


def explorer_of(results):
    return (results / "report" / explorer.NAME).read_text(encoding="utf-8")


def in_order(text, *words):
    places = [text.index(each) for each in words]
    assert places == sorted(places)


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


def test_the_index_answers_what_was_reproduced_and_leads_to_a_page_for_each_paper(results):
    page = write(results, one_file=False)
    in_order(
        str(Text(page)),
        "What this run decides 2 of 3 sentences of the papers: 1 hold, 0 hold in part, 1 do not.",
        "from 22 runs of 2026-11-21 07:00 UTC",
        "of solving, scale quick, on Some CPU @ 3 GHz, commit 0123456789 .",
        "The paper's own data 1 of 3 claims reproduced 1 reproduced 1 not reproduced 1 not run Collins et",
        "eg2008 Figures 4 to 16",
        "reproduced Does it fall? MNIST, the data of the paper reproduced: slope",
    )
    assert "<img" not in page and len(page) < 50_000
    folder = results / "report"
    pages = {file.name: file.read_text(encoding="utf-8") for file in folder.glob("*.html")}
    assert {*pages} == {"index.html", "eg2008.html", "runs.html", explorer.NAME}
    small = (folder / "images" / "eg2008-fig04-mnist.small.png").read_bytes()
    assert len(small) < 20_000 and struct.unpack(">II", small[16:24])[0] <= 320
    for name, text in pages.items():
        if name == explorer.NAME:
            continue
        for link in re.findall(r'(?:href|src)="([^"]+)"', text):
            file, _, anchor = link.partition("#")
            if file != "data:,":
                assert (folder / unquote(file or name)).is_file(), link
            if anchor and not anchor.startswith("of:") and file in pages and file != explorer.NAME:
                assert f'id="{anchor}"' in pages[file], link


def test_a_figure_lies_under_the_claims_that_it_decides_and_its_caption_is_folded(results):
    rest = f"And these words say how {'the many ' * 30}runs were made."
    with edited(results / "figures" / "eg2008" / "fig04-mnist.json") as said:
        said |= {"title": "eg2008, Figure 4: MNIST", "caption": f"The primal objective. {rest}"}
    page = write(results)
    text = str(Text(page))
    in_order(
        text,
        "The paper's own data 3 claims, 1 figure Figure 4: MNIST Verdict",
        "EG overtakes SGD within 5 passes",
        "Figure 4: MNIST The primal objective. And these words",
        "Substitute data, in place of the paper's 0 claims, 1 figure Other figures Figure 4 on ocr",
    )
    assert "<summary>The primal objective.</summary>" in page
    assert page.count('id="eg2008/fig04-mnist"') == 1


def test_twins_and_generated_data_stand_apart(results):
    with edited(results / "claims" / "eg2008.json") as said:
        said["claims"][0] |= {"runs": ["ocr__log__C=10__eg__passes=60"], "figures": ["fig04-ocr"]}
        said["claims"][1] |= {"runs": ["toy-english__log__C=10__eg__passes=60"], "figures": []}
    text = text_of(results)
    assert "The paper's own data 0 of 1 claim reproduced 1 not run" in text
    assert "Substitute data, in place of the paper's 1 of 1 claim reproduced 1 reproduced" in text
    assert "Data generated here 0 of 1 claim reproduced 1 not reproduced" in text
    in_order(text, "EG overtakes SGD", "The log of EG's duality", "Randomized EG beats")  # own data first


def test_runs_that_are_missing_are_said_first_each_with_its_reason(results):
    reasons = {
        "mnist__log__C=10__eg__seed=8": "eg ran out of memory.",
        "mnist__log__C=10__eg__seed=9": "eg ran out of memory.",
        "mnist__log__C=1__sgd": "conll2002 cannot be had.",
    }
    page = write(results, missing=reasons)
    text = str(Text(page))
    alert = text[text.index("4 runs missing") : text.index("What this run decides")]
    assert "2 runs: eg ran out of memory. mnist__log__C=10__eg__seed=8 mnist__log__C=10__eg__seed=9" in alert
    assert "conll2002 cannot be had. mnist__log__C=1__sgd" in alert
    assert f"is asked for by a figure or claim, but not finished {fake_runs.MISSING}" in alert
    assert page.count("data-row=") == 22 + 4


def test_a_figure_that_is_not_drawn_is_said_first_with_its_reason(results):
    assert 'id="failed"' not in write(results)
    with edited(results / "figures" / "eg2008" / "fig04-mnist.json") as said:
        said["failed"] = "it failed with ValueError: 1 < 0"
    text = text_of(results)
    alert = text[text.index("1 figure not drawn") : text.index("What this run decides")]
    assert alert.split("not drawn ")[1].strip() == "eg2008/fig04-mnist : it failed with ValueError: 1 < 0"


def test_what_is_left_out_or_diverged_is_said_and_a_run_that_is_said_to_be_missing_does_not_count(results):
    key = store.all_runs(results / "runs")[0].key
    page = write(results, missing={key: "its data are others."}, left_out=["CoNLL-2002 cannot be had here."])
    assert page.count("data-row=") == 23
    diverged = "1 run diverged mnist__log__C=10__sgd:eta0=1__passes=60__seed=1 sgd met a value"
    assert all(words in str(Text(page)) for words in ("from 21 runs", "CoNLL-2002 cannot be had here.", diverged))


@pytest.mark.parametrize("verdict", ["missing", 'odd "verdict"'])
def test_a_verdict_or_status_that_nobody_knows_is_shown_as_it_is(results, verdict):
    with edited(results / "claims" / "eg2008.json") as said:
        said["claims"][0] |= {"verdict": verdict}
    runs = store.all_runs(results / "runs")
    runs[0].summary["status"] = "enchanted"
    text = text_of(results, runs)
    assert f"0 of 3 claims reproduced 1 not reproduced 1 not run 1 {verdict} Collins" in text
    assert f"{verdict} The log of EG's duality gap" in text
    assert "1 enchanted" in text


def test_claims_and_figures_have_their_numbers_captions_and_provenance(results):
    text = text_of(results)
    for words in (
        "reproduced The log of EG's duality gap falls about linearly reproduced: slope -0.2 <at C = 10>. 1 of 1",
        "reproduced: slope -0.2 <at C = 10>. The paper: slope -0.1. On MNIST, the data of the paper. holds",
        "the slope is N times theirs; N = 2.0 [1.5, 2.5], needed: above 1.0 (band a factor of 1.1) fig04-mnist",
        "Figure 4 on mnist Primal objective against effective passes at C = 10.",
        "fig04-mnist · commit 0123456789 · mnist ba89ba89ba 7 runs · explore",
    ):
        assert words in text


def test_a_run_is_a_row_with_its_numbers(results):
    page = write(results)
    row = next(row for row in page.split("<tr ") if "mnist__log__C=100__lbfgs__passes=60" in row and "<td" in row)
    run = store.read(results / "runs" / "mnist__log__C=100__lbfgs__passes=60")
    assert f'data-v="{run.summary["primal"]}">23,445.785<' in row
    assert f'data-v="{run.summary["relative_gap"]}">0.00418<' in row
    assert ">7.5<" in row
    assert 'data-v="">-<' in row  # no F1 on MNIST
    assert page.count("data-row=") == 23


def test_data_sets_and_environments_are_said_and_counted_where_they_differ(results):
    runs = store.all_runs(results / "runs")
    runs[0].summary["provenance"]["cpu"] = "Another CPU"
    text = text_of(results, runs).replace(" ,", ",")
    said = ("59,000 7,840 CC BY-SA 3.0", "ba89" * 16, "numba 0.68.1", "scipy 1.17.1", "host bench-host")
    for words in (*said, "Some CPU @ 3 GHz (21 runs), Another CPU (1 run)", "0123456789abcdef" * 2 + "01234567"):
        assert words in text


def test_the_pages_are_the_same_each_time_and_ask_for_nothing_outside_themselves(results):
    runs = store.all_runs(results / "runs")
    first = undated(write(results, runs)), explorer_of(results)
    assert first == (undated(write(results, runs[::-1])), explorer_of(results))
    for text in first:
        assert EXTERNAL.findall(text) == []
        assert "http" not in re.sub(r"https?://www\.w3\.org|http-equiv", "", text)
        assert "default-src 'none'" in text


def test_a_large_vector_image_or_one_of_pixels_alone_is_shown_as_pixels_and_a_table_as_text(results):
    svg = results / "figures" / "eg2008" / "fig04-mnist.svg"
    assert write(results).count("data:image/svg+xml;base64,") == 2
    svg.write_text(svg.read_text() + " " * images.LARGEST_SVG)
    page = write(results)
    png = svg.with_suffix(".png").read_bytes()
    assert f'src="data:image/png;base64,{base64.b64encode(png).decode()}"' in page
    assert page.count("data:image/svg+xml;base64,") == 1
    with edited(svg.with_suffix(".json")) as said:
        said["images"] = ["png"]
    svg.unlink()
    assert undated(write(results)) == undated(page)
    with edited(svg.with_suffix(".json")) as said:
        said["table"] = [{"C": "10", "theirs, passes": "<11>"}, {"C": "1", "theirs, passes": "59"}]
    page = write(results)
    assert "C theirs, passes 10 <11> 1 59" in str(Text(page)) and page.count("data:image/svg+xml;base64,") == 1


CLAIM = ("id", "claim", "theirs", "answer", "by", "setting", "where", "verdict")
EVIL = "</td></script><script>alert(1)</script><img src=x onerror=alert(2)>"


def test_names_cannot_break_the_pages(results):
    runs = store.all_runs(results / "runs")
    runs[0].summary.update(message=EVIL, status=EVIL)
    runs[0].summary["provenance"].update(cpu=EVIL, host=EVIL)
    for file in (results / "claims" / "eg2008.json", results / "figures" / "eg2008" / "fig04-mnist.json"):
        with edited(file) as said:
            for k, one in enumerate((*said.get("claims", ()), said)):
                one |= dict.fromkeys((*CLAIM, "title", "caption"), EVIL) | {"id": f"{EVIL}{k}"}
    page = write(results, runs, missing={EVIL: EVIL}, left_out=[EVIL])
    for text in (page, explorer_of(results)):
        assert "<script>alert" not in text
        assert "<img src=x" not in text
        assert Text(text).open == []


def test_nothing_has_run_yet_or_nothing_is_alarming(tmp_path):
    text = text_of(tmp_path, [fake_runs.write(tmp_path / "runs")])
    assert "missing: what follows" not in text and "1 run diverged" not in text
    text = text_of(tmp_path, [])
    for words in ("No claim has been judged yet", "No figure has been drawn yet", "No run is finished yet"):
        assert words in text
    assert '"runs":[]' in explorer_of(tmp_path)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        *(("claims/eg2008.json", text) for text in ("{", "[]", "3", '{"paper": "eg2008"}', "")),
        *(("figures/eg2008/fig04-ocr.json", text) for text in ("{", '{"title": "x"}')),
    ],
)
def test_a_broken_file_is_named_and_the_page_before_stays(results, file, text):
    before = write(results)
    (results / file).write_text(text)
    with pytest.raises(UserError, match=rf"{file.rpartition('/')[2]} is broken \(.*(judge|draw it) again"):
        write(results)
    assert (results / "report" / "index.html").read_text() == before


def test_a_missing_image_or_a_folder_that_cannot_be_made_is_named_and_no_half_page_stays(results):
    (results / "figures" / "eg2008" / "fig04-ocr.svg").unlink()
    with pytest.raises(UserError, match=r"cannot read .*fig04-ocr.svg .*draw fig04-ocr again"):
        write(results)
    assert not (results / "report").exists()
    shutil.rmtree(results / "figures")
    (results / "report").touch()
    with pytest.raises(UserError, match=r"cannot write the report to .*/report \("):
        write(results)


def test_runs_of_other_machines_are_in_the_explorer_alone_and_broken_ones_missing(results, tmp_path):
    key = "mnist__log__C=10__eg__passes=60"
    there = [fake_runs.write(tmp_path / "there", host="there"), fake_runs.write(tmp_path / "there", C=7.0)]
    (there[1].folder / "curve.parquet").write_bytes(b"PAR1")
    page = write(results, elsewhere=there)
    assert "from 22 runs" in str(Text(page))
    assert "missing: what follows" in page and there[1].key not in page
    data = json.loads(re.search(r'id="data">(.*?)</script>', explorer_of(results))[1])
    hosts = [data["hosts"][run["host"]] for run in data["runs"] if run["key"] == key]
    assert hosts == ["bench-host (Some CPU @ 3 GHz)", "there (Some CPU @ 3 GHz)"]
    (results / "runs" / key / "curve.parquet").write_bytes(b"PAR1")
    text = text_of(results)
    alert = text[: text.index("What this run decides")]
    assert "2 runs missing" in alert and f"{key}/curve.parquet cannot be read (" in alert
    assert key not in explorer_of(results)


def test_a_claim_of_a_paper_without_figures_is_shown(results):
    with edited(results / "claims" / "eg2008.json") as said:
        said["claims"][0]["figures"] = []
    shutil.rmtree(results / "figures")
    text = text_of(results)
    assert "Claims without a figure here Verdict" in text
    assert "The log of EG's duality gap falls about linearly Figure 4" in text
    assert "fig04-mnist (not drawn) · 1 run · eg2008/claim-1" in text


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
    in_order(
        top,
        "mnist, by test error",
        "log loss, C = 10 Within 0.1 % of the optimum after",
        "log loss, C = 1 Within 0.1 % of the optimum after",
        "method C test error % gap distance seconds passes seeds EG",
        "CHOSEN ON TEST DATA: each method has the C of its best error on the test split",
    )
    for words in ("What this run decides", "Claims", "No claim has been judged", "reproduced"):
        assert words not in text


def test_a_grid_beside_papers_has_its_best_methods_in_its_own_part(results):
    run = store.read(results / "runs" / "ocr__log__C=10__eg__passes=60")
    grids = {"grid-mine": grid_of(results, run)}
    page = write(results, papers={"eg2008": ("fig04-mnist",), "grid-mine": ()}, name="quick", grids=grids)
    text = str(Text(page))
    assert "What this run decides" in text and "No claim" not in text
    part = text[text.index("The best of grid mine ocr, by test error") :]
    assert "method C test error % test F1 % gap distance seconds passes seeds EG 10" in part
    assert '<a href="#grid-mine">grid mine</a>' in page
    assert "fig04-mnist" in page and 'id="eg2008/fig04-ocr"' not in page, "it is of an earlier config"
