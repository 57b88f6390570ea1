"""The report in a browser: it shows, sorts and filters, and asks for nothing outside itself."""

import json
from dataclasses import replace

import pytest

from structbench.bench.report import report
from tests.bench import fake_runs
from tests.bench.chromium import BINARY

pytestmark = [
    pytest.mark.page,
    pytest.mark.slow,
    pytest.mark.skipif(BINARY is None, reason="Chromium is not installed"),
]

RUNS, CLAIMS = "#runs table", "table.claims"

# WCAG 2's ratio of luminances, of each text and the nearest background that is not transparent
LEAST_CONTRAST = """(() => {
    const channels = text => text.match(/[\\d.]+/g).map(Number);
    const linear = c => c <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4;
    const luminance = text => channels(text).slice(0, 3)
        .reduce((sum, c, i) => sum + linear(c / 255) * [.2126, .7152, .0722][i], 0);
    const background = element => getComputedStyle(element).backgroundColor;
    const texts = 'h1, h2, td, th, a, p, li, .badge';
    const ratios = [...document.querySelectorAll(texts)].map(text => {
        let ground = text;
        while (channels(background(ground))[3] === 0) ground = ground.parentElement;
        const [x, y] = [luminance(getComputedStyle(text).color), luminance(background(ground))];
        return (Math.max(x, y) + .05) / (Math.min(x, y) + .05);
    });
    return Math.min(...ratios);
})()"""


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    runs = fake_runs.grid(folder / "runs")
    fake_runs.figures(folder / "figures", runs)
    fake_runs.claims(folder / "claims", runs)
    said = json.loads((folder / "figures" / "eg2008" / "fig04-ocr.json").read_text())
    said |= {"table": [{"gap": text} for text in ("1,000 (9)", "-", "2.5 %", "-3e-2", "12")]}
    (folder / "figures" / "eg2008" / "table1.json").write_text(json.dumps(said))
    claims = json.loads((folder / "claims" / "eg2008.json").read_text())
    claims["claims"] += [
        claims["claims"][1] | {"id": f"eg2008/more-{k}", "claim": f"Again {k}"} for k in range(14)
    ]
    (folder / "claims" / "eg2008.json").write_text(json.dumps(claims))
    return report.write_report(folder / "report", runs, folder / "figures", folder / "claims")


@pytest.fixture
def show(browser, file):
    def opened(name="index.html", dark=False):
        browser.open("about:blank")
        browser.open((file.parent / name).as_uri(), dark=dark)
        return browser

    return opened


PAPER = "eg2008/index.html"
PAGES = ("index.html", PAPER, "runs.html")


def tool(name, of):
    """The search box, text or button above a table, in JavaScript."""
    return f"document.querySelector('{of}').parentNode.previousElementSibling.querySelector('{name}')"


def write_in_filter(page, text, of=RUNS):
    page.evaluate(f"{tool('input', of)}.value = {text!r}; {tool('input', of)}.dispatchEvent(new Event('input'))")


def column(page, number, of=RUNS):
    rows = f"[...document.querySelector('{of}').tBodies[0].rows].filter(row => row.offsetHeight)"
    return page.evaluate(
        f"{rows}.filter(row => !row.matches('.evidence')).map(row => row.cells[{number}].innerText)"
    )


def heading(number, of=RUNS):
    return f"document.querySelectorAll('{of} thead th')[{number}]"


def opened_evidence(page):
    return page.evaluate("[...document.querySelectorAll('tr.evidence')].map(row => row.innerText)")


def test_its_pages_ask_for_nothing_but_images_beside_them_when_they_come_into_view(show, file):
    page = show()
    bars = {(file.parent / folder / "verdicts.svg").as_uri() for folder in (".", "eg2008")}
    assert {*page.requests} <= {file.as_uri(), *bars}
    page.evaluate("document.querySelector('td a').click()")
    page.wait_for("document.title.includes('Collins') && document.readyState === 'complete'")
    images = "[...document.querySelectorAll('#figures img')]"
    page.evaluate("document.querySelector(\"a[href*='#figures/fig04-mnist']\").click()")
    assert page.evaluate("location.hash") == "#figures/fig04-mnist"
    shown = f"{images}.every(image => image.complete && image.naturalWidth > 300) && {images}.length"
    assert page.wait_for(shown) == 2
    before = page.evaluate(f"{images}[0].clientWidth")
    page.evaluate(f"{images}[0].click()")
    assert page.evaluate(f"{images}[0].clientWidth") > 1.5 * before, "a click makes it as wide as the page"
    assert all(url.startswith((file.parent.as_uri(), "data:")) for url in page.requests)
    assert page.problems == []


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_cut_off_at_the_side(show, name):
    page = show(name)
    for width in (390, 800, 1280):
        page.resize(width, 900)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width


