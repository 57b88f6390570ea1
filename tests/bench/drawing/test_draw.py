"""Drawing: files and sidecars, the same bytes from the same runs, missing runs said."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure as MatplotlibFigure

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.drawing import plotted, style
from structbench.bench.drawing.draw import Figure, draw_figures
from structbench.bench.runs.finished import Runs, machine_of
from structbench.bench.runs.spec import make
from tests.bench import synthetic_curves

*SPECS, THIRD = (make("mnist:train=100", "log", C, "eg", passes=20.0) for C in (10.0, 1.0, 0.1))


def gap_of(runs: Runs, specs=SPECS, x="passes"):
    figure, ((axes,),) = style.panels(1, 1)
    for spec in specs:
        style.line(axes, runs.present([spec]), "gap", x)
    return figure


FIGURES = {"fig": Figure("A title", "A caption.", gap_of)}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for spec in SPECS:
        synthetic_curves.write(tmp_path / "runs", spec)
    return tmp_path / "runs"


def test_two_images_a_pdf_if_asked_for_and_a_sidecar(root: Path, tmp_path: Path, monkeypatch) -> None:
    draws, draw_of = [], MatplotlibFigure.draw
    monkeypatch.setattr(MatplotlibFigure, "draw", lambda *given: draws.append(1) or draw_of(*given))
    draw_figures("paper", FIGURES, Runs(root), tmp_path / "figures", ("png", "svg", "pdf"))
    assert len(draws) == 3, "once for each file"
    assert (tmp_path / "figures" / "paper" / "fig.pdf").read_bytes().startswith(b"%PDF")
    (sidecar,) = draw_figures("paper", FIGURES, Runs(root), tmp_path / "figures")
    folder = tmp_path / "figures" / "paper"
    assert sidecar == folder / "fig.json"
    assert {file.suffix for file in folder.iterdir()} == {".csv", ".json", ".png", ".svg"}, (
        "the PDF is out of date"
    )
    starts = {"png": b"\x89PNG", "svg": b"<?xml"}
    assert all((folder / f"fig.{kind}").read_bytes().startswith(start) for kind, start in starts.items())
    caption = "A caption. Drawn from 2 runs of ours (mnist:train=100: n = 59,000, 784 weights) on Some CPU, "
    about = {"title": "A title", "paper": "paper", "missing": [], "commit": "0123456"}
    about |= {"runs": sorted(spec.key for spec in SPECS), "data_sha256": {"mnist:train=100": "ab" * 32}}
    said = json.loads(sidecar.read_text())
    assert said == said | about | {"caption": f"{caption}1 thread a run."}


def test_many_problems_of_a_data_set_are_counted(tmp_path: Path) -> None:
    specs = [make(f"mnist:train={n}", "log", 10.0, "eg", passes=20.0) for n in (1, 2, 3, 4)]
    for spec in specs:
        synthetic_curves.write(tmp_path / "runs", spec)
    figure = Figure("A title", "A caption.", lambda runs: gap_of(runs, specs))
    (sidecar,) = draw_figures("paper", {"fig": figure}, Runs(tmp_path / "runs"), tmp_path, kinds=("png",))
    said = json.loads(sidecar.read_text())["caption"]
    assert "Drawn from 4 runs of ours (4 variants of mnist: n = 59,000) on" in said


def test_same_runs_same_bytes(root: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        draw_figures("paper", FIGURES, Runs(root), tmp_path / name, ("png", "svg", "pdf"))
    for kind in ("png", "svg", "pdf", "csv", "json"):
        one, two = (tmp_path / name / "paper" / f"fig.{kind}" for name in ("one", "two"))
        assert one.read_bytes() == two.read_bytes(), kind


def test_a_missing_run_is_said(tmp_path: Path) -> None:
    synthetic_curves.write(tmp_path / "runs", SPECS[0])
    runs = Runs(tmp_path / "runs")
    assert runs[SPECS[1]] is None and runs.afresh().asked == {}
    (sidecar,) = draw_figures("paper", FIGURES, runs, tmp_path, kinds=("png",))
    said = json.loads(sidecar.read_text())
    assert {file.name for file in sidecar.parent.iterdir()} == {"fig.csv", "fig.json", "fig.png"}
    assert said["images"] == ["png"]
    assert (said["runs"], said["missing"]) == ([SPECS[0].key], [SPECS[1].key])
    assert said["caption"].endswith(f"Missing: 1 run ({SPECS[1].key}).")


def test_a_time_axis_has_the_runs_of_one_machine(tmp_path: Path) -> None:
    for spec, host in zip((*SPECS, THIRD), ("a", "b", "a"), strict=True):
        synthetic_curves.write(tmp_path / "runs", spec, host=host)
    drawn = []
    figure = Figure(
        "A title",
        "A caption.",
        lambda runs: drawn.append(gap_of(runs, (*SPECS, THIRD), "wall_seconds")) or drawn[-1],
    )
    (sidecar,) = draw_figures("paper", {"fig": figure}, Runs(tmp_path / "runs"), tmp_path)
    said = json.loads(sidecar.read_text())
    assert len(said["runs"]) == 3
    assert said["caption"].endswith(" Seconds are those of Some CPU (a) alone: 1 run on Some CPU (b) left out.")
    assert len(drawn[-1].axes[0].lines) == 2
    runs = Runs(tmp_path / "runs")
    here = runs.timed_on(machine_of(runs.finished(SPECS[0])))
    assert len(gap_of(here).axes[0].lines) == 2  # passes do compare


def test_without_any_run_a_sentence_is_drawn(tmp_path: Path) -> None:
    (sidecar,) = draw_figures("paper", FIGURES, Runs(tmp_path), tmp_path / "figures")
    said = json.loads(sidecar.read_text())
    assert (said["runs"], len(said["missing"])) == ([], 2)
    assert said["caption"].startswith("A caption. Missing: 2 runs (")
    assert "None of the 2 runs of this figure is finished." in sidecar.with_suffix(".svg").read_text()


def test_a_folder_that_cannot_be_written(root: Path, tmp_path: Path) -> None:
    (tmp_path / "figures").write_text("in the way")
    with pytest.raises(UserError, match="cannot write figure fig"):
        draw_figures("paper", FIGURES, Runs(root), tmp_path / "figures")


def test_labels_are_moved_apart_as_little_as_it_takes() -> None:
    assert style._spread([0.1, 0.5], 0.2) == pytest.approx([0.1, 0.5])
    assert style._spread([0.5, 0.5, 0.9], 0.2) == pytest.approx([0.4, 0.6, 0.9])
    assert style._spread([0.5, 0.6, 0.7], 0.2) == pytest.approx([0.4, 0.6, 0.8])


def fails_as(how: str):
    """A figure that fails when it is drawn, laid out, or written down."""

    def drawn(runs: Runs):
        figure = gap_of(runs)
        if how == "drawn":
            raise KeyError(r"$\eta$ costs \$ and $^$")
        if how == "laid out":
            places: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "axes fraction"}
            figure.axes[0].annotate("x", (1.0, np.nan), (1.1, np.nan), arrowprops={"arrowstyle": "-"}, **places)
        return rows() if how == "written down" else figure

    def rows():
        yield {"heading": "text"}
        raise ValueError("no more rows")

    return Figure("A title", "A caption.", drawn)


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("drawn", "it failed with KeyError: '$"),
        ("laid out", "it failed with StopIteration at bench/drawing/draw.py:"),
        ("written down", "it failed with ValueError: no more rows"),
    ],
)
def test_a_figure_that_fails_is_a_sentence_and_the_others_are_drawn(root: Path, tmp_path: Path, how, why) -> None:
    figures = {"bad": fails_as(how), **FIGURES}
    bad, good = draw_figures("paper", figures, Runs(root), tmp_path / "figures")
    said = json.loads(bad.read_text())
    assert said["failed"].startswith(why) and "table" not in said
    assert (said["runs"], said["images"]) == (sorted(spec.key for spec in SPECS), ["png", "svg"])
    assert "bad is not drawn" in bad.with_suffix(".svg").read_text() and bad.with_suffix(".png").stat().st_size > 0
    assert "failed" not in json.loads(good.read_text()) and "A title" not in good.with_suffix(".csv").read_text()
    (again,) = draw_figures("paper", {"bad": FIGURES["fig"]}, Runs(root), tmp_path / "figures")
    assert "failed" not in json.loads(again.read_text())


def test_a_figure_that_fails_without_its_runs_lacks_these(tmp_path: Path) -> None:
    (sidecar,) = draw_figures("paper", {"bad": fails_as("drawn")}, Runs(tmp_path), tmp_path / "figures")
    assert "failed" not in json.loads(sidecar.read_text())
    assert "None of the 2 runs of this figure is finished." in sidecar.with_suffix(".svg").read_text()


@pytest.mark.parametrize("values", [[], [np.nan] * 3, [1.0, np.nan, np.nan], [0.0] * 3, [-1.0] * 3, [2.0] * 3])
@pytest.mark.parametrize("is_log", [True, False])
def test_names_are_at_the_last_finite_points_of_lines(values, is_log) -> None:
    figure, ((axes,),) = style.panels(1, 1)
    line = plotted.line(axes, range(len(values)), values, label="name")
    axes.set_xlim(0, 4)
    if is_log:
        style.log_ticks(axes.yaxis)
    style.label_ends(axes, [(line, "name"), (None, "nothing")])
    figure.draw_without_rendering()
    assert [each.get_text() for each in axes.texts] == ["name"] * bool(np.isfinite(values).any())
    assert all(np.isfinite(each.get_position()).all() for each in axes.texts)


def test_a_sample_of_the_line_is_before_its_name() -> None:
    _, ((axes,),) = style.panels(1, 1)
    look = {"color": "#0072B2", "linestyle": style.DASHES[4], "marker": "s"}
    drawn = [plotted.line(axes, [0, 1], [k, k], label=f"EG {k}", **look, markevery=k) for k in (1, 2)]
    limits = axes.set(xlim=(0, 2), ylim=(0, 3)) and (axes.get_xlim(), axes.get_ylim())
    style.label_ends(axes, [(each, each.name) for each in drawn])
    samples = [each for each in axes.lines if [*each.get_xdata()] == [*style.SAMPLE]]
    found = [(each.get_color(), each.get_marker(), each.is_dashed()) for each in samples]
    assert found == [("#0072B2", "s", True)] * 2 and axes.get_legend_handles_labels()[1] == ["EG 1", "EG 2"]
    assert limits == (axes.get_xlim(), axes.get_ylim())


def test_what_no_axis_can_show_sets_no_limit() -> None:
    """A frame around a run that has no value there; bars whose mean is off by rounding."""
    runs = synthetic_curves.of()
    run = synthetic_curves.write(runs, SPECS[0], passes=np.array([5.0, 9.0]))
    _, ((axes,),) = style.panels(1, 1)
    style.frame(axes, [([run], 0.0)], lambda curve: curve["gap"] * np.nan, 10.0)
    style.frame(axes, [([run], 0.0)], "gap", 1.0)
    assert style.line(axes, [run], lambda curve: curve["gap"] * np.nan) is None and axes.get_ylim() == (0, 1)
    drawn = plotted.error_bars(axes, [1.0], [1.0], xerr=[[-1e-17], [0.0]], label="mean")
    assert [*drawn.low, *drawn.high] == [1.0, 1.0]
