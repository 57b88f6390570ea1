"""Tables 1 and 2 and Figure 16 of eg2008: rows, drawing, and rules that notice what breaks them."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from structbench.bench.drawing.draw import Figure, draw
from structbench.bench.papers import eg2008, judging
from structbench.bench.papers.eg2008 import path as eg2008_path
from structbench.bench.papers.eg2008 import rates as eg2008_rates
from structbench.bench.papers.eg2008 import update_cost as eg2008_cost
from structbench.bench.papers.judging import Claim
from structbench.bench.report import gathered, origin
from structbench.bench.runs import update_costs
from structbench.bench.runs.finished import Runs
from structbench.bench.workflow import breakdown
from tests.bench import synthetic_curves

MNIST = replace(eg2008.tasks("tiny")[0], seeds=(0, 1, 2), passes=400.0)
STARTS = [replace(MNIST, start=start) for start in (10.0, 0.0)]
N = 100  # examples of synthetic runs


def drawn(figure: Figure, runs: Runs, folder: Path) -> dict:
    (sidecar,) = draw("eg2008", {"one": figure}, runs, folder)
    return json.loads(sidecar.read_text())


def judged(claims: list[Claim], runs: Runs) -> dict[str, str]:
    return {claim.id.removeprefix("eg2008/").removesuffix("-mnist"): claim.check(runs)[0] for claim in claims}


def write_path(root: Path, steps=eg2008_path.THEIRS) -> Runs:
    """Runs that make these (C, passes, total, error), each in two checkpoints; cold starts are slower."""
    for C, cold in {100.0: 14.0, 10.0: 30.0, 1.0: 90.0}.items():
        for spec in [spec for task in STARTS for spec in task.specs("eg", C)]:
            synthetic_curves.write(root, spec, gap0=1.0, rate=np.log(1000) / cold)
    for spec in eg2008_path.all_specs(MNIST):
        rows, total = [], 0.0
        for C, passes, _, error in steps:
            for share in (0.5, 0.5):
                total += share * passes
                rows.append({"C": C, "passes": total, "test_error": error})
        curve = pd.DataFrame([{"C": 1000.0, "passes": 0.0, "test_error": 0.9}, *rows])
        for column in ("visits", "primal", "dual", "gap", "relative_gap", "wall_seconds", "cpu_seconds"):
            curve[column] = 1.0
        summary = {"key": spec.key, "status": "converged", "num_examples": N, "num_features": 784, "notes": {}}
        synthetic_curves.keep(root, spec, curve, summary | {"provenance": synthetic_curves.PROVENANCE})
    return Runs(root)


def changed(k: int, passes: float | None = None, error: float | None = None) -> list[tuple[float, ...]]:
    steps = list(eg2008_path.THEIRS)
    C, old_passes, total, old_error = steps[k]
    steps[k] = (C, passes or old_passes, total, error or old_error)
    return steps


def test_the_path_of_the_table_is_the_algorithms() -> None:
    from structbench.algorithms.exponentiated_gradient.eg_path import strengths

    spec, *_ = eg2008_path.specs(MNIST)
    path = strengths(dict(spec.params)["first"], dict(spec.params)["ratio"], spec.C)
    assert path == pytest.approx([C for C, *_ in eg2008_path.THEIRS], rel=1e-4)
    assert spec.gap == dict(spec.params)["tolerance"]


def test_table2_has_a_row_for_each_of_theirs(tmp_path: Path) -> None:
    rows = drawn(eg2008_path.figure(MNIST), write_path(tmp_path / "runs"), tmp_path)["table"]
    assert len(rows) == 24
    assert rows[1] == {
        "C": "700",
        "iterations, theirs": "3.00",
        "iterations, ours": "3.00",
        "total, theirs": "14.00",
        "total, ours": "14.00",
        "error, theirs": "0.0968",
        "error, ours": "0.0968",
    }
    assert (rows[-1]["total, theirs"], rows[-1]["total, ours"]) == ("211.17", "211.05")  # they rounded


def test_a_path_that_ended_early_leaves_dashes(tmp_path: Path) -> None:
    runs = write_path(tmp_path / "runs", eg2008_path.THEIRS[:3])
    rows = drawn(eg2008_path.figure(MNIST), runs, tmp_path)["table"]
    assert [row["iterations, ours"] for row in rows[2:4]] == ["4.01", "-"]
    found = judged(eg2008_path.claims(MNIST), runs)
    assert found["path-total"] == found["path-low"] == found["warm-beats-cold"] == "not reproduced"
    assert found["path-warm"] == found["path-errors"] == found["path-optimum"] == "inconclusive"


def test_all_claims_of_the_path_hold_on_their_own_numbers(tmp_path: Path) -> None:
    assert set(judged(eg2008_path.claims(MNIST), write_path(tmp_path)).values()) == {"reproduced"}


@pytest.mark.parametrize(
    ("claim", "steps", "verdict"),
    [
        ("path-total", changed(0, passes=200.0), "not reproduced"),
        ("path-total", changed(0, passes=130.0), "inconclusive"),
        ("warm-beats-cold", changed(20, passes=80.0), "not reproduced"),
        ("path-warm", changed(5, passes=5.5), "inconclusive"),
        ("path-warm", changed(5, passes=6.5), "not reproduced"),
        ("path-low", changed(20, passes=28.0), "not reproduced"),
        ("path-errors", changed(3, error=0.0930), "not reproduced"),
        ("path-errors", changed(3, error=0.0910), "reproduced"),
        ("path-optimum", changed(9, error=0.0705), "not reproduced"),
        ("path-optimum", changed(9, error=0.0715), "inconclusive"),
        ("path-optimum", changed(20, error=0.0715), "reproduced"),
    ],
)
def test_each_rule_of_the_path_notices(tmp_path: Path, claim: str, steps, verdict: str) -> None:
    assert judged(eg2008_path.claims(MNIST), write_path(tmp_path, steps))[claim] == verdict


def write_rates(root: Path, **changes: dict) -> Runs:
    """Log batch, log online, hinge batch, hinge online below their bounds; ``changes`` by loss_mode or by seed."""
    A, D, best = 2.0, 50.0, synthetic_curves.BEST
    for loss in eg2008_rates.LOSSES:
        synthetic_curves.write(root, eg2008_rates.exact("tiny", loss), rate=5.0)
        for mode in eg2008_rates.MODES:
            together = N if mode == "batch" else 1
            eta = 1 / ((1 if loss == "log" else 0) + together * A)
            for spec in eg2008_rates.specs("tiny", loss, mode):
                options = {"speed": 1.0, "level": 0.4, "limit": 500_000.0} | changes.get(f"{loss}_{mode}", {})
                options |= changes.get(f"seed_{spec.seed}", {}) if mode == "online" else {}
                passes = np.concatenate([[0.0, 1.0], 1 + np.geomspace(0.1, options["limit"], 400)])
                T = (passes - 1) * (1 if mode == "batch" else N) * options["speed"]
                if loss == "log":
                    gap = np.exp(-eta * T / (1 if mode == "batch" else N)) * options["level"]
                else:
                    gap = options["level"] / (1 + eta * T / (1 if mode == "batch" else N))
                run = synthetic_curves.write(
                    root, spec, passes=passes, notes={"A": A, "divergence": D, "eta": eta}
                )
                curve = run.curve.assign(dual=np.where(passes > 0, best * (1 - gap), np.nan))
                synthetic_curves.keep(root, spec, curve, run.summary)
    return Runs(root)


def test_table1_gives_visits_and_bounds(tmp_path: Path) -> None:
    rows = drawn(eg2008_rates.figure("tiny"), write_rates(tmp_path / "runs"), tmp_path)["table"]
    assert len(rows) == 6
    first = rows[0]
    assert (first["loss"], first["epsilon, of the optimum"], first["n"]) == ("log", "10%", "100")
    c1 = (1 + 100 * 2) * 50
    assert first["batch, bound"] == f"{100 * (1 + 100 * 2) * np.log(c1 / 10):,.0f}"
    # 0.4 exp(-T / 201) = 0.1 at T = 201 log 4, a pass of 100 visits each
    assert float(first["batch, visits"].replace(",", "")) == pytest.approx(20_100 * np.log(4), rel=1e-4)


@pytest.mark.parametrize(
    ("seeds", "changes", "verdict"),
    [
        ((0, 1, 2), {}, "reproduced"),
        ((0, 1, 2), {"seed_1": {"speed": 0.5}}, "not reproduced"),
        ((0, 1), {}, "inconclusive"),
        ((0, 1, 2), {"hinge_online": {"limit": 1.0}}, "inconclusive"),
    ],
)
def test_repeated_trials_are_of_three_seeds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seeds, changes, verdict: str
) -> None:
    monkeypatch.setattr(eg2008_rates, "seeds_of", lambda scale: seeds)
    (claim,) = eg2008_rates.claims("tiny")
    assert claim.check(write_rates(tmp_path, **changes))[0] == verdict


def write_costs(root: Path, extra: float, noise: float = 0.01) -> Runs:
    """Runs of Figure 14, and measurements in which EG's own operations take ``extra``, the rest 3 microseconds."""
    for k, spec in enumerate(MNIST.timed()):
        synthetic_curves.write(root / "runs", spec, second_per_pass=0.1 + 0.01 * k)
    own = [extra / 3 * (1 + noise * k) for k in (-2, -1, 0, 1, 2)]
    each = dict.fromkeys(update_costs.OPERATIONS, own) | dict.fromkeys(update_costs.SHARED, [1.0] * len(own))
    file = update_costs.file(MNIST.data, root / "breakdown")
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps({"microseconds": each}))
    return Runs(root / "runs")


