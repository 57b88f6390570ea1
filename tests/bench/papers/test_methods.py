"""The figures of all methods and of scaling: their runs, what the data sets admit, and that they can be drawn."""

import csv
import io
import itertools
import json
from pathlib import Path

import numpy as np
import pytest

from structbench.algorithms.losses import family
from structbench.bench.drawing import draw as drawing
from structbench.bench.drawing.draw import draw_figures
from structbench.bench.drawing.method_looks import labels, looks
from structbench.bench.papers import methods, scaling
from structbench.bench.papers.grid_runs import grids
from structbench.bench.papers.methods import figures as bridge
from structbench.bench.runs import catalogue
from structbench.bench.runs.finished import Runs
from tests.bench import synthetic_curves


@pytest.mark.parametrize("scale", ["tiny", "quick", "paper"])
def test_every_algorithm_that_admits_the_data_is_there(scale):
    """But for variants, a path over C, what lists outputs or pairs of examples or weights, and other penalties."""
    other = {"cocoa", "eg-path", "eg-qp", "coordinate-descent", "naive-smo", "kernel-svm"}
    other |= {"newton", "interior-point", "sequential-dual-path"}
    for task in methods.tasks(scale):
        found = {spec.algorithm for loss in methods.LOSSES for spec in task.all(loss)}
        wanted = {name for name in catalogue.algorithms() if not catalogue.lacking(name, {}, task.data.structure)}
        assert found == {name for name in wanted if "l2" in catalogue.penalties(name)} - other


def test_an_algorithm_that_says_nothing_is_there_with_its_defaults_and_all_at_each_C():
    task = methods.tasks("tiny")[0]
    for loss, name, there in (("log", "lbfgs", True), ("hinge", "lbfgs", False), ("hinge", "smo", True)):
        found = [spec for spec in task.all(loss) if spec.algorithm == name]
        assert [dict(spec.params) for spec in found] == [catalogue.parameters(name)] * there
    assert {spec.C for spec in task.all("log")} == {10.0}
    assert {spec.C for task in methods.tasks("paper") for spec in task.all("log")} == {10.0, 1.0}


def test_missing_runs_are_named_and_the_rest_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "USUAL", ("svg",))
    task = methods.tasks("tiny")[0]
    specs = [spec for loss in methods.LOSSES for spec in task.all(loss)]
    for spec in specs[:-1]:
        synthetic_curves.write(tmp_path / "runs", spec)
    wanted = {name: f for name, f in methods.figures_of("tiny").items() if name in ("all-mnist", "profile-hinge")}
    for sidecar in draw_figures("methods", wanted, Runs(tmp_path / "runs"), tmp_path / "figures"):
        assert specs[-1].key in json.loads(sidecar.read_text())["missing"]
        assert sidecar.with_suffix(".svg").stat().st_size > 5000


def test_the_bridge_is_drawn_from_the_hinge_to_the_softmax_margin():
    (task,) = methods.bridged("tiny")
    runs = synthetic_curves.of()
    specs = bridge.bridge_specs(task, task.Cs[0])
    assert [family.named_loss(spec.loss).temperature for spec in specs] == [*bridge.TAUS, 1.0]
    for k, spec in enumerate(specs):
        synthetic_curves.write(runs, spec, error=0.1 - 0.01 * k, haste=9.0)
    figure = bridge.draw_bridge([task], runs)
    gaps, errors = figure.axes
    assert np.asarray(errors.lines[0].get_ydata()) == pytest.approx([10, 9, 8, 7, 6])
    assert np.asarray(errors.lines[1].get_ydata()) == pytest.approx([5])
    assert [each.get_text() for each in gaps.texts] == ["3 passes"]  # the runs made four
    figure.draw_without_rendering()


