"""The report says what the files say, and nothing that they do not."""

import json
import re
import shutil
from contextlib import contextmanager

import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.report import explorer, paper_pages
from structbench.bench.runs import hosts, store
from structbench.bench.runs.results import VARIABLE as RESULTS
from tests.bench import fake_runs
from tests.bench.report.written import Text, in_order, write
from tests.narrowing import not_none

EXTERNAL = re.compile(r"""(?:src|href|action|srcset|poster)\s*=\s*["']\w+:(?!,")|\burl\(|@import""", re.I)


def whole(pages):
    """The pages but for the explorer, in their order for a reader."""
    return "\n".join(
        text for name, text in sorted(pages.items(), key=lambda pair: "/" in pair[0]) if name != explorer.NAME
    )


def text_of(results, runs=None, **rest):
    return str(Text(whole(write(results, runs, **rest))))


@contextmanager
def edited(file):
    """What a JSON file holds, written back once it was changed."""
    said = json.loads(file.read_text())
    yield said
    file.write_text(json.dumps(said))


def explorer_of(results):
    return (results / "report" / explorer.NAME).read_text(encoding="utf-8")


def undated(page):
    return re.sub(r"Written [\d: -]+UTC", "", page)


def test_the_index_answers_what_was_reproduced_and_leads_to_a_page_for_each_paper(results):
    pages = write(results)
    assert {*pages} == {"index.html", "eg2008/index.html", "runs.html", explorer.NAME}
    in_order(
        str(Text(pages["index.html"])),
        "What this run decides 2 of 3 sentences of the papers:",
        "1 hold, 0 hold with a lesser effect, 0 in part, 1 do not.",
        "The paper's own data 3 1 - - - 1 1",
        "1 reproduced, 1 not reproduced, 1 not run",
        "Figures 4 to 16",
        "reproduced Does it fall? MNIST, the data of the paper reproduced: slope",
        "from 22 runs of 2026-11-21 07:00 UTC",
        "of CPU time in solvers, scale quick, on Some CPU @ 3 GHz, commit 0123456789 .",
    )
    assert len(pages["index.html"]) < 50_000 and 'href="eg2008/index.html#evidence/claim-0"' in pages["index.html"]


def test_each_page_is_markdown_too_and_html_of_it(results):
    write(results)
    folder = results / "report"
    files = {file.relative_to(folder).as_posix() for file in folder.rglob("*.md")}
    assert files == {"README.md", "runs.md", "eg2008/README.md", "eg2008/figures.md", "eg2008/evidence.md"}
    text = (folder / "eg2008" / "README.md").read_text()
    assert "[1 of 1](evidence.md#claim-0) | [fig04-mnist](figures.md#fig04-mnist) |" in text
    page = (folder / "eg2008" / "index.html").read_text()
    assert '<a href="index.html#evidence/claim-0">1 of 1</a>' in page and '<h2 id="evidence/claim-0">' in page
    assert '<h2 id="figures/fig04-mnist">fig04-mnist</h2>' in page


def test_a_claim_leads_to_its_figure_whose_caption_is_folded(results):
    rest = f"And these words say how {'the many ' * 30}runs were made."
    with edited(results / "figures" / "eg2008" / "fig04-mnist.json") as said:
        said |= {"title": "eg2008, Figure 4: MNIST", "caption": f"The primal objective. {rest}"}
    page = write(results)["eg2008/index.html"]
    in_order(
        str(Text(page)),
        "Claims: the paper's own data",
        "EG overtakes SGD within 5 passes",
        "fig04-mnist eg2008, Figure 4: MNIST. The primal objective. And these words",
    )
    assert '<a href="index.html#figures/fig04-mnist">fig04-mnist</a>' in page