@pytest.mark.parametrize(
    ("extra", "noise", "verdict"),
    [
        (0.5, 0.01, "reproduced"),
        (1.0, 0.01, "inconclusive"),
        (2.0, 0.01, "not reproduced"),
        (0.5, 0.4, "inconclusive"),  # the mean is low, measurements are far apart
        (2.0, 0.4, "inconclusive"),
    ],
)
def test_what_eg_does_beyond_sgd_is_judged_and_drawn(
    tmp_path: Path, extra: float, noise: float, verdict: str
) -> None:
    runs = write_costs(tmp_path, extra, noise)
    (claim,) = eg2008_cost.claims(MNIST)
    assert claim.check(runs)[0] == verdict
    assert drawn(eg2008_cost.figure(MNIST), runs, tmp_path)["missing"] == []


def test_a_single_measurement_decides_nothing(tmp_path: Path) -> None:
    runs = write_costs(tmp_path, 0.5)
    file = update_costs.file(MNIST.data, tmp_path / "breakdown")
    file.write_text(json.dumps({"microseconds": dict.fromkeys(update_costs.OPERATIONS, 1.0)}))
    (claim,) = eg2008_cost.claims(MNIST)
    assert claim.check(runs)[0] == "inconclusive"


def test_what_was_measured_on_a_twin_is_no_claim_on_the_papers_data(tmp_path: Path) -> None:
    (claim,) = eg2008_cost.claims(replace(MNIST, stem="ocr", data="ocr:words=20"))
    judging.write("eg2008", "tiny", judging.judge([claim], Runs(tmp_path / "runs")), tmp_path)
    (paper,) = gathered.papers(tmp_path / "figures", tmp_path)
    assert [claim["origin"] for claim in paper["claims"]] == [origin.TWIN]


def test_without_a_measurement_nothing_is_claimed_of_it(tmp_path: Path) -> None:
    runs = write_costs(tmp_path, 1.0)
    update_costs.file(MNIST.data, tmp_path / "breakdown").unlink()
    (claim,) = eg2008_cost.claims(MNIST)
    assert claim.check(runs)[0] == "inconclusive"
    assert drawn(eg2008_cost.figure(MNIST), runs, tmp_path)["missing"] == []


def test_the_breakdown_measures_each_operation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = breakdown.write("synthetic:sequences=20", tmp_path / "breakdown" / "one.json")
    said = json.loads(file.read_text())
    assert set(said["microseconds"]) == set(update_costs.OPERATIONS)
    assert {len(each) for each in said["microseconds"].values()} == {breakdown.MEASUREMENTS}
    assert min(said["microseconds"]["inner products"]) > 0
    assert update_costs.read("mnist", tmp_path / "breakdown") is None
