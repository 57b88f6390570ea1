"""The driver: what it times, when it evaluates, and how a run ends."""

import math
from functools import partial
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from structbench.algorithms.learning.declaration import NO_LOSS, algorithm
from structbench.algorithms.learning.objective import Dual, Hints, Iterate, Objective, Value
from structbench.algorithms.structures import interface as parts
from structbench.bench.runs import algorithm_module, catalogue, driver, referee, refusals, summaries
from structbench.bench.runs.quality import QUALITY
from structbench.datasets.problems.problem import Problem
from tests.algorithms.oracle import case
from tests.bench.runs.driven import LABELS, problem, spec

STEP, EVALUATION = 1.0, 100.0  # seconds that they take here
PRIMAL = 6 * math.log(3)  # of six examples with three classes, at w = 0


@pytest.fixture
def clock(monkeypatch):
    """Seconds pass only where an algorithm takes a step or the objective is evaluated."""
    now = SimpleNamespace(seconds=0.0, cpu=2.0, examples=[])
    read = SimpleNamespace(
        perf_counter=lambda: now.seconds, process_time=lambda: now.cpu * now.seconds, time=lambda: now.seconds
    )
    monkeypatch.setattr(driver, "time", read)
    original = Objective.evaluate

    def evaluate(self, w, conjugate, dual=None):
        now.seconds += EVALUATION
        return original(self, w, conjugate, dual)

    monkeypatch.setattr(Objective, "evaluate", evaluate)
    return now


def put_in_place(solve, monkeypatch, loss="any"):
    """Every algorithm is this one."""
    declared = algorithm(needs=("parts",), loss=loss)(solve)
    monkeypatch.setattr(algorithm_module, "algorithm", lambda name: SimpleNamespace(solve=declared))
    for module in (referee, refusals):
        monkeypatch.setattr(module, "file_of", lambda name: Path("algorithms/gradient/sgd.py"))
    for module in (algorithm_module, catalogue):
        monkeypatch.setattr(module, "declaration", lambda name: declared.declaration)


@pytest.fixture
def fake(monkeypatch, clock):
    """``fake(gaps)`` installs an algorithm that stays at w = 0; relative gap after step k: gaps(k)."""

    def install(
        gaps=lambda k: 1.0, steps=10**6, each=1, value=0.0, more=None, loss="any", weights=None, stored=None
    ):
        def solve(problem, objective, rng, *, eta: float = 0.5):
            w = np.zeros(parts.num_weights(objective.split))
            clock.examples.append(parts.num_examples(objective.split))
            for k in range(steps):
                clock.seconds += STEP
                w[0] = value if k > 3 else 0.0
                notes = {"eta": eta, "calibration_visits": 12}
                hints, conjugate = Hints(**more(k) if more else {}), PRIMAL * (1 - gaps(k))
                again = stored or partial(pair, conjugate, np.zeros(12) if weights is None else weights)
                dual = Dual(conjugate, weights, again) if loss != NO_LOSS else None
                yield Iterate(w, each * k, dual, notes, hints=hints)

        put_in_place(solve, monkeypatch, loss)

    return install


def pair(*given):
    return given


def test_only_the_algorithm_is_timed_its_set_up_included(fake, clock):
    fake()
    clock.seconds = 1000.0
    result = driver.run(spec(passes=3.0), problem())
    for row in result.rows:
        steps = 1 + row["visits"]  # the first one is the set-up
        assert (row["wall_seconds"], row["cpu_seconds"]) == (STEP * steps, 2 * STEP * steps)
    summary = result.summary
    assert summary["total_seconds"] == clock.seconds - 1000.0, "with all evaluations"
    assert (result.rows[0]["passes"], summary["setup_seconds"], summary["calibration_passes"]) == (0, STEP, 2.0)
    assert summary["notes"] == {"eta": 0.5} and summary["peak_memory"] is None, "it would take the run's time"


def test_what_an_algorithm_does_when_it_is_called_is_set_up(monkeypatch, clock):
    """Its ``solve`` need not be a generator itself."""

    def points():
        yield from (Iterate(np.zeros(12), k) for k in range(3))

    def solve(problem, objective, rng):
        clock.seconds += 5 * STEP
        return points()

    put_in_place(solve, monkeypatch)
    assert [row["wall_seconds"] for row in driver.run(spec(), problem()).rows] == [5 * STEP] * 3


