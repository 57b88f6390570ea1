"""The explorer in a browser: what is chosen is drawn, said and kept in the address; nothing leaves the page."""

import json

import numpy as np
import pytest

from structbench.bench.drawing import colours
from structbench.bench.report import explorer, report
from structbench.bench.runs import catalogue
from tests.bench.chromium import BINARY
from tests.bench.report.explorer_page import EG, HOSTS, LONG, PROBLEM, choose, drawn, lines, said, tick

pytestmark = [
    pytest.mark.page,
    pytest.mark.slow,
    pytest.mark.skipif(BINARY is None, reason="Chromium is not installed"),
]


def test_it_asks_for_nothing_and_opens_at_the_problem_that_has_most_lines(fresh, file):
    opened = fresh()
    assert opened.evaluate("at('title').innerText") == "MNIST digits, log loss, C = 10"
    assert lines(opened) == ["EG, order random", "EG, order cyclic", "L-BFGS", "SGD, eta0 0", "SGD, eta0 9"]
    assert opened.evaluate("chosen('y')") == "distance", "which is fair to methods without a dual value"
    assert opened.evaluate("at('soon').textContent").endswith("of the optimum")
    opened.settle(0.5)
    assert [url for url in opened.requests if not url.startswith("data:")] == [file.as_uri()]
    assert opened.problems == []
    refused = """new Promise(done => {
        addEventListener('securitypolicyviolation', event => done(event.effectiveDirective));
        fetch('http://127.0.0.1:9/').catch(() => setTimeout(done, 2000, 'nothing'));
    })"""
    assert opened.evaluate(refused) == "connect-src", "the browser itself refuses to fetch"


def test_lines_of_near_colours_differ_in_their_dash(fresh):
    opened = fresh()
    look = "withLooks(['one', 'two'].map(name => ({ algorithm: name, name }))).map(each => each.dash)"
    opened.evaluate("Object.assign(DATA.colours.own, { one: '#0072B2', two: '#0074B8' })")
    opened.evaluate("Object.assign(DATA.colours.hues, { one: 'one', two: 'two' })")
    first, second = opened.evaluate(look)
    assert first == "" != second


def test_no_two_lines_look_the_same_and_a_problem_opens_with_those_that_end_best(fresh):
    opened = fresh()
    variants = "runs[0], variant: ['EG', `eta=${k}`], problem: ['many', 'log', '1']"
    curve = "Object.fromEntries(Object.keys(runs[0].curve).map(name => [name, [1, 100 - k]]))"
    opened.evaluate(f"runs.push(...Array.from({{ length: 99 }}, (_, k) => ({{ ...{variants}, curve: {curve} }})))")
    opened.evaluate("DATA.data.push(['many', 'many']); refill({ data: 'many' }); showFirst(); changed()")
    looks = "view.picture.lines.map(line => [line.colour, line.dash].join())"
    assert len(opened.evaluate(looks)) == opened.evaluate("MOST_TICKED") == len({*opened.evaluate(looks)})
    assert "12 of 99 lines are ticked" in said(opened) and lines(opened)[0] == "EG, eta 98"
    assert opened.evaluate("[...hidden].includes('EG, eta 98')") is False
    opened.evaluate("at('every').click()")
    assert 12 < len(opened.evaluate(looks)) == len({*opened.evaluate(looks)}) < 99
    assert "no look is left for them" in said(opened)
    opened.evaluate("at('no').click(); document.querySelectorAll('#lines input')[98].click()")
    assert len(opened.evaluate(looks)) == 1, "it takes the look of a line that is not ticked"


def test_the_legend_is_under_the_figure_and_bars_have_the_samples_of_lines(fresh):
    opened = fresh(PROBLEM)
    opened.resize(390, 900)
    opened.settle(0.3)
    names = "[...at('legend').children].map(each => each.textContent)"
    assert opened.evaluate(names) == ["EG, order random", "EG, order cyclic", "L-BFGS"]
    edge = "at('legend').getBoundingClientRect().top >= plot.getBoundingClientRect().bottom"
    assert opened.evaluate(edge)
    sample = "each => each.querySelector('path').getAttribute('stroke-dasharray') + each.textContent"
    bars, legend = (
        f"[...at('{name}').querySelectorAll('span:has(> svg)')].map({sample})" for name in ("bars", "legend")
    )
    assert sorted(opened.evaluate(bars)) == sorted(opened.evaluate(legend))
    opened.resize(1400, 900)


