"""The figures of a grid of the user's: panels, names of lines, the performance profile."""

import itertools
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.drawing import comparison, method_looks, plotted, style
from structbench.bench.drawing import draw as drawing
from structbench.bench.drawing.draw import draw_figures
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import make
from tests.bench import synthetic_curves
from tests.bench.drawing import texts
from tests.narrowing import not_none

DATA = "mnist:train=100"


LOG = "mnist-train=100-log"


def made(specs: list, without: dict[str, list[str]] | None = None, **how) -> Runs:
    """Runs of these specs; ``without``: columns that are not known, by algorithm."""
    runs = synthetic_curves.of()
    for spec in specs:
        run = synthetic_curves.write(runs, spec, **how)
        run.curve[(without or {}).get(spec.algorithm, [])] = np.nan
    return runs


OBJECTIVE = ["primal", "dual", "gap", "relative_gap"]


def steps(work: Callable[[], Any]) -> int:
    """Instructions of Python that this work takes in the modules that name and group runs."""
    count, files = 0, {method_looks.__file__, comparison.__file__}

    def look(frame: FrameType, event: str, given: Any) -> Any:
        nonlocal count
        if frame.f_code.co_filename not in files:
            return None
        frame.f_trace_opcodes = True
        count += event == "opcode"
        return look

    before = sys.gettrace()
    sys.settrace(look)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def test_naming_and_grouping_runs_takes_work_in_proportion_to_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(style, "line", lambda *given, **more: None)
    monkeypatch.setattr(comparison, "scale", lambda *given: None)
    took = []
    for count in (100, 400):
        methods = itertools.product((DATA, "mnist:train=200"), range(1, count + 1))
        specs = [make(data, "log", 1.0, "eg", {"eta": 1.0 + k / 1e7}, passes=40.0) for data, k in methods]
        named = method_looks.labels(specs)
        assert len(set(named.values())) == count  # though they differ in the seventh digit alone
        runs = made([specs[0], specs[-1]])
        took.append(
            steps(
                lambda s=specs, r=runs: comparison.figures("mine", s, ["gap-passes"])[f"{LOG}-gap-passes"].draw(r)
            )
        )
    assert took[1] < 5 * took[0]


BEAMS = [make("toy-english", None, None, "laso", {"beam": beam}, passes=10.0) for beam in (1, 5)]


def drawn(figures, stem: str, runs: Runs):
    with style.context():
        figure: Any = figures[stem].draw(runs)
        figure.draw_without_rendering()
    return figure


def titles(figure) -> list[str]:
    return [axes.get_title("left") for axes in figure.axes]


def names_in(figure) -> list[str]:
    """The names at the ends of the lines of the first panel, by name."""
    return sorted(text.get_text() for text in figure.axes[0].texts)


def test_runs_without_a_loss_are_beside_those_that_have_one() -> None:
    specs = [make("toy-english", loss, C, "eg", passes=40.0) for loss in ("log", "hinge") for C in (1, 10)]
    figures = comparison.figures("mine", [*specs, *BEAMS])
    per_loss = ["distance-seconds", "gap-passes", "gap-seconds", "error-passes", "error-seconds"]
    stems = [f"toy-english-{loss}-{kind}" for loss in ("hinge", "log") for kind in per_loss]
    assert list(figures) == [*stems, "profile", "error-C"]
    runs = made([*specs, *BEAMS], {"laso": OBJECTIVE})
    errors = drawn(figures, "toy-english-log-error-seconds", runs)
    assert names_in(errors) == ["EG", "LaSO, beam 1", "LaSO, beam 5"]
    assert titles(errors) == ["C = 1", "C = 10"]
    assert all(len(plotted.lines(axes)) == 3 for axes in errors.axes)
    assert names_in(drawn(figures, "toy-english-log-gap-passes", runs)) == ["EG"]
    assert names_in(drawn(figures, "profile", runs)) == ["EG"]
    assert "the same in every panel" in figures["toy-english-log-error-passes"].caption
    assert "the same in every panel" not in figures["toy-english-log-gap-passes"].caption


