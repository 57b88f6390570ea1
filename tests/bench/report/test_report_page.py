"""The report in a browser: it shows, sorts and filters, and asks for nothing outside itself."""

import pytest

from structbench.bench.report import report
from tests.bench import fake_runs
from tests.bench.chromium import BINARY

pytestmark = [
    pytest.mark.page,
    pytest.mark.slow,
    pytest.mark.xdist_group("page of the report"),  # one browser
    pytest.mark.skipif(BINARY is None, reason="Chromium is not installed"),
]

RUNS, CLAIMS = "runs-table", "claims-table"

# WCAG 2's ratio of luminances, of each text and the nearest background that is not transparent
LEAST_CONTRAST = """(() => {
    const channels = text => text.match(/[\\d.]+/g).map(Number);
    const linear = c => c <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4;
    const luminance = text => channels(text).slice(0, 3)
        .reduce((sum, c, i) => sum + linear(c / 255) * [.2126, .7152, .0722][i], 0);
    const background = element => getComputedStyle(element).backgroundColor;
    const texts = 'h1, h2, td, th, a, small, .badge, .legend span, .thumbnails span';
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
    return report.write(folder / "report" / "index.html", runs, folder / "figures", folder / "claims")


@pytest.fixture
def page(browser, file):
    browser.open("about:blank")
    browser.open(file.as_uri())
    return browser


def tool(name, of):
    """The search box, list or text of a table's tools, in JavaScript."""
    return f"document.querySelector('[data-for={of}] {name}')"


def write_in_filter(page, text, of=RUNS):
    box = tool("input", of)
    page.evaluate(f"{box}.value = {text!r}; {box}.dispatchEvent(new Event('input'))")


def choose(page, name, value):
    chosen = tool(f"[data-column={name}]", CLAIMS)
    page.evaluate(f"{chosen}.value = {value!r}; {chosen}.dispatchEvent(new Event('change'))")


def column(page, number, of=RUNS):
    rows = f"[...document.querySelectorAll('#{of} tbody tr')].filter(row => row.offsetHeight)"
    return page.evaluate(f"{rows}.map(row => row.cells[{number}].innerText)")


def heading(number, of=RUNS):
    return f"document.querySelectorAll('#{of} thead th')[{number}]"


def test_it_asks_for_nothing_and_shows_its_figures_on_the_first_screen_small(page, file):
    seen = "top => top.getBoundingClientRect().bottom <= innerHeight"
    assert page.evaluate(f"({seen})(document.querySelector('.answer.own'))")
    small = "document.querySelector('.thumbnails img')"
    assert page.evaluate(f"({seen})({small})")
    assert page.evaluate(f"{small}.complete && {small}.naturalWidth > 200 && {small}.clientWidth < 200")
    page.evaluate("document.querySelector('.thumbnails a').click()")
    assert page.evaluate("location.hash") == "#eg2008-fig04-mnist"
    images = "[...document.querySelectorAll('figure img')]"
    page.evaluate("document.querySelector('figure').scrollIntoView()")
    shown = f"{images}.every(image => image.complete && image.naturalWidth > 300) && {images}.length"
    assert page.wait_for(shown) == 2
    assert [url for url in page.requests if not url.startswith("data:")] == [file.as_uri()]
    assert page.problems == []
    for width in (400, 800, 1400):
        page.resize(width, 900)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width


def test_claims_filter_by_words_verdict_data_and_paper(page):
    assert len(column(page, 0, CLAIMS)) == 3
    write_in_filter(page, "figure 5 randomized", CLAIMS)
    assert column(page, 0, CLAIMS) == ["not reproduced"]
    assert page.evaluate(f"{tool('.shown', CLAIMS)}.innerText") == "1 of 3 claims"
    page.evaluate(f"{tool('.all', CLAIMS)}.click()")
    choose(page, "verdict", "not run")
    assert column(page, 0, CLAIMS) == ["not run"]
    choose(page, "verdict", "")
    choose(page, "origin", "own")
    choose(page, "paper", "eg2008")
    assert len(column(page, 0, CLAIMS)) == 3
    assert len(column(page, 0)) == 23  # the runs are another table


def test_a_count_leads_to_its_claims_and_a_claim_to_its_runs(page):
    page.evaluate("document.querySelector('.answer.own [data-verdict=\\'not reproduced\\']').click()")
    assert column(page, 0, CLAIMS) == ["not reproduced"]
    assert page.evaluate("location.hash") == "#claims"
    page.evaluate("document.getElementById('eg2008/claim-2').querySelector('a.those').click()")
    assert column(page, 0) == ["passes", "missing"]
    assert page.evaluate("location.hash") == "#runs"


def test_a_run_leads_to_its_problem_in_the_explorer(page):
    links = "[...document.querySelectorAll('.key a')]"
    page.open(page.evaluate(f"{links}.find(a => a.innerText.startsWith('ocr__log__C=100__')).href"))
    page.wait_for("document.title.includes('explorer')")
    assert page.evaluate("document.getElementById('title').innerText") == "ocr, log loss, C = 100"


def test_the_filter_keeps_rows_that_have_every_word(page):
    assert len(column(page, 0)) == 23
    write_in_filter(page, "EG c=10 mnist cyclic")
    assert column(page, 5) == ["order=cyclic passes=60"]
    assert page.evaluate(f"{tool('.shown', RUNS)}.innerText") == "1 of 23 runs"
    write_in_filter(page, "diverged")
    assert column(page, 0) == ["diverged"]
    page.evaluate(f"{tool('.all', RUNS)}.click()")
    assert len(column(page, 0)) == 23


def test_a_heading_sorts_words_and_numbers_and_keeps_empty_cells_last(page):
    page.evaluate(f"{heading(2, CLAIMS)}.querySelector('button').click()")
    sentences = column(page, 2, CLAIMS)
    assert sentences == sorted(sentences)
    verdicts = ["reproduced", "not reproduced", "not run"]
    for expected in (verdicts, verdicts[::-1]):
        page.evaluate(f"{heading(0, CLAIMS)}.querySelector('button').click()")
        assert column(page, 0, CLAIMS) == expected
    page.evaluate(f"{heading(1)}.querySelector('button').focus()")
    page.press("Enter", 13, ("keyDown", "keyUp"), text="\r")
    assert page.evaluate(f"{heading(1)}.getAttribute('aria-sort')") == "ascending"
    page.evaluate(f"{heading(8)}.querySelector('button').click()")
    primals = [text.replace(",", "") for text in column(page, 8)]
    numbers = [float(text) for text in primals if text != "-"]
    assert numbers == sorted(numbers)
    assert primals[-2:] == ["-", "-"]  # the diverged and the missing run
    page.evaluate(f"{heading(8)}.querySelector('button').click()")
    assert column(page, 8)[0] == f"{max(numbers):,}"
    assert column(page, 8)[-2:] == ["-", "-"]
    assert page.evaluate(f"{heading(8)}.getAttribute('aria-sort')") == "descending"


@pytest.mark.parametrize("dark", [False, True])
def test_text_is_readable_in_light_and_dark(browser, file, dark):
    browser.open("about:blank")
    browser.open(file.as_uri(), dark=dark)
    assert browser.evaluate(LEAST_CONTRAST) >= 4.5  # the contrast that WCAG 2 asks for
    ground = browser.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(17, 21, 26)") is dark
