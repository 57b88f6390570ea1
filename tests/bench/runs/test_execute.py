"""Runs that fail: each with a sentence that names it, and without ending the others."""

import itertools
import re
import shutil
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from structbench.algorithms.gradient import sgd
from structbench.algorithms.learning import objective
from structbench.algorithms.runtime.errors import Fault, Terminated, UserError
from structbench.algorithms.runtime.kernel import kernel
from structbench.bench import __main__
from structbench.bench.runs import driver, execute, memory, patches, results, store, unfinished
from structbench.bench.runs.spec import make

SVM = "".join(f"{k % 3} 1:{k % 3 + 0.1 * (k % 7)} 2:{k % 5}\n" for k in range(12))


@kernel
def ill_typed(number):
    return number.no_such_thing


KERNEL = "  tests/bench/runs/test_execute.py: return number.no_such_thing"  # numba's error has no frame of it
TEXT: Any = "1"
FAULTS = {
    "IndexError: list index out of range": lambda: [][1],
    "KeyError: 'no such key'": lambda: {}["no such key"],
    "TypeError: unsupported operand": lambda: 1 + TEXT,
    "AssertionError": lambda: exec("assert False"),
    "ZeroDivisionError: division by zero": lambda: 1 / 0,
    "MemoryError: too large": lambda: raised(MemoryError("too large")),
    "ValueError: too strange": lambda: raised(ValueError("too strange\nDuring: a text like numba's at /x.py (1)")),
    "TypingError: Unknown attribute 'no_such_thing' of type float64": lambda: ill_typed(1.0),
}


def later(fault):
    """The fault, but for the first time, in the warm-up."""
    calls = itertools.count()
    return lambda: fault() if next(calls) else None


def raised(error: BaseException) -> None:
    raise error


def test_a_finished_run_is_read_where_nothing_may_be_written(tmp_path, monkeypatch):
    def refuse(folder):
        raise UserError(f"cannot write {folder.parent}")

    monkeypatch.chdir(tmp_path)
    Path("train.svm").write_text(SVM)
    spec = make("svmlight:train.svm", "log", 1.0, "lbfgs", passes=3)
    made = execute.run_one(spec, tmp_path / spec.key, print)
    monkeypatch.setattr(store, "writable", refuse)
    assert execute.run_one(spec, made.folder, print).key == made.key
    with pytest.raises(UserError, match="cannot write"):
        execute.run_one(spec, made.folder, print, again=True)


@pytest.fixture
def plant(tmp_path, monkeypatch):
    """``plant(fault)`` makes SGD fail so after its first step, in a folder of the test's own."""
    monkeypatch.chdir(tmp_path)
    Path("train.svm").write_text(SVM)
    original = sgd.solve

    def install(fault) -> None:
        @wraps(original)
        def solve(*given, **params):
            yield next(original(*given, **params))
            fault()

        monkeypatch.setattr(sgd, "solve", solve)

    return install


def spec(algorithm: str = "sgd", passes: float = 1.0):
    return make("svmlight:train.svm", "log", 1.0, algorithm, passes=passes)


def mine(**how) -> store.Run:
    return execute.run_one(spec(), Path("mine"), print, **how)


def batch(*specs, **how) -> list[tuple]:
    """Make these runs, and return what is told of each."""
    said = []
    execute.run_all(specs, Path("runs"), lambda *done: said.append(done), lambda *news: None, **how)
    return said


WORDS: str = "run --data svmlight:train.svm --loss log --C 1 --algorithm sgd --passes 1 --out mine"


@pytest.mark.parametrize("name", FAULTS)
def test_a_run_that_fails_does_not_end_the_others(name, plant):
    plant(FAULTS[name])
    specs = [spec("sgd"), spec("lbfgs")]
    (first, made, wrong), (second, other, nothing) = batch(*specs)
    log = Path("runs", f"{specs[0].key}.traceback").absolute()
    assert (first, made) == (specs[0], None)
    assert wrong.startswith(f"error: sgd failed with {name}")
    sentence, *line = wrong.splitlines()
    assert sentence.endswith(f"its traceback is in {log}")
    of_a_kernel = name.startswith("TypingError")
    assert [re.sub(r":\d+:", ":", each) for each in line] == [KERNEL] * of_a_kernel
    assert "Traceback" in log.read_text() and "test_execute.py" in log.read_text()
    assert (second, nothing) == (specs[1], "") and other.summary["key"] == specs[1].key


