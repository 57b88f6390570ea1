"""Figures and claims of l1m3n2009: every figure draws, every rule tells runs that obey from some that do not."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bench.drawing.draw import draw
from bench.papers import l1m3n2009
from bench.papers.judging import Claim, judge
from bench.papers.l1m3n2009 import claims as l1m3n2009_claims
from bench.papers.l1m3n2009 import path_rules
from bench.papers.l1m3n2009 import rules as l1m3n2009_rules
from bench.papers.l1m3n2009 import scores as l1m3n2009_read
from bench.papers.l1m3n2009 import setting as ways
from bench.papers.l1m3n2009 import tables as l1m3n2009_table
from bench.papers.l1m3n2009.extraction import SOURCES, extraction
from bench.papers.l1m3n2009.runs import Cross
from bench.papers.l1m3n2009.setting import (
    CRF,
    CUTTING_PLANE,
    CUTTING_WARM,
    EM,
    EM_RETURN,
    L1_CRF,
    LAP_M3N,
    M3N,
    ONLINE,
    PROXIMAL,
    SUBGRADIENT,
    Way,
)
from bench.runs.finished import Runs
from bench.runs.spec import Spec
from bench.runs.store import Run
from tests.bench import synthetic_curves

STEMS = {f"fig0{k}" for k in range(2, 7)} | {"table1", "table-models", "fig-selection", "fig-gap"}
FIGURE_7 = {f"fig07-{source.stem}" for source in SOURCES}
TINY = l1m3n2009.task("tiny")
TASK = replace(TINY, used={10: 3, 4: 3}, words={100: 3, 150: 3})  # as many folds as the rules ask for
# error of each model, on synthetic data and on OCR, for the least training set
ERRORS = {
    "synthetic": {"CRF": 0.33, "L2-CRF": 0.245, "M3N": 0.25, "L1-CRF": 0.225, "LapM3N": 0.222, "L1-M3N": 0.22},
    "ocr": {"CRF": 0.40, "L2-CRF": 0.345, "M3N": 0.34, "L1-CRF": 0.38, "LapM3N": 0.312, "L1-M3N": 0.31},
}
# along the path, from the strongest constant to the weakest: error more than the model's, CPU seconds
PATHS = {
    "synthetic": {
        EM.name: ((0.0, 0.0), (2.0, 2.0)),
        SUBGRADIENT.name: ((0.0, 0.02), (1.0, 0.8)),
        CUTTING_PLANE.name: ((0.0, 0.03), (1.5, 7.5)),
        CUTTING_WARM.name: ((0.0, 0.0), (1.0, 1.0)),
        EM_RETURN.name: ((0.0, 0.0), (1.0, 1.0)),
        PROXIMAL.name: ((0.0, 0.0), (1.0, 1.0)),
        ONLINE.name: ((0.0, 0.0), (1.0, 1.0)),
    },
    "ocr": {
        EM.name: ((0.0, 0.0), (2.0, 2.2)),
        SUBGRADIENT.name: ((0.001, 0.002), (4.0, 2.0)),
        CUTTING_PLANE.name: ((0.1, 0.1), (2000.0, 3000.0)),
        CUTTING_WARM.name: ((0.0, 0.0), (1.0, 1.0)),
        EM_RETURN.name: ((0.0, 0.0), (1.0, 1.0)),
        PROXIMAL.name: ((0.0, 0.0), (1.0, 1.0)),
        ONLINE.name: ((0.0, 0.0), (1.0, 1.0)),
    },
}
GAPS = {CUTTING_PLANE.name: 0.5}  # at the end, on OCR
KEPT = {  # weights other than zero: of relevant features, of irrelevant ones; along the path
    EM.name: ((12, 0), (58, 135)),
    CUTTING_PLANE.name: ((10, 0), (57, 130)),
    CUTTING_WARM.name: ((10, 0), (57, 130)),
    EM_RETURN.name: ((12, 0), (58, 135)),
    PROXIMAL.name: ((10, 0), (57, 130)),
    ONLINE.name: ((60, 136), (60, 140)),
    SUBGRADIENT.name: ((60, 136), (60, 140)),
}
CLEAN = {EM.name: (12, 0), L1_CRF.name: (14, 0)}  # at the constants of Figures 2 and 3
NOISE = {LAP_M3N.name: 1e-3, M3N.name: 0.05}  # magnitude of irrelevant weights; relevant ones have 0.1


def listed() -> Iterator[tuple[Spec, Way, Cross, int | None, int]]:
    """Every run of the family, with its place on the path, if it is of one, and its fold."""
    crosses = [*TASK.crosses(10), *TASK.crosses(4), *(TASK.ocr(words) for words in TASK.words)]
    found: dict[Spec, tuple] = {}
    for cross in crosses:
        for way in (*ways.MODELS, *ways.OTHER_M3NS):
            for C in TASK.grid_of(way, cross.kind):
                found |= {s: (way, cross, None, fold) for fold, s in enumerate(TASK.specs(way, cross, C))}
    for cross in (TASK.first, TASK.smallest):
        for way in (*ways.METHODS, *ways.OURS):
            for place, C in enumerate(TASK.path_of(way, cross.kind)):
                found |= {s: (way, cross, place, fold) for fold, s in enumerate(TASK.specs(way, cross, C))}
    return ((spec, *about) for spec, about in found.items())


pytestmark = pytest.mark.xdist_group("l1m3n2009")  # one folder of runs


@pytest.fixture(scope="module")
def obedient(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of runs that obey every claim."""
    root = tmp_path_factory.mktemp("obedient") / "runs"
    for spec, *about in listed():
        run = synthetic_curves.write(root, spec)
        summary, w = made(*about, {})
        synthetic_curves.keep(root, spec, curved(run, summary), run.summary | summary, w)
    for rank, spec in enumerate(spec for specs in extraction("tiny").runs_of().values() for spec in specs):
        run = synthetic_curves.write(root, spec)
        scores = {"test_average_f1": 0.9 - rank / 100, "test_instance_accuracy": 0.8, "num_nonzero": 10 + rank}
        synthetic_curves.keep(root, spec, run.curve, run.summary | scores, np.zeros(3))
    return root


