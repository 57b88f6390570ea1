"""The driver: what it times, when it evaluates, and how a run ends."""

import math
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.learning.declaration import algorithm
from structbench.algorithms.learning.objective import Dual, Hints, Iterate, Objective, Value
from structbench.algorithms.runtime import parallel
from structbench.algorithms.structures import prediction
from structbench.algorithms.structures.prediction import error_rate
from structbench.bench.runs import algorithm_module, catalogue, driver
from structbench.bench.runs.quality import QUALITY
from structbench.bench.runs.spec import Spec
from structbench.datasets.problems.problem import Judged, Problem
from structbench.datasets.scores import attachments, brackets, chunks
from tests.algorithms.oracle import case

STEP, EVALUATION = 1.0, 100.0  # seconds that they take here
PRIMAL = 6 * math.log(3)  # of six examples with three classes, at w = 0


def problem(structure: str = "multiclass-dense", **rest) -> Problem:
    labels = ("B-x", "I-x", "O")
    return Problem(case(structure).split, case(structure, seed=1).split, labels, **rest)


def spec(algorithm: str = "fake", **given) -> Spec:
    values = {"loss": "log", "C": 1.0, "params": (), "passes": 50.0, "gap": 1e-6} | given
    return Spec(data="synthetic", test=None, algorithm=algorithm, **values)