def test_a_traceback_is_kept_until_the_run_succeeds(plant, capsys):
    plant(FAULTS["AssertionError"])
    assert __main__.main(WORDS.split()) == 1
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith("error: sgd failed with AssertionError; its traceback is in /")
    assert Path(said.rpartition(" ")[2]).read_text().count("\nAssertionError") == 1
    plant(lambda: None)
    assert mine().summary["status"] == "stalled" and not Path("mine.traceback").exists()


def test_an_interrupted_run_keeps_its_curve_so_far(plant, capsys):
    plant(later(lambda: raised(KeyboardInterrupt())))
    assert __main__.main(WORDS.split()) == 130
    said = capsys.readouterr().err
    assert f"interrupted: for its curve so far, `python -m bench show {Path('mine.partial').absolute()}`" in said
    assert not Path("mine").exists()
    for name in ("mine", "mine.partial"):
        assert __main__.main(["show", name]) == 0
        said = capsys.readouterr().out
        assert "interrupted" in said and "0 of 1 passes made before it was stopped" in said
        assert "code_sha256" in said
    plant(lambda: None)
    assert __main__.main(WORDS.split()) == 0
    assert (
        unfinished.find_unfinished(Path("mine")).summary["status"] == "stalled"
        and not Path("mine.partial").exists()
    )


def test_a_finished_run_stays_when_making_it_again_fails(plant):
    plant(lambda: None)
    mine()
    plant(later(FAULTS["AssertionError"]))
    with pytest.raises(Fault):
        mine(again=True)
    assert unfinished.find_unfinished(Path("mine")).summary["status"] == "stalled"
    assert unfinished.find_unfinished(Path("mine.partial")).summary["status"] == "interrupted"


def test_a_run_that_another_process_made_meanwhile_is_taken(plant, monkeypatch):
    plant(lambda: None)
    keeping = unfinished.keeping

    @contextmanager
    def late(*given):
        monkeypatch.setattr(unfinished, "keeping", keeping)
        mine()
        plant(FAULTS["AssertionError"])
        with keeping(*given) as keep:
            yield keep

    monkeypatch.setattr(unfinished, "keeping", late)
    assert mine().summary["status"] == "stalled"


def test_a_run_whose_seconds_count_is_made_again_if_it_was_not_alone(plant):
    plant(lambda: None)

    def made(alone: bool | None) -> float:
        run = mine(alone=alone)
        assert not alone or run.summary["provenance"]["alone"]
        return (run.folder / "summary.json").stat().st_mtime_ns

    unknown, beside, alone = made(None), made(False), made(True)
    assert unknown == beside < alone
    assert [made(which) for which in (True, False, None)] == [alone] * 3


def test_a_copy_of_another_run_under_a_run_s_own_name_is_replaced(plant):
    """A folder of any other name that holds another run is the user's to decide on."""
    plant(lambda: None)
    other = spec(passes=2.0)
    shutil.copytree(mine().folder, Path("runs", other.key))
    ((_, made, wrong),) = batch(other)
    assert wrong == "" and made.key == store.read_run(Path("runs", other.key)).key == other.key
    with pytest.raises(UserError, match=r"mine holds the run .*: choose another --out, or --again"):
        execute.run_one(other, Path("mine"), print)
    Path("mine", "summary.json").write_text("{")
    assert execute.run_one(other, Path("mine"), print).key == other.key, "what cannot be read is no other run"


@pytest.mark.parametrize(("words", "alone"), [([], False), (["--alone"], True)])
def test_a_batch_says_whether_its_runs_are_alone(plant, words, alone):
    plant(lambda: None)
    paths = [f"--path={name}={path}" for name, path in spec().paths.items()]
    assert __main__.main(["batch", "--out", "batch.json", *words, *paths, spec().key]) == 0
    made = store.read_run(results.runs() / spec().key).summary
    assert (made["provenance"]["alone"], made["peak_memory"]) == (alone, None)