def test_colours_of_a_picture_are_those_of_figures(fresh):
    names = ["sgd", "eg", "sgd-armijo", "lbfgs", "adagrad"]
    opened, labels = fresh(), [catalogue.label(name) for name in names]
    own = {catalogue.label(name): colours.colour(name) for name in colours.in_order(names)}
    hues = {catalogue.label(name): colours.hue(name) for name in names}
    opened.evaluate(f"Object.assign(DATA.colours, {{ own: {json.dumps(own)}, hues: {json.dumps(hues)} }})")
    groups = f"{json.dumps(labels)}.map(name => ({{ algorithm: name, name }}))"
    found = opened.evaluate(f"withLooks({groups}).map(each => each.colour)")
    apart = colours.picture_colours(names)
    assert found == [apart[name] for name in names] and len({*found}) == len(names)


def test_it_opens_on_what_the_report_begins_with(fresh):
    opened = fresh()
    opened.evaluate(
        "DATA.begin = { data: 'mnist', loss: 'log', C: '1', y: 'distance', x: 'seconds', level: '1e-3' }"
    )
    opened.evaluate("start()")
    shown = opened.evaluate("['C', 'y', 'x', 'level'].map(chosen)")
    assert shown == ["1", "distance", "seconds", "1e-3"]
    assert "CPU seconds" in opened.evaluate("at('soon').textContent")
    opened.evaluate("delete DATA.begin")


def test_a_choice_draws_the_curves_of_its_runs_and_no_others(page, runs):
    opened = page()
    choose(opened, "data", "ocr")
    assert opened.evaluate("at('title').innerText") == "OCR letters, log loss, C = 1"
    assert list(drawn(opened)) == ["ocr__log__C=1__eg__passes=60"]
    choose(opened, "data", "mnist")
    choose(opened, "C", "every")
    assert lines(opened)[:2] == ["EG, order random, C = 10", "EG, order random, C = 1"]
    opened = page(f"{PROBLEM}&band=runs")
    (run,) = (run for run in runs if run.key == f"{EG}__seed=1")
    line = drawn(opened)[run.key]
    assert np.allclose(line["x"], run.curve.passes, rtol=1e-3)
    assert np.allclose(line["y"], run.curve.relative_gap, rtol=1e-3)
    choose(opened, "y", "error")
    choose(opened, "x", "seconds")
    line = drawn(opened)[run.key]
    assert np.allclose(line["x"], run.curve.cpu_seconds, rtol=1e-3)
    assert np.allclose(line["y"], 100 * run.curve.test_error, rtol=1e-3)


def test_medians_and_quantiles_are_those_of_numpy(page, runs):
    opened = page(f"{PROBLEM}&band=10")
    seeds = [run for run in runs if run.key.startswith(EG)]
    values = np.array([run.curve.relative_gap for run in seeds])  # all at the same passes
    low, high, median = opened.evaluate("(({ low, high, y }) => [low, high, y])(view.picture.lines[0])")
    assert np.allclose([low, median, high], np.quantile(values, [0.1, 0.5, 0.9], axis=0), rtol=2e-3)
    numbers, qs = [3.0, -1.0, 4.0, 1.5, 9.0, 2.0], [0, 0.1, 0.25, 0.5, 1]
    assert np.allclose(opened.evaluate(f"{qs}.map(q => quantile({numbers}, q))"), np.quantile(numbers, qs))

    for given, value in (
        ("[[0, 2], [1, 100]], 1, true", 10),  # a logarithm is linear between checkpoints
        ("[[0, 2], [1, 100]], 1, false", 50.5),
        ("[[1, 2], [1, 100]], 0.5, false", None),
        ("[[0, 2], [1, 7]], 3, false", 7),
    ):
        assert opened.evaluate(f"interpolated({given}, false)") == pytest.approx(value)


