"""The explorer in a browser: what is chosen is drawn, said and kept in the address; nothing leaves the page."""

import json

import numpy as np
import pytest

from structbench.bench.drawing import colours
from structbench.bench.report import explorer, report
from tests.bench.chromium import BINARY
from tests.bench.report.explorer_page import EG, HOSTS, LONG, PROBLEM, choose, drawn, lines, said, tick

pytestmark = [
    pytest.mark.page,
    pytest.mark.slow,
    pytest.mark.skipif(BINARY is None, reason="Chromium is not installed"),
]


def test_it_asks_for_nothing_and_opens_at_the_problem_that_has_most_lines(fresh, file):
    opened = fresh()
    assert opened.evaluate("at('title').innerText") == "MNIST digits (mnist), log loss, C = 10"
    assert lines(opened) == ["EG", "EG, order=cyclic", "L-BFGS", "SGD", "SGD, eta0=9"]
    opened.settle(0.5)
    assert [url for url in opened.requests if not url.startswith("data:")] == [file.as_uri()]
    assert opened.problems == []
    refused = """new Promise(done => {
        addEventListener('securitypolicyviolation', event => done(event.effectiveDirective));
        fetch('http://127.0.0.1:9/').catch(() => setTimeout(done, 2000, 'nothing'));
    })"""
    assert opened.evaluate(refused) == "connect-src", "the browser itself refuses to fetch"


def test_a_choice_draws_the_curves_of_its_runs_and_no_others(page, runs):
    opened = page()
    choose(opened, "data", "ocr")
    assert opened.evaluate("at('title').innerText") == "OCR letters (ocr), log loss, C = 1"
    assert list(drawn(opened)) == ["ocr__log__C=1__eg__passes=60"]
    choose(opened, "data", "mnist")
    choose(opened, "C", "every")
    assert lines(opened)[:2] == ["EG, C = 10", "EG, C = 1"]
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


def test_seconds_are_those_of_one_host_and_of_runs_that_were_alone(page):
    opened = page(f"{PROBLEM}&band=runs&x=seconds&host={HOSTS[0]}")
    assert not opened.evaluate("at('of-host').hidden")
    assert all("cyclic" not in key for key in drawn(opened))
    assert "8 runs of other hosts are not drawn: seconds of two machines are not compared." in said(opened)
    assert opened.evaluate("view.picture.x.title") == f"CPU seconds (several threads: wall) on {HOSTS[0]}"
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
    assert [row[0] for row in rows] == ["EG", "EG, order=cyclic", "L-BFGS"]
    assert rows[0][1:3] == ["4", "passes (4)"]
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
    assert lines(opened)[0] == "EG"
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
    assert opened.evaluate("form.elements.y.value") == "distance"
    assert "distance" in opened.evaluate("location.hash")
    opened.evaluate("document.querySelectorAll('#lines input')[1].focus()")
    opened.press(" ", 32)
    assert opened.evaluate("[...hidden]") == ["L-BFGS"]
    assert opened.evaluate("document.activeElement.dataset.line") == "L-BFGS"  # where one was


def test_nothing_is_cut_off_at_the_side_and_without_runs_it_says_so(page, browser, tmp_path):
    opened = page(f"data={LONG}&x=seconds")
    assert opened.evaluate("at('title').innerText").startswith(f"Toy English ({LONG})")
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
