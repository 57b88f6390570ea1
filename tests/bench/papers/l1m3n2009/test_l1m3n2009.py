"""Figures, tables and constants of l1m3n2009: every figure draws, whatever runs there are."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from structbench.bench.drawing.draw import draw
from structbench.bench.papers import l1m3n2009
from structbench.bench.papers.l1m3n2009 import scores as l1m3n2009_read
from structbench.bench.papers.l1m3n2009 import setting as ways
from structbench.bench.papers.l1m3n2009 import tables as l1m3n2009_table
from structbench.bench.papers.l1m3n2009.extraction import SOURCES
from structbench.bench.papers.l1m3n2009.runs import Cross
from structbench.bench.papers.l1m3n2009.setting import (
    CUTTING_PLANE,
    EM,
    SUBGRADIENT,
    Way,
)
from structbench.bench.runs.finished import Runs
from tests.bench import synthetic_curves
from tests.bench.papers.l1m3n2009.obedient_runs import TASK, TINY

STEMS = {f"fig0{k}" for k in range(2, 7)} | {"table1", "table-models", "fig-selection", "fig-gap"}
FIGURE_7 = {f"fig07-{source.stem}" for source in SOURCES}

pytestmark = pytest.mark.xdist_group("l1m3n2009")  # one folder of runs


@pytest.mark.parametrize("scale", ["tiny", "quick", "paper"])
def test_names_and_runs_of_a_scale(scale: str) -> None:
    stems = set(l1m3n2009.figures_of(scale))
    further = {"fig02-iid", "fig07-web-dense", "fig07-web-chain"}
    assert stems == STEMS | FIGURE_7 | (further if scale == "paper" else set())
    families = l1m3n2009.runs_of(scale)
    keys = {spec.key for specs in families.values() for spec in specs}
    assert len(keys) == sum(map(len, families.values())), "a run is listed twice"
    claims = l1m3n2009.claims_of(scale)
    assert len({claim.id for claim in claims}) == len(claims)
    for claim in claims:
        assert {spec.key for spec in claim.runs} <= keys, claim.id
        assert set(claim.figures) <= stems, claim.id


def test_the_papers_experiments() -> None:
    task = l1m3n2009.task("paper")
    assert {crosses[0].size for crosses in map(task.crosses, task.used)} == {50, 100, 142, 200, 250}
    folds = {20: 5, 10: 10, 7: 5, 5: 5, 4: 4}
    assert all(len(task.crosses(K)) == 10 and len(task.crosses(K)[0].data) == folds[K] for K in folds)
    assert {words: len(task.ocr(words).data) for words in task.words} == {100: 10, 150: 10, 200: 10, 250: 10}
    assert task.first.data[3] == "synthetic:crf=0,fold=3,folds=10"
    assert {len(task.path_of(way, "synthetic")) for way in ways.METHODS} == {9}
    assert all(len(theirs) == 9 for _, theirs in l1m3n2009_table.THEIRS.values())
    assert set(l1m3n2009_table.THEIRS) == {way.name for way in ways.METHODS}


def test_grids_go_from_the_strongest_constant() -> None:
    for grids in (*ways.GRIDS.values(), *ways.PATHS.values()):
        for grid in grids.values():
            assert list(grid) == sorted(set(grid), reverse=True)


def test_every_figure_draws_from_the_families_runs(obedient: Path, tmp_path: Path) -> None:
    runs = Runs(obedient)
    used = set()
    for sidecar in draw("l1m3n2009", l1m3n2009.figures_of("tiny"), runs, tmp_path):
        said = json.loads(sidecar.read_text())
        assert said["missing"] == [], sidecar
        used |= set(said["runs"])
    assert used == {spec.key for specs in l1m3n2009.runs_of("tiny").values() for spec in specs}


def test_figures_draw_without_the_runs_that_are_missing(obedient: Path, tmp_path: Path) -> None:
    root = tmp_path / "runs"
    kept = {spec.key for cross in (TASK.first, TASK.smallest) for spec in TASK.methods(cross, (EM,))}
    kept |= {spec.key for cross in (TASK.first, TASK.smallest) for spec in TASK.models([cross])[:8]}
    for key in kept:
        shutil.copytree(obedient / key, root / key)
    for sidecar in draw("l1m3n2009", l1m3n2009.figures_of("tiny"), Runs(root), tmp_path):
        assert json.loads(sidecar.read_text())["missing"], sidecar


def test_table_1_has_the_papers_numbers_beside_ours(obedient: Path) -> None:
    rows = l1m3n2009_table.table_1(TASK, Runs(obedient))
    mine = [row for row in rows if row["method"] == "cutting plane"]
    assert [(row["constant, theirs"], row["total, theirs"], row["irrelevant, theirs"]) for row in mine] == [
        ("sqrt(C) = 0.7", "21", "0"),
        ("sqrt(C) = 1.73", "169", "122"),
    ]
    assert [(row["total, ours"], row["irrelevant, ours"]) for row in mine] == [("10", "0"), ("187", "130")]


def with_errors(root: Path, way: Way, cross: Cross, errors: dict[float, tuple[float, ...]]) -> None:
    for C, each in errors.items():
        for error, spec in zip(each, TINY.specs(way, cross, C), strict=True):
            run = synthetic_curves.write(root, spec)
            synthetic_curves.keep(root, spec, run.curve, run.summary | {"test_error": error})


def test_a_folds_constant_is_chosen_by_the_other_folds(tmp_path: Path) -> None:
    with_errors(tmp_path, EM, TINY.first, {3.0: (0.2, 0.4), 2.0: (0.25, 0.3), 1.0: (0.3, 0.25)})
    found = l1m3n2009_read.score(TINY, Runs(tmp_path), EM, [TINY.first], (1.0, 2.0, 3.0, 4.0))
    assert [spec.C for spec in found.chosen] == [1.0, 3.0]  # 4 has no runs
    assert found.each.tolist() == [0.3, 0.4]
    assert (found.C, found.mean) == (3.0, pytest.approx(0.35))  # of equally frequent ones the stronger
    assert found.spread == pytest.approx(np.std([0.3, 0.4], ddof=1))
    assert l1m3n2009_read.score(TINY, Runs(tmp_path), EM, [TINY.first], (4.0,)) is None


def test_a_data_sets_constant_is_chosen_by_the_other_data_sets(tmp_path: Path) -> None:
    two = [*TINY.crosses(10), *TINY.crosses(4)]
    with_errors(tmp_path, EM, two[0], {3.0: (0.2, 0.4), 1.0: (0.1, 0.3)})
    with_errors(tmp_path, EM, two[1], {3.0: (0.1, 0.1), 1.0: (0.1, 0.2)})
    found = l1m3n2009_read.score(TINY, Runs(tmp_path), EM, two, (1.0, 3.0))
    assert [spec.C for spec in found.chosen] == [3.0, 3.0, 1.0, 1.0]
    assert (found.mean, found.each.tolist()) == (pytest.approx((0.3 + 0.15) / 2), [0.2, 0.4, 0.1, 0.2])


def test_a_dual_value_bounds_the_losses_of_every_method(tmp_path: Path) -> None:
    """With C = 8, D = 6: at ||w||_1 = 0.5 the losses are at least 6 - 8 * 0.5 / 2 = 4."""
    program = TINY.specs(CUTTING_PLANE, TINY.first, 8.0)[0]
    run = synthetic_curves.write(tmp_path, program)
    synthetic_curves.keep(tmp_path, program, run.curve, run.summary | {"primal": 6.0, "dual": 6.0})
    w = np.zeros(204)
    w[:2] = 0.2, -0.3
    for way, C, penalty in ((EM, 2.0, 0.25), (SUBGRADIENT, 1.0, 0.0), (CUTTING_PLANE, 4.0, 1.0)):
        spec = TINY.specs(way, TINY.first, C)[0]
        run = synthetic_curves.write(tmp_path, spec)
        run = synthetic_curves.keep(tmp_path, spec, run.curve, run.summary | {"primal": 5.0 + penalty}, w)
        assert l1m3n2009_read.excess(Runs(tmp_path), run, [program]) == pytest.approx(0.2)


def test_selected_features() -> None:
    w = np.zeros(204)
    w[[0, 59, 60, 199]], w[61], w[200:] = 0.5, -1e-5, 1.0
    assert l1m3n2009_read.selected(w) == (5, 3)
    assert l1m3n2009_read.selected(w, 1e-4) == (4, 2)
    assert l1m3n2009_read.precision_and_recall(w) == (2 / 5, 2 / 60)
    precision, recall = l1m3n2009_read.precision_and_recall(np.zeros(204))
    assert np.isnan(precision) and recall == 0
