"""What there is of a run: one answer, whoever asks."""

import json
import shutil
from pathlib import Path

import pytest

from structbench.bench.runs import problems, programs, state, store
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec, make, parse
from structbench.bench.runs.state import State
from tests.bench import fake_runs


@pytest.fixture
def run(tmp_path, monkeypatch) -> store.Run:
    monkeypatch.setenv("STRUCTBENCH_RESULTS", str(tmp_path))
    return fake_runs.write(tmp_path / "runs", machine={"alone": True})


def spec_of(run: store.Run) -> Spec:
    return parse(run.key)


def found(run: store.Run, **asked) -> tuple[str, str]:
    answer = state.of(spec_of(run), run.folder, **asked)
    assert (answer.run is None) == (answer.state in (State.TORN, State.MISSING))
    shown = Runs()[spec_of(run)]
    if not asked:
        assert (shown is not None) == answer.is_finished, "what is drawn and judged"
        assert (state.of_folder(run.folder).state == answer.state) or answer.state is State.MISSING
    return str(answer.state), answer.reason


def change(run: store.Run, name: str, value, seal: bool = True) -> None:
    """Change what its summary says of what it was made with, as another checkout's would."""
    made = run.summary["provenance"] | {name: value}
    summary = run.summary | {"provenance": made}
    (run.folder / "summary.json").write_text(store.to_json(store.sealed(run.folder, summary) if seal else summary))


def test_a_whole_run_of_today_is_finished(run):
    assert found(run) == ("finished", "")
    assert found(run, timed=True) == ("finished", "")


def test_one_of_other_programs_data_or_settings_is_stale(run, monkeypatch):
    change(run, "code_sha256", "0" * 64)
    assert found(run) == ("stale", "it is of other programs")
    assert Runs(with_stale=True)[spec_of(run)].key == run.key
    change(run, "code_sha256", programs.sha256_of_run(spec_of(run)))
    assert found(run)[0] == "finished"
    assert found(run, data="other") == ("stale", "it is of other data")
    monkeypatch.setenv("NUMBA_OPT", "1")
    assert found(run) == ("stale", "it is of other settings of numba: none, not NUMBA_OPT=1")
    change(run, "settings", {"NUMBA_OPT": "1"})
    assert found(run)[0] == "finished"


def test_one_that_was_not_timed_alone_or_not_measured_is_stale_where_that_is_read(run):
    assert found(run, memory=True) == ("stale", "its memory was not measured")
    change(run, "alone", False)
    assert found(run)[0] == "finished"
    assert found(run, timed=True) == ("stale", "it was not timed alone")


def test_a_default_that_changed_makes_it_stale(run):
    spec = json.loads((run.folder / "spec.json").read_text())
    (run.folder / "spec.json").write_text(store.to_json(spec | {"gap": 1e-3}))
    summary = json.loads((run.folder / "summary.json").read_text())
    (run.folder / "summary.json").write_text(store.to_json(store.sealed(run.folder, summary)))
    answer = state.of(spec_of(run), run.folder)
    assert (answer.state, answer.reason) == (State.STALE, "its gap is 0.001, not 1e-06")


@pytest.mark.parametrize("file", store.FILES)
def test_one_that_was_changed_emptied_or_lost_is_torn(run, file):
    place = run.folder / file
    before = place.read_bytes()
    place.write_bytes(before.replace(b"0.07", b"0.08") if file.endswith("json") else before[:-1] + b"!")
    if file == "summary.json":
        place.write_bytes(before.replace(b'"test_error": 0', b'"test_error": 1'))
    if place.read_bytes() == before:  # its spec has no such number
        place.write_bytes(before.replace(b"60", b"61"))
    assert found(run)[0] == "torn"
    place.write_bytes(b"")
    assert found(run)[0] == "torn"
    place.unlink()
    assert found(run)[0] == "torn"


def test_none_is_missing(run):
    for file in run.folder.iterdir():
        file.unlink()
    assert found(run) == ("missing", "it was not made yet")


def test_a_folder_of_an_algorithm_that_is_no_more_is_stale(run):
    spec = json.loads((run.folder / "spec.json").read_text())
    (run.folder / "spec.json").write_text(store.to_json(spec | {"algorithm": "gone"}))
    summary = json.loads((run.folder / "summary.json").read_text())
    (run.folder / "summary.json").write_text(store.to_json(store.sealed(run.folder, summary)))
    answer = state.of_folder(run.folder)
    assert answer.state is State.STALE and "unknown algorithm 'gone'" in answer.reason