def test_a_program_that_is_run_anew_for_each_point_times_itself(fake, monkeypatch):
    fake(more=lambda k: {"seconds": (0.25 * k, 0.5 * k)})
    monkeypatch.setattr(algorithm_module.declaration("fake"), "black_box", "a run")
    rows = driver.run(spec(passes=4.0), problem()).rows
    assert rows[-1]["visits"] == 24
    assert [row["wall_seconds"] for row in rows] == [0.25 * k for k in range(len(rows))]  # every point is a row
    assert [row["cpu_seconds"] for row in rows] == [0.5 * k for k in range(len(rows))]


@pytest.mark.parametrize(
    ("each", "of_others", "steps"), [(1, False, 50), (16, False, 5), (0, False, 502), (1, True, 1)]
)
def test_the_warm_up_makes_some_passes_over_a_few_examples(fake, clock, monkeypatch, each, of_others, steps):
    """Twelve passes over four examples, three iterates at least, 500 at most; other programs are not started."""
    fake(each=each)
    monkeypatch.setattr(algorithm_module.declaration("fake"), "black_box", "a run" * of_others)
    driver.warm_up(spec(), Problem(case("multiclass-dense").split, None, LABELS))
    assert clock.seconds == steps * STEP + min(steps, driver.WARM_UP_EVALUATIONS) * EVALUATION
    fake(loss=NO_LOSS)
    driver.warm_up(spec(loss=NO_LOSS), Problem(case("multiclass-dense").split, None, LABELS))
    assert clock.examples == [4, 1], "one example is enough to make mistakes on"


def test_points_of_another_strength_are_judged_at_it_and_do_not_end_the_run(fake):
    """PRIMAL is the value at w = 0, for any C; all gaps are 0."""
    fake(gaps=lambda k: 0.0, more=lambda k: {"C": 4.0 / 2**k if k < 2 else None})
    result = driver.run(spec(passes=50.0), problem())
    assert [row["C"] for row in result.rows] == [4.0, 2.0, 1.0]
    assert result.summary["status"] == "converged" and "on the way" not in result.summary["message"]
    fake(more=lambda k: {"C": 4.0} if k in (100, 101) else {"evaluate_now": k == 103})
    visits = [row["visits"] for row in driver.run(spec(passes=20.0), problem()).rows]
    assert [each for each in visits if 100 <= each <= 104] == [100, 101, 103], "between checkpoints, too"
    fake(more=lambda k: {"C": 4.0})
    ended = driver.run(spec(passes=3.0), problem()).summary
    assert ended["message"] == "3 of 3 passes made, at C = 4 on the way to 1: primal, dual and gap are of that"


def test_the_dual_point_may_be_another_than_the_weights(fake):
    """At w = 0 the value is PRIMAL; D = PRIMAL - ||w(u)||^2 / (2 C)."""
    fake(gaps=lambda k: 0.0, weights=np.eye(12)[0] * 2.0, steps=2)
    rows = driver.run(spec(passes=50.0), problem()).rows
    assert [row["primal"] - row["dual"] for row in rows] == pytest.approx([2.0, 2.0])


def test_weights_are_a_vector_times_its_scale_and_a_model_of_ones_own_judges_them(monkeypatch, clock):
    w = np.random.default_rng(0).normal(size=12)
    own = SimpleNamespace(
        judged_in_training=True, evaluate=lambda *given: Value(5.0, 1.0), dual_value=lambda *given: 2.0,
        norm=lambda vector: 7.0 if np.array_equal(vector, w) else np.nan,
        predictions=lambda split, vector: (np.zeros(6), np.full(6, np.array_equal(vector, w)), np.arange(7)),
    )  # fmt: skip
    timed = dict.fromkeys(("test_seconds", "total_seconds", "train_seconds", "wall_seconds", "cpu_seconds"), 0)

    def made(scale, model):
        def solve(problem, objective, rng):
            dual = Dual(0.0, None, lambda: (0.0, w))
            yield from (Iterate(w / scale, 6 * k, dual, {}, scale, Hints(model=model)) for k in range(3))

        put_in_place(solve, monkeypatch)
        result = driver.run(spec(passes=2.0), problem())
        assert result.weights.tolist() == w.tolist()
        return [row | timed for row in result.rows], result.summary | timed

    found = [made(scale, model) for scale, model in product((1.0, 4.0, 0.25), (None, own))]
    assert repr(found[0]) == repr(found[2]) == repr(found[4])
    for rows, summary in found[1::2]:
        assert [(row["primal"], row["dual"], row["weight_norm"]) for row in rows] == [
            (5, 1, 7),
            (5, 1, 7),
            (5, 2, 7),
        ]
        assert {row["test_error"] for row in rows} == {summary["train_error"]} == {1.0}
        assert summary["weights_of"] == "examples"