def test_runs_that_half_a_second_cuts_are_drawn_as_cut(tmp_path: Path):
    """At 100 passes a run that was cut at 40 has its last gap, open. One that was cut at 7 has none."""
    (task, *_) = methods.bridged("quick")
    runs = synthetic_curves.of()
    for spec, last in zip(bridge.bridge_specs(task, task.Cs[0]), (7.0, 40.0, 7.0, 120.0, 7.0, 40.0), strict=True):
        passes = np.array([0.0, 1.0, 3.0, 7.0, 10.0, 30.0, 40.0, 100.0, 120.0])
        synthetic_curves.write(runs, spec, passes=passes[passes <= last], rate=0.1, status="timeout")
    figures = {"bridge": methods.figures_of("quick")["bridge"]}
    (sidecar,) = draw_figures("methods", figures, runs, tmp_path)
    assert "failed" not in json.loads(sidecar.read_text())
    rows = csv.DictReader(io.StringIO(sidecar.with_suffix(".csv").read_text()))
    found = {(row["series"], row["x"]): row["y"] for row in rows if row["panel"] == "1"}
    cut = {place for place in found if "cut by" in place[0]}
    whole, log = "{} passes, cut by the limit of seconds", "{} passes, log loss, cut by the limit of seconds"
    assert cut == {
        *((whole.format(10), tau) for tau in ("0", "0.1", "1")),
        (whole.format(100), "0.03"),
        (log.format(100), "log\nloss"),
    }
    assert found["100 passes", "1"] == "" and found["10 passes", "1"] == found[whole.format(10), "1"] != ""
    assert float(found["100 passes", "0.3"]) == pytest.approx(10 * np.exp(-10), rel=1e-3)
    assert float(found["100 passes", "0.03"]) == pytest.approx(10 * np.exp(-4) / (1 + 5 * np.exp(-4)), rel=1e-3)


SCALED = {title: [*itertools.chain(*(grids(scaling.__file__, "tiny").get(name, []) for name in own))]
          for title, own in scaling.ROWS.items()}  # fmt: skip


def scaled(peak):
    """Runs of all sizes, each of the same seconds a pass, memory and gap."""
    runs = synthetic_curves.of()
    for spec in scaling.timed_of("tiny"):
        run = synthetic_curves.write(runs, spec, second_per_pass=0.4)
        n = spec.data.options["sentences"]
        run.summary.update(num_examples=n, passes=spec.passes, peak_memory=peak, relative_gap=0.1)
    return runs


def test_time_and_memory_are_drawn_against_the_number_of_sentences(tmp_path):
    runs = scaled(2**30)
    (sidecar,) = draw_figures("scaling", scaling.figures_of("tiny"), runs, tmp_path / "figures")
    assert json.loads(sidecar.read_text())["missing"] == []
    drawn = scaling.draw_scaling(SCALED, runs)
    # samples of lines before their names are not of data
    seconds, memory, gap, error = (
        [line for line in axes.lines if line.get_transform() != axes.transAxes] for axes in drawn.axes[:4]
    )
    assert np.array([line.get_ydata() for line in seconds]) == pytest.approx(0.4) and seconds
    assert {tuple(np.asarray(line.get_ydata())) for line in memory} == {(1.0, 1.0)}
    assert {tuple(np.asarray(line.get_ydata())) for line in gap} == {(0.1, 0.1)}
    assert (50, 100) in {tuple(np.asarray(line.get_xdata())) for line in error}


@pytest.mark.parametrize("peak", [2**30, None])
def test_what_was_not_measured_is_not_drawn(peak):
    """Memory is measured for some runs only, and seconds of another machine do not count."""
    figure = scaling.draw_scaling(SCALED, scaled(peak).timed_on(None))
    figure.draw_without_rendering()
    seconds, memory, gap = figure.axes[:3]
    assert not seconds.lines and seconds.texts[0].get_text() == "not measured"
    assert bool(memory.lines) == bool(peak) and {text.get_text() for text in gap.texts} >= {"EG"}


@pytest.mark.parametrize("scale", ["quick", "paper"])
def test_scaling_is_of_real_text_and_left_out_without_it(scale):
    assert {spec.data.name for spec in scaling.timed_of(scale)} == {*scaling.CORPORA}
    without = frozenset(scaling.CORPORA)
    assert not scaling.timed_of(scale, without) and not scaling.figures_of(scale, without)
    found = {spec.algorithm for spec in scaling.timed_of(scale)}
    assert found - {"crfsuite"} == {"eg", "sdca", "sag", "sgd", "sequential-dual", "perceptron"}
    beside = {spec.data.text for spec in scaling.timed_of(scale) if spec.algorithm == "crfsuite"}
    assert len(beside) == (3 if scale == "paper" else 0) and "peoples-daily" not in beside  # it would need 20 GB


@pytest.mark.parametrize("loss", methods.LOSSES)
def test_no_two_lines_look_alike(loss):
    specs = [spec for task in methods.tasks("quick") for spec in task.all(loss)]
    drawn = looks(labels(specs)).values()
    assert len({(look["color"], str(look["linestyle"])) for look in drawn}) == len(drawn) > 10
