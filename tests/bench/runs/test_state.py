"""What there is of a run: one answer, whoever asks."""

import os
import shutil

import pytest

from structbench.bench.runs import documents, problem_store, programs, seals, seen, state, store, writing
from structbench.bench.runs.execute import run_one
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec, make, parse
from structbench.bench.runs.state import State
from structbench.datasets import data_ref
from tests.bench import fake_runs


@pytest.fixture
def run(ours) -> store.Run:
    return fake_runs.write(ours / "runs", machine={"alone": True})


def spec_of(run: store.Run) -> Spec:
    return parse(run.key)


def found(run: store.Run, **asked) -> tuple[str, str]:
    answer = state.of_spec(spec_of(run), run.folder, **asked)
    assert (answer.run is None) == (answer.state in (State.TORN, State.MISSING))
    shown = Runs()[spec_of(run)]
    if not asked:
        assert (shown is not None) == answer.is_finished, "what is drawn and judged"
        assert (state.of_folder(run.folder).state == answer.state) or answer.state is State.MISSING
    return str(answer.state), answer.reason


def change(run: store.Run, name: str, value, file: str = "summary.json") -> None:
    """Change what a run says of what it was made with, or of its spec, as another checkout's would."""
    summary = run.summary
    if file == "spec.json":
        (run.folder / file).write_text(documents.to_json(run.spec.as_dict() | {name: value}))
    else:
        summary = summary | {"provenance": summary["provenance"] | {name: value}}
    (run.folder / "summary.json").write_text(documents.to_json(seals.sealed(run.folder, summary)))


def test_one_of_today_is_finished_and_of_other_programs_data_or_settings_stale(run, monkeypatch):
    assert found(run) == found(run, timed=True) == ("finished", "")
    change(run, "code_sha256", "0" * 64)
    assert found(run) == ("stale", "it is of other programs")
    assert Runs(with_stale=True).finished(spec_of(run)).key == run.key
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


def test_a_default_that_changed_or_an_algorithm_that_is_no_more_makes_it_stale(run):
    change(run, "gap", 1e-3, "spec.json")
    assert state.of_spec(spec_of(run), run.folder)[:2] == (State.STALE, "its gap is 0.001, not 1e-06")
    change(run, "params", dict(run.spec.params) | {"order": "cyclic"}, "spec.json")
    assert state.of_spec(spec_of(run), run.folder)[:2] == (State.STALE, "its order is cyclic, not random")
    change(run, "algorithm", "gone", "spec.json")
    answer = state.of_folder(run.folder)
    assert answer.state is State.STALE and "unknown algorithm 'gone'" in answer.reason


@pytest.mark.parametrize("file", store.FILES)
def test_one_that_was_changed_emptied_or_lost_is_torn(run, file):
    place = run.folder / file
    before = place.read_bytes()
    changes = {"summary.json": (b'"train_error": 0', b'"train_error": 1'), "spec.json": (b"60", b"61")}
    place.write_bytes(before.replace(*changes[file]) if file in changes else before[:-1] + b"!")
    assert place.read_bytes() != before and found(run)[0] == "torn"
    place.write_bytes(b"")
    assert found(run)[0] == "torn"
    place.unlink()
    assert found(run)[0] == "torn"
    for other in run.folder.iterdir():
        other.unlink()
    assert found(run) == ("missing", "it was not made yet")


@pytest.mark.parametrize("broken", ['{"key": "\\ud800"}', "[" * 200_000, "{}", '{"key": 1, "provenance": 3}'])
def test_whatever_a_summary_holds_no_run_is_believed(run, broken):
    (run.folder / "summary.json").write_text(broken)
    assert found(run)[0] == "torn"


def test_a_file_of_the_user_that_changed_makes_its_runs_stale(ours):
    file = ours / "train.txt"
    file.write_text("1 1:1\n2 2:1\n")
    data = data_ref(f"svmlight:{file}")
    long = [problem_store.folder(data, test).name for test in (None, "a", "a" * 300, "a" * 299 + "b")]
    assert len(set(long)) == 4 and max(map(len, long)) < 100, "each has a folder of its own"
    assert problem_store.fingerprint(data) is None, "never built"
    made = problem_store.obtain(data)[1]
    assert problem_store.fingerprint(data) == made
    spec = make(data, "log", 1.0, "lbfgs", passes=1)
    folder = ours / "runs" / spec.key
    run_one(spec, folder, lambda line: None)
    assert state.of_spec(spec, folder).is_finished
    file.write_text("1 1:1\n2 2:2\n")
    changed = (State.STALE, "the programs or files of its data changed")
    assert state.of_spec(spec, folder)[:2] == changed
    shutil.rmtree(ours / "problems")
    assert state.of_spec(spec, folder)[:2] == changed, "whether the problem is kept or not"
    problem_store.obtain(data)
    assert state.of_spec(spec, folder)[:2] == (State.STALE, "it is of other data")
    file.unlink()
    assert state.of_spec(spec, folder).is_finished, "nothing tells"


def test_a_training_file_that_changed_is_seen_without_the_test_file(ours):
    train, test = ours / "train.txt", ours / "test.txt"
    for file in (train, test):
        file.write_text("1 1:1\n2 2:1\n")
    spec = make(f"svmlight:{train}", "log", 1.0, "lbfgs", passes=1, test=str(test))
    folder = ours / "runs" / spec.key
    run_one(spec, folder, lambda line: None)
    test.unlink()
    assert state.of_spec(spec, folder).is_finished, "nothing tells"
    train.write_text("1 1:1\n2 2:2\n")
    assert state.of_spec(spec, folder)[:2] == (State.STALE, "the programs or files of its data changed")