def test_claims_filter_by_words(show):
    page = show(PAPER)
    assert len(column(page, 0, CLAIMS)) == 17
    write_in_filter(page, "figure 5 randomized", CLAIMS)
    assert column(page, 0, CLAIMS) == ["not reproduced"]
    assert page.evaluate(f"{tool('span', CLAIMS)}.innerText") == "1 of 17 rows"
    page.evaluate(f"{tool('button', CLAIMS)}.click()")
    assert len(column(page, 0, CLAIMS)) == 17
    write_in_filter(page, "not run", CLAIMS)
    assert column(page, 0, CLAIMS) == ["not run"]


def test_a_question_leads_to_its_claim_with_its_evidence_and_that_to_its_runs(show):
    page = show()
    page.evaluate("document.querySelectorAll('table.claims a')[2].click()")
    page.wait_for("document.title.includes('Collins') && document.readyState === 'complete'")
    (shown,) = opened_evidence(page)
    assert shown.startswith("EG overtakes SGD within 5 passes") and "to decide" not in shown
    row = "document.querySelector(\"a[href$='#evidence/claim-{}']\").closest('tr')"
    page.evaluate(f"{row.format(2)}.click()")
    assert opened_evidence(page) == []
    page.evaluate(f"{row.format(0)}.click()")
    (shown,) = opened_evidence(page)
    assert "2.0 [1.5, 2.5]\tabove 1.00 (band a factor of 1.1)" in shown
    assert page.evaluate("document.querySelectorAll('tr.evidence img').length") == 1, "the figure that decides it"
    page.evaluate(f"{row.format(0)}.click(); {row.format(2)}.click()")
    page.evaluate("document.querySelector(\"tr.evidence a[href*='runs.html']\").click()")
    page.wait_for("document.title.includes('Runs') && document.readyState === 'complete'")
    assert column(page, 0) == ["passes", "missing"]


def test_without_claims_in_view_evidence_is_folded_and_opens_by_its_address(show):
    page = show(PAPER)
    assert page.evaluate("document.querySelector('#evidence').offsetHeight") == 0
    page.evaluate("location.hash = 'evidence/claim-1'")
    page.wait_for("document.querySelector('tr.evidence') !== null")
    assert opened_evidence(page)[0].startswith("Randomized EG beats deterministic EG")
    page.evaluate("[...document.links].find(link => link.innerText === 'all evidence').click()")
    assert page.wait_for("document.querySelector('#evidence').offsetHeight > 0")


def test_a_caption_shows_its_first_sentence_and_folds_the_others(show):
    page = show(PAPER)
    caption = page.evaluate("document.getElementById('figures/fig04-ocr').parentNode.innerText")
    assert "Figure 4 on ocr." in caption and "Primal objective against" in caption and "today's" not in caption
    page.evaluate("document.querySelectorAll('#figures summary').forEach(each => each.click())")
    assert "today's machine." in page.evaluate("document.getElementById('figures/fig04-ocr').parentNode.innerText")


def test_a_run_leads_to_its_problem_in_the_explorer(show):
    page = show("runs.html")
    links = "[...document.querySelectorAll('td:last-child a')]"
    page.open(page.evaluate(f"{links}.find(a => a.innerText.startsWith('ocr__log__C=100__')).href"))
    page.wait_for("document.title.includes('explorer')")
    title = page.evaluate("document.getElementById('title').innerText")
    assert title == "OCR letters, log loss, C = 100"


def test_the_filter_keeps_rows_that_have_every_word(show):
    page = show("runs.html")
    assert len(column(page, 0)) == 23
    write_in_filter(page, "EG c=10 mnist cyclic")
    assert column(page, 5) == ["order=cyclic passes=60"]
    assert page.evaluate(f"{tool('span', RUNS)}.innerText") == "1 of 23 rows"
    write_in_filter(page, "diverged")
    assert column(page, 0) == ["diverged"]
    page.evaluate(f"{tool('button', RUNS)}.click()")
    assert len(column(page, 0)) == 23


def test_a_heading_sorts_words_and_numbers_and_keeps_empty_cells_last(show):
    page = show(PAPER)
    page.evaluate(f"{heading(1, CLAIMS)}.querySelector('button').click()")
    sentences = column(page, 1, CLAIMS)
    assert sentences[0].startswith("Again 0") and sentences[-1].startswith("The log") and len(sentences) == 17
    verdicts = ["reproduced", *["not reproduced"] * 15, "not run"]
    for expected in (verdicts, verdicts[::-1]):
        page.evaluate(f"{heading(0, CLAIMS)}.querySelector('button').click()")
        assert column(page, 0, CLAIMS) == expected
    page = show("runs.html")
    page.evaluate(f"{heading(1)}.querySelector('button').focus()")
    page.press("Enter", 13, ("keyDown", "keyUp"), text="\r")
    assert page.evaluate(f"{heading(1)}.getAttribute('aria-sort')") == "ascending"
    page.evaluate(f"{heading(8)}.querySelector('button').click()")
    primals = [text.replace(",", "") for text in column(page, 8)]
    numbers = [float(text) for text in primals if text not in ("-", "inf")]
    assert numbers == sorted(numbers)
    assert primals[-1] == "-"  # the missing run
    page.evaluate(f"{heading(8)}.querySelector('button').click()")
    assert f"{max(numbers):,}" in column(page, 8)[:2]
    assert column(page, 8)[-1] == "-"
    assert page.evaluate(f"{heading(8)}.getAttribute('aria-sort')") == "descending"