@pytest.fixture
def clock(monkeypatch):
    """Seconds pass only where an algorithm takes a step or the objective is evaluated."""
    now = SimpleNamespace(seconds=0.0)
    read = SimpleNamespace(
        perf_counter=lambda: now.seconds, process_time=lambda: 2 * now.seconds, time=lambda: now.seconds
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
    for module in (algorithm_module, catalogue):
        monkeypatch.setattr(module, "declaration", lambda name: declared.declaration)


@pytest.fixture
def fake(monkeypatch, clock):
    """``fake(gaps)`` installs an algorithm that stays at w = 0; relative gap after step k: gaps(k)."""

    def install(
        gaps=lambda k: 1.0, steps=10**6, each=1, value=0.0, more=None, loss="any", weights=None, stored=None
    ):
        def solve(problem, objective, rng, *, eta: float = 0.5):
            w = np.zeros(12)
            for k in range(steps):
                clock.seconds += STEP
                w[0] = value if k > 3 else 0.0
                notes = {"eta": eta, "calibration_visits": 12}
                hints = Hints(**more(k) if more else {})
                yield Iterate(w, each * k, Dual(PRIMAL * (1 - gaps(k)), weights, stored), notes, hints=hints)

        put_in_place(solve, monkeypatch, loss)

    return install


def test_only_the_algorithm_is_timed(fake):
    fake()
    rows = driver.run(spec(passes=3.0), problem()).rows
    for row in rows:
        steps = 1 + row["visits"]  # the first one is the set-up
        assert row["wall_seconds"] == STEP * steps
        assert row["cpu_seconds"] == 2 * STEP * steps


def test_a_program_that_is_run_anew_for_each_point_times_itself(fake):
    fake(more=lambda k: {"seconds": (0.25 * k, 0.5 * k)})
    rows = driver.run(spec(passes=4.0), problem()).rows
    assert rows[-1]["visits"] == 24
    assert [row["wall_seconds"] for row in rows] == [0.25 * k for k in range(len(rows))]  # every point is a row
    assert [row["cpu_seconds"] for row in rows] == [0.5 * k for k in range(len(rows))]


def test_points_of_another_strength_are_judged_at_it_and_do_not_end_the_run(fake):
    """PRIMAL is the value at w = 0, for any C; all gaps are 0."""
    fake(gaps=lambda k: 0.0, more=lambda k: {"C": 4.0 / 2**k if k < 2 else None})
    result = driver.run(spec(passes=50.0), problem())
    assert [row["C"] for row in result.rows] == [4.0, 2.0, 1.0]
    assert result.summary["status"] == "converged" and "on the way" not in result.summary["message"]
    fake(more=lambda k: {"C": 4.0})
    ended = driver.run(spec(passes=3.0), problem()).summary
    assert ended["message"] == "3 of 3 passes made, at C = 4 on the way to 1: primal, dual and gap are of that"


def test_the_dual_point_may_be_another_than_the_weights(fake):
    """At w = 0 the value is PRIMAL; D = PRIMAL - ||w(u)||^2 / (2 C)."""
    fake(gaps=lambda k: 0.0, weights=np.eye(12)[0] * 2.0, steps=2)
    rows = driver.run(spec(passes=50.0), problem()).rows
    assert [row["primal"] - row["dual"] for row in rows] == pytest.approx([2.0, 2.0])


def test_what_an_algorithm_found_at_its_point_is_not_evaluated_again(fake, clock):
    """The run ends at the gap itself, where the stored dual variables prove it: sums may have drifted."""
    fake(more=lambda k: {"value": lambda: Value(8.0, 8.0 - 2.0**-k)})
    before = clock.seconds
    result = driver.run(spec(gap=2.0**-5), problem())
    assert [(row["primal"], row["gap"]) for row in result.rows] == [(8.0, 1.0), (8.0, 0.5), (8.0, 0.25)]
    assert result.summary["status"] == "converged" and "is at most 0.03125" in result.summary["message"]
    assert clock.seconds - before < 2 * driver.WARM_UP_EVALUATIONS * EVALUATION
    values = {k: {"value": partial(Value, 8.0, 8.0 - 2.0**-k)} for k in range(5)}
    fake(more=values.get, stored=lambda: (3.0, np.zeros(12)), steps=5)
    rows = driver.run(spec(gap=2.0**-5), problem()).rows
    assert [row["gap"] for row in rows] == [1.0, 0.5, 5.0, 5.0, 5.0]


def test_without_an_objective_there_is_something_to_see_after_whole_passes_only(fake, monkeypatch):
    fake(loss="none")
    rows = driver.run(spec(loss="none", C=None, passes=3.0), problem()).rows
    assert [row["visits"] for row in rows] == [0, 6, 12, 18]  # of six examples


def test_set_up_is_timed_with_the_rest(fake, clock):
    fake()
    clock.seconds = 1000.0
    result = driver.run(spec(passes=3.0), problem())
    assert result.summary["total_seconds"] == clock.seconds - 1000.0, "with all evaluations"
    assert (result.rows[0]["passes"], result.rows[0]["wall_seconds"]) == (0, STEP)
    assert result.summary["setup_seconds"] == STEP
    assert result.summary["calibration_passes"] == 2.0
    assert result.summary["notes"] == {"eta": 0.5}


def test_what_an_algorithm_does_when_it_is_called_is_set_up(monkeypatch, clock):
    """Its ``solve`` need not be a generator itself."""

    def points():
        yield from (Iterate(np.zeros(12), k) for k in range(3))

    def solve(problem, objective, rng):
        clock.seconds += 5 * STEP
        return points()

    put_in_place(solve, monkeypatch)
    assert [row["wall_seconds"] for row in driver.run(spec(), problem()).rows] == [5 * STEP] * 3


def test_a_set_up_that_uses_up_the_seconds_ends_the_run(fake):
    fake()
    result = driver.run(spec(seconds=0.5), problem())
    assert (result.summary["status"], result.summary["passes"]) == ("timeout", 0)


def test_checkpoints_are_spaced_geometrically_from_nothing_to_the_last(fake):
    fake()
    reported = []
    result = driver.run(spec(passes=50.0), problem(), reported.append)
    passes = np.array([row["passes"] for row in result.rows])
    assert passes[0] == 0
    assert passes[-1] == 50
    late = passes[(passes > 5) & (passes < 50)]
    np.testing.assert_allclose(late[1:] / late[:-1], driver.SPACING, rtol=0.05)
    assert len(passes) < 40
    assert reported == result.rows


def test_every_row_has_the_same_finite_columns(fake):
    fake(steps=40)
    for row in driver.run(spec(), problem()).rows:
        assert row["primal"] == pytest.approx(PRIMAL)
        assert row["gap"] == pytest.approx(row["primal"] - row["dual"])
        assert row["relative_gap"] == pytest.approx(row["gap"] / row["primal"])
        assert set(row) == {
            *("passes", "visits", "wall_seconds", "cpu_seconds", "primal", "dual", "gap", "relative_gap"),
            *("C", "weight_norm", "updates", *(f"test_{what}" for what in QUALITY)),
        }  # fmt: skip


def test_passes(fake):
    fake()
    result = driver.run(spec(passes=2.5), problem())
    assert result.summary["status"] == "passes"
    assert (result.summary["passes"], result.summary["visits"]) == (2.5, 15)
    assert result.summary["peak_memory"] is None, "it would take the run's time"


def test_timeout_keeps_the_curve(fake):
    fake()
    result = driver.run(spec(seconds=20.0), problem())
    assert result.summary["status"] == "timeout"
    assert result.rows[-1]["wall_seconds"] == 20
    assert len(result.rows) > 5
    assert "20 of 20 seconds" in result.summary["message"]


@pytest.mark.parametrize("steps", [25, 26, 27])
def test_stalled_ends_with_the_last_step(fake, steps):
    fake(steps=steps)
    reported = []
    result = driver.run(spec(), problem(), reported.append)
    assert result.summary["status"] == "stalled"
    assert result.rows[-1]["visits"] == steps - 1
    assert reported == result.rows
    assert "fake found no further step" in result.summary["message"]


def test_an_algorithm_that_ends_at_the_gap_has_converged(fake):
    """Its last step lies between two checkpoints."""
    fake(lambda k: 1e-9 if k == 25 else 1.0, steps=26)
    result = driver.run(spec(), problem())
    assert result.rows[-1]["visits"] == 25
    assert result.summary["status"] == "converged"


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_diverged_names_algorithm_step_size_and_pass(fake, value):
    fake(value=value)
    result = driver.run(spec(params=(("eta", 0.25),)), problem())
    assert result.summary["status"] == "diverged"
    assert len(result.rows) > 1
    message = result.summary["message"]
    assert "fake" in message
    assert "eta=0.25" in message
    assert f"{result.rows[-1]['passes']:.4g} passes" in message


@pytest.mark.parametrize(
    ("algorithm", "params"), [("eg", {"eta": 1e6, "adaptive": False}), ("sgd", {"eta0": 1e200})]
)
def test_real_algorithms_diverge_with_a_message(algorithm, params):
    result = driver.run(spec(algorithm, params=tuple(params.items()), C=1e-3), problem())
    assert result.summary["status"] == "diverged"
    for name, value in params.items():
        assert f"{name}={value}" in result.summary["message"]


@pytest.mark.parametrize("structure", ["multiclass-dense", "chain-binary"])
@pytest.mark.parametrize(("algorithm", "loss"), [("eg", "log"), ("eg", "hinge"), ("lbfgs", "log")])
def test_real_algorithms_converge(structure, algorithm, loss):
    data = problem(structure)
    result = driver.run(spec(algorithm, loss=loss, passes=5000.0, gap=1e-4), data)
    assert result.summary["status"] == "converged"
    value = Objective(data.train, loss, 1.0).evaluate(result.weights, None)
    assert result.summary["primal"] == pytest.approx(value.primal)
    assert result.summary["test_error"] == pytest.approx(error_rate(data.test, result.weights))
    assert result.summary["train_error"] == pytest.approx(error_rate(data.train, result.weights))
    assert result.summary["num_examples"] == 6
    assert result.summary["num_weights"] == len(result.weights)
    assert result.rows[-1]["weight_norm"] == pytest.approx(np.linalg.norm(result.weights))
    assert result.summary["num_nonzero"] == (result.weights != 0).sum() > 0
    assert result.summary["weights_memory"] == min(8 * len(result.weights), 12 * result.summary["num_nonzero"])


def test_a_run_is_repeated_bit_for_bit():
    runs = [driver.run(spec("eg", passes=5.0, threads=threads), problem("chain-binary")) for threads in (1, 1, 2)]
    parallel.set_threads(1)
    timed = dict.fromkeys(("wall_seconds", "cpu_seconds", "test_seconds"), 0)
    curves = [[row | timed for row in run.rows] for run in runs]
    assert repr(curves[0]) == repr(curves[1]) == repr(curves[2])
    assert runs[0].weights.tobytes() == runs[1].weights.tobytes() == runs[2].weights.tobytes()


def test_chunk_f1_is_reported_where_chunks_are_a_score():
    data = problem("chain-binary")._replace(scores=("chunks",))
    result = driver.run(spec("eg", passes=5.0), data)
    found = chunks.scores(Judged(data, "test", *prediction.predictions(data.test, result.weights)))
    scores = [result.summary[f"test_{what}"] for what in ("precision", "recall", "f1")]
    assert scores == pytest.approx(found, nan_ok=True)
    assert 0 <= result.summary["train_f1"] <= 1
    both, found, wanted = result.chunks.sum(axis=1).T  # of each checkpoint
    assert len(result.chunks) == len(result.rows)
    assert (2 * both / (found + wanted)).tolist() == pytest.approx([row["test_f1"] for row in result.rows])
    other = driver.run(spec("eg", passes=5.0), problem("chain-binary"))
    assert math.isnan(other.summary["test_f1"]) and other.chunks is None


@pytest.mark.parametrize("with_test", [True, False])
def test_attachment_scores_are_reported_where_punctuation_is_known(with_test):
    """Labels of tokens serve as heads: the scores count what is equal and where 0 is."""
    data = problem("chain-binary")
    tokens = [len(split.y) for split in (data.train, data.test)]
    punctuation = np.random.default_rng(0).random(sum(tokens) if with_test else tokens[0]) < 0.3
    data = data._replace(punctuation=punctuation, scores=("attachments",), **({} if with_test else {"test": None}))
    result = driver.run(spec("eg", passes=2.0), data)
    for name, split in {"train": data.train, "test": data.test}.items():
        found = {what: result.summary[f"{name}_{what}"] for what in attachments.Scores._fields}
        if split is None:
            assert np.isnan([*found.values(), result.summary["test_error"]]).all()
        else:
            predicted, right, _ = prediction.predictions(split, result.weights)
            words = ~(punctuation[: tokens[0]] if name == "train" else punctuation[tokens[0] :])
            assert found["word_attachment"] == pytest.approx(np.mean((predicted == right)[words]))
            assert found["attachment"] == pytest.approx(1 - result.summary[f"{name}_error"])
    assert len({row["test_word_attachment"] for row in result.rows}) > 1 or not with_test
    assert math.isnan(driver.run(spec("eg", passes=1.0), problem("chain-binary")).summary["test_attachment"])


def test_bracket_scores_are_reported_of_trees_only():
    data = datasets.build("toy-english:sentences=20,task=brackets,test_sentences=10")
    result = driver.run(spec("eg", passes=5.0), data)
    found = brackets.scores(Judged(data, "test", *prediction.predictions(data.test, result.weights)))
    names = ("test_precision", "test_recall", "test_f1", "test_complete")
    assert [result.summary[name] for name in names] == list(found)
    assert 0 < found.f1 < result.summary["train_f1"] <= 1
    assert 0 <= found.complete < result.summary["train_complete"] <= 1
    assert math.isnan(driver.run(spec("eg", passes=1.0), problem("chain-binary")).summary["test_complete"])


def test_a_dual_value_above_the_primal_value_of_any_checkpoint_is_refused(fake):
    """The fourth point is worse than w = 0, so that its own gap is above 0."""
    fake(gaps=lambda k: 0.5 if k < 4 else -0.1, value=-10.0)
    with pytest.raises(ArithmeticError, match=f"above the primal value of {PRIMAL:.12g}: its dual point is wrong"):
        driver.run(spec(C=0.01), problem())


def test_a_gap_of_0_at_a_value_of_0_has_converged():
    assert driver._relative_gap(Value(0.0, 0.0)) == 0.0
    assert np.isnan(driver._relative_gap(Value(0.0, -1.0)))
    assert driver._relative_gap(Value(-2.0, -3.0)) == 0.5
