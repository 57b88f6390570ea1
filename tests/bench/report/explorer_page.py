"""The explorer as tests use it: its choices, and what it draws and says."""

import json

SEEDS = (0, 1, 2, 3)
HERE, THERE = {"host": "here", "alone": True}, {"host": "there", "alone": None}
HOSTS = "here (Some CPU @ 3 GHz)", "there (Some CPU @ 3 GHz)"
LONG = "toy-english:segments=true,sentences=1000,task=entities,test_sentences=1000"
FIGURE = "eg2008/fig04-mnist"
PROBLEM = "data=mnist&loss=log&C=10"
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
    chosen = f"plot.data.filter(trace => trace.run && ({condition}))"
    found = page.evaluate(f"{chosen}.map(trace => ({{ key: trace.run.key, x: trace.x, y: trace.y }}))")
    return {trace["key"]: trace for trace in found}


def said(page):
    return page.evaluate("at('said').innerText + ' ' + at('notes').innerText")


def hover(page, trace):
    """What is shown over the twenty-first point of the first line of this kind."""
    place = f"{{ curveNumber: plot.data.findIndex(t => {trace}), pointNumber: 20 }}"
    page.evaluate(f"document.querySelector('.hoverlayer').replaceChildren(); Plotly.Fx.hover(plot, [{place}])")
    texts = "[...document.querySelectorAll('.hoverlayer text')].map(text => text.textContent).join(' ')"
    return page.wait_for(texts)