def test_substitute_and_generated_data_stand_apart(results):
    with edited(results / "claims" / "eg2008.json") as said:
        said["claims"][0] |= {"runs": ["ocr__log__C=10__eg__passes=60"], "figures": ["fig04-ocr"]}
        said["claims"][0]["claim"] += " (substitute data: letters, OCR)"
        said["claims"][0]["setting"] = "letters, OCR, substitute data"
        said["claims"][1] |= {"runs": ["toy-english__log__C=10__eg__passes=60"], "figures": []}
    text = text_of(results)
    assert "The paper's own data 1 - - - - - 1 Substitute data, in place of the paper's 1 1" in text
    assert "Data generated here 1 - - - - 1 -" in text
    sentence = "The log of EG's duality gap falls about linearly"
    assert f"{sentence} (Figure 4; letters, OCR)" in text, "the heading says that it is substitute data"
    in_order(text.partition("Claims: ")[2], "EG overtakes SGD", "The log of EG's duality", "Randomized EG beats")


def test_runs_that_are_missing_are_said_first_each_with_its_reason(results):
    reasons = {
        "mnist__log__C=10__eg__seed=8": "eg ran out of memory.",
        "mnist__log__C=10__eg__seed=9": "eg ran out of memory.",
        "mnist__log__C=1__sgd": "conll2002 cannot be had.",
    }
    pages = write(results, missing=reasons)
    text = str(Text(pages["index.html"]))
    alert = text[text.index("4 runs missing") : text.index("data claims")]
    assert "2 runs: eg ran out of memory. mnist__log__C=10__eg__seed=8 mnist__log__C=10__eg__seed=9" in alert
    assert "conll2002 cannot be had. mnist__log__C=1__sgd" in alert
    assert f"is asked for by a figure or claim, but not finished {fake_runs.MISSING}" in alert
    assert rows_of(pages) == 22 + 4


def test_a_figure_that_is_not_drawn_is_said_first_with_its_reason(results):
    assert "not drawn" not in text_of(results)
    with edited(results / "figures" / "eg2008" / "fig04-mnist.json") as said:
        said["failed"] = "it failed with ValueError: 1 < 0"
    text = text_of(results)
    alert = text[text.index("1 figure not drawn") : text.index("data claims")]
    assert alert.split("not drawn ")[1].strip() == "eg2008/fig04-mnist : it failed with ValueError: 1 < 0"


def test_what_is_left_out_or_diverged_is_said_and_a_run_that_is_said_to_be_missing_does_not_count(results):
    key = store.all_runs(results / "runs")[0].key
    pages = write(results, missing={key: "its data are others."}, left_out=["CoNLL-2002 cannot be had here."])
    assert rows_of(pages) == 23
    diverged = "1 run diverged mnist__log__C=10__sgd:eta0=1__passes=60__seed=1 sgd met a value"
    text = str(Text(whole(pages)))
    assert all(words in text for words in ("from 21 runs", "CoNLL-2002 cannot be had here.", diverged))


@pytest.mark.parametrize("verdict", ["missing", 'odd "verdict"'])
def test_a_verdict_or_status_that_nobody_knows_is_shown_as_it_is(results, verdict):
    with edited(results / "claims" / "eg2008.json") as said:
        said["claims"][0] |= {"verdict": verdict}
    runs = store.all_runs(results / "runs")
    runs[0].summary["status"] = "enchanted"
    text = text_of(results, runs)
    assert f"not reproduced not run {verdict} The paper's own data 3 - - - - 1 1 1" in text
    assert f"{verdict} The log of EG's duality gap" in text
    assert "1 enchanted" in text and "enchanted mnist log" in text


def test_claims_and_figures_have_their_numbers_captions_and_provenance(results):
    text = text_of(results)
    for words in (
        "reproduced The log of EG's duality gap falls about linearly (Figure 4; MNIST)",
        "reproduced: slope -0.2 <at C = 10>. 1 of 1",
        "The paper: slope -0.1. On: MNIST, the data of the paper. reproduced. reproduced: slope -0.2 <at C = 10>.",
        "C = 10 the slope is N times theirs 2.0 [1.5, 2.5] above 1.00 (band a factor of 1.1) holds - <least",
        "Figure 4 on mnist. Primal objective against effective passes at C = 10. Ours: today's machine.",
        "7 runs , explore , commit 0123456789 , mnist ba89ba89ba",
    ):
        assert words in text, words