def test_of_many_runs_those_in_view_are_laid_out_and_all_are_found_and_sorted(browser, tmp_path):
    first = fake_runs.write(tmp_path / "runs", checkpoints=3)
    runs = [replace(first, key=f"{first.key}__seed={seed}") for seed in range(1, 251)]
    page = report.write_report(tmp_path / "report", runs, tmp_path, tmp_path).with_name("runs.html")
    browser.open(page.as_uri())
    assert len(column(browser, 0)) == 100
    assert browser.evaluate(f"{tool('span', RUNS)}.innerText") == "250 rows"
    browser.evaluate("document.querySelector('.tall').scrollTop = 1e6")
    browser.wait_for(f"document.querySelectorAll('{RUNS} tbody tr:not([hidden])').length >= 200")
    write_in_filter(browser, "seed=250")
    assert len(column(browser, 0)) == 1
    write_in_filter(browser, "")
    for _ in range(2):
        browser.evaluate(f"{heading(5)}.querySelector('button').click()")
    assert column(browser, 5)[0].endswith("seed=250") and len(column(browser, 5)) < 250


def test_in_a_column_of_numbers_words_come_last_whatever_digit_they_begin_with(show):
    page = show(PAPER)
    cells = "[...document.querySelectorAll('#figures td')]"
    page.evaluate(
        f"['2 of 3 seeds', '3.2', 'not reached', '12.1', '0.5'].forEach((x, k) => {cells}[k].textContent = x)"
    )
    page.evaluate("document.querySelector('#figures th button').click()")
    said = page.evaluate(f"{cells}.map(cell => cell.textContent)")
    assert said == ["0.5", "3.2", "12.1", "2 of 3 seeds", "not reached"]


def test_a_figure_leads_to_its_runs_also_where_there_are_few(browser, tmp_path):
    first = fake_runs.write(tmp_path / "runs", checkpoints=3)
    runs = [first, replace(first, key=f"{first.key}__seed=1")]
    folder = tmp_path / "figures" / "eg2008"
    folder.mkdir(parents=True)
    (folder / "one.json").write_text(json.dumps(fake_runs.SIDECAR | {"runs": [first.key], "missing": []}))
    for kind in ("svg", "csv"):
        (folder / f"one.{kind}").write_text(
            "<svg xmlns='http://www.w3.org/2000/svg'/>" if kind == "svg" else "a\n1\n"
        )
    page = report.write_report(tmp_path / "report", runs, tmp_path / "figures", tmp_path).with_name("runs.html")
    browser.open(f"{page.as_uri()}#of:eg2008/one")
    assert column(browser, -1 + 14) == [first.key]
    assert browser.evaluate(f"{tool('span', RUNS)}.innerText") == "1 of 2 rows"


def test_a_table_that_is_a_figure_sorts_by_the_numbers_that_its_cells_begin_with(show):
    page = show(PAPER)
    page.evaluate("document.querySelector('#figures th button').click()")
    cells = page.evaluate("[...document.querySelectorAll('#figures td')].map(cell => cell.textContent)")
    assert cells == ["-3e-2", "2.5 %", "12", "1,000 (9)", "-"]


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("name", PAGES)
def test_text_is_readable_in_light_and_dark(show, name, dark):
    page = show(name, dark)
    assert page.evaluate(LEAST_CONTRAST) >= 4.5  # the contrast that WCAG 2 asks for
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(17, 21, 26)") is dark


def test_what_goes_on_beyond_the_side_of_a_narrow_page_says_so(show):
    page = show(PAPER)
    page.resize(390, 900)
    boxes = "[...document.querySelectorAll('p:has(> img)')]"
    goes_on = f"{boxes}.filter(box => box.scrollWidth > box.clientWidth + 1)"
    said = "getComputedStyle(box, '::before').content.includes('scroll sideways')"
    assert page.wait_for(f"{goes_on}.length > 0 && {goes_on}.every(box => {said})")
    assert page.evaluate(f"{boxes}.filter(box => !{goes_on}.includes(box)).every(box => !({said}))")