def test_an_edit_of_what_makes_the_data_makes_runs_stale_until_the_problem_is_made_again(run, monkeypatch):
    made_from = {"code": "0" * 64}
    change(run, "data_from", made_from)
    assert found(run) == ("stale", "the programs or files of its data changed")
    monkeypatch.setattr(problem_store, "made_from", lambda *data: made_from)
    assert found(run) == ("finished", "")


def test_settings_in_numbas_file_count(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".numba_config.yaml").write_text("opt: 1\nboundscheck: 0\n")
    assert found(run) == ("stale", "it is of other settings of numba: none, not NUMBA_OPT=1")
    monkeypatch.setenv("NUMBA_OPT", "3")
    assert found(run)[0] == "finished", "the environment comes first"
    (tmp_path / ".numba_config.yaml").write_text("- {")
    assert found(run)[0] == "finished"


def test_all_under_a_root_are_found_and_hidden_ones_and_copies_are_not(run, ours):
    runs = ours / "runs"
    other = fake_runs.write(runs, algorithm="lbfgs", code="dead")
    copied = make("mnist", "log", 1.0, "lbfgs", passes=60)
    shutil.copytree(run.folder, runs / copied.key)
    for name in (".x.partial", f"{run.key}.partial", "torn", "notes", "empty"):
        (runs / name).mkdir()
    (runs / "torn" / "spec.json").touch()
    (runs / "notes" / "thesis.tex").touch()
    (runs / "link").symlink_to(other.folder)
    answers = state.all_under(runs)
    assert {folder.name: str(each.state) for folder, each in answers.items()} == {
        run.key: "finished", other.key: "stale", copied.key: "torn", "torn": "torn", "link": "torn",
    }  # fmt: skip
    assert state.of_spec(copied, runs / copied.key)[:2] == (State.TORN, f"it is a copy of {run.key}")
    assert Runs(with_stale=True).present([copied]) == []
    assert [each.key for each in state.finished(answers.values())] == [run.key]
    assert {each.key for each in state.finished(answers.values(), with_stale=True)} == {run.key, other.key}


def test_a_run_that_a_link_leads_to_is_seen_by_all_and_made_anew_in_the_links_place(run, tmp_path):
    elsewhere = tmp_path / "another disk" / run.key
    elsewhere.parent.mkdir()
    run.folder.rename(elsewhere)
    run.folder.symlink_to(elsewhere)
    assert found(run)[0] == "finished"
    assert [*state.all_under(run.folder.parent)] == [run.folder]
    writing.write_run(run.folder, run.spec.as_dict(), run.curve, run.summary, store.weights_of(run))
    assert not run.folder.is_symlink() and seals.altered(run.folder, store.read_run(run.folder).summary) == []
    assert seals.altered(elsewhere, store.read_run(elsewhere).summary) == []


def test_a_file_of_a_run_that_changes_without_a_trace_in_size_or_time_is_seen(tmp_path):
    run = fake_runs.write(tmp_path)
    assert state.of_folder(run.folder).is_finished
    file = run.folder / "weights.npz"
    about, content = file.stat(), bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)  # as long, and of the same time
    os.utime(file, ns=(about.st_atime_ns, about.st_mtime_ns))
    assert state.of_folder(run.folder).state is State.TORN


def test_files_are_read_once_by_all_processes_and_again_if_one_of_them_changes(run, monkeypatch):
    def read(wanted: int, at_last=lambda: None) -> None:
        times = []
        with monkeypatch.context() as patch:
            patch.setattr(seals, "altered", lambda *run: times.append(run) or altered(*run))
            answers.append(found(run))
        at_last()
        seen.write_seen()
        assert len(times) == wanted

    altered, answers = seals.altered, []
    read(3)  # each time that it is asked for: it was written just now
    monkeypatch.setattr(seen, "SETTLED", -1.0)
    read(1, seen.forget)
    read(1)
    read(0)
    assert {*answers} == {("finished", "")}
    file = run.folder / "curve.parquet"
    about, content = file.stat(), bytearray(file.read_bytes())
    content[20] ^= 1
    file.write_bytes(content)
    os.utime(file, ns=(about.st_atime_ns, about.st_mtime_ns))
    read(3)  # what is not as written is not noted
    assert answers[-1] == ("torn", "not as written: curve.parquet")


def test_a_run_with_a_parameter_that_is_gone_is_stale(run):
    change(run, "params", {"begin": 0.5}, "spec.json")
    answer = state.of_folder(run.folder)
    assert answer.state is State.STALE and answer.reason.endswith("has no parameter begin")


def test_memory_that_no_system_counts_is_not_missed(run, monkeypatch, tmp_path):
    assert found(run, memory=True)[1] == "its memory was not measured"
    monkeypatch.setattr(state, "STATUS", tmp_path / "none")
    assert found(run, memory=True) == ("finished", "")


def test_a_file_beside_those_of_a_run_hides_nothing(run):
    (run.folder / "notes.txt").write_text("mine")
    assert state.all_under(run.folder.parent)[run.folder].is_finished
    (run.folder / "summary.json").unlink()
    assert run.folder not in state.all_under(run.folder.parent)