def test_what_an_algorithm_found_at_its_point_is_not_evaluated_again(fake, clock):
    """The run ends at the gap itself, where the stored dual variables prove it: sums may have drifted."""

    def values(k):
        return {"value": partial(Value, PRIMAL, PRIMAL * (1 - 2.0**-k))}

    fake(lambda k: 2.0**-k, more=values)
    before = clock.seconds
    result = driver.run(spec(gap=0.25), problem())
    assert [row["relative_gap"] for row in result.rows] == pytest.approx([1.0, 0.5, 0.25])
    assert result.summary["status"] == "converged" and "is at most 0.25" in result.summary["message"]
    assert clock.seconds - before < 2 * driver.WARM_UP_EVALUATIONS * EVALUATION
    fake(more=values, stored=lambda: (3.0, np.zeros(12)), steps=5)
    rows = driver.run(spec(gap=0.25), problem()).rows
    assert [row["gap"] for row in rows] == pytest.approx([PRIMAL, PRIMAL / 2, *3 * [PRIMAL - 3]])


def test_checkpoints_are_spaced_geometrically_from_nothing_to_the_last(fake):
    fake()
    reported = []
    rows = driver.run(spec(passes=50.0), problem(), reported.append).rows
    passes = np.array([row["passes"] for row in rows])
    late = passes[(passes > 5) & (passes < 50)]
    np.testing.assert_allclose(late[1:] / late[:-1], 1.2, rtol=0.05)
    assert passes[[0, 1, 2, -1]].tolist() == pytest.approx([0, 1 / 6, 1 / 3, 50]) and len(passes) < 40
    assert reported == rows
    for row in rows:
        assert row["primal"] == pytest.approx(PRIMAL)
        assert row["gap"] == pytest.approx(row["primal"] - row["dual"])
        assert row["relative_gap"] == pytest.approx(row["gap"] / row["primal"])
        assert set(row) == {
            *("passes", "visits", "wall_seconds", "cpu_seconds", "primal", "dual", "gap", "relative_gap"),
            *("C", "weight_norm", "updates", *(f"test_{what}" for what in QUALITY)),
        }  # fmt: skip
    fake(loss=NO_LOSS)
    rows = driver.run(spec(loss=NO_LOSS, C=None, passes=3.0), problem()).rows
    assert [row["visits"] for row in rows] == [0, 6, 12, 18], "whole passes only, of six examples"
    grid = driver._Grid(whole=False)  # of a problem so large that every pass can be seen
    assert [each / 100 for each in range(30) if grid.reached(each / 100)] == [
        0.0,
        0.1,
        0.12,
        0.15,
        0.18,
        0.21,
        0.25,
    ]


@pytest.mark.parametrize(
    ("limits", "status", "passes", "said"),
    [
        ({"passes": 2.5}, "passes", 2.5, "2.5 of 2.5 passes made"),
        ({"seconds": 20.0}, "timeout", 9 / 6, "20 of 20 CPU seconds used"),
        ({"seconds": 20.0, "threads": 2}, "timeout", 19 / 6, "20 of 20 wall seconds used"),
        ({"seconds": 0.5}, "timeout", 0, "2 of 0.5 CPU seconds used"),  # its set-up used them up
    ],
)
def test_a_limit_ends_a_run_and_keeps_its_curve(fake, limits, status, passes, said):
    fake()
    result = driver.run(spec(**limits), problem())
    assert (result.summary["status"], result.summary["message"]) == (status, said)
    assert result.summary["passes"] == result.rows[-1]["passes"] == pytest.approx(passes)


