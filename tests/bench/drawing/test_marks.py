"""A caption says what lines have besides, and no more: bands, dots at their ends, thin lines to names."""

from dataclasses import replace

import numpy as np
import pytest

from structbench.bench.drawing import marks, style
from structbench.bench.runs.store import Run
from tests.bench import fake_runs


@pytest.fixture
def runs(tmp_path) -> list[Run]:
    return [fake_runs.write(tmp_path, seed=seed, passes=20.0) for seed in (0, 1)]


def said(runs: list[Run], column: style.Column = "relative_gap", end: float = 60.0, name: str = "") -> str:
    _, ((axes,),) = style.panels(1, 1)
    line = style.line(axes, runs, column)
    axes.set_xlim(0, end)
    if name:
        style.label_ends(axes, [(line, name)])
    marks.hide_open_ends([axes])
    return " ".join(marks.explained([axes]))


def test_a_caption_names_only_what_is_drawn(runs):
    one, band = runs[:1], "A line with a band is the mean over 2 repetitions, the band their range."
    limit = "An open dot ends runs that came to a limit before the axis ends."
    assert said(runs) == f"{band} {limit}"
    assert said(one) == limit
    assert said(one, end=20.0) == said(one, end=10.0) == "", "they go on to the end of the axis"
    assert said(one, name="EG") == f"{limit} Grey dots lead from the end of a line to its name."
    wild = replace(runs[1], summary=runs[1].summary | {"status": "diverged"})
    assert said([*one, wild]).startswith(f"{band} It ends where one of them diverged.")
    reached = [replace(run, summary=run.summary | {"status": "converged"}) for run in one]
    assert said(reached) == f"A full dot ends runs that reached a relative gap of {one[0].spec.gap:g}."


def test_no_dot_is_where_a_line_is_cut_before_its_run_ends(runs):
    assert said(runs[:1], lambda curve: np.where(curve["passes"] < 10, curve["relative_gap"], np.nan)) == ""