def test_memory_is_measured_apart_once_and_only_if_asked_for(plant, monkeypatch):
    plant(lambda: None)
    asked = []
    monkeypatch.setattr(memory, "of_run", lambda spec: asked.append(spec) or {"peak_memory": 2**28})
    assert mine().summary["peak_memory"] is None
    for _ in range(2):
        assert (
            mine(memory=True).summary["peak_memory"]
            == store.read_run(Path("mine")).summary["peak_memory"]
            == 2**28
        )
    assert asked == [spec()]


@pytest.mark.parametrize("signal", [KeyboardInterrupt, Terminated])
def test_who_stops_a_batch_stops_all_of_it(signal, plant):
    plant(lambda: raised(signal()))
    with pytest.raises(signal):
        batch(spec("sgd"), spec("lbfgs"))


def test_an_algorithm_that_calls_exit_fails_alone(plant):
    plant(lambda: raised(SystemExit(0)))
    (_, failed, why), (_, made, _) = batch(spec("sgd"), spec("lbfgs"))
    assert failed is None and "sgd failed with SystemExit: 0" in why
    assert made is not None


@pytest.mark.parametrize(("place", "name"), [(driver, "quality"), (objective.Objective, "evaluate")])
def test_an_algorithm_of_the_users_that_changes_a_function_fails_alone(place, name, plant, monkeypatch):
    def change() -> None:
        setattr(place, name, lambda *_, **__: {"test_error": 0.0})
        np.seterr(all="raise")

    before, errors = getattr(place, name), np.geterr()
    plant(later(change))
    monkeypatch.setattr(patches, "owner", lambda file: file if "sgd" in str(file) else None)
    (_, failed, why), (_, made, _) = batch(spec("sgd"), spec("lbfgs"))
    assert failed is None and made is not None and getattr(place, name) is before and np.geterr() == errors
    assert why.startswith(f"error: sgd changes {name} of {place.__name__}: ")


def test_what_is_wrong_before_a_run_begins_fails_that_run_only(plant, monkeypatch):
    plant(lambda: None)
    wrong = iter([OSError("no disk")])
    obtain = execute.problem_store.obtain

    def once(*given):
        for error in wrong:
            raise error
        return obtain(*given)

    monkeypatch.setattr(execute.problem_store, "obtain", once)
    assert [wrong for _, _, wrong in batch(spec("sgd"), spec("lbfgs"))] == ["OSError: no disk", ""]


def test_what_inference_costs_is_said_before_a_run(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "problems", lambda: tmp_path / "problems")
    said: list[str] = []
    made = make("toy-english:task=skip-chains,sentences=5,test_sentences=5", None, None, "perceptron", passes=1)
    execute.run_one(made, tmp_path / "run", said.append)
    assert any(line.startswith("graphs of width 2: exact inference goes through") for line in said)


@pytest.mark.parametrize(
    ("limit", "every", "said"),
    [
        (
            None,
            15.0,
            ["pass 10.0 of 40, relative gap 2.0e-02, at most 30 s left", "pass 30.0 of 40, at most 10 s left"],
        ),
        (None, 10.0, ["at most 30 s left", "at most 20 s left", "pass 30.0 of 40, at most 10 s left"]),
        (12.0, 10.0, ["at most 11 s left", "at most 11 s left", "at most 10 s left"]),
    ],
)
def test_a_run_says_how_far_it_is_and_how_long_it_may_take(monkeypatch, limit, every, said):
    """From when the first row comes: what is compiled before is no pass. It ends at the latest by its limit."""
    told, clock = [], itertools.count(100.0, 10.0)
    monkeypatch.setattr(execute, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    made = make("mnist", "log", 1.0, "sgd", {}, passes=40.0, seconds=limit)
    monkeypatch.setattr(execute, "EVERY", every)
    report = execute._Progress(made, told.append)
    for passes in (0.0, 10.0, 20.0, 30.0):  # at 110, 120, 130 and 140 seconds
        row = {"passes": passes, "wall_seconds": 5.0, "cpu_seconds": 1.0}
        report(row | {"relative_gap": 0.02 if passes < 30 else float("nan")})
    assert len(told) == len(said) and all(line.endswith(end) for line, end in zip(told, said, strict=True))