def test_a_median_ends_where_a_run_was_stopped_short(page):
    opened = page()

    def band(*given):
        curves = [{"status": status, "curve": {"passes": xs, "gap": ys}} for status, xs, ys in given]
        return opened.evaluate(f"band({json.dumps(curves)}, 'passes', 'gap', 0, false)")

    one, other = ("passes", [0, 1, 2], [9, 5, 3]), ("passes", [0, 1, 2], [9, 6, 4])
    found = band(one, ("timeout", [0, 1], [7, 3]))
    assert (found["x"], found["median"]) == ([0, 1], [8, 4])
    found = band(one, ("converged", [0, 1], [7, 3]))  # has nothing more to do
    assert (found["x"], found["median"]) == ([0, 1, 2], [8, 4, 3])
    found = band(one, other, ("diverged", [0, 1], [9, 8]))  # counts as worst
    assert found["median"] == [9, 6, 4]
    assert found["high"][-1] == 9  # as far as the plot goes
    assert band(one, ("diverged", [0, 1], [9, 8]))["x"] == [0, 1]
    curves = [("passes", 80), ("passes", 70), ("diverged", 10)]
    given = [
        {"status": status, "curve": {"passes": [0, 1, 2][: 2 + (end > 10)], "f1": [0, end, end][: 2 + (end > 10)]}}
        for status, end in curves
    ]
    found = opened.evaluate(f"band({json.dumps(given)}, 'passes', 'f1', 0, false)")
    assert (found["low"][-1], found["median"][-1], found["high"][-1]) == (0, 70, 80), "the worst F1 is the least"


def test_seconds_are_those_of_one_host_and_of_runs_that_were_alone(page):
    opened = page(f"{PROBLEM}&band=runs&x=seconds&host={HOSTS[0]}")
    assert not opened.evaluate("at('of-host').hidden")
    assert all("cyclic" not in key for key in drawn(opened))
    assert "8 runs of other hosts are not drawn: seconds of two machines are not compared." in said(opened)
    assert opened.evaluate("view.picture.x.title") == f"CPU seconds on {HOSTS[0]}"
    crossed = drawn(opened, "line.marks.every(mark => mark === 'cross')")
    assert list(crossed) == [f"{EG}__seed=2"]
    assert "Marked with crosses along the line: 1 run not alone on the machine" in said(opened)
    choose(opened, "alone", True)
    assert f"{EG}__seed=2" not in drawn(opened)
    assert "1 run not alone on the machine is left out" in said(opened)
    choose(opened, "host", HOSTS[1])
    unknown = "Of 4 runs it is not recorded whether they were alone on the machine: they are left out."
    assert drawn(opened) == {} and unknown in said(opened)
    choose(opened, "alone", False)
    assert {key.split("__")[3] for key in drawn(opened)} == {"eg:order=cyclic"}
    choose(opened, "x", "passes")
    assert {"eg", "eg:order=cyclic"} <= {key.split("__")[3] for key in drawn(opened)}


def test_what_is_not_drawn_is_said_and_the_table_says_where_the_lines_end(page):
    opened = page(PROBLEM)
    assert [key for key in drawn(opened) if "lbfgs" in key] == ["mnist__log__C=10__lbfgs__passes=60"]
    assert "1 run that differs from another only in when it stops" in said(opened)
    assert "5 runs without a certified gap are not drawn." in said(opened)
    cells = "[...at('ends').tBodies[0].rows].map(row => [...row.cells].map(cell => cell.innerText))"
    rows = opened.evaluate(cells)
    assert [row[0] for row in rows] == ["EG, order random", "EG, order cyclic", "L-BFGS"]
    assert rows[0][1] == "4" and rows[0][-2] == "all passes used"
    assert opened.evaluate("at('ends').querySelectorAll('code').length") == 9


