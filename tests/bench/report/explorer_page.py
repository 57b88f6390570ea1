"""The explorer as tests use it: its choices, and what it draws and says."""

import json

SEEDS = (0, 1, 2, 3)
HERE, THERE = {"host": "here", "alone": True}, {"host": "there", "alone": None}
HOSTS = "here (Some CPU @ 3 GHz)", "there (Some CPU @ 3 GHz)"
LONG = "toy-english:segments=true,sentences=1000,task=entities,test_sentences=1000"
FIGURE = "eg2008/fig04-mnist"
PROBLEM = "data=mnist&loss=log&C=10&y=gap"
EG = "mnist__log__C=10__eg__passes=60"


def choose(page, name, value):
    if isinstance(value, bool):
        page.evaluate(f"if (form.elements.{name}.checked !== {json.dumps(value)}) form.elements.{name}.click()")
    else:
        page.evaluate(
            f"form.elements.{name}.value = {value!r};"
            f"form.elements.{name}.dispatchEvent(new Event('change', {{ bubbles: true }}))"
        )


def tick(page, line):
    """Have a line drawn, or not any more."""
    page.evaluate(f"document.querySelectorAll('#lines input')[{line}].click()")


def lines(page):
    """The names in the list of algorithms."""
    return page.evaluate("[...document.querySelectorAll('#lines label')].map(label => label.innerText.trim())")


def drawn(page, condition="true"):
    """The lines of single runs that are drawn, each with the name of its run."""
    chosen = f"view.picture.lines.filter(line => line.run && ({condition}))"
    found = page.evaluate(f"{chosen}.map(line => ({{ key: line.run.key, x: line.x, y: line.y }}))")
    return {line["key"]: line for line in found}


def said(page):
    return page.evaluate("at('said').innerText + ' ' + at('notes').innerText")


def mouse(page, kind, x, y, clicks=1):
    """Move the mouse to a place of the plot, or press or release its button there."""
    page.evaluate("plot.scrollIntoView({ behavior: 'instant', block: 'center' })")
    left, top = page.evaluate("(({ x, y }) => [x + 1, y + 1])(plot.getBoundingClientRect())")
    place = {"x": left + x, "y": top + y}
    page.call("Input.dispatchMouseEvent", type=f"mouse{kind}", button="left", clickCount=clicks, **place)


def hover(page, condition):
    """Point at the twenty-first point of the first such line; returns its place and what is shown."""
    line = f"view.picture.lines.find(line => {condition})"
    x, y = page.evaluate(f"view.chart.paths.find(path => path.line === {line}).places[20]")
    mouse(page, "Moved", x, y)
    return (x, y), page.wait_for("!tip.hidden && tip.innerText")
