"""Tables 1 and 2 and Figure 16 of eg2008: rows, drawing, and rules that notice what breaks them."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from structbench.algorithms.learning.falling_strengths import strengths
from structbench.bench.papers import eg2008, judging
from structbench.bench.papers.eg2008 import claims, path, rates
from structbench.bench.papers.eg2008.runs import Task
from structbench.bench.papers.grid_runs import where
from structbench.bench.papers.judged import Judged
from structbench.bench.report import gathered, origin
from structbench.bench.runs import update_costs
from structbench.bench.runs.finished import Runs
from structbench.bench.workflow import breakdown
from structbench.datasets import data_ref
from tests.bench import synthetic_curves
from tests.bench.papers.eg2008.paths import changed, write_path
from tests.bench.papers.helpers import cases, drawn, rules_are_fair

MNIST = replace(eg2008.tasks("tiny")[0], seeds=(0, 1, 2), passes=400.0, controls=True)
N, THEIRS = synthetic_curves.EXAMPLES, path.THEIRS["table2"]
YES, NO, OPEN, PART, LESS = "reproduced", "not reproduced", "open", "in part", "weaker"


def judged(task: Task, runs: Runs, *names: str) -> dict[str, Judged]:
    """The claims on paths, or those of these names, judged."""
    made = [claim for claim in claims.eg2008_claims(task) if "path" in claim.row.runs]
    found = {said.id.removeprefix("eg2008/").removesuffix("-mnist"): said for said in judging.judge(made, runs)}
    return {name: said for name, said in found.items() if not names or name in names}


def paths(steps=THEIRS) -> Runs:
    """Runs that make these (C, passes, total, error); cold starts are slower."""
    runs = synthetic_curves.of()
    for C, cold in {100.0: 14.0, 10.0: 30.0, 1.0: 90.0}.items():
        for start in (10.0, 0.0):
            for spec in replace(MNIST, start=start).specs("eg", C):
                synthetic_curves.write(runs, spec, gap0=1.0, rate=np.log(1000) / cold)
    for spec in (spec for each in MNIST.for_paths() for spec in each.path()):
        write_path(runs, spec, [(C, passes, error) for C, passes, _, error in steps])
    return runs


def test_the_path_of_the_table_is_the_algorithms() -> None:
    spec, *_ = MNIST.path()
    made = strengths(dict(spec.params)["first"], dict(spec.params)["ratio"], spec.C)
    assert made == pytest.approx([C for C, *_ in THEIRS], rel=1e-4)
    assert spec.gap == dict(spec.params)["tolerance"]


def test_table2_has_a_row_for_each_of_theirs() -> None:
    rows = [*path.table2_mnist(MNIST, paths())]
    assert len(rows) == 24
    assert [*rows[1].items()] == [
        ("C", "700"), ("iterations, theirs", "3.00"), ("iterations, ours", "3.00"), ("total, theirs", "14.00"),
        ("total, ours", "14.00"), ("error, theirs", "0.0968"), ("error, ours", "0.0968"),
    ]  # fmt: skip
    assert (rows[-1]["total, theirs"], rows[-1]["total, ours"]) == ("211.17", "211.05")  # they rounded


def test_a_path_that_ended_early_leaves_dashes() -> None:
    runs = paths(THEIRS[:3])
    rows = [*path.table2_mnist(MNIST, runs)]
    assert [row["iterations, ours"] for row in rows[1:3]] == ["3.00", "-"]  # its third C is not finished
    found = {name: said.verdict for name, said in judged(MNIST, runs).items()}
    assert found == {
        "path-total": NO, "path-low": OPEN, "warm-beats-cold": OPEN, "path-warm": OPEN, "path-errors": YES,
        "path-optimum": OPEN,
    }  # fmt: skip


def test_all_claims_of_the_path_hold_on_their_own_numbers() -> None:
    found = judged(MNIST, paths())
    assert {name: said.answer for name, said in found.items() if said.verdict != YES} == {}
    rules_are_fair([*found.values()])


PASSES, ERROR = 1, 3  # columns of the table


def step(row: int, column: int) -> Callable:
    """One number of the table."""
    return lambda value: changed(THEIRS, row, column, value)


RULES = [
    ("path-total", step(0, PASSES), {400.0: NO, 100.0: YES}),
    ("warm-beats-cold", step(20, PASSES), {88.0: PART, 70.0: LESS}),
    ("path-warm", step(5, PASSES), {5.5: PART}),
    ("path-low", step(20, PASSES), {28.0: NO, 20.0: YES}),
    ("path-errors", step(3, ERROR), {0.0930: PART, 0.0910: YES}),
    ("path-optimum", step(9, ERROR), {0.0705: NO, 0.0715: YES}),
]


@pytest.mark.parametrize(("claim", "steps", "verdict"), cases(RULES))
def test_each_rule_of_the_path_notices(claim: str, steps: list, verdict: str) -> None:
    said = judged(MNIST, paths(steps), claim)[claim]
    assert said.verdict == verdict, said.answer


def write_rates(**changes: dict) -> Runs:
    """Log batch, log online, hinge batch, hinge online below their bounds; ``changes`` by loss_mode or by seed."""
    runs, A, D, best = synthetic_curves.of(), 2.0, 50.0, synthetic_curves.BEST
    for loss in ("log", "hinge"):
        (exact,) = where(rates.all_specs("tiny"), loss=loss, gap=1e-8)
        synthetic_curves.write(runs, exact, rate=5.0)
        for mode in rates.MODES:
            together = N if mode == "batch" else 1
            eta = 1 / ((1 if loss == "log" else 0) + together * A)
            for spec in rates.specs("tiny", loss, mode):
                options = {"speed": 1.0, "limit": 500_000.0} | changes.get(f"{loss}_{mode}", {})
                options |= changes.get(f"seed_{spec.seed}", {}) if mode == "online" else {}
                passes = np.concatenate([[0.0, 1.0], 1 + np.geomspace(0.1, options["limit"], 400)])
                T = (passes - 1) * (N / together) * options["speed"]
                steps = eta * T * together / N
                gap = 0.4 * np.exp(-steps) if loss == "log" else 0.4 / (1 + steps)
                notes = {"A": A, "divergence": D, "eta": eta}
                run = synthetic_curves.write(runs, spec, passes=passes, notes=notes)
                curve = run.curve.assign(dual=np.where(passes > 0, best * (1 - gap), np.nan))
                synthetic_curves.keep(runs, spec, curve, run.summary)
    return runs


def test_table1_gives_visits_and_bounds() -> None:
    rows = [*rates.table1_mnist("tiny", write_rates())]
    assert len(rows) == 6
    first = rows[0]
    assert (first["loss"], first["epsilon, of the optimum"], first["n"]) == ("log", "10%", f"{N}")
    c1 = (1 + N * 2) * 50
    assert first["batch, bound"] == f"{N * (1 + N * 2) * np.log(c1 / 10):,.0f}"
    # 0.4 exp(-T / (1 + 2 N)) = 0.1 at T = (1 + 2 N) log 4, a pass of N visits each
    assert float(first["batch, visits"].replace(",", "")) == pytest.approx((1 + 2 * N) * N * np.log(4), rel=1e-4)


def measured(extra: float, noise: float) -> dict:
    """Measurements in which EG's two loops take ``extra``, the operations that it shares 3 microseconds."""
    own = [extra / 2 * (1 + noise * k) for k in (-2, -1, 0, 1, 2)]
    return dict.fromkeys(update_costs.OPERATIONS, own) | dict.fromkeys(update_costs.SHARED, [1.0] * len(own))


