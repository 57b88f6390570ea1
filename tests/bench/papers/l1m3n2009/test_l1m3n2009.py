"""Figures, tables and constants of l1m3n2009: every figure draws, whatever runs there are."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from structbench.bench.drawing import plotted
from structbench.bench.papers import l1m3n2009
from structbench.bench.papers.l1m3n2009 import figures, scores
from structbench.bench.papers.l1m3n2009 import runs as ways
from structbench.bench.papers.l1m3n2009.runs import CUTTING_PLANE, EM, SUBGRADIENT, Cross, Way
from structbench.bench.runs.finished import Runs
from tests.bench import synthetic_curves
from tests.bench.papers.helpers import drawn, shown
from tests.bench.papers.l1m3n2009.obedient_runs import TASK, TINY, keep, obeying
from tests.narrowing import not_none


def test_the_papers_experiments() -> None:
    task = l1m3n2009.task("paper")
    assert {crosses[0].size for crosses in map(task.crosses, task.used)} == {50, 100, 142, 200, 250}
    folds = {20: 5, 10: 10, 7: 5, 5: 5, 4: 4}
    assert all(len(task.crosses(K)) == 10 and len(task.crosses(K)[0].data) == folds[K] for K in folds)
    assert {words: len(task.ocr(words).data) for words in task.words} == {100: 10, 150: 10, 200: 10, 250: 10}
    assert task.first.data[3] == "synthetic:crf=0,fold=3,folds=10"
    assert {len(task.path_of(way, "synthetic")) for way in ways.METHODS} == {9}
    timed, (claim,) = task.timed(), [each for each in l1m3n2009.claims_of("paper") if "speeds-up" in each.id]
    assert len(timed) == len({*timed}) and {*task.paces()} < {*timed}
    assert len(task.paces()) == 2 * 30 and {*task.paces()} < {*claim.runs}  # both ends; it reads all constants


def test_the_constants_of_table_1_are_the_papers() -> None:
    paths, theirs = ways.PATHS["synthetic"], ways.SAID["table1"]
    assert paths["l1"][0] == 400 and paths["l1"][3] == 100  # C' of 0.25 and 1 over 100 sequences
    radii = [1 / C for C in paths["l1-ball"]]
    assert (radii[0], radii[-1]) == pytest.approx((0.25, 16))
    assert paths["l1-squared"][0] == pytest.approx(2 * 0.93 * 14000 / 204, rel=1e-3)
    roots, shares = ways.ROOTS, ways.SHARES_OF_14000
    wanted = {SUBGRADIENT.name: roots, CUTTING_PLANE.name: roots, EM.name: shares}
    assert {name: tuple(constant for constant, *_ in each["rows"]) for name, each in theirs.items()} == wanted
    assert [1 / C for C in ways.PATHS["ocr"]["l1-ball"]][::4] == pytest.approx([144, 484], rel=1e-3)


def test_grids_go_from_the_strongest_constant() -> None:
    for grids in (*ways.GRIDS.values(), *ways.PATHS.values()):
        for grid in grids.values():
            assert list(grid) == sorted(set(grid), reverse=True)


def test_every_figure_draws_from_the_families_runs(tmp_path: Path) -> None:
    found = drawn("l1m3n2009", l1m3n2009.figures_of("tiny"), obeying().afresh(), tmp_path)
    assert shown(found) == {spec.key for specs in l1m3n2009.runs_of("tiny").values() for spec in specs}


def test_figures_draw_without_the_runs_that_are_missing(tmp_path: Path) -> None:
    crosses = (TASK.first, TASK.smallest)
    kept = [spec for cross in crosses for spec in (*TASK.methods(cross, (EM,)), *TASK.models([cross])[:8])]
    some = synthetic_curves.of(*obeying().present(kept))
    figures = {stem: each for stem, each in l1m3n2009.figures_of("tiny").items() if stem != "fig01"}
    drawn("l1m3n2009", figures, some, tmp_path, lacking=True)


def test_figure_1_has_points_whose_projection_onto_the_l1_ball_is_on_an_axis(tmp_path: Path) -> None:
    figure = {"fig01": l1m3n2009.figures_of("tiny")["fig01"]}
    drawn("l1m3n2009", figure, synthetic_curves.of(), tmp_path)
    rows = pd.read_csv(tmp_path / "l1m3n2009" / "fig01.csv").groupby("series").last()
    zeros = {name: (rows.loc[name, ["x", "y"]] == 0).sum() for name in rows.index if name.startswith("p_")}
    assert zeros == {
        f"p_{k} onto the {ball} ball": int(k > 1 and ball == "l1") for k in (1, 2, 3) for ball in ("l1", "l2")
    }
    onto = rows.loc["p_1 onto the l1 ball"]
    assert (onto.x + onto.y, onto.x - onto.y) == pytest.approx((1.0, 0.2)), "both coordinates fall by as much"


def test_table_1_has_the_papers_numbers_beside_ours() -> None:
    mine = [row for row in figures.table1(TASK, obeying()) if row["method"] == "cutting plane"]
    assert [(row["constant, theirs"], row["total, theirs"], row["irrelevant, theirs"]) for row in mine] == [
        ("sqrt(C) = 0.7", "21", "0"),
        ("sqrt(C) = 1.73", "169", "122"),
    ]
    assert [(row["total, ours"], row["irrelevant, ours"]) for row in mine] == [("10", "0"), ("187", "130")]


def with_errors(runs: Runs, way: Way, cross: Cross, errors: dict[float, tuple[float, ...]]) -> Runs:
    for C, each in errors.items():
        for error, spec in zip(each, TINY.specs(way, cross, C), strict=True):
            keep(runs, spec, {"test_error": error})
    return runs


def test_a_folds_constant_is_chosen_by_the_other_folds() -> None:
    errors = {3.0: (0.2, 0.4), 2.0: (0.25, 0.3), 1.0: (0.3, 0.25)}
    runs = with_errors(Runs(Path("nowhere")), EM, TINY.first, errors)
    found = not_none(scores.score(TINY, runs, EM, [TINY.first], (1.0, 2.0, 3.0, 4.0)))
    assert [spec.C for spec in found.chosen] == [1.0, 3.0]  # 4 has no runs
    assert found.parts.tolist() == [0.3, 0.4]
    assert (found.C, found.mean) == (3.0, pytest.approx(0.35))  # of equally frequent ones the stronger
    assert found.spread == pytest.approx(np.std([0.3, 0.4], ddof=1))
    assert scores.score(TINY, runs, EM, [TINY.first], (4.0,)) is None


def test_a_data_sets_constant_is_chosen_by_the_other_data_sets() -> None:
    two = [*TINY.crosses(10), *TINY.crosses(4)]
    runs = with_errors(Runs(Path("nowhere")), EM, two[0], {3.0: (0.2, 0.4), 1.0: (0.1, 0.3)})
    with_errors(runs, EM, two[1], {3.0: (0.1, 0.1), 1.0: (0.1, 0.2)})
    found = not_none(scores.score(TINY, runs, EM, two, (1.0, 3.0)))
    assert [spec.C for spec in found.chosen] == [3.0, 3.0, 1.0, 1.0]
    assert (found.mean, found.parts.tolist()) == (pytest.approx((0.3 + 0.15) / 2), pytest.approx([0.3, 0.15]))


def test_a_dual_value_bounds_the_losses_of_every_method() -> None:
    """With C = 8, D = 6: at ||w||_1 = 0.5 the losses are at least 6 - 8 * 0.5 / 2 = 4."""
    runs, w = Runs(Path("nowhere")), np.zeros(204)
    program = TINY.specs(CUTTING_PLANE, TINY.first, 8.0)[0]
    keep(runs, program, {"primal": 6.0, "dual": 6.0})
    w[:2] = 0.2, -0.3
    for way, C, penalty in ((EM, 2.0, 0.25), (SUBGRADIENT, 1.0, 0.0), (CUTTING_PLANE, 4.0, 1.0)):
        spec = TINY.specs(way, TINY.first, C)[0]
        keep(runs, spec, {"primal": 5.0 + penalty}, w)
        assert scores.excess(runs, runs.finished(spec), [program]) == pytest.approx(0.2)


def test_selected_features() -> None:
    w = np.zeros(204)
    w[[0, 59, 60, 199]], w[61], w[200:] = 0.5, -1e-5, 1.0
    assert scores.selected(w) == (5, 3)
    assert scores.selected(w, 1e-4) == (4, 2)


def test_runs_that_a_limit_of_seconds_cuts_are_open_in_figure_6() -> None:
    runs = synthetic_curves.of(*synthetic_curves.all_of(obeying()))
    _, weak = TASK.path_of(CUTTING_PLANE, "ocr")
    spec = TASK.specs(CUTTING_PLANE, TASK.smallest, weak)[0]  # one fold
    run = runs[spec]
    assert run is not None
    keep(runs, spec, run.summary | {"status": "timeout"})
    every = [
        (axes.get_xlabel(), line)
        for axes in figures.draws["fig06"](TASK, runs).axes
        for line in plotted.lines(axes)
    ]
    found = {(x, *line.x) for x, line in every if "cut by" in line.name}
    root = (100 / weak) ** 0.5  # 100 words a fold
    assert found == {("", root), ("square root of C", root)}


def test_figures_5_and_6_have_the_papers_axes() -> None:
    """Table 1's constants, and those of Figure 6's axes."""
    whole = not_none(l1m3n2009.task("paper"))
    root = "square root of lambda"
    for cross, method, name, wanted in (
        (whole.first, SUBGRADIENT, root, ways.ROOTS),
        (whole.first, CUTTING_PLANE, "square root of C", ways.ROOTS),
        (whole.first, EM, "lambda / 14000", ways.SHARES_OF_14000),
        (whole.smallest, SUBGRADIENT, root, ways.OCR_BALL_ROOTS),
        (whole.smallest, EM, root, ways.OCR_EM_ROOTS),
    ):
        path = ways.PATHS[cross.kind][str(method.penalty)]
        found = [figures._theirs(str(method.penalty), cross, C) for C in path]
        assert {each for each, _ in found} == {name}
        assert [value for _, value in found] == pytest.approx(wanted, rel=1e-3)
