"""The figures of a grid of the user's: panels, names of lines, the performance profile."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bench.drawing import comparison, curves, style
from bench.drawing import draw as drawing
from bench.drawing.draw import draw
from bench.runs.finished import Runs, machines
from bench.runs.spec import make
from tests.bench import synthetic_curves

DATA = "mnist:train=100"


def grid():
    eg = [make(DATA, "log", C, "eg", {"order": o}, passes=40.0) for C in (1, 10) for o in ("random", "cyclic")]
    return eg + [make(DATA, "log", C, "sgd", passes=40.0) for C in (1, 10)]


def test_every_figure_of_a_grid_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "UNDATED", {"svg": {"Date": None}})  # one kind of file, for speed
    for spec in grid()[:-1]:
        synthetic_curves.write(tmp_path / "runs", spec)
    figures = comparison.figures("mine", grid())
    stem = "mnist-train=100-log"
    kinds = [f"{stem}-{kind}" for kind in ("gap-passes", "gap-seconds", "primal-seconds", "error-passes")]
    assert list(figures) == [*kinds, "profile"]
    for sidecar in draw("mine", figures, Runs(tmp_path / "runs"), tmp_path / "figures"):
        said = json.loads(sidecar.read_text())
        assert len(said["runs"]) == 5, sidecar
        assert said["missing"] == [grid()[-1].key]
        assert sidecar.with_suffix(".svg").stat().st_size > 5000


def beams(data="toy-english"):
    return [make(data, None, None, "laso", {"beam": beam}, passes=10.0) for beam in (1, 5)]


def without_objective(runs: Runs, specs: list) -> None:
    for spec in specs:
        run = synthetic_curves.write(runs, spec)
        run.curve[["primal", "dual", "gap", "relative_gap"]] = np.nan


def drawn(figures, stem: str, runs: Runs):
    with style.context():
        figure = figures[stem].draw(runs)
        figure.draw_without_rendering()
    return figure


def names_in(figure) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_runs_without_a_loss_are_beside_those_that_have_one() -> None:
    specs = [make("toy-english", loss, C, "eg", passes=40.0) for loss in ("log", "hinge") for C in (1, 10)]
    figures = comparison.figures("mine", [*specs, *beams()])
    per_loss = ["gap-passes", "gap-seconds", "primal-seconds", "error-passes", "error-seconds"]
    stems = [f"toy-english-{loss}-{kind}" for loss in ("hinge", "log") for kind in per_loss]
    assert list(figures) == [*stems, "profile"]
    runs = synthetic_curves.of(*(synthetic_curves.write(synthetic_curves.of(), spec) for spec in specs))
    without_objective(runs, beams())
    errors = drawn(figures, "toy-english-log-error-seconds", runs)
    assert names_in(errors) == ["EG", "LaSO, beam 1", "LaSO, beam 5"]
    assert [axes.get_title("left") for axes in errors.axes] == ["C = 10", "C = 1"]
    assert all(len(axes.lines) == 3 for axes in errors.axes)
    assert names_in(drawn(figures, "toy-english-log-gap-passes", runs)) == ["EG"]
    assert names_in(drawn(figures, "profile", runs)) == ["EG"]
    assert "the same in every panel" in figures["toy-english-log-error-passes"].caption
    assert "the same in every panel" not in figures["toy-english-log-gap-passes"].caption


def test_runs_without_a_loss_alone_have_errors_to_show() -> None:
    figures = comparison.figures("mine", beams())
    assert list(figures) == ["toy-english-none-error-passes", "toy-english-none-error-seconds"]
    runs = synthetic_curves.of()
    without_objective(runs, beams())
    for stem, figure in figures.items():
        assert [axes.get_title("left") for axes in drawn(figures, stem, runs).axes] == ["no loss"]
        assert figure.title.endswith("toy-english, no loss")
        assert "panel" not in figure.caption


def test_without_a_penalty_there_is_no_gap() -> None:
    plain = [make(DATA, "log", 1, "lbfgs", penalty="none", passes=40.0)]
    figures = comparison.figures("mine", plain)
    stem = "mnist-train=100-log"
    assert list(figures) == [f"{stem}-primal-seconds", f"{stem}-error-passes"]
    runs = synthetic_curves.of(synthetic_curves.write(synthetic_curves.of(), plain[0]))
    assert [axes.get_title("left") for axes in drawn(figures, f"{stem}-error-passes", runs).axes] == ["no penalty"]


def test_a_panel_without_anything_to_show_is_left_out_with_the_reason() -> None:
    specs = [make(DATA, "log", C, "lbfgs", passes=40.0) for C in (1, 10, 100)]
    specs += [make(DATA, "log", 1, "lbfgs", penalty="none", passes=40.0)]
    figures = comparison.figures("mine", specs)
    made = [synthetic_curves.write(synthetic_curves.of(), spec) for spec in specs]
    made[-1].curve[["dual", "gap", "relative_gap"]] = np.nan
    runs = synthetic_curves.of(*made[1:])  # C = 1 is not finished
    figure = drawn(figures, "mnist-train=100-log-gap-passes", runs)
    assert [axes.get_title("left") for axes in figure.axes] == ["C = 100", "C = 10"]
    assert figure.get_suptitle().splitlines() == [
        "left out: C = 1 (no run is finished)",
        "no penalty (no run has a duality gap)",
    ]
    figure = drawn(figures, "mnist-train=100-log-error-passes", runs)
    assert [axes.get_title("left") for axes in figure.axes] == ["C = 100", "C = 10", "no penalty"]


def test_a_figure_of_nothing_says_why() -> None:
    specs = [make(DATA, "log", 1, "lbfgs", passes=40.0)]
    run = synthetic_curves.write(synthetic_curves.of(), specs[0])
    run.curve["test_error"] = np.nan
    figure = drawn(comparison.figures("mine", specs), "mnist-train=100-log-error-passes", synthetic_curves.of(run))
    assert figure.axes == []
    assert figure.get_suptitle() == "left out: C = 1 (no run has a test error)"


def test_a_legend_lies_within_its_figure() -> None:
    params = [{"beam": beam, "update": update} for beam in (1, 5, 10) for update in ("perceptron", "alma")]
    specs = [make("toy-english", None, None, "laso", each, passes=10.0) for each in params]
    runs = synthetic_curves.of()
    without_objective(runs, specs)
    figure = drawn(comparison.figures("mine", specs), "toy-english-none-error-passes", runs)
    legend = figure.legends[0].get_window_extent()
    assert legend.x0 >= 0 and legend.x1 <= figure.bbox.width
    assert len(names_in(figure)) == 6
    assert legend.y1 <= figure.axes[0].get_tightbbox().y0


def test_problems_are_sorted_by_falling_C() -> None:
    assert [problem[-1] for problem, _ in comparison.problems(grid())] == [10, 1]


def test_lines_are_named_by_what_differs() -> None:
    names = comparison.labels(grid())
    assert sorted(set(names.values())) == ["EG, order cyclic", "EG, order random", "SGD"]
    one = comparison.labels([make(DATA, "log", 1, "lbfgs"), make(DATA, "log", 1, "lbfgs", threads=2)])
    assert list(one.values()) == ["L-BFGS, 1 threads", "L-BFGS, 2 threads"]


def test_profile_compares_seconds_to_a_gap(tmp_path: Path) -> None:
    specs = [make(DATA, "log", 10, "eg", passes=40.0), make(DATA, "log", 10, "sgd", passes=40.0)]
    specs += [make(DATA, "log", 10, "lbfgs", passes=40.0)]
    for spec, second_per_pass, rate in zip(specs, (1.0, 3.0, 1.0), (1.0, 1.0, 0.01), strict=True):
        synthetic_curves.write(tmp_path, spec, second_per_pass=second_per_pass, rate=rate)
    runs, names = Runs(tmp_path), comparison.labels(specs)
    (seconds,) = comparison.profile_seconds(comparison.problems(specs), names, 1e-4, runs)
    assert seconds["SGD"] == pytest.approx(3 * seconds["EG"])
    assert seconds["L-BFGS"] == np.inf
    assert [comparison._ratios([seconds], name) for name in ("EG", "SGD", "L-BFGS")] == [
        [1.0],
        [pytest.approx(3.0)],
        [np.inf],
    ]


def test_profile_judges_a_primal_by_the_best_dual_of_all(tmp_path: Path) -> None:
    specs = [make(DATA, "log", 10, "eg", passes=40.0), make(DATA, "log", 10, "sgd", passes=40.0)]
    synthetic_curves.write(tmp_path, specs[0])
    run = synthetic_curves.write(tmp_path, specs[1], dual=0.0, second_per_pass=0.2)
    assert run.curve["relative_gap"].min() == pytest.approx(1.0)
    groups, names = comparison.problems(specs), comparison.labels(specs)
    (seconds,) = comparison.profile_seconds(groups, names, 1e-4, Runs(tmp_path))
    assert seconds["SGD"] == pytest.approx(2 * seconds["EG"])


def test_profile_leaves_out_a_problem_of_several_machines(tmp_path: Path) -> None:
    specs = [make(DATA, "log", C, name, passes=40.0) for C in (10, 1) for name in ("eg", "sgd")]
    for spec, host in zip(specs, ("a", "a", "a", "b"), strict=True):
        synthetic_curves.write(tmp_path, spec, host=host)
    groups, names = comparison.problems(specs), comparison.labels(specs)
    runs = Runs(tmp_path)
    assert len(comparison.profile_seconds(groups, names, 1e-4, runs)) == 2
    first, *_ = machines(runs.used)
    assert len(comparison.profile_seconds(groups, names, 1e-4, runs.timed_on(first))) == 1
    comparison.draw_profile(specs, runs.timed_on(None))  # without any seconds, too


def test_a_pass_is_timed_without_the_set_up() -> None:
    curve = pd.DataFrame({"passes": [0.0, 1.0, 4.0], "wall_seconds": [2.0, 3.0, 10.0], "cpu_seconds": [1.0, 2, 3]})
    assert curves.seconds_per_pass(curve, "wall_seconds") == 2.0
    assert curves.seconds_per_pass(curve) == 0.5
    assert np.isnan(curves.seconds_per_pass(curve[:1]))


def test_suboptimality_leaves_rounding_out(tmp_path: Path) -> None:
    run = synthetic_curves.write(tmp_path, grid()[0], rate=2.0, floor=0.0)
    above = comparison.suboptimality(run.curve, curves.optimum([run]).primal)
    assert np.isnan(above[-1])
    assert above[0] == pytest.approx(5.0)
