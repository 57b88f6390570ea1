"""The report in a browser: it shows, sorts and filters, and asks for nothing outside itself."""

import pytest

from bench.report import report
from tests.bench import fake_runs
from tests.bench.chromium import BINARY, chromium

pytestmark = [
    pytest.mark.page,
    pytest.mark.slow,
    pytest.mark.xdist_group("page of the report"),  # one browser
    pytest.mark.skipif(BINARY is None, reason="Chromium is not installed"),
]

VISIBLE = "[...document.querySelectorAll('#table tbody tr')].filter(row => row.offsetHeight)"

# WCAG 2's ratio of luminances, of each text and the nearest background that is not transparent
LEAST_CONTRAST = """(() => {
    const channels = text => text.match(/[\\d.]+/g).map(Number);
    const linear = c => c <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4;
    const luminance = text => channels(text).slice(0, 3)
        .reduce((sum, c, i) => sum + linear(c / 255) * [.2126, .7152, .0722][i], 0);
    const background = element => getComputedStyle(element).backgroundColor;
    const ratios = [...document.querySelectorAll('h1, td, a, small, .badge, .legend span')].map(text => {
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


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with chromium(tmp_path_factory.mktemp("profile")) as page:
        yield page


@pytest.fixture
def page(browser, file):
    browser.open("about:blank")
    browser.open(file.as_uri())
    return browser


def write_in_filter(page, text):
    page.evaluate(f"filter.value = {text!r}; filter.dispatchEvent(new Event('input'))")


def column(page, number):
    return page.evaluate(f"{VISIBLE}.map(row => row.cells[{number}].innerText)")


def test_it_asks_for_nothing_and_has_no_errors(page, file):
    page.settle(0.5)
    assert [url for url in page.requests if not url.startswith("data:")] == [file.as_uri()]
    assert page.problems == []


def test_the_figures_are_decoded(page):
    images = "[...document.images]"
    page.evaluate("document.querySelector('figure').scrollIntoView()")
    assert (
        page.wait_for(f"{images}.every(image => image.complete && image.naturalWidth > 300) && {images}.length")
        == 2
    )


def test_the_filter_keeps_rows_that_have_every_word(page):
    assert len(column(page, 0)) == 23
    write_in_filter(page, "EG c=10 mnist cyclic")
    assert column(page, 5) == ["order=cyclic passes=60"]
    assert page.evaluate("shown.innerText") == "1 of 23 runs"
    write_in_filter(page, "diverged")
    assert column(page, 0) == ["diverged"]
    page.evaluate("all.click()")
    assert len(column(page, 0)) == 23


def test_a_heading_sorts_numbers_as_numbers_and_keeps_empty_cells_last(page):
    heading = "document.querySelectorAll('#table th')[8].querySelector('button')"
    page.evaluate(f"{heading}.click()")
    primals = [text.replace(",", "") for text in column(page, 8)]
    numbers = [float(text) for text in primals if text != "-"]
    assert numbers == sorted(numbers)
    assert primals[-2:] == ["-", "-"]  # the diverged and the missing run
    page.evaluate(f"{heading}.click()")
    assert column(page, 8)[0] == f"{max(numbers):,}"
    assert column(page, 8)[-2:] == ["-", "-"]
    assert page.evaluate("document.querySelectorAll('#table th')[8].getAttribute('aria-sort')") == "descending"


def test_a_claim_shows_its_runs(page):
    page.evaluate("document.getElementById('eg2008/claim-2').querySelector('a.those').click()")
    assert column(page, 0) == ["passes", "missing"]
    assert page.evaluate("location.hash") == "#runs"


@pytest.mark.parametrize("width", [400, 800, 1400])
def test_nothing_is_cut_off_at_the_side(page, width):
    page.resize(width, 900)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.resize(1400, 900)


@pytest.mark.parametrize("dark", [False, True])
def test_text_is_readable_in_light_and_dark(browser, file, dark):
    browser.open("about:blank")
    browser.open(file.as_uri(), dark=dark)
    assert browser.evaluate(LEAST_CONTRAST) >= 4.5  # the contrast that WCAG 2 asks for
    ground = browser.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(17, 21, 26)") is dark