def rows_of(pages):
    """How many runs the page of runs lists."""
    return pages["runs.html"].partition("Data sets</h2>")[0].count("<tr>") - 1


def test_a_run_is_a_row_with_its_numbers(results):
    pages = write(results)
    key = "mnist__log__C=100__lbfgs__passes=60"
    row = next(row for row in pages["runs.html"].split("<tr>") if key in row).partition("</tr>")[0]
    assert str(Text(row)) == f"passes mnist log 100 lbfgs passes=60 60 23.62 24.1 23,445.785 0.00418 7.5 - {key}"
    assert rows_of(pages) == 23


def test_data_sets_and_environments_are_said_and_counted_where_they_differ(results):
    runs = store.all_runs(results / "runs")
    runs[0].summary["provenance"]["cpu"] = "Another CPU"
    text = text_of(results, runs).replace(" ,", ",")
    said = ("59,000 7,840 CC BY-SA 3.0", "ba89" * 16, "numba 0.68.1", "scipy 1.17.1", "host bench-host")
    for words in (*said, "Some CPU @ 3 GHz (21 runs), Another CPU (1 run)", "0123456789abcdef" * 2 + "01234567"):
        assert words in text


def test_the_pages_are_the_same_each_time_and_ask_for_nothing_outside_themselves(results):
    runs = store.all_runs(results / "runs")
    first = {name: undated(text) for name, text in write(results, runs).items()}
    assert first == {name: undated(text) for name, text in write(results, runs[::-1]).items()}
    for text in first.values():
        assert EXTERNAL.findall(text) == []
        assert "http" not in re.sub(r"https?://www\.w3\.org|http-equiv", "", text)
        assert "default-src 'none'" in text


def test_a_large_vector_image_or_one_of_pixels_alone_is_shown_as_pixels_and_a_table_as_text(results):
    svg = results / "figures" / "eg2008" / "fig04-mnist.svg"
    images = {"fig04-mnist.svg", "fig04-ocr.svg"}

    def shown():
        page = write(results)["eg2008/index.html"]
        return page, {*re.findall(r'<img src="([^"]+)"', page)}

    assert shown()[1] == images
    svg.write_text(svg.read_text().replace("</svg>", f"<!--{'x' * paper_pages.LARGEST_SVG}--></svg>"))
    images = {"fig04-mnist.png", "fig04-ocr.svg"}
    assert shown()[1] == images
    png = results / "report" / "eg2008" / "fig04-mnist.png"
    assert png.read_bytes() == svg.with_suffix(".png").read_bytes()
    svg.unlink()
    assert shown()[1] == images
    with edited(svg.with_suffix(".json")) as said:
        said["table"] = [{"C": "10", "theirs, passes": "<11>"}, {"C": "1", "theirs, passes": "59"}]
    page, images = shown()
    assert "C theirs, passes 10 <11> 1 59" in str(Text(page)) and images == {"fig04-ocr.svg"}


CLAIM = ("id", "claim", "theirs", "answer", "by", "setting", "where", "verdict")
SEEN = "<img src=x onerror=alert(2)> [a](javascript:alert(3)) ![b](//c) `d` |"
EVIL = f"</td></script><script>alert(1)</script>{SEEN}"


