"""What the explorer opens on: a problem where something is seen, own runs, and where most lines are."""

import pytest

from tests.bench.chromium import BINARY
from tests.bench.report.explorer_page import PROBLEM, choose, lines, mouse, said

pytestmark = [
    pytest.mark.page,
    pytest.mark.slow,
    pytest.mark.skipif(BINARY is None, reason="Chromium is not installed"),
]
RUNS = (
    "[{}].map(([C, variant, ...ys]) => "
    "({{ problem: ['d', 'log', C], variant: [variant, ''], curve: {{ gap: ys, distance: ys }} }}))"
)


def test_a_linear_axis_opens_on_what_follows_the_start(page):
    opened = page()
    picture = "{ lines: [{ x: [0, 1, 2, 10], y: [100, %s, 5.5, 5] }], x: { log: false }, y: { log: %s } }"
    zoom = opened.evaluate(f"opening({picture % (6, 'false')})")
    assert zoom["x"] == [0, 10.3] and zoom["y"] == pytest.approx([4.97, 6.03])
    for falls_evenly in (picture % (60, "false"), picture % (6, "true")):
        assert opened.evaluate(f"opening({falls_evenly})") is None


def test_a_long_line_among_short_ones_does_not_squeeze_them_and_the_page_says_so(fresh):
    opened = fresh(PROBLEM)
    made = "[50, 40, 50, 50, 1000].map(end => ({ x: [0, end], y: [1, 1 / end] }))"
    picture = f"{{ lines: {made}, x: {{ log: false }}, y: {{ log: true }} }}"
    zoom = opened.evaluate(f"opening({picture})")
    assert (zoom["x"], zoom["most"], zoom["last"]) == ([0, 51.5], 50, 1000)
    assert opened.evaluate(f"opening({picture.replace('1000', '100')})") is None
    opened.evaluate(
        "for (const column in runs[0].curve) runs[0].curve[column]?.push(runs[0].curve[column].at(-1))"
    )
    opened.evaluate("runs[0].curve.passes[runs[0].curve.passes.length - 1] = 9000; view.picture.revision = ''")
    choose(opened, "band", "runs")
    assert "The plot opens with the first 60 passes, where most lines end: others go on to 9000." in said(opened)


def test_it_opens_on_the_problem_whose_lines_come_down_most_and_else_on_the_error(page):
    opened = page()
    seen = "['1', 'a', 1, 0.01], ['1', 'b', 1, 0.1]"
    flat = "['2', 'a', 1, 0.999], ['2', 'b', 1, 0.99], ['2', 'c', 1, 0.99]"
    deep = "['3', 'c', 1, 1e-6], ['3', 'd', 1, 0.1]"
    assert opened.evaluate(f"busiest({RUNS.format(f'{flat}, {seen}')})")[2] == "1"
    assert opened.evaluate(f"busiest({RUNS.format(f'{flat}, {seen}, {deep}')})")[2] == "3"
    runs = RUNS.format(flat)
    assert opened.evaluate(f"tellingMeasure({runs})") == "distance"
    assert opened.evaluate(f"tellingMeasure({runs}.map(run => (run.curve.error = [3], run)))") == "error"
    assert (
        opened.evaluate(f"tellingMeasure({RUNS.format(seen)}.map(run => (run.curve.error = [3], run)))")
        == "distance"
    )


def test_own_runs_are_ticked_and_first_beside_published_ones_and_so_is_their_host(fresh):
    opened = fresh(PROBLEM)
    late = "curve: { ...runs[0].curve, gap: runs[0].curve.gap.map(() => 0.9) }"
    mine = f"runs[0], variant: ['SGD', ''], host: 'mine', {late}"
    theirs = "runs[0], variant: ['EG', `eta=${k}, published in eg2008`]"
    opened.evaluate(
        f"runs = [...Array.from({{ length: 30 }}, (_, k) => ({{ ...{theirs} }})), {{ ...{mine} }}]; start()"
    )
    assert lines(opened)[0] == "SGD" and "SGD" not in opened.evaluate("[...hidden]")
    assert opened.evaluate("hidden.size") == 31 - 12
    assert "12 of 31 lines are ticked: a problem opens with your own and the published that end best." in said(
        opened
    )
    choose(opened, "x", "seconds")
    assert opened.evaluate("chosen('host')") == "mine"


def test_a_line_is_pointed_at_between_its_checkpoints_too(page):
    opened = page(f"{PROBLEM}&band=runs")
    opened.evaluate("for (const column of ['x', 'y']) view.picture.lines[0][column].splice(1, 57)")
    opened.evaluate("view.picture.lines.splice(1); render()")
    (x, y), (to_x, to_y) = opened.evaluate("view.chart.paths[0].places.slice(0, 2)")
    assert to_x - x > 300
    mouse(opened, "Moved", x + 0.3 * (to_x - x), y + 0.3 * (to_y - y) + 5)
    assert "0 passes" in opened.wait_for("!tip.hidden && tip.innerText")


def test_a_line_on_dark_ground_has_the_colour_that_the_reports_figures_have_there(page):
    opened = page()
    filtered = """(() => {
        const canvas = document.createElement("canvas"), pen = canvas.getContext("2d");
        pen.filter = [...document.styleSheets].flatMap(sheet => [...sheet.cssRules])
            .flatMap(rule => [...rule.cssRules ?? []]).find(rule => rule.style?.filter).style.filter;
        pen.fillStyle = COLOUR;
        pen.fillRect(0, 0, 9, 9);
        return [...pen.getImageData(4, 4, 1, 1).data].slice(0, 3);
    })()"""
    for colour in ("#0072B2", "#D55E00", "#1A1A1A", "#009E73"):
        own = opened.evaluate(f"parts(visible('{colour}', {{ dark: true }}))")
        assert own == pytest.approx(opened.evaluate(filtered.replace("COLOUR", f"'{colour}'")), abs=3)