def test_a_program_of_others_and_an_algorithm_without_an_objective_that_end_have_finished(fake, monkeypatch):
    fake(steps=5)
    monkeypatch.setattr(algorithm_module.declaration("fake"), "black_box", "a run")
    summary = driver.run(spec(), problem()).summary
    assert (summary["status"], summary["message"]) == ("finished", "fake ended by itself after 0.6667 passes")
    fake(loss=NO_LOSS, steps=5)
    assert driver.run(spec(loss=NO_LOSS), problem()).summary["status"] == "finished"


def test_a_program_of_others_may_take_more_passes_than_its_limit(fake):
    fake(steps=5)
    of, rows = spec(), driver.run(spec(), problem()).rows
    rows[-1]["passes"] = of.passes + 34
    ended = summaries.summary_of(of, problem(), rows, np.zeros(1), Iterate(np.zeros(1), 0), "passes", 0.0, 0.0)
    assert ended["message"] == f"{of.passes + 34:g} passes made, beyond the limit of {of.passes:g}"


@pytest.mark.parametrize("steps", [25, 26, 27])
def test_an_algorithm_that_ends_has_stalled_at_its_last_step_or_converged_there(fake, steps):
    """Its last step may lie between two checkpoints."""
    fake(steps=steps)
    reported = []
    result = driver.run(spec(), problem(), reported.append)
    assert result.summary["status"] == "stalled" and result.rows[-1]["visits"] == steps - 1
    assert reported == result.rows and "fake found no further step" in result.summary["message"]
    fake(lambda k: 1e-9 if k == steps - 1 else 1.0, steps=steps)
    result = driver.run(spec(), problem())
    assert (result.summary["status"], result.rows[-1]["visits"]) == ("converged", steps - 1)


def test_a_run_that_waits_ends_after_ten_times_its_seconds(fake, clock):
    fake()
    clock.cpu = 1 / 16
    ended = driver.run(spec(seconds=2.0), problem())
    assert (ended.rows[-1]["wall_seconds"], ended.summary["status"]) == (20.0, "timeout")
    assert ended.summary["message"] == "20 wall seconds used, in which it had 1.25 of 2 CPU seconds"


@pytest.mark.parametrize(
    ("algorithm", "params", "value"),
    [
        ("fake", {"eta": 0.25}, np.nan),
        ("fake", {"eta": 0.25}, np.inf),
        ("eg", {"eta": 1e6, "adaptive": False}, None),
        ("sgd", {"eta0": 1e200}, None),
    ],
)
def test_diverged_names_algorithm_step_size_and_pass(request, algorithm, params, value):
    if value is not None:
        request.getfixturevalue("fake")(value=value)
    result = driver.run(spec(algorithm, params=tuple(params.items()), C=1e-3), problem())
    assert result.summary["status"] == "diverged" and len(result.rows) > 1
    message = result.summary["message"]
    assert message.startswith(f"{algorithm} met") and f"{result.rows[-1]['passes']:.4g} passes" in message
    assert all(f"{name}={given}" in message for name, given in params.items())


@pytest.mark.parametrize(("above", "refused"), [(0.9e-6, False), (1.1e-6, True)])
def test_a_dual_value_above_the_primal_value_of_any_checkpoint_is_refused(fake, above, refused):
    """Rounding apart. The fourth point is worse than w = 0, so that its own gap is above 0."""
    fake(gaps=lambda k: 0.5 if k < 4 else -above, value=-10.0, steps=30, weights=np.zeros(12))
    if not refused:
        assert driver.run(spec(C=0.01), problem()).summary["status"] == "stalled"
        return
    with pytest.raises(ArithmeticError, match=f"above the primal value of {PRIMAL:.12g}: its dual point is wrong"):
        driver.run(spec(C=0.01), problem())


def test_a_gap_of_0_at_a_value_of_0_has_converged():
    assert driver._gaps(Value(0.0, 0.0))["relative_gap"] == 0.0
    assert np.isnan(driver._gaps(Value(0.0, -1.0))["relative_gap"])
    assert driver._gaps(Value(-2.0, -3.0))["relative_gap"] == 0.5