def test_runs_without_a_loss_have_errors_alone_and_without_a_penalty_there_is_no_gap() -> None:
    figures = comparison.figures("mine", BEAMS)
    assert list(figures) == ["toy-english-none-error-passes", "toy-english-none-error-seconds"]
    runs = made(BEAMS, {"laso": OBJECTIVE})
    for stem, figure in figures.items():
        assert titles(drawn(figures, stem, runs)) == ["no loss"]
        assert figure.title.endswith("Toy English, no loss")
        assert "panel" not in figure.caption and "beam: paths kept" in figure.caption
    plain = [make(DATA, "log", 1, "lbfgs", penalty="none", passes=40.0)]
    figures = comparison.figures("mine", plain)
    assert list(figures) == [f"{LOG}-distance-seconds", f"{LOG}-error-passes"]
    assert titles(drawn(figures, f"{LOG}-error-passes", made(plain))) == ["no penalty"]


def test_a_panel_without_anything_to_show_is_left_out_with_the_reason() -> None:
    specs = [make(DATA, "log", C, "lbfgs", passes=40.0) for C in (1, 10, 100)]
    specs += [make(DATA, "log", 1, "lbfgs", penalty="none", passes=40.0)]
    figures = comparison.figures("mine", specs)
    runs = made(specs[1:])  # C = 1 is not finished
    runs.finished(specs[-1]).curve[["dual", "gap", "relative_gap"]] = np.nan
    figure = drawn(figures, f"{LOG}-gap-passes", runs)
    assert titles(figure) == ["C = 10", "C = 100"]
    assert figure.get_suptitle().splitlines() == [
        "left out: C = 1 (no run is finished)",
        "no penalty (no run has a duality gap)",
    ]
    figure = drawn(figures, f"{LOG}-error-passes", runs)
    assert titles(figure) == ["C = 10", "C = 100", "no penalty"]
    runs = made(specs[:1], {"lbfgs": ["test_error"]})
    figure = drawn(comparison.figures("mine", specs[:1]), f"{LOG}-error-passes", runs)
    assert figure.axes == []
    assert [each.get_text() for each in figure.texts] == ["left out: C = 1 (no run has a test error)"]


@pytest.mark.parametrize(("count", "shape"), [(1, (1, 1)), (2, (1, 2)), (4, (2, 2)), (5, (2, 3))])
def test_each_problem_has_a_panel(count: int, shape: tuple[int, int]) -> None:
    specs = [make(DATA, "log", C, "sgd", passes=40.0) for C in range(1, count + 1)]
    runs = made(specs)
    for run in synthetic_curves.all_of(runs):
        run.curve["visits"] = 0
    figure = drawn(comparison.figures("mine", specs, ["error-passes"]), f"{LOG}-error-passes", runs)
    assert not_none(figure.axes[0].get_gridspec()).get_geometry() == shape
    assert titles(figure) == [f"C = {C}" for C in range(1, count + 1)]
    assert [np.asarray(axes.lines[0].get_xdata())[-1] for axes in figure.axes] == [40.0] * count


@pytest.mark.parametrize(
    ("errors", "limits"),
    [
        ([90, 20, 10, 12], (9.4, 20.6)),  # the first lies outside
        ([5, 5, 5, 5], (4, 6)),
        ([50, 10, 0, 10], (0, 10.6)),
    ],
)
def test_the_axis_of_errors_shows_the_later_ones(errors: list[float], limits: tuple[float, float]) -> None:
    axes = style.panels(1, 1, height=3.0, width=3.9)[1].flat[0]
    plotted.line(axes, [0, 10, 50, 100], errors)
    axes.set_xlim(0, 100)
    comparison.scale(axes, False)
    assert axes.get_ylim() == pytest.approx(limits)