def test_the_address_holds_what_is_chosen(page, fresh):
    opened = page(PROBLEM)
    for name, value in {"y": "primal", "x": "seconds", "band": "0", "logx": True}.items():
        choose(opened, name, value)
    tick(opened, 1)
    address = opened.evaluate("location.hash.slice(1)")
    values = "map(e => [e.name, e.type === 'checkbox' ? e.checked : e.value])"
    state = f"[...form.elements].filter(e => e.name).{values}"
    before, names = opened.evaluate(state), list(drawn(opened))
    again = fresh(address)
    assert again.evaluate(state) == before
    assert list(drawn(again)) == names
    again.evaluate(f"location.hash = '{PROBLEM}&y=error'")
    again.wait_for("form.elements.y.value === 'error'")
    assert not again.evaluate("form.elements.logy.checked")
    harmless = fresh("data=nowhere&loss=love&C=x&y=z&x=&band=7&host=me&without=nobody&alone=2")
    assert harmless.problems == [] and drawn(harmless)


def test_a_line_keeps_its_look_when_others_go_and_too_many_runs_are_drawn_as_medians(page):
    opened = page(PROBLEM)
    look = "view.picture.lines.filter(line => line.name === 'L-BFGS').map(line => [line.colour, line.dash])"
    before = opened.evaluate(look)
    tick(opened, 0)
    assert lines(opened)[0] == "EG, order random"
    assert opened.evaluate(look) == before == [[colours.colour("lbfgs"), ""]]
    opened.evaluate("at('no').click()")
    assert drawn(opened) == {}
    assert "Nothing to draw" in said(opened)
    opened.evaluate("at('every').click()")
    choose(opened, "band", "runs")
    count = opened.evaluate("runs.length")
    opened.evaluate("runs.push(...Array.from({ length: 200 }, (_, k) => ({ ...runs[0], seed: 100 + k }))); show()")
    assert not [key for key in drawn(opened) if "__eg__" in key]
    assert "are too many to draw one by one (at most 200)" in said(opened)
    opened.evaluate(f"runs.length = {count}; show()")


def test_the_keyboard_reaches_every_choice_and_each_has_a_label(fresh):
    opened = fresh(f"{PROBLEM}&x=seconds")
    nameless = "[...form.querySelectorAll('input, select')].filter(e => !e.labels[0]?.innerText.trim()).length"
    assert opened.evaluate(nameless) == 0
    reached = set()
    for _ in range(30):
        opened.press("Tab", 9)
        reached.add(opened.evaluate("document.activeElement.name || document.activeElement.id"))
    assert {
        "figure",
        "data",
        "loss",
        "C",
        "y",
        "x",
        "host",
        "alone",
        "band",
        "logx",
        "logy",
        "every",
        "no",
    } <= reached
    opened.evaluate("form.elements.y.focus()")
    opened.press("ArrowDown", 40)
    assert opened.evaluate("form.elements.y.value") == "primal"
    assert "primal" in opened.evaluate("location.hash")
    opened.evaluate("document.querySelectorAll('#lines input')[1].focus()")
    opened.press(" ", 32)
    assert opened.evaluate("[...hidden]") == ["L-BFGS"]
    assert opened.evaluate("document.activeElement.dataset.line") == "L-BFGS"  # where one was


def test_nothing_is_cut_off_at_the_side_and_without_runs_it_says_so(page, browser, tmp_path):
    opened = page(f"data={LONG}&x=seconds")
    assert opened.evaluate("at('title').innerText").startswith(LONG)
    for width in (400, 1400):
        opened.resize(width, 900)
        opened.settle(0.5)
        assert opened.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert opened.evaluate("plot.querySelector('svg').clientWidth <= plot.clientWidth")
    report.write_report(tmp_path / "report", [], tmp_path, tmp_path)
    browser.open("about:blank")
    browser.open((tmp_path / "report" / explorer.NAME).as_uri())
    assert browser.evaluate("at('said').innerText") == "No run is finished yet."
    assert browser.problems == []