@cache
def known(obedient: Path) -> dict[str, Run | None]:
    runs = Runs(obedient)
    runs.present([spec for spec, *_ in listed()])
    return runs.asked


def family(obedient: Path, folder: Path, **changes: dict) -> Runs:
    """Those runs; ``changes``: others of the tables above, by kind or way; what they touch is in ``folder``."""
    runs = Runs(obedient)
    runs._read |= known(obedient)
    for spec, *about in listed():
        summary, w = made(*about, changes)
        if repr(made(*about, {})) != repr((summary, w)):
            run = runs[spec]
            runs._read[spec.key] = synthetic_curves.keep(
                folder, spec, curved(run, summary), run.summary | summary, w
            )
    return runs.afresh()


def curved(run: Run, summary: dict) -> pd.DataFrame:
    """A curve with the summary's error all along, and its seconds in the end."""
    seconds = run.curve["cpu_seconds"] * summary["cpu_seconds"] / run.curve["cpu_seconds"].iloc[-1]
    return run.curve.assign(test_error=summary["test_error"], cpu_seconds=seconds)


def made(way: Way, cross: Cross, place: int | None, fold: int, changes: dict) -> tuple[dict, np.ndarray]:
    """What a run's summary says, and its weights."""
    kind, size = cross.kind, cross.size
    error = (ERRORS[kind] | changes.get(kind, {}))[way.model] - 2e-4 * size
    error += changes.get("sizes", {}).get((way.model, size), 0.0)
    error += (fold - 0.5) / size * changes.get("spread", {}).get((way.model, size), 1.0)
    seconds, kept = 1.0, (CLEAN | changes.get("clean", {})).get(way.name, (60, 140))
    if place is not None:
        more, times = (PATHS[kind] | changes.get(f"{kind}-path", {}))[way.name]
        error, seconds, kept = error + more[place], times[place], (KEPT | changes.get("kept", {}))[way.name][place]
    w = np.zeros(204)
    w[: kept[0]] = 0.1
    w[60 : 60 + kept[1]] = (NOISE | changes.get("noise", {})).get(way.name, 0.01)
    gap = (GAPS | changes.get("gaps", {})).get(way.name, 1e-4) if kind == "ocr" else 1e-4
    status = changes.get("status", {}).get(way.name, "converged")
    gaps = {
        "relative_gap": None if way is CRF else gap,
        "primal": 10.0,
        "dual": 10.0 * (1 - gap),
        "status": status,
    }
    return {"test_error": error, "cpu_seconds": seconds, "setup_seconds": 0.0} | gaps, w