@pytest.mark.parametrize(
    ("microseconds", "verdict"),
    [
        (measured(0.5, 0.01), YES),
        (measured(2.0, 0.01), LESS),
        (measured(4.0, 0.01), NO),
        (measured(2.8, 0.4), OPEN),  # the mean is high, measurements are far apart
        (dict.fromkeys(update_costs.OPERATIONS, 1.0), OPEN),  # one of each
        (None, OPEN),
    ],
)
def test_what_eg_does_beyond_sgd_is_judged_and_drawn(tmp_path: Path, microseconds, verdict: str) -> None:
    for k, spec in enumerate(MNIST.timed()):
        synthetic_curves.write(tmp_path / "runs", spec, second_per_pass=0.1 + 0.01 * k)
    if microseconds:
        file = update_costs.file(MNIST.data, tmp_path / "breakdown")
        file.parent.mkdir()
        file.write_text(json.dumps({"microseconds": microseconds}))
    runs = Runs(tmp_path / "runs")
    (said,) = judging.judge([extra_loops(MNIST)], runs)
    assert said.verdict == verdict, said.answer
    drawn("eg2008", {"one": eg2008.figures_on(MNIST)["fig16-mnist"]}, runs, tmp_path)


def extra_loops(task: Task) -> judging.Claim:
    return next(claim for claim in claims.eg2008_claims(task) if "extra-loops" in claim.id)


def test_what_was_measured_on_a_twin_is_no_claim_on_the_papers_data(tmp_path: Path) -> None:
    claim = extra_loops(replace(MNIST, stem="ocr", data=data_ref("ocr:words=20")))
    judging.write_claims("eg2008", "tiny", judging.judge([claim], Runs(tmp_path / "runs")), tmp_path)
    (paper,) = gathered.papers(tmp_path / "figures", tmp_path)
    assert [claim.origin for claim in paper.claims] == [origin.SUBSTITUTE]


def test_the_breakdown_measures_each_operation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(breakdown, "VISITS", 500)
    file = breakdown.write_breakdown(data_ref("toy-points:points=20"), tmp_path / "breakdown" / "one.json")
    said = json.loads(file.read_text())
    assert set(said["microseconds"]) == set(update_costs.OPERATIONS)
    assert {len(each) for each in said["microseconds"].values()} == {breakdown.MEASUREMENTS}
    assert min(said["microseconds"]["inner products"]) > 0
    assert update_costs.read_update_costs(data_ref("mnist"), tmp_path / "breakdown") is None