def test_names_cannot_break_the_pages(results):
    runs = store.all_runs(results / "runs")
    runs[0].summary.update(message=EVIL, status=EVIL)
    runs[0].summary["provenance"].update(cpu=EVIL, host=EVIL)
    for file in (results / "claims" / "eg2008.json", results / "figures" / "eg2008" / "fig04-mnist.json"):
        with edited(file) as said:
            for k, one in enumerate((*said.get("claims", ()), said)):
                one |= dict.fromkeys((*CLAIM, "title", "caption"), EVIL) | {"id": f"eg2008/claim-{k} {EVIL}"}
    with edited(results / "figures" / "eg2008" / "fig04-ocr.json") as said:
        said["table"] = [{EVIL: EVIL, "x": "&lt;b&gt;"}]
    pages = write(results, runs, missing={EVIL: EVIL}, left_out=[EVIL], name=EVIL)
    for name, text in pages.items():
        assert "<script>alert" not in text and "<img src=x" not in text
        assert not re.search(r'="(javascript|//c)', text), name
        if name != explorer.NAME:
            assert str(Text(text)).count(SEEN) >= {"index.html": 10, "eg2008/index.html": 22, "runs.html": 4}[name]
    assert (
        f"{SEEN} x" in str(Text(pages["eg2008/index.html"])) and "&amp;lt;b&amp;gt;" in pages["eg2008/index.html"]
    )
    for file in (results / "report").rglob("*.md"):
        assert "<script" not in file.read_text() and "<img" not in file.read_text()


def test_nothing_has_run_yet_or_nothing_is_alarming(tmp_path):
    text = text_of(tmp_path, [fake_runs.write(tmp_path / "runs")])
    assert "missing: all else" not in text and "1 run diverged" not in text
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
    before = write(results)["index.html"]
    (results / file).write_text(text)
    with pytest.raises(UserError, match=rf"{file.rpartition('/')[2]} is broken \(.*(judge|draw it) again"):
        write(results)
    assert (results / "report" / "index.html").read_text() == before


def test_a_missing_image_or_a_folder_that_cannot_be_made_is_named_and_no_half_page_stays(results):
    for kind in ("svg", "png"):
        (results / "figures" / "eg2008" / f"fig04-ocr.{kind}").unlink()
    with pytest.raises(UserError, match=r"cannot read .*fig04-ocr.png .*draw the figures again"):
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
    page = whole(write(results, elsewhere=there))
    assert "from 22 runs" in str(Text(page))
    assert "missing: all else" in page and there[1].key not in page
    data = json.loads(not_none(re.search(r'id="data">(.*?)</script>', explorer_of(results)))[1])
    hosts = [data["hosts"][run["host"]] for run in data["runs"] if run["key"] == key]
    assert hosts == ["bench-host (Some CPU @ 3 GHz)", "there (Some CPU @ 3 GHz)"]
    (results / "runs" / key / "curve.parquet").write_bytes(b"PAR1")
    text = text_of(results)
    alert = text[text.index("What this run decides") : text.index("data claims")]
    assert "2 runs missing" in alert and f"{key}/curve.parquet cannot be read (" in alert
    assert key not in explorer_of(results)


def test_a_claim_of_a_paper_without_figures_is_shown(results):
    with edited(results / "claims" / "eg2008.json") as said:
        said["claims"][0]["figures"] = []
    shutil.rmtree(results / "figures")
    text = text_of(results)
    assert "The log of EG's duality gap falls about linearly (Figure 4" in text
    assert "0 of 1 fig04-mnist (not drawn)" in text
    assert "1 run , eg2008/claim-1" in text


def test_a_merged_run_that_figures_count_is_neither_missing_nor_out_of_date(results, monkeypatch):
    monkeypatch.setenv(RESULTS, str(results))
    key = "mnist__log__C=10__eg__passes=60"
    place = hosts.runs("there") / key
    place.parent.mkdir(parents=True)
    (results / "runs" / key).rename(place)
    text = text_of(results)
    assert "1 of its runs do not count today" in text and "2 runs missing" in text
    text = text_of(results, elsewhere=[store.read_run(place)])
    assert "do not count today" not in text and "1 run missing" in text