def verdicts(runs: Runs) -> dict[str, str]:
    return {said["id"].removeprefix("l1m3n2009/"): said["verdict"] for said in judge(own_claims(), runs)}


def own_claims() -> list[Claim]:
    """All but those of Figure 7, which ``test_extraction`` is of."""
    return l1m3n2009_claims.claims(TASK)


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


def test_all_claims_hold_on_runs_that_obey_them(obedient: Path) -> None:
    found = verdicts(Runs(obedient))
    assert len(found) == 28
    others = {claim: verdict for claim, verdict in found.items() if verdict != "reproduced"}
    assert others == dict.fromkeys(("l1crf-sensitive", "time-follows-non-zeros"), UNDECIDED)  # too few constants


def test_two_folds_decide_nothing_about_errors_and_seconds(obedient: Path) -> None:
    two = replace(TASK, used={10: 2, 4: 2}, words={100: 2, 150: 2})
    judged = judge(l1m3n2009_claims.claims(two), Runs(obedient))
    decided = {said["id"].removeprefix("l1m3n2009/") for said in judged if said["verdict"] != UNDECIDED}
    of_averages = {"noise-discarded", "dense-models", "weights-differ", "em-as-cutting-plane"}
    assert decided == of_averages | {"subgradient-tail", "tail-is-small"}


def test_the_constants_of_table_1_are_the_papers() -> None:
    paths = ways.PATHS["synthetic"]
    assert paths["l1"][0] == 400 and paths["l1"][3] == 100  # C' of 0.25 and 1 over 100 sequences
    radii = [1 / C for C in paths["l1-ball"]]
    assert (radii[0], radii[-1]) == pytest.approx((0.25, 16))
    assert paths["l1-squared"][0] == pytest.approx(2 * 0.93 * 14000 / 204, rel=1e-3)
    theirs = l1m3n2009_table.THEIRS
    assert tuple(row.constant for row in theirs[SUBGRADIENT.name][1]) == ways.ROOTS
    assert tuple(row.constant for row in theirs[CUTTING_PLANE.name][1]) == ways.ROOTS
    assert tuple(row.constant for row in theirs[EM.name][1]) == ways.SHARES_OF_14000
    assert [1 / C for C in ways.PATHS["ocr"]["l1-ball"]][::4] == pytest.approx([144, 484], rel=1e-3)


def test_how_sensitive_models_are_to_their_constants(tmp_path: Path) -> None:
    task = replace(TASK, grid=(0, 2))
    sizes = [task.crosses(10)]
    for way, range_ in ((L1_CRF, 0.05), (EM, 0.01)):
        for place, C in enumerate(task.grid_of(way, "synthetic")):
            for fold, spec in enumerate(task.specs(way, task.first, C)):
                run = synthetic_curves.write(tmp_path, spec)
                error = 0.2 + place * range_ + 0.001 * fold
                synthetic_curves.keep(tmp_path, spec, run.curve, run.summary | {"test_error": error})
    verdict, numbers, _ = l1m3n2009_rules.l1crf_sensitive(task, sizes, Runs(tmp_path))
    assert (verdict, "L1-CRF 5.00, L1-M3N 1.00" in numbers) == ("reproduced", True)
    for spec in task.all_of(EM, task.first, task.grid_of(EM, "synthetic")[:1]):
        run = synthetic_curves.write(tmp_path, spec)
        synthetic_curves.keep(tmp_path, spec, run.curve, run.summary | {"test_error": 0.9})
    assert l1m3n2009_rules.l1crf_sensitive(task, sizes, Runs(tmp_path))[0] == NO


@pytest.mark.parametrize(("seconds", "verdict"), [((1, 2, 3, 4), "reproduced"), ((4, 3, 2, 1), "not reproduced")])
def test_seconds_that_follow_the_weights_that_are_kept(tmp_path: Path, seconds: tuple, verdict: str) -> None:
    task = replace(TASK, ranks={"synthetic": (0, 2, 4, 6), "ocr": (1, 3)})
    for place, C in enumerate(task.path_of(CUTTING_PLANE, "synthetic")):
        for spec in task.specs(CUTTING_PLANE, task.first, C):
            run, w = synthetic_curves.write(tmp_path, spec), np.zeros(204)
            w[: 10 * (place + 1)] = 1.0
            summary = run.summary | {"cpu_seconds": float(seconds[place])}
            synthetic_curves.keep(tmp_path, spec, run.curve, summary, w)
    assert path_rules.time_follows_non_zeros(task, task.first, Runs(tmp_path))[0] == verdict