def test_a_file_of_the_user_that_changed_makes_its_runs_stale(tmp_path, monkeypatch):
    monkeypatch.setenv("STRUCTBENCH_RESULTS", str(tmp_path))
    file = tmp_path / "train.txt"
    file.write_text("1 1:1\n2 2:1\n")
    data = f"svmlight:{file}"
    assert problems.fingerprint(data) is None, "never built"
    made = problems.obtain(data)[1]
    assert problems.fingerprint(data) == made
    spec = make(data, "log", 1.0, "lbfgs", passes=1)
    from structbench.bench.runs.execute import run_one

    folder = tmp_path / "runs" / spec.key
    run_one(spec, folder, lambda line: None)
    assert state.of(spec, folder).is_finished
    file.write_text("1 1:1\n2 2:2\n")
    changed = (State.STALE, "the programs or files of its data changed")
    assert state.of(spec, folder)[:2] == changed
    shutil.rmtree(tmp_path / "problems")
    assert state.of(spec, folder)[:2] == changed, "whether the problem is kept or not"
    problems.obtain(data)
    assert state.of(spec, folder)[:2] == (State.STALE, "it is of other data")
    file.unlink()
    assert state.of(spec, folder).is_finished, "nothing tells"


def test_an_edit_of_what_makes_the_data_makes_runs_stale_until_the_problem_is_made_again(run, monkeypatch):
    made_from = {"code": "0" * 64}
    change(run, "data_from", made_from)
    assert found(run) == ("stale", "the programs or files of its data changed")
    monkeypatch.setattr(problems, "made_from", lambda *data: made_from)
    assert found(run) == ("finished", "")


def test_a_copy_under_another_key_counts_nowhere(run, tmp_path):
    other = make("mnist", "log", 10.0, "lbfgs", passes=60)
    shutil.copytree(run.folder, tmp_path / "runs" / other.key)
    answer = state.of(other, tmp_path / "runs" / other.key)
    assert (answer.state, answer.reason) == (State.TORN, f"it is a copy of {run.key}")
    assert Runs(with_stale=True).present([other]) == []
    assert [each.key for each in state.finished(state.all_under(tmp_path / "runs").values())] == [run.key]


@pytest.mark.parametrize("broken", ['{"key": "\\ud800"}', "[" * 200_000, "{}", '{"key": 1, "provenance": 3}'])
def test_whatever_a_summary_holds_no_run_is_believed(run, broken):
    (run.folder / "summary.json").write_text(broken)
    assert found(run)[0] == "torn"


def test_settings_in_numbas_file_count(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".numba_config.yaml").write_text("opt: 1\nboundscheck: 0\n")
    assert found(run) == ("stale", "it is of other settings of numba: none, not NUMBA_OPT=1")
    monkeypatch.setenv("NUMBA_OPT", "3")
    assert found(run)[0] == "finished", "the environment comes first"
    (tmp_path / ".numba_config.yaml").write_text("- {")
    assert found(run)[0] == "finished"


def test_all_under_a_root_are_found_and_hidden_ones_are_not(run, tmp_path):
    other = fake_runs.write(tmp_path / "runs", algorithm="lbfgs", code="dead")
    (tmp_path / "runs" / ".x.partial").mkdir()
    (tmp_path / "runs" / f"{run.key}.partial").mkdir()
    (tmp_path / "runs" / "torn").mkdir()
    Path(tmp_path, "runs", "torn", "spec.json").touch()
    for name in ("notes", "empty"):
        (tmp_path / "runs" / name).mkdir()
    Path(tmp_path, "runs", "notes", "thesis.tex").touch()
    Path(tmp_path, "runs", "link").symlink_to(other.folder)
    answers = state.all_under(tmp_path / "runs")
    assert {folder.name: str(each.state) for folder, each in answers.items()} == {
        run.key: "finished", other.key: "stale", "torn": "torn",
    }  # fmt: skip
    assert [each.key for each in state.finished(answers.values())] == [run.key]
    assert {each.key for each in state.finished(answers.values(), with_stale=True)} == {run.key, other.key}