def test_names_lie_within_their_figure_and_apart() -> None:
    params = [{"beam": beam, "update": update} for beam in (1, 5, 10) for update in ("perceptron", "alma")]
    specs = [make("toy-english", None, None, "laso", each, passes=10.0) for each in params]
    runs = made(specs, {"laso": OBJECTIVE})
    figure = drawn(comparison.figures("mine", specs), "toy-english-none-error-passes", runs)
    assert len(names_in(figure)) == 6
    assert texts.faults(figure) == []


def test_a_distance_is_certified_by_the_best_dual_of_all_or_the_least_primal_stands_for_it() -> None:
    eg, sgd = (make(DATA, "log", 10, name, passes=40.0) for name in ("eg", "sgd"))
    runs, figures = synthetic_curves.of(), comparison.figures("mine", [eg, sgd])
    synthetic_curves.write(runs, eg, floor=1e-3)  # its dual ends at 99.95, its primal at 100.05
    synthetic_curves.write(runs, sgd, dual=0.0, floor=1e-2)  # its own dual is of no use; its primal ends at 100.5
    stem = f"{LOG}-distance-seconds"
    ends = {line.name: line.y[-1] for line in plotted.lines(drawn(figures, stem, runs).axes[0])}
    assert ends == {"EG": pytest.approx(0.1 / 100.05), "SGD": pytest.approx(0.55 / 100.5)}
    for run in synthetic_curves.all_of(runs):
        run.curve[["dual", "gap", "relative_gap"]] = np.nan
    first, second = plotted.lines(drawn(figures, stem, runs).axes[0])
    assert second.y[-1] == pytest.approx(0.45 / 100.5)
    assert first.y[-1] > 0  # where it is at the bound, there is no height
    assert "Where no run has a dual value, the least primal value is the bound" in figures[stem].caption


@pytest.mark.parametrize(("threads", "word"), [(1, "CPU"), (2, "wall")])
def test_seconds_are_those_of_the_cpu_if_a_run_has_one_thread(threads: int, word: str) -> None:
    spec = make(DATA, "log", 10, "eg", passes=40.0, threads=threads)
    figures = comparison.figures("mine", [spec], ["distance-seconds", "gap-seconds", "profile"])
    runs = made([spec])
    axes = drawn(figures, f"{LOG}-distance-seconds", runs).axes[0]
    assert axes.get_xlabel() == f"{word} seconds"
    assert np.asarray(axes.lines[0].get_xdata())[-1] == pytest.approx(4.0 if threads == 1 else 174.0)
    for stem in (f"{LOG}-gap-seconds", "profile"):
        assert f"{word} seconds" in figures[stem].caption


def test_a_grid_draws_the_kinds_that_it_wants(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "USUAL", ("svg",))  # one kind of file, for speed
    grid = [make(DATA, "log", C, "eg", {"order": o}, passes=40.0) for C in (1, 10) for o in ("random", "cyclic")]
    grid += [make(DATA, "log", C, "sgd", passes=40.0) for C in (1, 10)]
    for spec in grid[:-1]:
        synthetic_curves.write(tmp_path / "runs", spec)
    figures = comparison.figures("mine", grid)
    kinds = [f"{LOG}-{kind}" for kind in ("distance-seconds", "gap-passes", "gap-seconds", "error-passes")]
    assert list(figures) == [*kinds, "error-C"], "problems that differ in C alone have no profile"
    several = [make(f"mnist:train={n}", "log", 1, "eg", passes=40.0) for n in (100, 200, 300, 400)]
    assert "profile" in comparison.figures("mine", several) and "profile" not in comparison.figures(
        "mine", several[1:]
    )
    assert all(figures[kind].caption.startswith("A panel for each C.") for kind in kinds)
    for sidecar in draw_figures("mine", figures, Runs(tmp_path / "runs"), tmp_path / "figures"):
        said = json.loads(sidecar.read_text())
        assert (len(said["runs"]), said["missing"]) == (5, [grid[-1].key]), sidecar
        assert sidecar.with_suffix(".svg").stat().st_size > 5000
    for wanted in (["distance-seconds"], ["profile", "error-seconds"], ["error-seconds"]):
        expected = {f"{LOG}-{kind}" for kind in wanted if kind != "profile"} | {"profile"} & {*wanted}
        assert {*comparison.figures("mine", grid, wanted)} == expected
    with pytest.raises(UserError, match="grid 'mine': its runs have nothing to show in gap-passes and profile"):
        comparison.figures("mine", BEAMS, ["gap-passes", "profile"])