def test_weights_that_are_the_generators(obedient: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flat = np.repeat([1.0, 0.0], [60, 144])
    monkeypatch.setattr(l1m3n2009_rules.synthetic, "true_weights", lambda crf: flat)
    assert verdicts(Runs(obedient))["weights-differ"] == NO


def test_nothing_is_claimed_without_runs(tmp_path: Path) -> None:
    assert set(verdicts(Runs(tmp_path)).values()) == {"inconclusive"}


NO, UNDECIDED = "not reproduced", "inconclusive"


@pytest.mark.parametrize(
    ("claim", "changes", "verdict"),
    [
        ("sparse-beats-m3n", {"synthetic": {"M3N": 0.2205}}, NO),
        ("sparse-beats-m3n", {"synthetic": {"M3N": 0.225}}, UNDECIDED),
        ("sparse-beats-m3n", {"sizes": {("L1-CRF", 250): 0.03}}, NO),
        ("lap-as-l1m3n", {"synthetic": {"M3N": 0.235, "LapM3N": 0.229}}, UNDECIDED),  # M3N is as near
        ("lap-as-l1m3n", {"sizes": {("LapM3N", 250): 0.02}}, NO),
        ("crf-worst", {"synthetic": {"CRF": 0.309}}, UNDECIDED),  # others are spread over 3 points
        ("crf-worst", {"synthetic": {"CRF": 0.24}}, NO),
        ("l2crf-as-m3n", {"synthetic": {"L2-CRF": 0.28}}, NO),
        ("noise-discarded", {"clean": {L1_CRF.name: (20, 1)}}, UNDECIDED),
        ("noise-discarded", {"synthetic": {"L1-CRF": 0.26}}, UNDECIDED),  # at an error above M3N's
        (
            "noise-discarded",
            {"clean": {L1_CRF.name: (20, 1), EM.name: (0, 0)}, "kept": {EM.name: ((12, 1), (58, 135))}},
            NO,
        ),
        ("dense-models", {"clean": {M3N.name: (60, 135)}}, UNDECIDED),
        ("dense-models", {"clean": {M3N.name: (60, 80)}}, NO),
        ("lap-shrinks", {"noise": {LAP_M3N.name: 0.04}}, UNDECIDED),
        ("lap-shrinks", {"noise": {LAP_M3N.name: 0.06}}, NO),
        ("em-as-cutting-plane", {"kept": {EM.name: ((12, 0), (58, 50))}}, UNDECIDED),
        ("em-as-cutting-plane", {"kept": {EM.name: ((12, 0), (38, 0))}}, NO),
        ("subgradient-tail", {"kept": {SUBGRADIENT.name: ((60, 100), (60, 140))}}, UNDECIDED),
        ("subgradient-tail", {"kept": {SUBGRADIENT.name: ((20, 10), (60, 140))}}, NO),
        ("tail-is-small", {"noise": {SUBGRADIENT.name: 1e-5}}, NO),
        (
            "tail-is-small",
            {"noise": {SUBGRADIENT.name: 1e-5}, "kept": {SUBGRADIENT.name: ((60, 12), (60, 12))}},
            UNDECIDED,
        ),
        (
            "best-comparable",
            {
                "synthetic-path": {
                    CUTTING_PLANE.name: ((0.008, 0.008), (1.5, 7.5)),
                    SUBGRADIENT.name: ((0.0, 0.005), (1.0, 0.8)),
                }
            },
            UNDECIDED,  # their paths differ less
        ),
        ("best-comparable", {"synthetic-path": {CUTTING_PLANE.name: ((0.011, 0.1), (1.5, 7.5))}}, NO),
        ("em-robust-error", {"synthetic-path": {EM.name: ((0.0, 0.025), (2.0, 2.0))}}, UNDECIDED),
        ("em-robust-error", {"synthetic-path": {EM.name: ((0.0, 0.04), (2.0, 2.0))}}, NO),
        ("em-robust-time", {"synthetic-path": {EM.name: ((0.0, 0.0), (2.0, 3.0))}}, UNDECIDED),
        ("em-robust-time", {"synthetic-path": {EM.name: ((0.0, 0.0), (2.0, 12.0))}}, NO),
        ("cutting-plane-slows", {"synthetic-path": {CUTTING_PLANE.name: ((0.0, 0.03), (1.5, 7.4))}}, UNDECIDED),
        ("cutting-plane-slows", {"synthetic-path": {CUTTING_PLANE.name: ((0.0, 0.03), (1.5, 1.0))}}, NO),
        ("subgradient-speeds-up", {"synthetic-path": {SUBGRADIENT.name: ((0.0, 0.02), (1.0, 1.0))}}, UNDECIDED),
        ("subgradient-speeds-up", {"synthetic-path": {SUBGRADIENT.name: ((0.0, 0.02), (1.0, 1.1))}}, NO),
        ("subgradient-fastest", {"synthetic-path": {SUBGRADIENT.name: ((0.0, 0.02), (3.0, 2.5))}}, NO),
        ("em-robust-time", {"status": {SUBGRADIENT.name: "passes"}}, UNDECIDED),
        ("subgradient-fastest", {"status": {SUBGRADIENT.name: "passes"}}, UNDECIDED),
        ("ocr-em-time", {"status": {EM.name: "passes"}}, UNDECIDED),
        ("ocr-more-data", {"spread": {("M3N", 150): 2.0}}, UNDECIDED),
        ("ocr-more-data", {"sizes": {("M3N", 150): 0.02}}, NO),
        ("ocr-lap-as-l1m3n", {"ocr": {"M3N": 0.325, "LapM3N": 0.319}}, UNDECIDED),
        ("ocr-lap-as-l1m3n", {"ocr": {"LapM3N": 0.335}}, NO),
        ("ocr-l1m3n-best", {"ocr": {"M3N": 0.31}}, UNDECIDED),
        ("ocr-l1m3n-best", {"sizes": {("M3N", 150): -0.031}}, NO),
        ("ocr-l2crf-as-m3n", {"ocr": {"CRF": 0.355, "L2-CRF": 0.349}}, UNDECIDED),
        ("ocr-l2crf-as-m3n", {"ocr": {"L2-CRF": 0.355}}, NO),
        ("ocr-m3n-beats-crfs", {"ocr": {"L1-CRF": 0.34}}, UNDECIDED),
        ("ocr-m3n-beats-crfs", {"sizes": {("L1-CRF", 150): -0.041}}, NO),
        ("ocr-both-robust", {"ocr-path": {SUBGRADIENT.name: ((0.001, 0.2), (4.0, 2.0))}}, NO),
        ("ocr-em-better", {"ocr-path": {EM.name: ((0.001, 0.001), (2.0, 2.2))}}, UNDECIDED),
        ("ocr-em-better", {"ocr-path": {EM.name: ((0.002, 0.002), (2.0, 2.2))}}, NO),
        ("ocr-em-time", {"ocr-path": {EM.name: ((0.0, 0.0), (2.0, 3.5))}}, UNDECIDED),
        ("ocr-em-time", {"ocr-path": {EM.name: ((0.0, 0.0), (2.0, 7.0))}}, NO),
        ("ocr-cutting-plane", {"ocr-path": {CUTTING_PLANE.name: ((0.005, 0.005), (20.0, 30.0))}}, UNDECIDED),
        ("ocr-cutting-plane", {"ocr-path": {CUTTING_PLANE.name: ((0.0, 0.0), (20.0, 30.0))}}, NO),
        (
            "ocr-cutting-plane",  # our limit comes before five times EM's seconds
            {
                "ocr-path": {CUTTING_PLANE.name: ((0.1, 0.1), (2.0, 3.0))},
                "status": {CUTTING_PLANE.name: "timeout"},
            },
            UNDECIDED,
        ),
    ],
)
def test_each_rule_notices_runs_that_break_it(
    obedient: Path, tmp_path: Path, claim: str, changes: dict, verdict: str
) -> None:
    (asked,) = (one for one in own_claims() if one.id == f"l1m3n2009/{claim}")
    (said,) = judge([asked], family(obedient, tmp_path, **changes))
    assert said["verdict"] == verdict, said["ours"]


def test_the_rules_are_listed_for_every_claim() -> None:
    for claim in own_claims():
        listed = l1m3n2009_rules.__doc__ + path_rules.__doc__
        assert listed.count(f"\n{claim.id.removeprefix('l1m3n2009/')} ") == 1, claim.id