def test_a_path_over_A_has_nonzero_weights_and_errors_at_each_C():
    penalties = ("l2", "elastic-3", "elastic-30")
    specs = [make(DATA, "log", C, "eg", penalty=each, passes=20.0) for C in (1, 10) for each in penalties]
    runs = made(specs, error=0.1)
    for number, spec in enumerate(specs):
        runs.finished(spec).summary.update(num_nonzero=100 - number, test_error=0.1)
    figure: Any = comparison.figures("mine", specs)[f"{LOG}-sparsity"].draw(runs)
    shown = [(axes.get_title(), *plotted.lines(axes)) for axes in figure.axes]
    assert [(title, line.x.tolist(), line.y.tolist()) for title, line in shown] == [
        ("C = 1", [0, 3, 30], [100, 99, 98]), ("C = 1", [0, 3, 30], [10, 10, 10]),
        ("C = 10", [0, 3, 30], [97, 96, 95]), ("C = 10", [0, 3, 30], [10, 10, 10]),
    ]  # fmt: skip
    assert not any(name.endswith("sparsity") for name in comparison.figures("mine", specs[:1]))
    for spec in specs:
        runs.finished(spec).summary["test_error"] = None
    figure = comparison.figures("mine", specs)[f"{LOG}-sparsity"].draw(runs)
    assert [axes.get_ylabel() for axes in figure.axes] == ["nonzero weights"] * 2
    assert figure.get_suptitle() == "no run has a value of: test error"


def test_errors_stand_against_C_with_intervals_over_seeds() -> None:
    specs = [make(DATA, "log", C, "eg", passes=40.0, seed=seed) for C in (1, 10) for seed in (0, 1, 2)]
    runs = synthetic_curves.of()
    for spec, error in zip(specs, (0.04, 0.05, 0.06, 0.07, 0.08, 0.09), strict=True):
        run = synthetic_curves.write(runs, spec, error=error)
        run.summary["test_error"] = error
    (axes,) = drawn(comparison.figures("mine", specs), "error-C", runs).axes
    (line,), band = plotted.lines(axes), next(each for each in plotted.series(axes) if each.kind == "band")
    assert line.x.tolist() == [1, 10] and line.y == pytest.approx([5, 8])
    assert band.high - band.low == pytest.approx([2 * 4.3027 / 3**0.5] * 2, rel=1e-3)
    assert "error-C" not in comparison.figures("mine", specs[:3])


def test_a_panel_whose_seconds_do_not_compare_is_left_out_with_the_reason() -> None:
    specs = [make(DATA, "log", C, name, {}, passes=40.0) for C in (1.0, 10.0) for name in ("eg", "lbfgs")]
    runs = made(specs)
    for spec in specs[2:]:
        runs.finished(spec).curve[["cpu_seconds", "wall_seconds"]] = np.nan
    for kind in ("error-seconds", "distance-seconds"):
        figure = drawn(comparison.figures("mine", specs, [kind]), f"{LOG}-{kind}", runs)
        assert titles(figure) == ["C = 1"]
        assert f"C = 10 ({comparison.UNTIMED})" in figure.get_suptitle()


def test_errors_that_nobody_measured_are_no_empty_axes() -> None:
    specs = [make(DATA, "log", C, "eg", {}, passes=40.0) for C in (1.0, 10.0)]
    runs = made(specs)
    for spec in specs:
        runs.finished(spec).summary["test_error"] = None
    figure = drawn(comparison.figures("mine", specs, ["error-C"]), "error-C", runs)
    assert [text.get_text() for text in (*figure.texts, *(t for axes in figure.axes for t in axes.texts))] == [
        "no run has a test error"
    ]
